from .compare import captioning_cells as captioning_cells
from .compare import captioning_table as captioning_table
from .compare import compare_features as compare_features
from .compare import finished_report as finished_report
from .config import CaptioningConfig as CaptioningConfig
from .config import captioning_configs as captioning_configs
from .config import read_captioning_config as read_captioning_config
from .config import with_captioning_changes as with_captioning_changes
