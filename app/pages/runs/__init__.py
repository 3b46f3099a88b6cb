"""What the page Runs declares about itself; `page.py` draws it."""

from pathlib import Path

from shared.app_page import AppPage

PAGE = AppPage(
    Path(__file__).parent,
    "Runs",
    section="Shape",
    icon="monitoring",
    help="Watch trainings, stop and resume them, and compare what they reached.",
    needs="nothing",
)
