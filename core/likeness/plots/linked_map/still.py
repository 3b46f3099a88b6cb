"""A static picture of the maps, for saved notebooks and code hosts, where no code runs."""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw, ImageFont

from likeness.plots.linked_map.coloring import Coloring
from likeness.plots.linked_map.map_payload import MapPanel, code_colors, home_box

_SIDE, _HEAD, _GAP, _LINE = 400, 26, 12, 20  # px
_SHARP = 2  # supersampling factor
_MARGIN = 0.92
_NAMES = 12
_COLORS = 192
_FEW = 30_000  # up to so many points are drawn as discs, one over the other
_INK, _SOFT, _FRAME = (30, 30, 30), (110, 115, 122), (210, 213, 217)


def still_png(panels: Sequence[MapPanel], coloring: Coloring, n: int, selected: NDArray[np.int64] | None = None) -> bytes:
    """A PNG of one or two maps with the legend of the largest classes; rows outside `selected` are faded.

    Few points are drawn as discs; with many, a pixel's color is the mean of its points and its opacity grows with their number.
    """
    coded = code_colors(coloring, n)
    colors = np.array([ImageColor.getrgb(color) for color in coded["colors"]], np.float32)
    colors[colors.min(axis=1) > 230] = 215  # white would be invisible on white
    inks = colors[np.zeros(n, int) if coded["codes"] is None else coded["codes"]]
    faded = np.zeros(n, bool)
    if selected is not None and len(selected):
        faded[:] = True
        faded[selected] = False
    names = _legend(coded)
    columns = 3 * len(panels)
    legend = 8 + _LINE * -(-len(names) // columns) if names else 0
    page = Image.new("RGB", (len(panels) * (_SIDE + _GAP) - _GAP, _HEAD + _SIDE + legend), "white")
    draw = ImageDraw.Draw(page)
    for i, panel in enumerate(panels):
        left = i * (_SIDE + _GAP)
        draw.text((left + 2, 5), panel.title, _INK, ImageFont.load_default(14))
        page.paste(_scatter(np.asarray(panel.positions, np.float32), inks, faded), (left, _HEAD))
        draw.rectangle((left, _HEAD, left + _SIDE - 1, _HEAD + _SIDE - 1), outline=_FRAME)
    _draw_legend(draw, names, columns, page.width)
    buffer = io.BytesIO()
    page.quantize(_COLORS, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def saved_style(name: str, png: str) -> str:
    """A style that shows a PNG (base64) in JupyterLab if the next output is a widget without a kernel. JupyterLab prefers a widget to the picture
    saved beside it, and its error is an output without elements, which the picture replaces. Other viewers ignore the style.
    """
    own = f".jp-OutputArea-child:has(style.likeness-still-{name})"
    lost = f"{own} + .jp-OutputArea-child > .jp-OutputArea-output:not(:has(*))"
    picture = f"{lost}::before {{ content: url(data:image/png;base64,{png}); }}"
    return f'<style class="likeness-still-{name}">{own} {{ display: none; }} {lost} {{ font-size: 0; }} {picture}</style>'


def _scatter(positions: NDArray[np.float32], inks: NDArray[np.float32], faded: NDArray[np.bool_]) -> Image.Image:
    side = _SIDE * _SHARP
    x, y, half_x, half_y = home_box(positions)
    scale = _MARGIN * side / 2 / max(half_x, half_y)
    places = np.full((len(positions), 2), -1.0)
    known = np.isfinite(positions).all(axis=1)
    places[known] = side / 2 + scale * (positions[known] - (x, y)) * (1, -1)
    picture = np.full((side, side, 3), 255, np.float32)
    draw = _draw_discs if len(positions) <= _FEW else _draw_density
    for part, opacity in ((known & faded, 0.2), (known & ~faded, 0.85)):
        if part.any():
            draw(picture, places[part].astype(int), inks[part], opacity)
    return Image.fromarray(np.rint(picture).astype(np.uint8)).resize((_SIDE, _SIDE), Image.Resampling.BOX)


def _draw_discs(picture: NDArray[np.float32], places: NDArray[np.int64], inks: NDArray[np.float32], opacity: float) -> None:
    side = len(picture)
    radius = min(6.0, max(1.0, 260.0 / np.sqrt(len(places))))
    top = np.full(side * side, -1)  # the last row at each pixel
    reach = np.arange(-int(radius), int(radius) + 1)
    for dy, dx in ((dy, dx) for dy in reach for dx in reach if dx * dx + dy * dy <= radius * radius):
        at = places + np.array((dx, dy))
        inside = np.flatnonzero((at >= 0).all(axis=1) & (at < side).all(axis=1))
        np.maximum.at(top, at[inside, 1] * side + at[inside, 0], inside)
    covered = (top >= 0).reshape(side, side)
    picture[covered] += opacity * (inks[top[top >= 0]] - picture[covered])


def _draw_density(picture: NDArray[np.float32], places: NDArray[np.int64], inks: NDArray[np.float32], opacity: float) -> None:
    side = len(picture)
    at = places[:, 1] * side + places[:, 0]
    load = np.bincount(at, minlength=side * side)
    sums = np.stack([np.bincount(at, channel, side * side) for channel in inks.T], axis=1)
    mean = (sums / np.maximum(load, 1)[:, None]).reshape(picture.shape)
    single = opacity / (1 + len(places) / 100_000) ** 0.5
    picture += (1 - (1 - single) ** load).reshape(side, side, 1) * (mean - picture)


def _legend(coded: dict[str, Any]) -> list[tuple[str, str]]:
    """(name, color) of the classes to show, or of the ends of a scale."""
    if "names" in coded:
        return [(coded["names"][code], coded["colors"][code]) for code in coded["legend"][:_NAMES]]
    if coded["kind"] == "none":
        return []
    return [(f"{coded['label']} {coded['low']:.3g}".strip(), coded["colors"][0]), (f"{coded['high']:.3g}", coded["colors"][-2])]


def _draw_legend(draw: ImageDraw.ImageDraw, names: Sequence[tuple[str, str]], columns: int, width: int) -> None:
    font = ImageFont.load_default(12)
    for i, (name, color) in enumerate(names):
        left, top = i % columns * (width // columns), _HEAD + _SIDE + 8 + _LINE * (i // columns)
        draw.ellipse((left + 2, top + 2, left + 12, top + 12), fill=color, outline=_FRAME)
        draw.text((left + 18, top), name if len(name) <= 18 else f"{name[:17]}…", _SOFT, font)
