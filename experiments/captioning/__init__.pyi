from .caption import caption_images as caption_images
from .compare import (
    Cells as Cells,
    captioning_cells as captioning_cells,
    captioning_runs as captioning_runs,
    captioning_sentences as captioning_sentences,
    captioning_table as captioning_table,
    compare_features as compare_features,
    finished_report as finished_report,
)
from .config import (
    CaptioningConfig as CaptioningConfig,
    captioning_configs as captioning_configs,
    read_captioning_config as read_captioning_config,
    with_captioning_changes as with_captioning_changes,
)
