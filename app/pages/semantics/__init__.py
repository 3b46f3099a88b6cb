"""What the page Semantics declares about itself; `page.py` draws it."""

from pathlib import Path

from shared.app_page import AppPage

PAGE = AppPage(
    Path(__file__).parent,
    "Semantics",
    section="Judge",
    icon="translate",
    help="Does a space agree with words: do classes with related names lie close together?",
)
