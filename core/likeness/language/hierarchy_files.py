"""Class trees from CSV and JSON files."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from likeness.errors import InputError
from likeness.io import as_path, csv_rows, parse_json, regular_file

_EXPECTED = "child and parent in two columns (CSV) or as an object (JSON), or one path such as 'animal/bird/cowbird' a line or list entry"


@dataclass(frozen=True)
class Hierarchy:
    """A class tree.

    Attributes:
        name: of the file, for messages.
        paths: every node as its path from the root, "animal/bird/cowbird".
    """

    name: str
    paths: tuple[str, ...]

    def path_of(self, class_name: str) -> str:
        """The path of the node with that name; case, underscores and hyphens do not matter.

        Raises:
            InputError: if no node has the name, or several have.
        """
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

    A CSV file has two columns, child and parent (a header line "child,parent" is passed over), or one, the path; a JSON file an object
    {child: parent} or a list of paths. An empty parent, or null, marks a root, and a parent that is no child is one.

    Raises:
        InputError: if the file is missing, has another form, gives a child two parents, or has a circle.
    """
    try:
        text = regular_file(as_path(path)).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The hierarchy '{path}' cannot be read ({error}); give a CSV or JSON file in UTF-8.") from error
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
                raise InputError(f"The hierarchy '{path.name}' runs in a circle through '{parent}'; remove one of its links.")
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
