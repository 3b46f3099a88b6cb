"""What the page Explore declares about itself; `page.py` draws it."""

from pathlib import Path

from parts.app_page import AppPage

PAGE = AppPage(
    Path(__file__).parent,
    "Explore",
    icon="scatter_plot",
    help="See the images on a map and find those that are alike, by image or in words.",
)
