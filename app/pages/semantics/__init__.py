from parts.app_page import EVALUATE, AppPage

_HELP = "See whether classes with related names, such as sedan and coupe, lie close together in a space."
PAGE = AppPage("Semantics", icon="translate", help=_HELP, group=EVALUATE, labels="classes")
