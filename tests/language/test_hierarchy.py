import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from likeness.errors import InputError
from likeness.language import hierarchy_similarities, read_hierarchy

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


def test_by_hand() -> None:
    np.testing.assert_allclose(hierarchy_similarities(PATHS), EXPECTED, atol=1e-12)
    np.testing.assert_allclose(hierarchy_similarities(["a/x", "a/y", "b"]), [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]], atol=1e-12)  # several roots
    np.testing.assert_array_equal(hierarchy_similarities(["a"]), [[1]])
    np.testing.assert_array_equal(hierarchy_similarities(["a", "b"]), np.eye(2))
    higher = hierarchy_similarities(PATHS, tree=["animal/bird/seabird/petrel/storm petrel/white-bellied"])  # seabird 3, bird 4, animal 5
    np.testing.assert_allclose(higher[0, 1:4], [2 / 5, 1 / 5, 0], atol=1e-12)


@settings(max_examples=60)
@given(trees)
def test_equal_to_a_loop_and_a_matrix_of_dot_products_on_any_tree(paths: list[str]) -> None:
    similarities = hierarchy_similarities(paths)
    np.testing.assert_allclose(similarities, loop(paths), atol=1e-12)
    assert np.linalg.eigvalsh(similarities).min() > -1e-9  # what guidance needs: vectors with these dot products exist (Barz and Denzler 2019)


@pytest.mark.parametrize(("paths", "message"), [([], "no classes"), (["a//b"], "'a//b' of a hierarchy has an empty step"), ([""], "empty step")])
def test_refusals(paths: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        hierarchy_similarities(paths)


PARENTS = {"Tern": "seabird", "Gull": "seabird", "seabird": "bird", "Wren": "bird", "bird": ""}
LEAVES = ["bird/seabird/Tern", "bird/seabird/Gull", "bird/Wren"]

LINES = "".join(f"{child},{parent}\n" for child, parent in PARENTS.items())
FORMS = {
    "pairs.csv": LINES,
    "header.csv": "Child,Parent\n" + LINES.replace(",", ", ").replace("\n", "\n\n"),
    "paths.csv": "\n".join(LEAVES),
    "path.csv": "path\n" + "\n".join(LEAVES),
    "pairs.json": json.dumps({child: parent or None for child, parent in PARENTS.items()}),
    "paths.json": json.dumps(LEAVES),
    "no_root_line.csv": LINES.removesuffix("bird,\n"),
    "mark.csv": "\ufeff" + LINES,
}


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_tree(tmp_path: Path, form: str) -> None:
    tree = read_hierarchy(write(tmp_path, form, FORMS[form]))
    assert sorted({*tree.paths, "bird"}) == sorted({*LEAVES, "bird", "bird/seabird"})
    assert len(tree.paths) == len(set(tree.paths))
    assert tree.path_of("Tern") == "bird/seabird/Tern"


def test_names_are_found_whatever_their_case_and_hyphens(tmp_path: Path) -> None:
    tree = read_hierarchy(write(tmp_path, "a.csv", "bird/Black-footed_Albatross"))
    assert tree.path_of("black footed albatross") == "bird/Black-footed_Albatross"
    tree = read_hierarchy(write(tmp_path, "a.csv", "a/Tern\nb/tern"))
    for name, message in (("Owl", "no node named 'Owl'; add the class"), ("tern", "2 nodes named 'tern'; make the names unique")):
        with pytest.raises(InputError, match=message):
            tree.path_of(name)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "", "'a.csv' is empty; give child and parent"),
        ("a.csv", "child,parent\n", "is empty"),
        ("a.json", "[]", "is empty"),
        ("a.json", "{", "is no JSON"),
        ("a.json", "[1]", "has another form"),
        ("a.json", '{"a": 3}', "has another form"),
        ("a.csv", "a,b,c\n", r"Entry 1 of the hierarchy 'a.csv' is \['a', 'b', 'c'\]"),
        ("a.csv", "a,b\n,c\n", "Entry 2 of"),
        ("a.csv", "a,b\na,c\n", "gives 'a' two parents, 'b' and 'c'"),
        ("a.csv", "a,b\nb,c\nc,a\n", "has a cycle through 'a'"),
        ("a.csv", "a,a\n", "has a cycle through 'a'"),
        ("a.json", '{"a/b": "c"}', "'a/b' in the hierarchy 'a.json' holds a '/'"),
    ],
)
def test_files_that_do_not_fit(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_hierarchy(write(tmp_path, name, text))
    (tmp_path / "latin.csv").write_bytes(b"Pinz\xf3n,bird")
    for file, said in (("nowhere.csv", "cannot be read"), ("latin.csv", "is not text in UTF-8")):
        with pytest.raises(InputError, match=said):
            read_hierarchy(tmp_path / file)
