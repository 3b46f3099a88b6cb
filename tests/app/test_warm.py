"""What loads before it is needed does not fail the pages beside it."""

import os
import subprocess
import sys
from pathlib import Path

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
