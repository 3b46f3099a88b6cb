"""Pictures as HTML, for notebooks: small copies in a row, each with a line of text below."""

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path

from likeness.data.thumbnails import thumbnail
from likeness.io import name_to_text

_SIDE = 96
_TILE = "display:inline-block;width:{side}px;margin:2px;vertical-align:top;font:11px sans-serif;overflow:hidden;text-overflow:ellipsis"


def picture_html(title: str, paths: Sequence[Path], captions: Sequence[str]) -> str:
    """A heading and a tile for each image; where a file cannot be read, its name stands in the picture's place.

    Args:
        title: plain text above the pictures.
        paths: of the images.
        captions: plain text below each.
    """
    tiles = "".join(
        f'<div style="{_TILE.format(side=_SIDE)}">{_picture(path)}<br>{escape(text)}</div>' for path, text in zip(paths, captions, strict=True)
    )
    return f"<div><div>{escape(title)}</div>{tiles}</div>"


def _picture(path: Path) -> str:
    try:
        content = base64.b64encode(thumbnail(path, _SIDE)).decode()
    except OSError:
        return escape(name_to_text(path.name))
    return f'<img src="data:image/webp;base64,{content}" alt="{escape(name_to_text(path.name))}">'
