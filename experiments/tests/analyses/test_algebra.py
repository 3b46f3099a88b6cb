"""Notions joined and taken away, judged by labels."""

import itertools

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from experiments.analyses.algebra import algebra_summary, algebra_table
from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.notions import Notion

_VALUES = {"color": ["red", "green", "blue"], "shape": ["ball", "cube"], "size": ["small", "large"]}
_AXES = {f"a {value}": place for place, value in enumerate(itertools.chain.from_iterable(_VALUES.values()))}
NOTIONS = [Notion(name, "a {}", values, attribute=name) for name, values in _VALUES.items()]


def _texts(prompts):
    rows = [np.eye(8)[[_AXES[f"a {word}"] for word in text.replace("a ", "").split(", ")]].sum(axis=0) for text in prompts]
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


@pytest.fixture
def space():
    """48 images that each show a color, a shape and a size, the size most of all."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.permutation(np.resize(values, 48)) for name, values in _VALUES.items()})
    weights = {"color": 1.0, "shape": 1.0, "size": 4.0}
    vectors = sum(np.eye(8)[[_AXES[f"a {value}"] for value in frame[name]]] * weight for name, weight in weights.items())
    table = ImageTable("images", "/", frame.assign(path=[f"{row}.png" for row in range(48)]))
    return lk.Space(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), table, embed_texts=_texts)


def test_both_labels_judge_a_pair_and_the_notion_of_fewest_prompts_counts(space) -> None:
    seen = []
    runs = algebra_table(space, NOTIONS, seeds=range(2), on_run=seen.append)
    pd.testing.assert_frame_equal(pd.DataFrame(seen), runs)
    score = runs.groupby(["part", "notion", "row"])["map_at_r"].mean()
    assert score["joined", "color + shape", "joined"] == 1
    for row in ("prompts of both", "prompts of both, CLAY"):
        assert score["joined", "color + shape", row] > score["joined", "color + shape", "random projection"]
    assert score["joined", "color + shape", "joined"] > score["joined", "color + shape", "the better of the two"]
    assert score["joined", "color + shape", "joined"] > score["joined", "color + shape", "with another"]
    assert score["taken away", "color", "all others away"] == 1
    assert score["taken away", "color", "all others away"] > score["taken away", "color", "raw encoder"]
    assert score["taken away", "size", "itself away"] < score["taken away", "size", "raw encoder"]
    summary = algebra_summary(runs).set_index(["part", "row"])
    assert summary.loc[("joined", "joined"), ["better than raw", "of"]].tolist() == [3, 3]
    assert summary.loc[("joined", "raw encoder"), "better than raw"] == 0
    more = Notion("hue", "a {}", ["red", "green", "blue", "ball", "cube"], attribute="color")
    assert set(algebra_table(space, [more, *NOTIONS], seeds=[0])["notion"]) == set(algebra_table(space, NOTIONS, seeds=[0])["notion"])


def test_too_few_labels_are_refused(space):
    with pytest.raises(InputError, match="2 different labels; at least three are needed"):
        algebra_table(space, NOTIONS[:2])
    with pytest.raises(InputError, match="'odd' has no label"):
        algebra_table(space, [*NOTIONS, Notion("odd", "a {}", ["red", "blue"])])
