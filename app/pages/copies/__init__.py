"""What the page Copies declares about itself; `page.py` draws it."""

from pathlib import Path

from shared.app_page import AppPage

PAGE = AppPage(
    Path(__file__).parent,
    "Copies",
    section="Data",
    icon="content_copy",
    help="Find images that are there twice, choose which of them stay, and see what leaks from one part of the images into another.",
)
