"""What the page Label declares about itself; `page.py` draws it."""

from pathlib import Path

from shared.app_page import AppPage

PAGE = AppPage(
    Path(__file__).parent,
    "Label",
    section="Data",
    icon="new_label",
    help="Label a few images, and the others follow: confirm what the space says, and correct what it gets wrong.",
)
