"""The wheel carries everything that the app needs: it works with nothing of the checkout in reach."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the built wheel's content."""
    folder = tmp_path_factory.mktemp("wheel")
    python = [sys.executable, "-m"]
    subprocess.run([*python, "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)], check=True, capture_output=True)
    wheel = next(folder.glob("*.whl"))
    subprocess.run([*python, "pip", "install", "--no-deps", "--target", str(folder / "site"), str(wheel)], check=True, capture_output=True)
    return folder / "site"


def _run(installed: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run([sys.executable, *arguments], env=environment, cwd=installed, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_finds_its_own_assets_and_app(installed: Path) -> None:
    printed = _run(installed, "-c", "from likeness.io.paths import assets_dir, app_dir; print(assets_dir(), app_dir())").split()
    assert [Path(path).parent for path in printed] == [installed / "likeness"] * 2
    assert (installed / "likeness" / "app" / ".streamlit" / "config.toml").is_file()
    assert (installed / "likeness" / "assets" / "clip" / "open_clip_config.json").is_file()


def test_the_wheel_searches_the_shipped_images(installed: Path) -> None:
    printed = _run(installed, "-m", "likeness", "search", "--row", "0", "-k", "3", "--csv")
    assert len(printed.strip().splitlines()) == 4


def test_the_code_of_the_documentation_passes_mypy_strict_as_a_users(installed: Path, tmp_path: Path) -> None:
    """Against the types of the installed package, each block by itself."""
    assert (installed / "likeness" / "py.typed").is_file()
    for page in (ROOT / "README.md", ROOT / "docs" / "python.md"):
        for number, block in enumerate(re.findall(r"^```python[^\n]*\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)):
            (tmp_path / f"{page.stem}_{number}.py".lower()).write_text(block, encoding="utf-8")
    # what no type tells apart is an error here
    (tmp_path / "wrong.py").write_text("import likeness as lk\n\nlk.load('cars').nearest(0)\nlk.Notion('n', 'a {}', 'red')\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--cache-dir", str(tmp_path / "cache"), str(tmp_path)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(installed)}, cwd=tmp_path, capture_output=True, text=True, timeout=1200)
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert [line for line in errors if not line.startswith("wrong.py")] == []
    assert len(errors) == 1
    assert '"Encoder" has no attribute "nearest"' in errors[0]
    assert len(list(tmp_path.glob("*.py"))) > 10


def test_the_wheel_stays_within_the_budget(installed: Path) -> None:
    shipped = sum(path.stat().st_size for path in (installed / "likeness" / "assets").rglob("*") if path.is_file())
    assert shipped < 35_000_000
