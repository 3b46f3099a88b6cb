"""Class trees from files, in every form, sound and damaged."""

import json
from pathlib import Path

import pytest

from likeness.errors import InputError
from likeness.language import read_hierarchy

PARENTS = {"Tern": "seabird", "Gull": "seabird", "seabird": "bird", "Wren": "bird", "bird": ""}
PATHS = {"bird", "bird/seabird", "bird/seabird/Tern", "bird/seabird/Gull", "bird/Wren"}
LEAVES = ["bird/seabird/Tern", "bird/seabird/Gull", "bird/Wren"]

FORMS = {
    "pairs.csv": "".join(f"{child},{parent}\n" for child, parent in PARENTS.items()),
    "header.csv": "Child,Parent\n" + "".join(f"{child}, {parent}\n\n" for child, parent in PARENTS.items()),
    "paths.csv": "\n".join(LEAVES),
    "path.csv": "path\n" + "\n".join(LEAVES),
    "pairs.json": json.dumps({child: parent or None for child, parent in PARENTS.items()}),
    "paths.json": json.dumps(LEAVES),
    "no_root_line.csv": "".join(f"{child},{parent}\n" for child, parent in PARENTS.items() if parent),
    "mark.csv": "\ufeff" + "".join(f"{child},{parent}\n" for child, parent in PARENTS.items()),
}


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_tree(tmp_path: Path, form: str) -> None:
    tree = read_hierarchy(write(tmp_path, form, FORMS[form]))
    assert set(tree.paths) | {"bird"} == PATHS
    assert len(tree.paths) == len(set(tree.paths))
    assert tree.path_of("Tern") == "bird/seabird/Tern"


def test_names_are_found_whatever_their_case_and_hyphens(tmp_path: Path) -> None:
    tree = read_hierarchy(write(tmp_path, "a.csv", "bird/Black-footed_Albatross"))
    assert tree.path_of("black footed albatross") == "bird/Black-footed_Albatross"


@pytest.mark.parametrize(
    ("name", "message"), [("Owl", "no node named 'Owl'; add the class"), ("tern", "2 nodes named 'tern'; make the names unique")]
)
def test_names_that_are_not_there_once(tmp_path: Path, name: str, message: str) -> None:
    tree = read_hierarchy(write(tmp_path, "a.csv", "a/Tern\nb/tern"))
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
        ("a.csv", "a,b\nb,c\nc,a\n", "runs in a circle through 'a'"),
        ("a.csv", "a,a\n", "runs in a circle through 'a'"),
        ("a.json", '{"a/b": "c"}', "'a/b' in the hierarchy 'a.json' holds a '/'"),
    ],
)
def test_refusals(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_hierarchy(write(tmp_path, name, text))
    (tmp_path / "latin.csv").write_bytes(b"Pinz\xf3n,bird")
    for file, said in (("nowhere.csv", "cannot be read"), ("latin.csv", r"cannot be read .*give a CSV or JSON file in UTF-8")):
        with pytest.raises(InputError, match=said):
            read_hierarchy(tmp_path / file)
