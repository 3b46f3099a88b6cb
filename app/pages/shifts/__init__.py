"""What the page Shifts declares about itself; `page.py` draws it."""

from pathlib import Path

from shared.app_page import AppPage

PAGE = AppPage(
    Path(__file__).parent,
    "Shifts",
    section="Judge",
    icon="moving",
    help="How well does a network do on new classes, the more they differ from those it was trained on?",
)
