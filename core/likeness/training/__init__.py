"""Training: from a config to a run. Importing this imports nothing; each name is imported when it is first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from likeness.training.config import (
        BackboneConfig,
        GuidanceConfig,
        RunConfig,
        as_yaml,
        config_from,
        difference,
        presets,
        read_config,
        with_changes,
    )
    from likeness.training.data.outputs import backbone_features
    from likeness.training.data.pixels import center_crops, load_pixels
    from likeness.training.data.run_images import RunImages, run_images
    from likeness.training.dist_context import external_rank, launched_externally
    from likeness.training.guidance.guidance import class_names, expert_similarities, pseudolabel_names, pseudolabels
    from likeness.training.loop.launch import launch
    from likeness.training.loop.train import train
    from likeness.training.network.backbones import build_network
    from likeness.training.network.embedding_network import EmbeddingNetwork
    from likeness.training.preview import class_overview, example_queries, example_rows, has_classifier, pseudolabel_config, summarize_similarities
    from likeness.training.runs.background import spawn, start_run, tail_log
    from likeness.training.runs.run_encoder import load_network
    from likeness.training.runs.run_folder import RunFolder, Status, list_runs, trained_folders

_MODULES = {
    "config": (
        "BackboneConfig",
        "GuidanceConfig",
        "RunConfig",
        "as_yaml",
        "config_from",
        "difference",
        "presets",
        "read_config",
        "with_changes",
    ),
    "data.outputs": ("backbone_features",),
    "data.pixels": (
        "center_crops",
        "load_pixels",
    ),
    "data.run_images": (
        "RunImages",
        "run_images",
    ),
    "dist_context": (
        "external_rank",
        "launched_externally",
    ),
    "guidance.guidance": (
        "class_names",
        "expert_similarities",
        "pseudolabel_names",
        "pseudolabels",
    ),
    "loop.launch": ("launch",),
    "loop.train": ("train",),
    "network.backbones": ("build_network",),
    "network.embedding_network": ("EmbeddingNetwork",),
    "preview": (
        "class_overview",
        "example_queries",
        "example_rows",
        "has_classifier",
        "pseudolabel_config",
        "summarize_similarities",
    ),
    "runs.background": (
        "spawn",
        "start_run",
        "tail_log",
    ),
    "runs.run_encoder": ("load_network",),
    "runs.run_folder": (
        "RunFolder",
        "Status",
        "list_runs",
        "trained_folders",
    ),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "BackboneConfig",
    "EmbeddingNetwork",
    "GuidanceConfig",
    "RunConfig",
    "RunFolder",
    "RunImages",
    "Status",
    "as_yaml",
    "backbone_features",
    "build_network",
    "center_crops",
    "class_names",
    "class_overview",
    "config_from",
    "difference",
    "example_queries",
    "example_rows",
    "expert_similarities",
    "external_rank",
    "has_classifier",
    "launch",
    "launched_externally",
    "list_runs",
    "load_network",
    "load_pixels",
    "presets",
    "pseudolabel_config",
    "pseudolabel_names",
    "pseudolabels",
    "read_config",
    "run_images",
    "spawn",
    "start_run",
    "summarize_similarities",
    "tail_log",
    "train",
    "trained_folders",
    "with_changes",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
