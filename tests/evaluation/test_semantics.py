import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from likeness.evaluation import (
    class_image_similarities,
    language_divergence,
    language_rank_correlation,
    semantic_retrieval,
    semantics,
    semantics_table,
)

MadeUp = Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]
NAMES = ["red van", "red suv", "blue van", "blue suv", "bicycle"]


def test_holds_what_its_parts_give(made_up: MadeUp) -> None:
    embeddings, labels, language = made_up()
    told: list[tuple[int, int]] = []
    found = semantics(embeddings, labels, language, NAMES, neighbors=7, shift=0.0, progress=lambda done, total: told.append((done, total)))
    assert told == [(60, 60)]
    assert found.images.mean == language_divergence(embeddings, labels, language, shift=0.0).mean
    assert found.classes.mean == language_divergence(embeddings, labels, language, level="class", shift=0.0).mean
    np.testing.assert_array_equal(found.similarities, class_image_similarities(embeddings, labels, 5))
    assert found.rank_correlation == language_rank_correlation(found.similarities, language)
    np.testing.assert_array_equal(found.retrieval.counts, semantic_retrieval(embeddings, labels, language, 7).counts)
    per_class = found.per_class
    assert list(per_class.columns[-2:]) == ["image_divergence", "class_divergence"]
    np.testing.assert_array_equal(per_class["class_divergence"], found.classes.rows)
    assert per_class["class"].tolist() == NAMES


def test_a_row_per_space(made_up: MadeUp) -> None:
    spaces = {name: semantics(*made_up(seed), NAMES) for seed, name in enumerate(("a", "b"))}
    table = semantics_table(spaces).set_index("space")
    assert list(table.index) == ["a", "b"]
    assert table.loc["b", "image_divergence ±"] == spaces["b"].images.deviation
    assert table.loc["a", "relatedness"] == pytest.approx(spaces["a"].retrieval.relatedness)
    assert table.loc["a", "own_share"] == spaces["a"].retrieval.own_share


def test_importing_the_evaluation_needs_no_torch() -> None:
    code = "import sys, likeness.evaluation; sys.exit('torch' in sys.modules or 'plotly' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
