"""The wheel carries everything that the app needs: it works with nothing of the checkout in reach."""

import os
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


def test_the_wheel_stays_within_the_budget(installed: Path) -> None:
    shipped = sum(path.stat().st_size for path in (installed / "likeness" / "assets").rglob("*") if path.is_file())
    assert shipped < 35_000_000
