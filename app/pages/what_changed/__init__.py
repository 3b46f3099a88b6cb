"""What the page What changed declares about itself; `page.py` draws it."""

from parts.app_page import EVALUATE, AppPage

_HELP = "See which images get other neighbors, which searches get better or worse, and what a new version of the images changes."
PAGE = AppPage("What changed", icon="compare_arrows", help=_HELP, group=EVALUATE)
