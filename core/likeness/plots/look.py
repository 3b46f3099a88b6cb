"""Looks of methods, spaces and runs in all figures: color, dash, marker and pattern, so that none depends on color alone."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from PIL import ImageColor

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Figure
else:
    Figure = Any  # in signatures of all figures; plotly takes a second to import, and only who draws needs it

# Okabe and Ito's colors for color-blind people, without black, which is invisible on dark pages.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#F0E442")
GRAY = "#868B94"


class Look(NamedTuple):
    """Color, line dash, marker symbol and bar pattern of a method, in plotly's names."""

    color: str
    dash: str
    symbol: str
    pattern: str = ""

    def line(self, marked: bool = True) -> dict[str, Any]:
        """Line of a trace, with or without markers."""
        line, marker = {"color": self.color, "dash": self.dash, "width": 2}, {"color": self.color, "symbol": self.symbol, "size": 7}
        return {"mode": "lines+markers" if marked else "lines", "line": line, "marker": marker}

    def bar(self) -> dict[str, Any]:
        """Bars of a trace."""
        return {"marker": {"color": self.color, "pattern": {"shape": self.pattern}}}


# methods without learning are gray
_LOOKS = {
    "random": Look(GRAY, "dot", "x-thin-open", "."),
    "raw": Look(GRAY, "dash", "line-ew"),
    "random-transform": Look(GRAY, "dashdot", "triangle-down-open", "/"),
    "pca": Look("#009E73", "solid", "square"),
    "pca-faded": Look("#009E73", "dash", "square-open", "\\"),
    "lae": Look("#E69F00", "solid", "triangle-up"),
    "ae": Look("#CC79A7", "solid", "diamond"),
    "raw-code": Look(GRAY, "longdash", "line-ew-open", "-"),
    "pca-code": Look("#009E73", "dashdot", "square-cross", "/"),
    "lae-code": Look("#E69F00", "dash", "triangle-up-open", "\\"),
    "ae-code": Look("#CC79A7", "dash", "diamond-open", "\\"),
    "exact": Look("#0072B2", "solid", "circle"),
    "adam": Look("#D55E00", "solid", "circle-open"),
    "faded": Look("#0072B2", "dash", "circle-cross", "\\"),
    "scaled-pca": Look("#009E73", "dot", "square-dot", "-"),
    "crl": Look("#D55E00", "dash", "pentagon", "/"),
    "probabilities": Look("#D55E00", "dot", "star-triangle-up", "+"),
    "clay": Look("#E69F00", "dot", "hexagram", "-"),
    "contrastive-pca": Look("#009E73", "longdash", "square-x-open", "x"),
    "null-space": Look("#0072B2", "longdash", "circle-x-open", "+"),
    "other-words": Look("#0072B2", "dot", "pentagon-open", "x"),
    "oracle": Look("#56B4E9", "solid", "star"),
}


def look_of(method: str) -> Look:
    """The look of a method, or a common one for unlisted methods."""
    return _LOOKS.get(method, Look("#F0E442", "solid", "hexagon"))


_DASHES = ("solid", "dash", "dashdot", "dot", "longdash")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star", "hexagon")
_PATTERNS = ("", "/", ".", "x", "-")


def look_at(place: int) -> Look:
    """The look at a position, for items without a listed name: the first space, the second run. The first 35 differ in color and form."""
    color, symbol = OKABE_ITO[place % len(OKABE_ITO)], _SYMBOLS[place % len(_SYMBOLS)]
    return Look(color, _DASHES[place % len(_DASHES)], symbol, _PATTERNS[place % len(_PATTERNS)])


def faded(color: str, opacity: float) -> str:
    """A hex color as plotly's `rgba(...)`."""
    red, green, blue = ImageColor.getrgb(color)[:3]
    return f"rgba({red}, {green}, {blue}, {opacity})"


_UNTRAINED = "raw"
_OPEN_AFTER = 7  # number of symbols


def method_looks(methods: Iterable[str]) -> dict[str, Look]:
    """The look of each method by its position; untrained encoders, whose names begin with "raw", are gray. From the eighth on, symbols are open,
    since colors repeat.
    """
    found: dict[str, Look] = {}
    for method in dict.fromkeys(methods):
        if method.lower().startswith(_UNTRAINED):
            found[method] = Look(GRAY, "dash", "x", "/")
            continue
        place = sum(look.color != GRAY for look in found.values())
        look = look_at(place)
        found[method] = look._replace(symbol=f"{look.symbol}-open") if place // _OPEN_AFTER % 2 else look
    return found
