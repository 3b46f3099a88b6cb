import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pytest

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.notions import PAPER_METHODS, Notion, get_notion
from likeness.space import Space
from likeness.studies import compare, embedding_sizes, encoder_sizes, prompt_counts


def _blurred(base: Space) -> Callable[[ImageTable, str], Space]:
    noise = 0.1 * np.random.default_rng(1).standard_normal(base.vectors.shape).astype(np.float32)
    return lambda table, encoder: base.replace(images=table, vectors=base.vectors + noise, encoder=encoder)


BOTH, SEEDS = ("raw", "exact"), (0, 1)
STUDIES: dict[str, tuple[Callable[..., pd.DataFrame], dict[str, Any]]] = {
    "compare": (compare, {"methods": BOTH, "dims": (2,), "seeds": SEEDS}),
    "sizes": (embedding_sizes, {"methods": BOTH, "sizes": (2, 4), "seeds": SEEDS}),
    "prompts": (prompt_counts, {"methods": BOTH, "counts": (3, 12), "dim": 4, "seeds": SEEDS}),
    "encoders": (encoder_sizes, {"methods": BOTH, "encoders": ["small", "large"], "dim": 4, "seeds": SEEDS}),
}


# InDiReCT, section 6: embedding sizes and numbers of prompts
PAPER: dict[str, dict[str, Any]] = {
    "sizes": {"sizes": (2, 4, 8, 16, 32, 64, 128, 256, 512), "methods": PAPER_METHODS},
    "prompts": {"counts": tuple(range(10, 151, 10)), "dim": 128, "methods": PAPER_METHODS},
}


@pytest.mark.parametrize("name", PAPER)
def test_a_study_of_the_paper_is_its_own_by_default(name: str) -> None:
    defaults = {option: each.default for option, each in inspect.signature(STUDIES[name][0]).parameters.items()}
    assert {option: defaults[option] for option in PAPER[name]} == PAPER[name]
    assert list(defaults["seeds"]) == [0, 1, 2, 3, 4]
    assert len(get_notion("car-model-names").prompts) == 569


@pytest.fixture
def run(base: Space, shades: Notion) -> Callable[..., pd.DataFrame]:

    def call(name: str, **options: Any) -> pd.DataFrame:
        study, own = STUDIES[name]
        own = own | ({"table": base.table, "embed": _blurred(base)} if study is encoder_sizes else {"base": base})
        own |= {"notion": shades} if study is prompt_counts else {"notions": [shades]}
        return study(**own | options)

    return call


@pytest.mark.parametrize("name", STUDIES)
def test_it_tells_how_far_it_is_and_a_stop_keeps_what_is_finished(run: Callable[..., pd.DataFrame], name: str) -> None:
    steps: list[tuple[int, int]] = []
    rows: list[dict[str, Any]] = []
    whole = run(name, progress=lambda done, total: steps.append((done, total)), on_run=rows.append)
    assert steps == sorted(steps)
    assert (steps[0], steps[-1]) == ((0, len(whole)), (len(whole), len(whole)))
    pd.testing.assert_frame_equal(pd.DataFrame(rows)[list(whole)], whole)
    kept: list[dict[str, Any]] = []
    part = run(name, should_stop=lambda: len(kept) == 2, on_run=kept.append)
    pd.testing.assert_frame_equal(part.drop(columns="fit_seconds"), whole[:2].drop(columns="fit_seconds"))
    none = run(name, should_stop=lambda: True)
    assert (len(none), list(none)) == (0, list(whole))


BAD = [
    ("compare", {"methods": ["best"]}, "There is no method 'best'; choose from random, raw"),
    ("compare", {"metrics": ["accuracy"]}, "There is no metric 'accuracy'; choose from map_at_r, precision_at_1, r_precision, map, mrr, map_at_1000"),
    ("compare", {"metrics": []}, "There is no metric to measure; choose from map_at_r"),
    ("compare", {"ranking": "manhattan"}, "The metric 'manhattan' is unknown; choose 'cosine', 'euclidean', or a ranking: k-reciprocal"),
    ("compare", {"dims": [0]}, "The dimension 0 cannot be measured; choose whole numbers of at least 1, or 'suggested'"),
    ("compare", {"dims": []}, "There is no dimension to measure; pass at least one, such as 128"),
    ("compare", {"seeds": []}, "There is no seed to measure"),
    ("compare", {"notions": []}, "There is no notion to measure"),
    ("sizes", {"sizes": ()}, "There is no dimension to measure"),
    ("sizes", {"sizes": (0,)}, "The dimension 0 cannot be measured"),
    ("encoders", {"encoders": []}, "There is no encoder to measure"),
    ("encoders", {"encoders": ["small", "small"]}, "The encoder 'small' stands twice"),
    ("encoders", {"methods": ("best",)}, "There is no method 'best'"),
    ("encoders", {"notions": []}, "There is no notion to measure"),
    ("prompts", {"counts": ()}, "There is no number of prompts to measure"),
    ("prompts", {"counts": (1,)}, r"1 prompts cannot be sampled; choose whole numbers of at least 2\."),
    ("prompts", {"counts": (10, 41)}, "'shades' has 40 prompts, so 41 cannot be sampled; choose smaller numbers or a notion with more aspects"),
    ("prompts", {"counts": (10, 20, 10)}, "10 prompts are listed twice"),
    ("prompts", {"methods": ("exact", "best")}, "There is no method 'best'"),
]


@pytest.mark.parametrize(("name", "options", "message"), BAD)
def test_bad_requests_are_refused_before_any_work(
    run: Callable[..., pd.DataFrame], texts: Any, name: str, options: dict[str, Any], message: str
) -> None:
    never = MagicMock()
    with pytest.raises(InputError, match=message):
        run(name, **({"on_run": never} | ({"embed": never} if name == "encoders" else {}) | options))
    never.assert_not_called()
    assert texts.calls == []


@pytest.mark.parametrize("name", ["compare", "encoders"])
def test_notions_that_cannot_be_judged_are_refused(run: Callable[..., pd.DataFrame], color: Notion, name: str) -> None:
    with pytest.raises(InputError, match=r"'weather' needs the attribute 'sky', but the images have \['color', 'shape'\]"):
        run(name, notions=[color, replace(color, name="weather", attribute="sky")])
    with pytest.raises(InputError, match="Two notions are called 'car color', and their rows would be mixed up; rename one"):
        run(name, notions=[color, replace(color, aspects=("red", "blue"))])
