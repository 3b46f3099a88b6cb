from parts.app_page import AppPage

PAGE = AppPage(
    "Label",
    icon="new_label",
    help="Label a few images and spread the labels to the rest, then confirm or correct the suggestions.",
)
