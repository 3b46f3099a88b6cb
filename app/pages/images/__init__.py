from parts.app_page import AppPage

PAGE = AppPage(
    "Images",
    icon="add_photo_alternate",
    help="Add your own images from a folder, a table or an upload.",
    needs="nothing",
)
