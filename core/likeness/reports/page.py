"""A report as one HTML file that may load nothing from anywhere."""

import base64
import hashlib
import json
from functools import partial
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from likeness.errors import InputError
from likeness.io import name_to_text, spoken_name, write_atomic
from likeness.plots.linked_map import SCRIPTS, Coloring, MapPanel, encode_map, read_script, read_text
from likeness.reports.columns import report_columns
from likeness.reports.figures import FigureTable
from likeness.reports.picture_sheets import ACROSS, PictureSheets, picture_sheets
from likeness.reports.privacy import hide_folders
from likeness.reports.report import Curve, Report

# one scope with the map's, each after those whose constants it reads; a report has fewer points than the graphics card is asked for
_MAP_SCRIPTS = tuple(name for name in SCRIPTS if not name.startswith("gl_"))
_SCRIPTS = ("data", "pictures", "lists", "main")
WIDTH, HEIGHT = 320, 170  # of a curve
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 10, 24
_SPARE = 20_000  # bytes of the page that are not known before it is put together


def report_html(report: Report) -> bytes:
    """The HTML file of a report, in UTF-8; the same bytes for the same report.

    What people wrote stands escaped in the markup, or as JSON without signs that end a script. A content security policy lets run the one script and
    the one style whose digests it names, lets pictures come from the file itself, and forbids everything else, all of the network with it.
    InputError: it does not fit into the size that was asked for, or the work was stopped.
    """
    table = report.table
    places = [Path.home(), Path.cwd(), table.root, table.root.parent]  # folders of this machine that no text of the report may tell
    hide = partial(hide_folders, places=places)
    paths, names = table.paths(), [*report.first, *(name for name in table.attributes if name not in report.first)]
    columns, left_out = report_columns(table.frame, names, places, report.options.megabytes)
    panels = [MapPanel(hide(view.name), view.positions, view.caption) for view in report.views]
    data: dict[str, Any] = {
        "names": [hide(spoken_name(name_to_text(str(path)))) for path in paths],
        "columns": columns,
        "rows": [[hide(name), hide(text), shown, [*map(hide, captions)]] for name, text, shown, captions in report.pictures],
        "map": encode_map(panels, Coloring("none"), n=len(paths)),
        "near": [view.rows.ravel().tolist() for view in report.views],
        "like": [np.rint(view.similarities.astype(np.float64) * 1000).astype(np.int64).ravel().tolist() for view in report.views],
    }
    room = int(report.options.megabytes * 1e6) - len(_json(data)) - _SPARE - len(_style()) - len(_script())
    if room < 0.2 * report.options.megabytes * 1e6:
        raise InputError(f"What {len(paths):,} images need besides pictures leaves too little of {report.options.megabytes:g} MB; show fewer images.")
    sheets = picture_sheets(paths, int(room * 0.74) - 50 * len(paths) // 10, report.options)
    sizes = np.unique(sheets.sizes, axis=0)  # width, height, width, height ...; one pair alone where all pictures are of one size
    data["sheets"] = {"side": sheets.side, "across": ACROSS, "sizes": (sizes if len(sizes) == 1 else sheets.sizes).ravel().tolist()}
    page = _page(report, data, sheets, left_out, places)
    if len(page) > report.options.megabytes * 1e6:
        raise InputError(f"The report takes {len(page) / 1e6:.1f} MB, more than {report.options.megabytes:g}; show fewer images.")
    return page


def write_report(report: Report, path: Path | str) -> Path:
    """Writes the HTML file of a report, whole or not at all, and returns its path; raises as `report_html`."""
    write_atomic(Path(path), report_html(report))
    return Path(path)


def _page(report: Report, data: dict[str, Any], sheets: PictureSheets, left_out: list[str], places: list[Path]) -> bytes:
    def plain(text: str) -> str:
        return escape(hide_folders(text, places))

    style, script = _style(), _script()
    found = Template(_text("report.html")).substitute(
        policy=(  # what the page may load: this script, this style, and pictures that lie in the page
            f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data:; base-uri 'none'; form-action 'none'"
        ),
        style=style,
        script=script,
        kind=escape(report.kind),
        title=plain(report.title),
        lead=plain(report.lead),
        facts="".join(f"<dt>{plain(name)}</dt><dd>{plain(value)}</dd>" for name, value in report.facts),
        tables="".join(_table(each, plain) for each in report.tables),
        curves="".join(f"<figure>{curve_svg(each)}<figcaption>{plain(each.title)}</figcaption></figure>" for each in report.curves),
        settings=f"<details><summary>All settings</summary><pre>{plain(report.settings)}</pre></details>" if report.settings else "",
        shown=escape(_shown(report, left_out)),
        map=read_text("linked_map.html"),
        sheets="".join(f'<img class="sheet" hidden alt="" src="data:image/webp;base64,{base64.b64encode(each).decode()}">' for each in sheets.files),
        data=_json(data),
    )
    return found.encode("utf-8", "replace")


def _shown(report: Report, left_out: list[str]) -> str:
    count = len(report.table)
    said = f"All {count:,} images are shown."
    if count < report.total:
        how = f"{'those above and others ' if report.pictures else ''}drawn at random (seed {report.options.seed})"
        said = f"{count:,} of {report.total:,} images are shown, {how}; maps and neighbors are of these, figures of all."
    return f"{said} Left out for want of room: {', '.join(left_out)}." if left_out else said


def _table(table: FigureTable, plain: Any) -> str:
    heads = "".join(f"<th scope=col>{plain(name)}</th>" for name in table.columns)
    heads = f"<thead><tr>{heads}</tr></thead>" if any(table.columns) else ""
    lines = []
    for place, (name, *values) in enumerate(table.rows):
        mark = " class=marked" if place in table.marked else ""
        lines.append(f"<tr{mark}><th scope=row>{plain(name)}</th>{''.join(f'<td>{plain(value)}</td>' for value in values)}</tr>")
    note = f"<p class=note>{plain(table.note)}</p>" if table.note else ""
    whole = f'<div class="wide"><table>{heads}<tbody>{"".join(lines)}</tbody></table></div>'
    return f'<section class="figures"><h3>{plain(table.title)}</h3>{whole}{note}</section>'


def curve_svg(curve: Curve) -> str:
    """The curve as an SVG element, whose colors the page's style gives; all texts are escaped."""
    values = [value for _, value in curve.points] + ([] if curve.level is None else [curve.level])
    low, high = min(values), max(values)
    margin = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
    low, high = low - margin, high + margin
    first, last = curve.points[0][0], curve.points[-1][0]

    def across(epoch: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (epoch - first) / ((last - first) or 1)

    def down(value: float) -> float:
        return _TOP + (HEIGHT - _TOP - _BOTTOM) * (high - value) / (high - low)

    places = " ".join(f"{across(epoch):.1f},{down(value):.1f}" for epoch, value in curve.points)
    ends = [(curve.points[0], "start"), (curve.points[-1], "end")]
    parts = [
        f'<polyline class="curve" points="{places}"/>',
        *(f'<circle class="dot" cx="{across(e):.1f}" cy="{down(v):.1f}" r="3"/>' for (e, v), _ in ends),
    ]
    parts += [
        f'<text class="tick" x="{_LEFT - 6}" y="{down(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>'
        for value in (low + margin, high - margin)
    ]
    parts += [f'<text class="tick" x="{across(e):.1f}" y="{HEIGHT - 7}" text-anchor="{anchor}">epoch {e:g}</text>' for (e, _), anchor in ends]
    if curve.level is not None:
        at = down(curve.level)
        parts.append(f'<line class="level" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>')
        side = at - 5 if at > HEIGHT / 2 else at + 13
        parts.append(f'<text class="tick" x="{WIDTH - _RIGHT}" y="{side:.1f}" text-anchor="end">{escape(curve.level_name)} {curve.level:.3g}</text>')
    label = f"{curve.title}: from {curve.points[0][1]:.3g} to {curve.points[-1][1]:.3g}"
    drawn = "".join(parts)
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{drawn}</svg>'


def _json(data: Any) -> str:
    """JSON that may stand inside of a script element: no sign in it ends that, begins a comment, or is a line's end to old parsers."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _script() -> str:
    return "\n".join(["'use strict';", read_script(*_MAP_SCRIPTS), *(_text(f"{name}.js") for name in _SCRIPTS)])


def _style() -> str:
    return _text("report.css").replace("@media print", f"{read_text('linked_map.css')}\n@media print", 1)


def _text(name: str) -> str:
    return (files("likeness.reports") / "frontend" / name).read_text(encoding="utf-8").replace("\r\n", "\n")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
