"""What a visitor removes is gone; what a shared server keeps of whom is listed, exported, deleted, backed up and restored."""

import io
import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.testclient import TestClient

from api import picture_routes
from likeness.data import absolute_source, add_dataset, find_dataset, list_datasets, new_entry, read_dataset, save_uploads
from likeness.embedding import embed
from likeness.errors import InputError
from server import saved_views, visitor_data
from server.access import owner_of, resolve_entry, shared_name, store_dir, upload_limits
from server.backup import back_up
from server.quotas import write_draft
from server.saved_views import SavedView
from server.settings import UPLOADS
from server.visitors import own_dir, visitors_dir
from worlds import ADA, BEN, audit_log, put_in_place, serve, visit


@pytest.fixture
def be(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`be(ADA)`: from now on she is the visitor of a shared server."""
    serve(monkeypatch, shared=True)
    return lambda who: visit(monkeypatch, who)


def _age(days: float, *paths: Path) -> None:
    for path in paths:
        os.utime(path, (time.time() - days * 86_400,) * 2)


def _pictures(count: int, shade: int = 0) -> list[tuple[str, bytes]]:
    made = []
    for number in range(count):
        picture = io.BytesIO()
        Image.new("RGB", (16, 16), (shade, 20 * number, 90)).save(picture, "PNG")
        made.append((f"{number}.png", picture.getvalue()))
    return made


def _save(name: str, shade: int) -> Path:
    return save_uploads(_pictures(3, shade), name, own_dir() / UPLOADS, upload_limits()).root


def _upload(name: str, shade: int = 0) -> Any:
    source = shared_name(absolute_source(str(_save(name, shade))))
    entry = new_entry(name, source, "cars", owner=owner_of(source))
    embed(read_dataset(resolve_entry(entry)), "cars", store_dir=store_dir(entry))
    add_dataset(entry)
    return entry


def _files(folder: Path, named: str = "") -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and named in str(path)]


def test_of_a_removed_dataset_nothing_is_left_but_pictures_that_another_one_shows(be) -> None:
    be(ADA)
    gone, other, browser = _upload("gone", 10), _upload("stays", 200), TestClient(Starlette(routes=picture_routes.ROUTES))
    second = new_entry("gone", gone.source, "ViT-B-32/openai", owner=gone.owner)
    add_dataset(second)
    before = {path: path.read_bytes() for path in _files(own_dir(), "stays")}
    assert len(_files(own_dir() / UPLOADS, "gone")) > 2
    assert _files(own_dir() / "embeddings", "gone")
    addresses = [f"/{kind}/{gone.id}/1" for kind in ("thumbnails", "info")]
    be("")  # requests have no visitor: whoever knows the id sees the picture
    found = {(answer.status_code, answer.headers["cache-control"]) for answer in map(browser.get, addresses)}
    assert found == {(200, "private, max-age=600")}
    be(ADA)
    visitor_data.remove_upload(gone, "ada")
    assert [browser.get(address).status_code for address in addresses] == [404, 404]
    assert len(read_dataset(resolve_entry(second))) == 3
    visitor_data.remove_upload(second, "ada")
    assert not [path for path in own_dir().rglob("*") if "gone" in path.name]
    assert {path: path.read_bytes() for path in _files(own_dir(), "stays")} == before
    with pytest.raises(InputError, match="may have been removed"):
        find_dataset(gone.id)
    assert find_dataset(other.id) == other


def test_a_visitor_is_listed_exported_and_deleted(be, tmp_path: Path, cache: Path) -> None:
    be(BEN)
    theirs = _upload("birds", 60)
    be(ADA)
    entry = _upload("zebras")
    write_draft("abc.json", b"[]")
    kept = saved_views.save(SavedView("Stripes", "", {"dataset": [entry.id]}, "rows"))
    listed = {each["id"]: (each["datasets"], each["drafts"], each["views"]) for each in visitor_data.all_visitors()}
    assert listed == {ADA: (1, 1, 1), BEN: (1, 0, 0)}
    visitor_data.export_visitor(ADA, tmp_path / "ada.zip")
    with zipfile.ZipFile(tmp_path / "ada.zip") as archive:
        assert json.loads(archive.read("datasets.json"))[0]["id"] == entry.id
        assert archive.read("drafts/abc.json") == b"[]"
        assert json.loads(archive.read(f"views/{kept.token}.json"))["name"] == "Stripes"
        assert sum(name.startswith("uploads/zebras-") for name in archive.namelist()) == 3
    with pytest.raises(InputError, match="cannot be written"):
        visitor_data.export_visitor(ADA, tmp_path / "ada.zip")
    visitor_data.remove_visitor(ADA, "likeness admin")
    assert not (visitors_dir() / ADA).exists()
    assert [each.id for each in list_datasets() if each.owner] == [theirs.id]
    for id in (ADA, "..", ".", "", f"../visitors/{BEN}"):
        with pytest.raises(InputError, match="There is no visitor"):
            visitor_data.remove_visitor(id, "likeness admin")
    assert audit_log(cache)[-1] | {"time": ""} == {"time": "", "event": "visitor removed", "who": "likeness admin", "what": ADA}


def test_who_does_not_come_back_is_forgotten_where_the_server_says_so_and_uploads_that_became_no_dataset_in_any_case(
    be, monkeypatch: pytest.MonkeyPatch
) -> None:
    be(ADA)
    kept, orphan, young = _upload("kept"), _save("orphan", 99), _save("young", 77)
    lost = own_dir() / "embeddings" / "orphan-0123"  # of an embedding that wrote on while its dataset was removed
    lost.mkdir()
    _age(2, orphan, *(own_dir() / "embeddings").iterdir())
    for who, days in ((ADA, 40), (BEN, 20)):
        be(who)
        write_draft("abc.json", b"[]")
        (own_dir() / "seen").touch()
        _age(days, own_dir() / "seen")
    visitor_data.clear_away()
    be(ADA)
    assert [folder.is_dir() for folder in (orphan, lost, young)] == [False, False, True]
    assert [folder.name.rpartition("-")[0] for folder in (own_dir() / "embeddings").iterdir()] == [Path(kept.source).name]
    assert len(read_dataset(resolve_entry(kept))) == 3
    assert (visitors_dir() / ADA).is_dir()  # without the setting for ever
    serve(monkeypatch, shared=True, keep_days=30)
    visitor_data.clear_away()
    assert [folder.name for folder in visitors_dir().iterdir()] == [BEN]


def test_of_what_is_computed_again_the_least_used_goes(be, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    be(ADA)
    serve(monkeypatch, shared=True, max_cache_gb=3e-6)
    for number, part in enumerate(("maps", "maps", "texts", "label_distances")):
        (cache / part).mkdir(parents=True, exist_ok=True)
        (cache / part / str(number)).write_bytes(b"x" * 1000)
        _age(10 - number, cache / part / str(number))
    (cache / "datasets.json").write_text("[]")
    write_draft("abc.json", b"x" * 5000)
    visitor_data.clear_away()
    assert sorted(path.name for path in _files(cache)) == ["1", "2", "3", "abc.json", "datasets.json"]


@pytest.fixture
def filled(be, cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, bytes]:
    """A server with two visitors, a run and a few things that are computed again; what a backup must hold, by name."""
    monkeypatch.setenv("LIKENESS_RUNS", str(tmp_path / "runs"))
    for who in (ADA, BEN):
        be(who)
        _upload("zebras", 7)
        write_draft("abc.json", who.encode())
        saved_views.save(SavedView(f"Of {who[0]}", "", {}))
    (tmp_path / "runs" / "one").mkdir(parents=True)
    (tmp_path / "runs" / "one" / "config.yaml").write_text("name: one")
    (cache / "maps").mkdir()
    (cache / "maps" / "x.npy").write_bytes(b"again")
    wanted = [path for path in _files(cache) if "maps" not in path.parts and "texts" not in path.parts]
    return {str(path.relative_to(tmp_path)): path.read_bytes() for path in [*wanted, *_files(tmp_path / "runs")] if "locks" not in path.parts}


@pytest.mark.parametrize("name", ["server.tar", "server.tar.gz"])
def test_tar_puts_a_backup_in_place_byte_for_byte(filled: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As docs/serving.md says it."""
    file = tmp_path / name
    assert back_up(file) == len(filled)
    with pytest.raises(InputError, match="already exists; choose another name"):
        back_up(file)
    new = tmp_path / "new"  # a server that keeps its files here
    for variable, folder in (("LIKENESS_CACHE", "cache"), ("LIKENESS_RUNS", "runs")):
        monkeypatch.setenv(variable, str(new / folder))
    put_in_place(file)
    assert {str(path.relative_to(new)): path.read_bytes() for path in _files(new)} == filled
    assert [(new / folder).stat().st_mode & 0o077 for folder in ("cache", "runs")] == [0, 0]
    assert len([entry for entry in list_datasets() if entry.owner]) == 2


def test_the_command_line(filled: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from server import admin

    def call(*words: str) -> str:
        admin.main(*words)
        return capsys.readouterr().out

    copy = str(tmp_path / "x.tar")
    listed = [line.split() for line in call("list").splitlines()]
    assert listed[0] == ["id", "seen", "datasets", "drafts", "notions", "splits", "views", "megabytes"]
    assert {line[0] for line in listed[1:]} == {ADA, BEN}
    assert f"{len(filled)} files written to" in call("backup", copy)
    assert "Exported the data of" in call("export", ADA, str(tmp_path / "ada.zip"))
    assert "Deleted the data" in call("delete", ADA)
    assert ADA not in call("list")
    for words in (("delete", ADA), ("export", "..", str(tmp_path / "y.zip")), ("backup", copy)):
        with pytest.raises(InputError):
            call(*words)
    command = [sys.executable, "-m", "likeness", "admin", "backup", str(tmp_path / "y.tar")]
    subprocess.run(command, capture_output=True, timeout=300, check=True)
    assert (tmp_path / "y.tar").stat().st_mode & 0o777 == 0o600
    command = [sys.executable, "-m", "likeness", "admin", "delete", ADA, "--yes"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (ended.returncode, ended.stderr[:7], len(ended.stderr.splitlines()), ended.stdout) == (2, "Error: ", 1, "")
