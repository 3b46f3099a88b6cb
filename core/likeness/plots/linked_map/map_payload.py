"""The payload of a map: JSON with separate arrays. Colors are a color-blind-safe palette for classes, and scales for numbers and angles."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import ImageColor

from likeness.errors import InputError
from likeness.plots.linked_map.coloring import Coloring
from likeness.plots.linked_map.map_names import MapNames, encode_names
from likeness.plots.linked_map.parts import Publish, cache_by_identity, encode_mask, encode_rows, part

MISSING = "no value"
_STEPS = 255
# Found by search for the largest minimum difference (CIE Lab) over normal sight and three color deficiencies: 22 between any two,
# compared with 3 for known palettes of twelve. All are visible on white and near-black.
CATEGORICAL = (
    "#2559b0", "#df911a", "#2b9667", "#de50fc", "#d00600", "#58e3dc", "#8c352a", "#aade70", "#c598e7", "#793974", "#f0d507", "#6715e1",
)  # fmt: skip
OTHER = "#8E939B"

# every sixteenth color of viridis (S. van der Walt and N. Smith, CC0)
_VIRIDIS = (
    "#440154", "#481a6c", "#472f7d", "#414487", "#39568c", "#31688e", "#2a788e", "#23888e",
    "#1f988b", "#22a884", "#35b779", "#54c568", "#7ad151", "#a5db36", "#d2e21b", "#fde725",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class MapPanel:
    """One map: `positions` (n, 2), NaN for a row without one; optional `names`."""

    title: str
    positions: np.ndarray
    caption: str = ""
    names: MapNames | None = None


@cache_by_identity
def home_box(positions: np.ndarray) -> tuple[float, float, float, float]:
    """Center x, center y, half width and half height of the bounding box of all finite positions (n, 2), which the browser fits into its panel with
    one scale for both axes. Neither half is less than a tenth of the other.
    """
    finite = positions[np.isfinite(positions).all(axis=1)]
    if not len(finite):
        return 0.0, 0.0, 1.0, 1.0
    low, high = finite.min(axis=0).astype(float), finite.max(axis=0).astype(float)
    (x, y), half = (low + high) / 2, (high - low) / 2
    half = np.maximum(half, half.max() / 10) if half.any() else np.ones(2)
    return float(x), float(y), float(half[0]), float(half[1])


def encode_panel(panel: MapPanel, n: int, publish: Publish | None = None) -> dict[str, object]:
    """A panel for the browser. InputError: positions that are not (n, 2)."""
    positions = np.asarray(panel.positions, dtype=np.float32)
    if positions.shape != (n, 2):
        raise InputError(f"The map {panel.title!r} has positions of shape {positions.shape}; pass ({n}, 2).")
    return {
        "title": panel.title, "caption": panel.caption, "home": home_box(positions), "positions": part(positions, publish),
        "names": encode_names(panel.names, n, publish),
    }  # fmt: skip


def encode_coloring(coloring: Coloring, n: int, publish: Publish | None = None) -> dict[str, object]:
    """A coloring for the browser: a code per row, a color per code, and the legend; for numbers also their position between the ends."""
    encoded = code_colors(coloring, n)
    return encoded | {name: part(encoded[name], publish) if encoded.get(name) is not None else None for name in ("codes", "values")}


@cache_by_identity
def code_colors(coloring: Coloring, n: int) -> dict[str, Any]:
    """A coloring with `codes` (n,) into `colors` as an array, None if all rows have the same color; `names` and `counts` of classes."""
    if coloring.kind == "none":
        return {"kind": "none", "label": coloring.label, "codes": None, "colors": [CATEGORICAL[0]]}
    if coloring.kind in ("number", "angle"):
        return _encode_values(coloring, n)
    codes, counts = _checked(coloring.codes, n), coloring.counts
    colors = list(coloring.palette) if coloring.palette is not None else categorical_palette(counts)
    names = [str(name) for name in coloring.names]
    missing = int((codes < 0).sum())
    # Few classes keep their order, which may have a meaning (near, middle, far); many are sorted by size.
    legend = list(range(len(names))) if len(names) <= len(CATEGORICAL) else np.argsort(-counts, kind="stable").tolist()
    if missing:
        codes = np.where(codes < 0, len(names), codes)
        legend.append(len(names))
        names, colors, counts = [*names, MISSING], [*colors, OTHER], np.append(counts, missing)
    codes = codes.astype(np.uint8 if len(names) <= 256 else np.uint16)
    return {
        "kind": coloring.kind, "label": coloring.label, "codes": codes,
        "colors": colors, "names": names, "counts": counts.tolist(), "legend": legend, "gray": OTHER, "missing": MISSING,
    }  # fmt: skip


def _encode_values(coloring: Coloring, n: int) -> dict[str, Any]:
    values = _checked(coloring.values, n).astype(np.float64)
    finite = values[np.isfinite(values)]
    angle = coloring.kind == "angle"
    low, high = (0.0, 360.0) if angle else (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    share = (values % 360.0) / 360.0 if angle else (values - low) / ((high - low) or 1.0)
    codes = np.where(np.isfinite(share), np.rint(share * (_STEPS - 1)), _STEPS)
    return {
        "kind": coloring.kind, "label": coloring.label, "codes": codes.astype(np.uint8),
        "colors": [*(angle_scale(_STEPS) if angle else number_scale(_STEPS)), OTHER], "low": low, "high": high,
        "gray": OTHER, "missing": int(n - len(finite)), "values": None if angle else share.astype(np.float32),
    }  # fmt: skip


def _checked(values: np.ndarray | None, n: int) -> np.ndarray:
    array = np.asarray(values)
    if array.shape != (n,):
        raise InputError(f"The coloring has {array.shape} values; pass one for each of the {n} rows.")
    return array


def encode_map(
    panels: Sequence[MapPanel], coloring: Coloring, *, n: int, thumbnails: str = "", info: str | None = None,
    selected: np.ndarray | None = None, query: int | None = None, neighbors: Sequence[np.ndarray] | None = None,
    dimmed: np.ndarray | None = None, noun: str = "images", identity: str = "", renderer: str = "auto", seen: str | None = None,
    colored: tuple[float, float] | None = None, publish: Publish | None = None,
) -> dict[str, object]:  # fmt: skip
    """The payload of one or two maps of n rows. InputError: arrays that do not fit n, or a query outside the rows.

    Args:
        thumbnails, info: URL templates with "{row}", if there is a server; notebooks send messages to the kernel instead.
        selected: rows (m,) in full color; others are faded.
        query: the ringed row.
        neighbors: rows (k,) of each panel that are marked, and connected to the query, if there is one.
        dimmed: mask (n,) of rows removed by a filter.
        noun: name of the rows.
        identity: identifies the data; a change resets the map instead of moving its points.
        renderer: "auto", "cpu" or "webgl".
        seen: the last edit of the browser that Python has processed.
        colored: initial range of a coloring by numbers; None: the whole range.
        publish: publishes large arrays, see `part`.
    """
    if not 1 <= len(panels) <= 2:
        raise InputError(f"{len(panels)} maps were passed; pass one or two.")
    if query is not None and not 0 <= query < n:
        raise InputError(f"The query {query} is outside the {n} rows of the map; pass a row from 0 to {n - 1}.")
    if neighbors is not None and len(neighbors) != len(panels):
        raise InputError(f"{len(neighbors)} lists of neighbors do not fit {len(panels)} maps; pass one for each.")
    return {
        "n": n, "identity": identity, "noun": noun, "renderer": renderer, "seen": seen, "thumbnails": thumbnails, "info": info,
        "panels": [encode_panel(panel, n, publish) for panel in panels],
        "coloring": encode_coloring(coloring, n, publish) | {"colored": colored},
        "selected": encode_rows(selected, n) if selected is not None and len(selected) else None,
        "dimmed": encode_mask(_checked(dimmed, n)) if dimmed is not None and np.any(dimmed) else None,
        "query": None if query is None else int(query),
        "neighbors": [np.asarray(rows, dtype=int).tolist() for rows in neighbors] if neighbors is not None else None,
    }  # fmt: skip


def categorical_palette(counts: np.ndarray) -> list[str]:
    """A hex color for each class of `counts` (k,) rows: the twelve largest in color, the others gray; ties keep their order."""
    colors = [OTHER] * len(counts)
    for color, index in zip(CATEGORICAL, np.argsort(-np.asarray(counts), kind="stable"), strict=False):
        colors[int(index)] = color
    return colors


def number_scale(steps: int = 255) -> list[str]:
    """Viridis in `steps` colors: perceptually uniform, with increasing lightness."""
    anchors = np.array([ImageColor.getrgb(color) for color in _VIRIDIS])
    at = np.linspace(0, len(anchors) - 1, steps)
    return [_hex([np.interp(value, np.arange(len(anchors)), anchors[:, c]) for c in range(3)]) for value in at]


def angle_scale(steps: int = 255) -> list[str]:
    """A circle of hues in OKLab with equal ends. Lightness also rises and falls once, so opposite angles differ for color-blind people, too."""
    turns = np.linspace(0.0, 2 * math.pi, steps)
    return [_hex(_oklch_to_rgb(0.66 + 0.12 * math.cos(t), 0.125, t + 0.5)) for t in turns]


def _hex(rgb: list[float]) -> str:
    return "#" + "".join(f"{round(min(255.0, max(0.0, float(c)))):02x}" for c in rgb)


def _oklch_to_rgb(lightness: float, chroma: float, hue: float) -> list[float]:
    """sRGB 0..255 of an OKLCh color (B. Ottosson 2020); `hue` in radians."""
    a, b = chroma * math.cos(hue), chroma * math.sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    return [255 * (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055) for c in np.clip(linear, 0, 1).tolist()]
