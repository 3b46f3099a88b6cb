"""What holds for every format: all about it is declared, listed once, offered, and damage is answered in a sentence."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import likeness as lk
import likeness.data.formats
from likeness.data import FORMATS, source_help
from likeness.data.format import Format
from likeness.errors import InputError
from numbered_pictures import write_pictures

FOLDER = Path(likeness.data.formats.__file__).parent


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.name)
def test_all_about_it_is_said(each: Format, run: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", each.name)
    assert re.fullmatch(r"[A-Z].+\.", each.help)
    assert re.fullmatch(r"`\S+`(, `\S+`)*", each.form)
    assert (each.form in source_help()) == (each.gives == "table")
    monkeypatch.setenv("COLUMNS", "300")
    assert each.name in run("kinds", "formats", "--format", "markdown")[1]


def test_every_file_that_declares_one_is_listed_once() -> None:
    files = [*FOLDER.glob("*.py"), *(FOLDER.parent / "readers").glob("*.py")]
    declaring = {file.stem for file in files if re.search(r"^FORMAT = ", file.read_text(encoding="utf-8"), re.MULTILINE)}
    assert sorted(each.read.__module__.rsplit(".", 1)[-1] for each in FORMATS) == sorted(declaring)


def test_a_plain_folder_is_read_as_one_and_the_format_can_be_chosen(tmp_path: Path) -> None:
    folder = write_pictures(tmp_path / "photos", "cat/0.png", "dog/1.png")
    (folder / "annotations.json").write_text("{}")
    (folder / "data.yaml").write_text("names: [a]")  # without labels
    (folder / "train.parquet").write_bytes(b"")
    table = lk.read(folder)
    assert table.attributes == ["class"]
    assert not any("Read as" in note for note in table.notes)
    with pytest.raises(InputError, match="There is no format 'coca'; choose from hub, fiftyone, "):
        lk.read(folder, as_="coca")
    with pytest.raises(InputError, match="'photos' is read as a folder of images, which has no boxes; read it without `regions`"):
        lk.read(folder, regions=True)
    with pytest.raises(InputError, match=r"'data\.yaml' is not valid JSON"):
        lk.read(folder / "data.yaml", as_="coco")
    (folder / "notes.doc").write_text("")
    with pytest.raises(InputError, match=r"'notes\.doc' is in no format that is known here; pass one of .*instances\.json"):
        lk.read(folder / "notes.doc")
