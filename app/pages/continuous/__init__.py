"""What the page Continuous declares about itself; `page.py` draws it."""

from pathlib import Path

from shared.app_page import AppPage

PAGE = AppPage(
    Path(__file__).parent,
    "Continuous",
    section="Judge",
    icon="straighten",
    help="Judge spaces by labels on a scale, such as a pose, a viewpoint, a number or a caption.",
)
