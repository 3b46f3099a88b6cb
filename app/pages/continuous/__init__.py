"""What the page Continuous declares about itself; `page.py` draws it."""

from pathlib import Path

from parts.app_page import EVALUATE, AppPage

PAGE = AppPage(
    Path(__file__).parent,
    "Continuous",
    icon="straighten",
    help="Judge spaces by labels on a scale, such as a number, a viewpoint, a pose or a caption.",
    group=EVALUATE,
    labels="numbers",
)
