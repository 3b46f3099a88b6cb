from parts.app_page import TRAIN, AppPage

PAGE = AppPage(
    "Train",
    icon="model_training",
    help="Train a network so that images of one class lie close together.",
    needs="images",
    group=TRAIN,
)
