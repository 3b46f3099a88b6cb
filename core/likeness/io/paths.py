"""Where the files that ship and the files that are computed live."""

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def _shipped(name: str) -> Path:
    """A folder beside `core/` in a checkout, inside the package in an installed wheel."""
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent.parent / name


def assets_dir() -> Path:
    """The bundled model, images, notions and tables."""
    return _shipped("assets")


def app_dir() -> Path:
    """The Streamlit app."""
    return _shipped("app")


def cache_dir() -> Path:
    """The user's own folder for embeddings, maps and notions; `LIKENESS_CACHE` overrides the platform's default."""
    chosen = os.environ.get("LIKENESS_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("likeness", appauthor=False))


def runs_dir() -> Path:
    """Where training runs lie unless a command says otherwise: `runs` in the current folder; `LIKENESS_RUNS` overrides it."""
    return Path(os.environ.get("LIKENESS_RUNS") or "runs").expanduser()
