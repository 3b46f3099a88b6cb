"""CSV files: what is written is read again, what does not fit is told, and nothing of a wrong file is taken over."""

import tempfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.tagging import NOTE, TagStore, export_csv, export_table, import_csv, match_images

PATHS = ["dogs/a.jpg", "dogs/b.jpg", "cats/a.jpg", "c d, 'e'.jpg"]
TABLE = ImageTable("photos", Path("/photos"), pd.DataFrame({"path": PATHS, "class": ["x"] * 4}))


@pytest.fixture
def store(tmp_path: Path) -> TagStore:
    return TagStore(tmp_path / "photos.sqlite", TABLE.frame.columns)


def _write(folder: Path, text: str, name: str = "labels.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


_TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp", "Zs", "Cn", "Co")) | st.sampled_from(" ,;'\"\t"), max_size=8
)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from(("good", "a, b", "é")), _TEXTS, _TEXTS), max_size=8),
    st.lists(st.tuples(st.sampled_from(PATHS), st.lists(_TEXTS, min_size=1, max_size=3)), max_size=3),
)
def test_what_is_exported_is_imported_alike(values: list[tuple[str, str, str, str]], notes: list[tuple[str, list[str]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first, second = (TagStore(Path(folder) / name, TABLE.frame.columns) for name in ("1", "2"))
        first.add_tag(PATHS[:1], "mine", "ada")
        for path, name, value, more in values:
            first.add_tag([path], f"tag of {name}", "ada")
            if value.replace("\t", "").strip():
                first.set_value([path], f"breed of {name}", value.replace("\t", ""), "ada")
            first.set_value([path], "yes or no", "yes" if more else "no", "ada")
        for path, lines in notes:
            first.set_note([path], "\r\n".join(lines), "ada")
        count = export_csv(first, Path(folder) / "out.csv")
        report = import_csv(second, TABLE, Path(folder) / "out.csv", "bob")
        assert (report.rows, report.matched, report.missing, report.ambiguous) == (count, count, (), ())
        pd.testing.assert_frame_equal(second.columns(PATHS), first.columns(PATHS), check_like=True)
        assert second.version() == 1
        again = import_csv(second, TABLE, Path(folder) / "out.csv", "bob").edit
        assert again is not None
        assert (again.id, again.images, second.version()) == (0, 0, 1)


def test_names_match_by_path_or_by_a_file_name_of_one_image() -> None:
    names = ["dogs/a.jpg", "dogs\\b.jpg", "./cats/a.jpg", "/photos/dogs/b.jpg", "b.jpg", "a.jpg", "other/b.jpg", "nothing.jpg"]
    found, ambiguous = match_images(TABLE, names)
    assert found == ["dogs/a.jpg", "dogs/b.jpg", "cats/a.jpg", "dogs/b.jpg", "dogs/b.jpg", None, None, None]
    assert ambiguous == {"a.jpg"}


def test_tags_attributes_and_notes_come_from_their_columns(store: TagStore, tmp_path: Path) -> None:
    store.add_tag(["cats/a.jpg"], "known", "ada")
    store.add_tag(["dogs/b.jpg"], "good", "ada")
    file = _write(tmp_path, "\ufefffile;tag:good;Known;id;note\ndogs/a.jpg;TRUE;;007;two\nb.jpg;no;x;NA;\ncats/a.jpg;;0;;\nzzz.jpg;yes;;1;\n")
    dry = import_csv(store, TABLE, file, "bob", dry_run=True)
    assert (dry.rows, dry.matched, dry.missing, dry.edit, store.version()) == (4, 3, ("zzz.jpg",), None, 2)
    assert dry.columns == {"good": ("tag", 2), "known": ("tag", 2), "id": ("attribute", 2), NOTE: ("note", 1)}
    done = import_csv(store, TABLE, file, "bob").edit
    assert done is not None
    assert (done.images, done.action, done.name) == (3, "import", "good, known, id, note")
    frame = store.columns(PATHS[:3]).astype(object)
    assert frame.where(frame.notna(), "-").to_numpy().tolist() == [[False, True, "007", "two"], [True, False, "NA", "-"], [False, False, "-", "-"]]
    assert store.undo("bob").images == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'labels.csv' is empty"),
        ("path,breed\n", "has 2 columns and 0 rows"),
        ("path\na.jpg\n", "has 1 columns and 1 rows"),
        ("name,breed\na.jpg,x\n", "has no column of image paths among 'name', 'breed'"),
        ("path,breed\ndogs/a.jpg,x,y\n", "Row 1 of 'labels.csv' has 3 cells, and there are 2 column names"),
        ("path,breed,Breed\ndogs/a.jpg,x,y\n", "has the column 'breed' twice"),
        ("path,breed,tag:breed\ndogs/a.jpg,x,yes\n", "has the column 'breed' twice"),
        ("path,Class\ndogs/a.jpg,x\n", "has a column 'class' already"),
        ("path,breed\nnone.jpg,x\n", "lists none of the 4 images of 'photos', as 'none.jpg'"),
        ("path,breed\ndogs/b.jpg,x\nb.jpg,y\n", "lists the image 'dogs/b.jpg' twice"),
        ("path,tag:good\ndogs/a.jpg,maybe\n", "Row 1 of 'labels.csv', column 'tag:good': 'maybe' is not a valid tag value"),
        (
            "path,breed\ndogs/a.jpg,x\ndogs/b.jpg," + "x" * 300 + "\n",
            "Row 2 of 'labels.csv', column 'breed': A value may have at most 200 characters",
        ),
        ('path,breed\ndogs/a.jpg,"a\nb"\n', "column 'breed': A value has invisible characters"),
        ("path,\ndogs/a.jpg,x\n", "attribute is empty"),
        ("path,used\ndogs/a.jpg,x\n", "column 'used': 'x y' is not a valid tag value"),
    ],
)
def test_a_wrong_file_is_answered_and_nothing_of_it_is_taken(store: TagStore, tmp_path: Path, text: str, message: str) -> None:
    store.add_tag(["dogs/b.jpg"], "used", "ada")
    file = _write(tmp_path, text.replace("used\ndogs/a.jpg,x", "used\ndogs/a.jpg,x y"))
    with pytest.raises(InputError) as answer:
        import_csv(store, TABLE, file, "bob")
    assert message in str(answer.value)
    assert store.version() == 1


def test_other_files_are_answered(store: TagStore, tmp_path: Path) -> None:
    for name, message in (("none.csv", "no such file"), ("x.parquet", "is not a CSV file")):
        with pytest.raises(InputError, match=message):
            import_csv(store, TABLE, tmp_path / name, "bob")
    with pytest.raises(InputError, match="nothing to export"):
        export_csv(store, tmp_path / "out.csv")
    store.add_tag(["a"], "good", "ada")
    with pytest.raises(InputError, match="cannot be written"):
        export_csv(store, store.path / "out.csv")


def test_a_column_without_a_value_is_passed_over_and_its_name_stays_free(store: TagStore, tmp_path: Path) -> None:
    """As in a form that was filled in by half, with the empty columns that spreadsheets leave at the end."""
    file = _write(tmp_path, "path,breed,color,path of old,,\ndogs/a.jpg,beagle, ,,,,\ndogs/b.jpg,,,,,\n")
    report = import_csv(store, TABLE, file, "ada")
    assert report.columns == {"breed": ("attribute", 1)}
    assert report.edit is not None
    assert report.edit.name == "breed"
    assert store.kind_of("color") is None
    assert store.add_tag(PATHS[:1], "color", "ada").images == 1
    with pytest.raises(InputError, match="has no values: all cells except image paths are empty"):
        import_csv(store, TABLE, _write(tmp_path, "path,size\ndogs/a.jpg,\n"), "ada")
    assert not import_csv(store, TABLE, _write(tmp_path, "path,tag:large\ndogs/a.jpg,no\n"), "ada").edit.id
    assert store.kind_of("large") is None


def test_a_column_of_images_can_be_named(store: TagStore, tmp_path: Path) -> None:
    file = _write(tmp_path, "path\tthe picture\tbreed\nx\tdogs/a.jpg\tbeagle\n", "labels.tsv")
    with pytest.raises(InputError, match="has no column 'nothing'; its columns are"):
        import_csv(store, TABLE, file, "bob", "nothing")
    with pytest.raises(InputError, match="has a column 'path' already"):
        import_csv(store, TABLE, file, "bob", "the picture")
    file = _write(tmp_path, "the picture\tbreed\ndogs/a.jpg\tbeagle\n", "labels.tsv")
    assert import_csv(store, TABLE, file, "bob", "the picture").matched == 1


def test_a_table_of_the_labeled_images_is_a_dataset_that_can_be_trained_on(tmp_path: Path) -> None:
    from PIL import Image

    from likeness.data import image_classes, read_dataset

    said = ["None", "NA", "007", "7", "7.0", "1e1", "7706992903151817196", "a; b, c"]
    for name in ("warm/a.png", "warm/caf\udce9.png", "cold/a.png", *(f"cold/{number}.png" for number in range(len(said)))):
        (tmp_path / "photos" / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8)).save(tmp_path / "photos" / name)
    table = read_dataset(tmp_path / "photos")
    store = TagStore(tmp_path / "t.sqlite", table.frame.columns)
    odd = next(path for path in table.frame["path"] if "caf" in path)
    store.set_value([odd, "cold/a.png"], "mood", "calm", "ada")
    store.add_tag([odd], "good", "ada")
    with pytest.raises(InputError, match="must end in"):
        export_table(store, table, ["mood"], tmp_path / "moods.txt")
    with pytest.raises(InputError, match="has no attribute 'size'"):
        export_table(store, table, ["size"], tmp_path / "moods.csv")
    assert export_table(store, table, ["mood", "good"], tmp_path / "moods.csv") == 2
    again = read_dataset(tmp_path / "moods.csv")
    assert sorted(again.paths()) == sorted([table.root / "cold/a.png", table.file(table.frame["path"].tolist().index(odd))])
    assert all(path.is_file() for path in again.paths())
    assert image_classes(again, "mood").names == ["calm"]
    assert again.frame.set_index("class")["good"].to_dict() == {"cold": False, "warm": True}
    for number, value in enumerate(said):  # it says what people said
        store.set_value([f"cold/{number}.png"], "verdict", value, "ada")
    export_table(store, table, ["verdict"], tmp_path / "labeled.csv")
    assert read_dataset(tmp_path / "labeled.csv").frame["verdict"].tolist() == said
