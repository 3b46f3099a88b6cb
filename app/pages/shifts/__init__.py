from parts.app_page import EVALUATE, AppPage

_HELP = "See how networks do on new classes as these differ more from the training classes."
PAGE = AppPage("Shifts", icon="moving", help=_HELP, group=EVALUATE, labels="classes")
