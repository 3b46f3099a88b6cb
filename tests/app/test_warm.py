"""What loads before it is needed does not fail the pages beside it."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

APP = Path(__file__).resolve().parents[2] / "app"
BESIDE = """
import sys, types
import likeness.encoders
from likeness.errors import InputError
import warm

def load(encoder):
    sys.modules["torch"] = types.ModuleType("torch")  # as it is while it is being imported
    import scipy.stats
    print("a page has its statistics")
    raise InputError("enough")

likeness.encoders.load_encoder = load
warm._load("cars")
"""


def test_pages_have_statistics_while_torch_is_being_imported() -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(APP), *sys.path])}
    ended = subprocess.run([sys.executable, "-c", BESIDE], capture_output=True, text=True, env=env)
    assert "a page has its statistics" in ended.stdout, ended.stderr


@pytest.mark.parametrize(("layout", "wanted"), [("umap", ("cars", "umap")), ("pca", ("cars",)), (None, ("cars",))])
def test_umap_is_loaded_where_the_map_is_one(monkeypatch: pytest.MonkeyPatch, layout: str | None, wanted: tuple[str, ...]) -> None:
    import warm

    state = {"view": object()} | ({"map_settings": {"layout": layout}} if layout else {})
    monkeypatch.setattr(warm, "st", SimpleNamespace(session_state=state))
    monkeypatch.setattr(warm, "current_view", lambda: SimpleNamespace(base=SimpleNamespace(encoder="cars")))
    monkeypatch.setattr(warm, "_begun", set())
    begun: list[tuple[str, ...]] = []
    monkeypatch.setattr(warm.threading, "Timer", lambda seconds, load, args: SimpleNamespace(start=lambda: begun.append(tuple(args))))
    warm.warm_up()
    warm.warm_up()
    assert begun == [wanted]
