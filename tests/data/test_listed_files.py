"""Names in tables, lists and label files, whatever the Unicode form in which they and the files are written."""

import os
import unicodedata
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, strategies as st
from PIL import Image

from likeness.data import ImageTable, add_label_files, find_files, keep_listed, listed_files, read_dataset
from likeness.errors import InputError
from likeness.io import name_finder
from likeness.language import captions_in_order
from likeness.spreading.given_labels import labels_of_paths
from likeness.tagging.csv_files import match_images

NAMES = ["Müller.png", "Größe.png", "が.png", "plain.png"]
FORMS = ("NFC", "NFD")


def written(names: list[str], form: str) -> list[str]:
    return [unicodedata.normalize(form, name) for name in names]


@pytest.fixture(params=FORMS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Images in a folder with a name of such letters, all in one form."""
    place = tmp_path / unicodedata.normalize(request.param, "Fotos für später")
    place.mkdir()
    for number, name in enumerate(written(NAMES, request.param)):
        Image.new("RGB", (8, 8), (60 * number, 90, 200)).save(place / name)
    return tmp_path


@pytest.mark.parametrize("form", FORMS)
def test_a_table_finds_its_images_in_any_form(folder: Path, form: str) -> None:
    paths = written([f"Fotos für später/{name}" for name in NAMES], form)
    for listed in (paths, [str(folder / path) for path in paths], [f"./{path}" for path in paths]):
        pd.DataFrame({"path": listed, "label": list("abcd")}).to_csv(folder / "t.csv", index=False)
        table = read_dataset(folder / "t.csv")
        assert all(path.is_file() for path in table.paths())
        assert table.frame["label"].tolist() == list("abcd")


@pytest.mark.parametrize("form", FORMS)
def test_lists_and_label_files_find_images_in_any_form(folder: Path, form: str, tmp_path: Path) -> None:
    table = read_dataset(next(folder.iterdir()))
    paths, named = table.frame["path"].tolist(), written(NAMES[:2], form)
    (tmp_path / "keep.txt").write_text("\n".join(named), encoding="utf-8")
    wanted = [path for path in paths if unicodedata.normalize(form, path) in named]
    assert keep_listed(table, tmp_path / "keep.txt").frame["path"].tolist() == wanted
    pd.DataFrame({"path": named, "label": ["x", "y"]}).to_csv(tmp_path / "kind.csv", index=False)
    assert sorted(add_label_files(table, [tmp_path / "kind.csv"]).frame["kind"].dropna()) == ["x", "y"]
    assert sorted(filter(None, labels_of_paths(table, tmp_path / "kind.csv"))) == ["x", "y"]
    found, ambiguous = match_images(table, [*named, f"somewhere/{named[0]}", "no.png"])
    assert sorted(filter(None, found)) == sorted(wanted)
    assert found[2:] == [None, None]
    assert ambiguous == set()
    said = dict(zip(sorted(wanted), "ab", strict=True))
    captions = {unicodedata.normalize(form, path): caption for path, caption in said.items()}
    assert captions_in_order(captions, wanted) == [said[path] for path in wanted]


def test_a_file_name_without_folder_matches_in_any_form(tmp_path: Path) -> None:
    table = ImageTable("t", tmp_path, pd.DataFrame({"path": written(["a/Müller.png", "a/Öl.png", "b/Öl.png"], "NFD")}))
    assert match_images(table, ["Müller.png", "Öl.png"]) == ([unicodedata.normalize("NFD", "a/Müller.png"), None], {"Öl.png"})


def test_two_forms_of_one_name_in_a_label_file_are_refused(tmp_path: Path) -> None:
    pd.DataFrame({"path": [unicodedata.normalize(form, "ü.png") for form in FORMS], "label": ["x", "y"]}).to_csv(tmp_path / "kind.csv", index=False)
    table = ImageTable("t", tmp_path, pd.DataFrame({"path": ["ü.png"]}))
    with pytest.raises(InputError, match="has two labels, 'x' and 'y', in two Unicode forms"):
        add_label_files(table, [tmp_path / "kind.csv"])


@given(st.text(min_size=1), st.sampled_from(["NFC", "NFD"]), st.sampled_from(["NFC", "NFD"]))
def test_a_name_is_found_in_any_form(name: str, there: str, asked: str) -> None:
    kept = unicodedata.normalize(there, name)
    assert name_finder([kept, "other \u0308"])(unicodedata.normalize(asked, name)) == kept


def test_the_name_itself_comes_first_and_none_is_guessed() -> None:
    both = written(["ü.png", "ü.png"], "NFC")[:1] + written(["ü.png"], "NFD")
    find = name_finder(both)
    assert [find(name) for name in both] == both
    marks = name_finder(["a\u0323\u0308", "\u00e4\u0323"])  # two of the forms of one letter with two marks
    assert marks("a\u0308\u0323") is None
    assert name_finder([])("ü") is None


def test_folders_are_listed_only_for_files_that_are_not_found_and_once_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in written(["ä.png", "ö.png"], "NFD"):
        (tmp_path / name).write_bytes(b"")
    listed: list[str] = []
    monkeypatch.setattr(listed_files.os, "listdir", lambda place, of=os.listdir: listed.append(str(place)) or of(place))
    find_files(written(["ä.png", "ö.png"], "NFD"), tmp_path)
    assert listed == []
    names, files = find_files(["ä.png", "ö.png", "ü.png", "https://a.b/ä.png"], tmp_path)
    assert names == [*written(["ä.png", "ö.png"], "NFD"), "ü.png", "https://a.b/ä.png"]
    assert (files[:, 2] > 0).tolist() == [True, True, False, False]
    assert listed == [str(tmp_path)]
