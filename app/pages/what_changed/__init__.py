from parts.app_page import EVALUATE, AppPage

_HELP = (
    "See which images get other neighbors, which searches get better or worse, what changed in a new version of the images, and where a model fails."
)
PAGE = AppPage("What changed", icon="compare_arrows", help=_HELP, group=EVALUATE)
