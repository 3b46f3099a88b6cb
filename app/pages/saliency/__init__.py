from parts.app_page import EVALUATE, AppPage

PAGE = AppPage("Saliency", icon="center_focus_strong", help="See which parts of an image decide where it lies in a space.", group=EVALUATE)
