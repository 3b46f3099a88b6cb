"""What the page Your images declares about itself; `page.py` draws it."""

from pathlib import Path

from shared.app_page import AppPage

PAGE = AppPage(
    Path(__file__).parent,
    "Your images",
    section="Data",
    icon="add_photo_alternate",
    help="Bring images of your own: a folder, a table or an upload.",
    needs="nothing",
)
