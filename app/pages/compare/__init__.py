"""What the page Compare declares about itself; `page.py` draws it."""

from pathlib import Path

from shared.app_page import AppPage

PAGE = AppPage(Path(__file__).parent, "Compare", section="Look", icon="leaderboard", help="See how well each method finds images of the same label.")
