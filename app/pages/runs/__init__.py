"""What the page Runs declares about itself; `page.py` draws it."""

from parts.app_page import TRAIN, AppPage

PAGE = AppPage(
    "Runs",
    icon="monitoring",
    help="Watch trainings, stop and resume them, and compare what they reached.",
    needs="nothing",
    group=TRAIN,
)
