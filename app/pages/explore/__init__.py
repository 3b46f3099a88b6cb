"""What the page Explore declares about itself; `page.py` draws it."""

from parts.app_page import AppPage

PAGE = AppPage(
    "Explore",
    icon="scatter_plot",
    help="See the images on a map and find those that are alike, by image or in words.",
)
