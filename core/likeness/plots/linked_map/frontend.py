"""The browser code of the linked map: plain scripts without imports, joined into one ES module.

Streamlit and Jupyter load the text of a single module, where relative imports do not resolve. So the sources have one concept per file and share one
scope; only the entry has exports: `streamlit.js` for the app, `notebook.js` for notebooks. There is no build step.
"""

import json
from pathlib import Path

_FOLDER = Path(__file__).with_name("scripts")
# all but the entry; each after those whose constants it reads
SCRIPTS = (
    "bytes", "color", "icons", "stamps", "view", "grid", "pick", "raster", "density", "points", "splat", "gl_programs", "gl_splat", "renderers",
    "picture", "thumbs", "names", "panel", "pointer", "keys", "color_range", "legend", "source", "card", "shortcuts", "toolbar", "edits", "actions",
    "linked_map",
)  # fmt: skip


def read_script(*names: str) -> str:
    """The named scripts of the folder `scripts` as one ES module."""
    return "\n".join((_FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in names)


def read_text(name: str) -> str:
    """A file of the folder `scripts`."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def notebook_module() -> str:
    """The map as a module for `anywidget`, including markup and styles, which go into a shadow root."""
    constants = {"MARKUP": read_text("linked_map.html"), "STYLES": read_text("linked_map.css")}
    return "\n".join([*(f"const {name} = {json.dumps(text)};" for name, text in constants.items()), read_script(*SCRIPTS, "notebook")])
