"""Writes docs/architecture.svg, the layers of Likeness and which imports which, from the imports themselves: `python docs/write_drawing.py`.

The layers stand in `tests/check_imports.py`. An arrow means that something in the upper box imports something in the lower one; what follows from
two arrows one after the other is not drawn.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_ROOT / "tests"))
import check_imports  # noqa: E402

PAGE = Path(__file__).with_name("architecture.svg")
ABOVE = ("app", "experiments")  # folders that stand above the library
_TITLES = {"app": "app/, the Streamlit app", "experiments": "experiments/, in a clone only"}
_WIDTH, _GAP, _LINE, _MARGIN = 860, 38, 20, 20
_SIGNS = 8.2  # width of a sign of the rooms' names
_STYLE = """
  svg { --ink: #1f2430; --line: #6b7280; --box: #f3f5f9; --edge: #c3c9d6; font: 14px ui-monospace, Menlo, Consolas, monospace }
  @media (prefers-color-scheme: dark) { svg { --ink: #e6e8ee; --line: #9aa3b2; --box: #232833; --edge: #3d4554 } }
  rect { fill: var(--box); stroke: var(--edge) } text { fill: var(--ink) } .title { font: bold 14px system-ui, sans-serif }
  path { stroke: var(--line); fill: none; stroke-width: 1.5 } marker path { fill: var(--line); stroke: none }
"""


def boxes() -> dict[str, tuple[str, ...]]:
    """The names in each box, the ground first."""
    return check_imports.LAYERS | {folder: _rooms(_ROOT / folder) for folder in ABOVE}


def _rooms(folder: Path) -> tuple[str, ...]:
    """Folders of code, without the tests and tables that lie among them."""
    return tuple(each.name for each in sorted(folder.iterdir()) if each.name not in ("tests", "results") and any(each.glob("**/*.py")))


def arrows() -> set[tuple[str, str]]:
    """From which box to which something is imported, without what follows from other arrows.

    A box has its arrows to the nearest boxes alone; the law that nothing is imported from above is that of `check_imports`.
    """
    of = {name: box for box, names in check_imports.LAYERS.items() for name in names}
    edges = {(of[here], of[there]) for here, there in check_imports.package_edges(check_imports.core_graph()) if there in of}
    known = check_imports.modules(check_imports.CORE)
    for folder in ABOVE:
        for name, file in check_imports.modules(_ROOT / folder, "**/*.py").items():
            if "tests" not in name.split("."):
                found = (check_imports.package(module) for module in check_imports.imports(name, file, known))
                edges |= {(folder, of[room]) for room in found if room in of}
    edges = {(here, there) for here, there in edges if here != there}
    return {(here, there) for here, there in edges if not _leads(edges - {(here, there)}, here, there)}


def _leads(edges: set[tuple[str, str]], here: str, there: str) -> bool:
    return any(below == there or _leads(edges, below, there) for above, below in edges if above == here)


def rows() -> list[list[str]]:
    """The boxes from above: each one row higher than the highest that it has an arrow to."""
    below: dict[str, set[str]] = {box: {there for here, there in arrows() if here == box} for box in boxes()}

    def height(box: str) -> int:
        return 1 + max((height(each) for each in below[box]), default=-1)

    heights = {box: height(box) for box in boxes()}
    return [[box for box in boxes() if heights[box] == level] for level in sorted(set(heights.values()), reverse=True)]


def drawing() -> str:
    """The drawing as SVG."""
    parts: list[str] = []
    places: dict[str, tuple[float, float, float]] = {}  # of each box: middle, top, bottom
    top = float(_MARGIN)
    for row in rows():
        width = (_WIDTH - (len(row) - 1) * _MARGIN) / len(row)
        texts = {box: wrap(" · ".join(boxes()[box]), int((width - 2 * _MARGIN) / _SIGNS), break_on_hyphens=False) for box in row}
        height = (1 + max(map(len, texts.values()))) * _LINE + 16
        for place, box in enumerate(row):
            left = _MARGIN + place * (width + _MARGIN)
            places[box] = (left + width / 2, top, top + height)
            parts += [f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" rx="6"/>', *_texts(box, texts[box], left, top)]
        top += height + _GAP
    for here, there in sorted(arrows()):
        (x, _, bottom), (x_below, top_below, _) = places[here], places[there]
        middle = (bottom + top_below) / 2
        parts.append(f'<path d="M{x:g} {bottom:g} C{x:g} {middle:g} {x_below:g} {middle:g} {x_below:g} {top_below - 7:g}" marker-end="url(#tip)"/>')
    tip = '<marker id="tip" viewBox="0 0 8 8" refX="2" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker>'
    size = f'viewBox="0 0 {_WIDTH + 2 * _MARGIN} {top - _GAP + _MARGIN:g}" width="{_WIDTH + 2 * _MARGIN}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="Layers of Likeness: each imports only what stands below it">'
    return "\n".join([head, f"<style>{_STYLE}</style>", f"<defs>{tip}</defs>", *parts, "</svg>"]) + "\n"


def _texts(box: str, lines: list[str], left: float, top: float) -> Iterator[str]:
    yield f'<text class="title" x="{left + 14:g}" y="{top + 24:g}">{_TITLES.get(box, box)}</text>'
    for place, line in enumerate(lines, start=1):
        yield f'<text x="{left + 14:g}" y="{top + 24 + place * _LINE:g}">{line}</text>'


if __name__ == "__main__":
    PAGE.write_text(drawing(), encoding="utf-8")
