from parts.app_page import EVALUATE, AppPage

_HELP = "Judge spaces by numbers of the images, such as a price, a year or a viewpoint."
PAGE = AppPage("Continuous", icon="straighten", help=_HELP, group=EVALUATE, labels="numbers")
