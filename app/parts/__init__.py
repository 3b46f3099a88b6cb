"""The app's own views in Streamlit: linked maps, galleries, grids of pictures."""

from .gallery import Section as Section, gallery as gallery
from .linked_map import linked_map as linked_map
from .picture_grid import Picture as Picture, PictureRow as PictureRow, picture_grid as picture_grid
