"""What the page Label declares about itself; `page.py` draws it."""

from pathlib import Path

from parts.app_page import AppPage

PAGE = AppPage(
    Path(__file__).parent,
    "Label",
    icon="new_label",
    help="Label a few images and spread the labels to the rest: confirm the suggestions and correct the mistakes.",
)
