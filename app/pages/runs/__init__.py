from parts.app_page import TRAIN, AppPage

PAGE = AppPage(
    "Runs",
    icon="monitoring",
    help="Watch, stop and resume trainings, and compare their results.",
    needs="nothing",
    group=TRAIN,
)
