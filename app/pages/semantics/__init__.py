"""What the page Semantics declares about itself; `page.py` draws it."""

from pathlib import Path

from parts.app_page import EVALUATE, AppPage

PAGE = AppPage(
    Path(__file__).parent,
    "Semantics",
    icon="translate",
    help="See whether classes with related names, such as sedan and coupe, lie close together in a space.",
    group=EVALUATE,
    labels="classes",
)
