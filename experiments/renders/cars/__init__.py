"""Synthetic Cars: a generator of rendered low-poly cars, every attribute known (after the InDiReCT paper's data set)."""

from experiments.renders.cars.contact_sheet import contact_sheet
from experiments.renders.cars.dataset import RENDER, write_dataset
from experiments.renders.cars.generate import draw, render_masks, render_scene, render_scenes
from experiments.renders.cars.scene import (
    ATTRIBUTES,
    BODY_TYPES,
    CAMERA_HEIGHTS,
    DISTANCES,
    NUMBERS,
    SUN_HEIGHTS,
    SUN_SIDES,
    VIEWPOINTS,
    Scene,
    sample_scenes,
)

__all__ = [
    "ATTRIBUTES",
    "BODY_TYPES",
    "CAMERA_HEIGHTS",
    "DISTANCES",
    "NUMBERS",
    "RENDER",
    "SUN_HEIGHTS",
    "SUN_SIDES",
    "VIEWPOINTS",
    "Scene",
    "contact_sheet",
    "draw",
    "render_masks",
    "render_scene",
    "render_scenes",
    "sample_scenes",
    "write_dataset",
]
