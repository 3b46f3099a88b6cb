"""What the page Saliency declares about itself; `page.py` draws it."""

from pathlib import Path

from shared.app_page import AppPage

PAGE = AppPage(
    Path(__file__).parent, "Saliency", section="Look", icon="center_focus_strong", help="Which parts of an image decide where it lies in a space?"
)
