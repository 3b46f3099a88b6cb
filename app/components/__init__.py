"""The app's own views in Streamlit: linked maps, galleries, grids of pictures."""

from .gallery import Section, gallery
from .linked_map import linked_map
from .picture_grid import Picture, PictureRow, picture_grid

__all__ = ["Picture", "PictureRow", "Section", "gallery", "linked_map", "picture_grid"]
