from parts.app_page import EVALUATE, AppPage

_HELP = "See how well each method finds images of the same label."
PAGE = AppPage("Methods", icon="leaderboard", help=_HELP, group=EVALUATE, labels="classes")
