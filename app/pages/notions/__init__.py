from parts.app_page import AppPage

PAGE = AppPage("Notions", icon="tune", help="Say in words when two images are similar, and see the resulting space.")
