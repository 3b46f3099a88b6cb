"""The browser side of the components: plain files, no build step."""

from pathlib import Path

_FOLDER = Path(__file__).resolve().parent / "frontend"


def read_script(*names: str) -> str:
    """The named scripts as one ES module: Streamlit takes one text, the sources stay one concept a file."""
    return "\n".join((_FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in names)


def read_text(name: str) -> str:
    """A file of the frontend folder."""
    return (_FOLDER / name).read_text(encoding="utf-8")
