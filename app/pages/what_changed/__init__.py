from parts.app_page import EVALUATE, AppPage

_HELP = "See which images get other neighbors, which searches get better or worse, and what changed in a new version of the images."
PAGE = AppPage("What changed", icon="compare_arrows", help=_HELP, group=EVALUATE)
