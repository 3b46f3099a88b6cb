"""Similarities of classes in a tree, and embeddings that have them as dot products ("HierMatch")."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from likeness.errors import InputError
from likeness.language.family import Matrix, SimilaritySource
from likeness.language.hierarchy_files import read_hierarchy
from likeness.language.wordnet import wordnet_paths


def hierarchy_similarities(paths: Sequence[str], tree: Sequence[str] = ()) -> Matrix:
    """1 - height(lowest common subsumer) / height(tree), Eq. 1 and 2 of Barz and Denzler, "Hierarchy-based Image Embeddings" (2019).

    A node's height is the number of steps to the deepest leaf below it. Several roots are joined under one. A class that is an ancestor of
    another keeps similarity 1 with itself; the paper has classes at leaves only.

    Args:
        paths: n classes as paths from the root, such as "animal/bird/cowbird".
        tree: further paths of the same tree, which can make it higher.

    Returns:
        (n, n) float64 in [0, 1], symmetric, ones on the diagonal.

    Raises:
        InputError: if there is no path or one is empty or has an empty step.
    """
    nodes = [_steps(path) for path in paths]
    if not nodes:
        raise InputError("The hierarchy has no classes; give at least one path such as 'animal/bird/cowbird'.")
    heights = _heights([*nodes, *(_steps(path) for path in tree)])
    similarities = np.zeros((len(nodes), len(nodes)))
    numbers = {node: number for number, node in enumerate(heights)}
    for level in range(max(map(len, nodes)) + 1):
        prefix = np.array([numbers[node[:level]] if level <= len(node) else -1 for node in nodes])
        share = 1 - np.array([heights[node[:level]] if level <= len(node) else 0 for node in nodes]) / max(heights[()], 1)
        same = (prefix[:, None] == prefix[None, :]) & (prefix >= 0)[:, None]
        similarities = np.where(same, share[:, None], similarities)
    classes = np.array([numbers[node] for node in nodes])
    return np.where(classes[:, None] == classes[None, :], 1.0, similarities)


def hierarchy_embeddings(paths: Sequence[str], tree: Sequence[str] = ()) -> Matrix:
    """Unit vectors (n, c) whose dot products are the similarities, c the number of different classes (Algorithm 1 of Barz and Denzler 2019).

    The algorithm places one class after another: its first coordinates solve a triangular system, the last makes its length 1. That is row
    by row the Cholesky factor of the similarities, which is taken here.

    Raises:
        InputError: as `hierarchy_similarities`.
    """
    distinct = list(dict.fromkeys("/".join(_steps(path)) for path in paths))
    rows = {path: row for row, path in enumerate(distinct)}
    factor = np.linalg.cholesky(hierarchy_similarities(distinct, tree))
    return np.asarray(factor[[rows["/".join(_steps(path))] for path in paths]])


def _steps(path: str) -> tuple[str, ...]:
    steps = tuple(step.strip() for step in path.strip("/").split("/"))
    if not all(steps):
        raise InputError(f"The path {path!r} of a hierarchy has an empty step; write it as 'animal/bird/cowbird'.")
    return steps


def _heights(nodes: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], int]:
    """The height of each node and its ancestors; () is the root, which stands in for the only first step if there is but one."""
    heights: dict[tuple[str, ...], int] = {}
    for node in nodes:
        for level in range(len(node) + 1):
            heights[node[:level]] = max(heights.get(node[:level], 0), len(node) - level)
    roots = [node for node in heights if len(node) == 1]
    if len(roots) == 1:
        heights[()] = heights[roots[0]]
    return heights


def _compare(tree: str, names: Sequence[str]) -> Matrix:
    """In the tree of a file, or in WordNet's."""
    if tree == "wordnet":
        return hierarchy_similarities(wordnet_paths(names))
    known = read_hierarchy(Path(tree).expanduser())
    return hierarchy_similarities([known.path_of(name) for name in names], known.paths)


HIERARCHY = SimilaritySource(
    "hierarchy",
    "Hierarchy",
    "How near names lie in a tree (HierMatch), that of a file or WordNet's.",
    _compare,
    form="'hierarchy:FILE' or 'hierarchy:wordnet'",
    map_path=lambda target, change: target if target == "wordnet" else change(target),
)
