"""What the page Train declares about itself; `page.py` draws it."""

from pathlib import Path

from shared.app_page import AppPage

PAGE = AppPage(
    Path(__file__).parent,
    "Train",
    section="Shape",
    icon="model_training",
    help="Train a network so that images of one class lie close together.",
    needs="images",
)
