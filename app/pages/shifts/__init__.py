"""What the page Shifts declares about itself; `page.py` draws it."""

from parts.app_page import EVALUATE, AppPage

_HELP = "See how well networks do on new classes, the more these differ from the training classes."
PAGE = AppPage("Shifts", icon="moving", help=_HELP, group=EVALUATE, labels="classes")
