"""The linked map: one or two maps of the same rows with a common selection, query and coloring, in the app and in notebooks."""

from likeness.plots.linked_map.coloring import Coloring as Coloring, color_by as color_by, coloring_of as coloring_of
from likeness.plots.linked_map.frontend import SCRIPTS as SCRIPTS, read_script as read_script, read_text as read_text
from likeness.plots.linked_map.map_event import MapEvent as MapEvent, decode_event as decode_event
from likeness.plots.linked_map.map_names import MapNames as MapNames
from likeness.plots.linked_map.map_payload import MapPanel as MapPanel, encode_coloring as encode_coloring, encode_map as encode_map
from likeness.plots.linked_map.parts import Publish as Publish, cache_by_identity as cache_by_identity
from likeness.plots.linked_map.placement import place as place
from likeness.plots.linked_map.show import show_map as show_map, show_maps as show_maps
