"""Similarities in a tree and the embeddings that have them."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from likeness.errors import InputError
from likeness.language import hierarchy_embeddings, hierarchy_similarities

PATHS = ["animal/bird/seabird/tern", "animal/bird/seabird/gull", "animal/bird/wren", "animal/cat", "animal/bird/wren"]
# heights: seabird 1, bird 2, animal 3
EXPECTED = np.array([[1, 2 / 3, 1 / 3, 0, 1 / 3], [2 / 3, 1, 1 / 3, 0, 1 / 3], [1 / 3, 1 / 3, 1, 0, 1], [0, 0, 0, 1, 0], [1 / 3, 1 / 3, 1, 0, 1]])

trees = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join), min_size=1, max_size=8)


def loop(paths: list[str]) -> np.ndarray:
    """The definition node by node: the lowest common ancestor's height from all paths below it."""
    steps = [("root", *path.split("/")) for path in paths]
    if len({path[1] for path in steps}) == 1:
        steps = [path[1:] for path in steps]

    def height(node: tuple[str, ...]) -> int:
        return max(len(path) - len(node) for path in steps if path[: len(node)] == node)

    result = np.ones((len(paths), len(paths)))
    for i, first in enumerate(steps):
        for j, second in enumerate(steps):
            if first != second:
                common = max(level for level in range(1, min(len(first), len(second)) + 1) if first[:level] == second[:level])
                result[i, j] = 1 - height(first[:common]) / height(first[:1])
    return result


def by_algorithm(similarities: np.ndarray) -> np.ndarray:
    """Algorithm 1 of Barz and Denzler as printed: one triangular system per class."""
    n = len(similarities)
    vectors = np.zeros((n, n))
    vectors[0, 0] = 1
    for i in range(1, n):
        vectors[i, :i] = np.linalg.solve(vectors[:i, :i], similarities[:i, i])
        vectors[i, i] = np.sqrt(1 - np.sum(vectors[i] ** 2))
    return vectors


def test_by_hand() -> None:
    np.testing.assert_allclose(hierarchy_similarities(PATHS), EXPECTED, atol=1e-12)
    np.testing.assert_allclose(hierarchy_similarities(["a/x", "a/y", "b"]), [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]], atol=1e-12)  # several roots
    np.testing.assert_array_equal(hierarchy_similarities(["a"]), [[1]])
    np.testing.assert_array_equal(hierarchy_similarities(["a", "b"]), np.eye(2))


@settings(max_examples=60)
@given(trees)
def test_equal_to_a_loop_on_any_tree(paths: list[str]) -> None:
    np.testing.assert_allclose(hierarchy_similarities(paths), loop(paths), atol=1e-12)


@settings(max_examples=60)
@given(trees)
def test_embeddings_are_unit_and_have_the_similarities(paths: list[str]) -> None:
    vectors = hierarchy_embeddings(paths)
    assert vectors.shape == (len(paths), len(set(paths)))
    np.testing.assert_allclose(vectors @ vectors.T, hierarchy_similarities(paths), atol=1e-9)


def test_embeddings_are_those_of_the_printed_algorithm() -> None:
    np.testing.assert_allclose(hierarchy_embeddings(PATHS[:4]), by_algorithm(EXPECTED[:4, :4]), atol=1e-12)


def test_a_higher_tree_brings_classes_nearer() -> None:
    similarities = hierarchy_similarities(PATHS, tree=["animal/bird/seabird/petrel/storm petrel/white-bellied"])
    # seabird 3, bird 4, animal 5
    np.testing.assert_allclose(similarities[0, 1:4], [2 / 5, 1 / 5, 0], atol=1e-12)


@pytest.mark.parametrize(("paths", "message"), [([], "no classes"), (["a//b"], "'a//b' of a hierarchy has an empty step"), ([""], "empty step")])
def test_refusals(paths: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        hierarchy_similarities(paths)
