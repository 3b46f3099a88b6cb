"""Similarities of classes in a tree ("HierMatch"); trees from CSV and JSON files."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from likeness.errors import InputError
from likeness.io import as_path, csv_rows, parse_json, text_of
from likeness.language.family import Matrix, SimilaritySource
from likeness.language.wordnet import wordnet_paths

_EXPECTED = "child and parent in two columns (CSV) or as an object (JSON), or one path such as 'animal/bird/cowbird' a line or list entry"


def hierarchy_similarities(paths: Sequence[str], tree: Sequence[str] = ()) -> Matrix:
    """1 - height(lowest common subsumer) / height(tree), Eq. 1 and 2 of Barz and Denzler, "Hierarchy-based Image Embeddings" (2019).

    A node's height is the number of steps to the deepest leaf below it. Several roots are joined under one. A class that is an ancestor of another
    keeps similarity 1 with itself; the paper has classes at leaves only. InputError: there is no path, or one is empty or has an empty step.

    Args:
        paths: n classes as paths from the root, such as "animal/bird/cowbird".
        tree: further paths of the same tree, which can make it higher.

    Returns:
        (n, n) float64 in [0, 1], symmetric, ones on the diagonal.
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


def _steps(path: str) -> tuple[str, ...]:
    steps = tuple(step.strip() for step in path.strip("/").split("/"))
    if not all(steps):
        raise InputError(f"The path {path!r} of a hierarchy has an empty step; write it as 'animal/bird/cowbird'.")
    return steps


def _heights(nodes: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], int]:
    """The height of each node and its ancestors; () is the root, which replaces the first step if there is only one."""
    heights: dict[tuple[str, ...], int] = {}
    for node in nodes:
        for level in range(len(node) + 1):
            heights[node[:level]] = max(heights.get(node[:level], 0), len(node) - level)
    roots = [node for node in heights if len(node) == 1]
    if len(roots) == 1:
        heights[()] = heights[roots[0]]
    return heights


@dataclass(frozen=True)
class Hierarchy:
    """A class tree: the file's name, for messages, and every node as its path from the root, "animal/bird/cowbird"."""

    name: str
    paths: tuple[str, ...]

    def path_of(self, class_name: str) -> str:
        """The path of the node with that name, ignoring case, underscores and hyphens; raises InputError if there is none, or several."""
        found = self._by_name.get(_key(class_name), ())
        if len(found) != 1:
            what = f"{len(found)} nodes" if found else "no node"
            remedy = "make the names unique" if found else "add the class to the file"
            raise InputError(f"The hierarchy '{self.name}' has {what} named '{class_name}'; {remedy}.")
        return found[0]

    @cached_property
    def _by_name(self) -> dict[str, tuple[str, ...]]:
        by_name: dict[str, tuple[str, ...]] = {}
        for path in self.paths:
            key = _key(path.rpartition("/")[2])
            by_name[key] = (*by_name.get(key, ()), path)
        return by_name


def read_hierarchy(path: Path) -> Hierarchy:
    """Reads a tree: child and parent, or whole paths.

    A CSV file has two columns, child and parent (a header "child,parent" is skipped), or one, the path; a JSON file an object {child: parent} or a
    list of paths. A node with an empty or null parent is a root, and so is a parent that is not a child.

    Raises InputError if the file is missing, has another format, gives a child two parents, or has a cycle.
    """
    text = text_of(as_path(path))
    content = _json(path, text) if path.suffix.lower() == ".json" else _csv(path, text)
    paths = _from_parents(path, content) if isinstance(content, dict) else content
    if not paths:
        raise InputError(f"The hierarchy '{path.name}' is empty; give {_EXPECTED}.")
    return Hierarchy(path.name, tuple(_with_ancestors(paths)))


def _json(path: Path, text: str) -> dict[str, str] | list[str]:
    try:
        content = parse_json(text, "it")
    except InputError as error:
        raise InputError(f"The hierarchy '{path.name}' is no JSON ({str(error).removesuffix('.')}); give {_EXPECTED}.") from error
    if isinstance(content, list) and all(isinstance(entry, str) for entry in content):
        return content
    if isinstance(content, dict) and all(parent is None or isinstance(parent, str) for parent in content.values()):
        return {child: parent or "" for child, parent in content.items()}
    raise InputError(f"The hierarchy '{path.name}' has another form; give {_EXPECTED}.")


def _csv(path: Path, text: str) -> dict[str, str] | list[str]:
    rows = csv_rows(text)
    if rows and [cell.lower() for cell in rows[0]] in (["child", "parent"], ["path"]):
        rows = rows[1:]
    if all(len(row) == 1 for row in rows):
        return [row[0] for row in rows]
    parents: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        if len(row) != 2 or not row[0]:
            raise InputError(f"Entry {number} of the hierarchy '{path.name}' is {row}; give {_EXPECTED}.")
        if parents.setdefault(row[0], row[1]) != row[1]:
            raise InputError(f"The hierarchy '{path.name}' gives '{row[0]}' two parents, '{parents[row[0]]}' and '{row[1]}'; keep one.")
    return parents


def _from_parents(path: Path, parents: dict[str, str]) -> list[str]:
    """A path for every child."""
    paths = []
    for child in parents:
        steps = [child]
        while parent := parents.get(steps[-1], ""):
            if parent in steps:
                raise InputError(f"The hierarchy '{path.name}' has a cycle through '{parent}'; remove one of its links.")
            steps.append(parent)
        if slashed := next((step for step in steps if "/" in step), None):
            raise InputError(f"The name '{slashed}' in the hierarchy '{path.name}' holds a '/', which separates steps; rename it.")
        paths.append("/".join(reversed(steps)))
    return paths


def _with_ancestors(paths: list[str]) -> list[str]:
    """Every node once, ancestors before descendants."""
    steps = [[step.strip() for step in path.strip("/").split("/")] for path in paths]
    return list(dict.fromkeys("/".join(path[: level + 1]) for path in steps for level in range(len(path))))


def _key(name: str) -> str:
    return " ".join(name.replace("_", " ").replace("-", " ").lower().split())


def _compare(tree: str, names: Sequence[str]) -> Matrix:
    """Compares names in the tree of a file, or of WordNet."""
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
