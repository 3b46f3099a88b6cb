"""Where what is computed is kept, also where nobody has a home and the packages cannot be written, as in a container under another user."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from likeness.errors import InputError
from likeness.io import cache_dir, can_write, write_atomic
from likeness.io.paths import _writable_cache

_OTHER = 54321
# reads everything, writes nothing but what is its own, has no home and no name
_AS_OTHER = (
    "setpriv",
    "--reuid",
    f"{_OTHER}",
    "--regid",
    f"{_OTHER}",
    "--clear-groups",
    "--inh-caps=+dac_read_search",
    "--ambient-caps=+dac_read_search",
)
_WORK = """
import numpy as np
import likeness as lk
from likeness.compiled import load_numba
from likeness.projection import umap_map
rng = np.random.default_rng(0)
space = lk.Space(rng.normal(size=(3000, 8)), labels=np.arange(3000) % 3)
assert space.metrics(by="label", include=["map_at_r"])["map_at_r"] > 0
assert umap_map(space.vectors[:50], epochs=2).shape == (50, 2)
"""


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIKENESS_CACHE")
    _writable_cache.cache_clear()


def test_the_platforms_folder_where_it_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_dir().is_relative_to(tmp_path)
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "own"))
    assert cache_dir() == tmp_path / "own"


def test_a_private_folder_where_there_is_no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", __file__)  # no folder can be made in a file
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = cache_dir()
    assert folder.parent == tmp_path
    assert folder.stat().st_mode & 0o777 == 0o700
    assert "set LIKENESS_CACHE to choose another one" in caplog.text
    cache_dir()
    assert len(caplog.records) == 1


@pytest.mark.parametrize("made", ["of another user", "open to all", "a link", "a file"])
def test_a_folder_that_another_user_could_have_made_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", __file__)  # no folder can be made in a file
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = tmp_path / f"likeness-{os.getuid()}"
    if made == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        place.symlink_to(tmp_path / "elsewhere")
    elif made == "a file":
        place.touch()
    else:
        place.mkdir()
        place.chmod(0o777 if made == "open to all" else 0o700)
        if made == "of another user":
            monkeypatch.setattr("os.getuid", lambda: _OTHER)
            place.rename(tmp_path / f"likeness-{_OTHER}")
    with pytest.raises(InputError, match="set LIKENESS_CACHE to a writable folder"):
        cache_dir()


def test_only_their_owner_looks_into_the_cache_and_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def mode(folder: str) -> int:
        return (tmp_path / folder).stat().st_mode & 0o777

    (tmp_path / "home" / "likeness").mkdir(parents=True, mode=0o755)  # as earlier versions made it
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    before = os.umask(0o022)
    try:
        assert cache_dir() == tmp_path / "home" / "likeness"
        for variable in ("CACHE", "RUNS"):
            monkeypatch.setenv(f"LIKENESS_{variable}", str(tmp_path / "new" / variable))
        monkeypatch.chdir(tmp_path)
        for place in (cache_dir() / "tags" / "a.sqlite", Path("new") / "RUNS" / "first" / "config.yaml", tmp_path / "out" / "page.html"):
            write_atomic(place, b"")
    finally:
        os.umask(before)
    with suppress(OSError):
        (tmp_path / "gone").mkdir()
        monkeypatch.chdir(tmp_path / "gone")
        (tmp_path / "gone").rmdir()
    write_atomic(tmp_path / "elsewhere" / "x", b"")  # no matter where one stands
    assert [mode(folder) for folder in ("home/likeness", "new/CACHE", "new/RUNS")] == [0o700] * 3
    assert [mode(folder) for folder in ("new", "out")] == [0o755] * 2  # what a person names is as the system makes it


def test_without_a_home_no_folder_is_named_after_the_sign_for_it() -> None:
    assert not can_write(Path("~/.cache/likeness"))


@pytest.mark.long  # numba compiles everything anew
@pytest.mark.skipif(os.getuid() != 0 or shutil.which("setpriv") is None, reason="only root can become another user")
def test_metrics_and_maps_where_neither_home_nor_packages_can_be_written(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    os.chown(cache, _OTHER, _OTHER)
    environment = {"PATH": os.environ["PATH"], "HOME": "/", "LIKENESS_CACHE": str(cache), "NUMBA_DISABLE_JIT": "0"}
    command = [*_AS_OTHER, sys.executable, "-c", _WORK]
    done = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list((cache / "numba").rglob("*.nbi"))
