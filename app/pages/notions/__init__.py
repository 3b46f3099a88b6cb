"""What the page Notions declares about itself; `page.py` draws it."""

from parts.app_page import AppPage

PAGE = AppPage("Notions", icon="tune", help="Say in words when two images are similar, and see the space that follows.")
