"""What the page Semantics declares about itself; `page.py` draws it."""

from pathlib import Path

from parts.app_page import EVALUATE, AppPage

PAGE = AppPage(
    Path(__file__).parent,
    "Semantics",
    icon="translate",
    help="Does a space agree with words: do classes with related names lie close together?",
    group=EVALUATE,
    labels="classes",
)
