from .config import (
    BackboneConfig as BackboneConfig,
    DataConfig as DataConfig,
    GuidanceConfig as GuidanceConfig,
    RunConfig as RunConfig,
    as_yaml as as_yaml,
    config_from as config_from,
    difference as difference,
    presets as presets,
    read_config as read_config,
    with_changes as with_changes,
)
from .data.outputs import backbone_features as backbone_features
from .data.pixels import center_crops as center_crops, check_room as check_room, load_pixels as load_pixels
from .data.run_images import RunImages as RunImages, run_images as run_images
from .dist_context import external_rank as external_rank, launched_externally as launched_externally
from .guidance.guidance import (
    class_names as class_names,
    expert_similarities as expert_similarities,
    pseudolabel_names as pseudolabel_names,
    pseudolabels as pseudolabels,
)
from .loop.find_rate import RateSearch as RateSearch, find_rate as find_rate
from .loop.launch import launch as launch
from .loop.mix import ALPHAS as ALPHAS, mix_run as mix_run
from .loop.train import train as train
from .network.backbone_names import backbone_of as backbone_of, encoder_of as encoder_of, native_size as native_size
from .network.backbones import build_network as build_network, timm_model as timm_model
from .network.embedding_network import EmbeddingNetwork as EmbeddingNetwork
from .network.spherical_map import SphericalMap as SphericalMap
from .preview import (
    class_overview as class_overview,
    example_queries as example_queries,
    example_rows as example_rows,
    fitting_batch as fitting_batch,
    has_classifier as has_classifier,
    pseudolabel_config as pseudolabel_config,
    summarize_similarities as summarize_similarities,
)
from .runs.background import begin as begin, spawn as spawn, start_run as start_run, tail_log as tail_log
from .runs.manage_runs import delete_run as delete_run, export_run as export_run, export_zip as export_zip, rename_run as rename_run
from .runs.query_figures import query_table as query_table
from .runs.run_encoder import (
    RunPreprocessing as RunPreprocessing,
    load_network as load_network,
    load_spherical_map as load_spherical_map,
    run_preprocessing as run_preprocessing,
    weights_metadata as weights_metadata,
)
from .runs.run_folder import (
    CHECKPOINTS as CHECKPOINTS,
    Checkpoint as Checkpoint,
    RunFolder as RunFolder,
    Status as Status,
    TaskFolder as TaskFolder,
    checkpoint_figures as checkpoint_figures,
    figure_names as figure_names,
    find_run as find_run,
    list_runs as list_runs,
    trained_folders as trained_folders,
)
