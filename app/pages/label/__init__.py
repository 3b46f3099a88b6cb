"""What the page Label declares about itself; `page.py` draws it."""

from parts.app_page import AppPage

PAGE = AppPage(
    "Label",
    icon="new_label",
    help="Label a few images and spread the labels to the rest: confirm the suggestions and correct the mistakes.",
)
