"""Numba takes no settings from the current folder, which could name one whose machine code is run."""

import os
import subprocess
import sys
from pathlib import Path


def test_the_current_folder_does_not_say_where_machine_code_lies(tmp_path: Path) -> None:
    (tmp_path / ".numba_config.yaml").write_text(f"cache_dir: {tmp_path / 'foreign'}\ndisable_jit: 1\n")
    code = "from likeness.compiled import load_numba\nconfig = load_numba().core.config\n"
    code += "config.reload_config()\nprint(config.CACHE_DIR, config.DISABLE_JIT)"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]


def test_numba_is_imported_in_one_place_only() -> None:
    """What imports it, or packages that do, calls `load_numba` first."""
    core = Path(__file__).resolve().parents[1] / "core"
    marks = ("import numba", "from numba", "from umap", "import umap", "from pacmap", "import pacmap")
    files = [file for file in core.rglob("*.py") if any(line.strip().startswith(marks) for line in file.read_text(encoding="utf-8").splitlines())]
    assert len(files) == 3
    assert all("load_numba()" in file.read_text(encoding="utf-8") for file in files)
