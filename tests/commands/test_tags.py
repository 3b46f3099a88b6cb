"""`likeness tags`: labels by the command line, and what is said of wrong ones."""

import io
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image

from worlds import Run


@pytest.fixture
def photos(tmp_path: Path) -> str:
    for name in ("warm/0.png", "warm/1.png", "cold/0.png"):
        (tmp_path / "photos" / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8)).save(tmp_path / "photos" / name)
    return str(tmp_path / "photos")


def _listed(run: Run, source: str) -> list[list[object]]:
    status, shown, _ = run("tags", source, "--format", "csv")
    assert status == 0
    return pd.read_csv(io.StringIO(shown), keep_default_na=False).to_numpy().tolist()


def test_tags_are_set_listed_exported_removed_and_undone(run: Run, ok: Any, photos: str, tmp_path: Path) -> None:
    assert run("tags", "set", photos, "good", "--where", "class=warm", "--who", "ada")[:2] == (
        0,
        f"add 'good': 2 images\nEdit 1; undo it with `likeness tags undo {photos}`.\n",
    )
    (tmp_path / "picked.txt").write_text("1.png\ncold/0.png\n")
    ok("tags", "set", photos, "mood", "--value", "calm", "--images", tmp_path / "picked.txt", "--who", "bob")
    ok("tags", "set", photos, "note", "--value", "blurred", "--path", "1.png", "--who", "bob")
    assert _listed(run, photos) == [["good", "tag", "", 2], ["mood", "attribute", "calm", 2], ["note", "note", "", 1]]
    ok("tags", "export", photos, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "path,tag:good,mood,note\ncold/0.png,,calm,\nwarm/0.png,yes,,\nwarm/1.png,yes,calm,blurred\n"
    ok("tags", "remove", photos, "good", "--where", "good=yes", "--who", "bob")
    ok("tags", "remove", photos, "mood", "--all", "--who", "bob")
    ok("tags", "remove", photos, "note", "--all", "--who", "bob")
    assert run("tags", photos)[0] == 2
    assert run("tags", "undo", photos, "--who", "ada")[1] == "undo 'good': 0 images; 2 changed since and were skipped\n"
    assert run("tags", "undo", photos, "--who", "bob")[1] == "undo 'note': 1 images\n"
    assert run("tags", "redo", photos, "--who", "bob")[1] == "redo 'note': 1 images\n"
    ok("tags", "import", photos, tmp_path / "out.csv", "--who", "eve")
    assert _listed(run, photos) == [["good", "tag", "", 2], ["mood", "attribute", "calm", 2], ["note", "note", "", 1]]
    assert run("tags", "rename", photos, "good", "sharp", "--who", "zoe")[1].startswith("rename 'good → sharp': 2 images\nEdit ")
    assert _listed(run, photos)[0] == ["sharp", "tag", "", 2]
    assert run("tags", "undo", photos, "--who", "zoe")[1] == "undo 'good → sharp': 2 images\n"
    status, shown, _ = run("tags", "log", photos, "--path", "cold/0.png", "--format", "csv")
    found = pd.read_csv(io.StringIO(shown), keep_default_na=False)
    assert (status, found["who"].tolist(), found["action"].tolist()) == (0, ["eve", "bob", "bob"], ["import", "clear", "set"])


def test_a_damaged_file_is_told(run: Run, ok: Any, photos: str, cache: Path) -> None:
    ok("tags", "set", photos, "sharp", "--all", "--who", "ada")
    (file,) = (cache / "tags").glob("*.sqlite")
    file.write_bytes(file.read_bytes().replace(b"sharp", b"shark", 1))
    status, _, err = run("tags", photos)
    assert (status, "are damaged; nothing was changed: restore the file from a backup" in err) == (2, True)


def test_a_dry_run_tells_what_fits_and_changes_nothing(run: Run, ok: Any, photos: str, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("file,breed\n1.png,beagle\n0.png,pug\n7.png,pug\n")
    shown, _ = ok("tags", "import", photos, tmp_path / "in.csv", "--dry-run")
    assert shown.splitlines() == [
        "1 of 3 rows name an image of the dataset",
        "  no image: 7.png",
        "  several images, so give the path: 0.png",
        "  attribute 'breed': 1 values",
        "Nothing was changed.",
    ]
    assert run("tags", photos)[0] == 2


def test_a_machine_that_does_not_know_its_user_asks_for_a_name(run: Run, photos: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise KeyError

    monkeypatch.setattr("getpass.getuser", fail)
    status, _, error = run("tags", "set", photos, "good", "--all")
    assert (status, "pass --who" in error) == (2, True)
