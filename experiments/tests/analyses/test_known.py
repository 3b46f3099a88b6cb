"""Items that are known, items that are new, and controls."""

import numpy as np
import pytest

from experiments.analyses.known import ENCODER, FARS, SCORES, SHUFFLED, _left_out, count_table, known_divisions, known_table
from likeness.errors import InputError
from likeness.evaluation import known_scores, leave_one_out


def _items(items: int, images: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    rows = np.repeat(rng.standard_normal((items, 32)), images, axis=0) + 0.9 * rng.standard_normal((items * images, 32))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32), np.repeat(np.arange(items), images)


def test_new_items_judge_what_the_gallery_promised() -> None:
    vectors, items = _items(80, 8)
    items[:3] = -1  # without a label
    runs = known_divisions(vectors, items, range(4))
    assert len(runs) == 4 * 3 * len(SCORES) * len(FARS)
    found = known_table(runs).set_index(["space", "score", "far"])
    assert found.loc[(ENCODER, "best", 0.1), "reached"] == pytest.approx(0.1, abs=0.06)
    assert found.loc[(ENCODER, "best", 0.1), "dir"] > 0.5 > found.loc[(SHUFFLED, "best", 0.1), "dir"]
    assert found.loc[(SHUFFLED, "best", 0.1), "auroc"] == pytest.approx(0.5, abs=0.06)
    counts = count_table(runs).set_index("space")
    assert counts.loc[ENCODER, "items"] == 40
    assert counts.loc[ENCODER, "items_found"] == pytest.approx(40, rel=0.3)
    with pytest.raises(InputError, match="11 items have 4 images or more; twelve are needed"):
        known_divisions(vectors[:88], items[:88])


def test_leaving_items_out_one_by_one_is_what_the_package_does_at_once() -> None:
    vectors, items = _items(10, 5)
    found, _ = leave_one_out(vectors, items)
    assert known_scores(_left_out(vectors, items)) == pytest.approx(found.scores[~found.known], abs=1e-6)
