"""The linked map: one or two maps of the same rows with one selection, one query and one coloring, in the app and in notebooks."""

from typing import TYPE_CHECKING, Any

from likeness.plots.linked_map.bitset import decode_rows, encode_mask, encode_rows
from likeness.plots.linked_map.coloring import Coloring, color_by, coloring_of
from likeness.plots.linked_map.frontend import SCRIPTS, notebook_module, read_script, read_text
from likeness.plots.linked_map.identity_cache import cache_by_identity
from likeness.plots.linked_map.map_event import MapEvent, decode_event
from likeness.plots.linked_map.map_names import MapNames
from likeness.plots.linked_map.map_payload import MapPanel, encode_map
from likeness.plots.linked_map.palette import angle_scale, categorical_palette, number_scale
from likeness.plots.linked_map.parts import Publish
from likeness.plots.linked_map.placement import place
from likeness.plots.linked_map.show import show_map, show_maps
from likeness.plots.linked_map.still import still_png

if TYPE_CHECKING:
    from likeness.plots.linked_map.widget import LinkedMapWidget

__all__ = [
    "SCRIPTS",
    "Coloring",
    "LinkedMapWidget",
    "MapEvent",
    "MapNames",
    "MapPanel",
    "Publish",
    "angle_scale",
    "cache_by_identity",
    "categorical_palette",
    "color_by",
    "coloring_of",
    "decode_event",
    "decode_rows",
    "encode_map",
    "encode_mask",
    "encode_rows",
    "notebook_module",
    "number_scale",
    "place",
    "read_script",
    "read_text",
    "show_map",
    "show_maps",
    "still_png",
]


def __getattr__(name: str) -> Any:
    """The widget's class is made when it is first asked for: it needs `anywidget`, which the app does not."""
    if name != "LinkedMapWidget":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from likeness.plots.linked_map.widget import LinkedMapWidget

    return LinkedMapWidget
