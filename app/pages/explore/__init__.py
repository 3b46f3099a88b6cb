from parts.app_page import AppPage

PAGE = AppPage(
    "Explore",
    icon="scatter_plot",
    help="See the images on a map, and search for similar ones by image or text.",
)
