from parts.app_page import AppPage

PAGE = AppPage(
    "Duplicates",
    icon="content_copy",
    help="Find duplicate images, choose which ones to keep, and check for leaks between splits.",
)
