"""What the page What changed declares about itself; `page.py` draws it."""

from pathlib import Path

from parts.app_page import EVALUATE, AppPage

_HELP = "See which images get other neighbors, which searches get better or worse, and what a new version of the images changes."
PAGE = AppPage(Path(__file__).parent, "What changed", icon="compare_arrows", help=_HELP, group=EVALUATE)
