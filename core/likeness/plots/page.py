"""A figure as a page of its own, which opens without network."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 1.5rem auto; padding: 0 1rem; max-width: 1440px; background: #fff; color: #1b1f2a; font: 15px/1.5 system-ui, sans-serif }}
aside {{ margin: 0 60px; font-size: 0.87rem; color: #5b616b }}
p {{ margin: 0.3rem 0 }}
</style>
</head>
<body>
{figure}
<aside>
{notes}
</aside>
</body>
</html>
"""


def as_page(figure: "Figure", title: str, notes: Sequence[str] = ()) -> str:
    """HTML of the interactive figure with plotly.js inside (some 5 MB), and a line below it for each note."""
    config = {"responsive": True, "displaylogo": False}
    content = figure.to_html(full_html=False, include_plotlyjs=True, config=config)
    return _PAGE.format(title=escape(title), figure=content, notes="\n".join(f"<p>{escape(note)}</p>" for note in notes))
