"""What the page Duplicates declares about itself; `page.py` draws it."""

from pathlib import Path

from parts.app_page import AppPage

PAGE = AppPage(
    Path(__file__).parent,
    "Duplicates",
    icon="content_copy",
    help="Find images that are there twice, choose which of them stay, and see what leaks from one part of the images into another.",
)
