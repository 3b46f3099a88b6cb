"""The app's own views: linked maps and galleries."""

from .coloring import Coloring, coloring_of
from .gallery import Section, gallery
from .linked_map import linked_map
from .map_event import MapEvent
from .map_payload import MapPanel

__all__ = ["Coloring", "MapEvent", "MapPanel", "Section", "coloring_of", "gallery", "linked_map"]
