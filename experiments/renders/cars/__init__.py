"""Synthetic Cars: a generator of rendered low-poly cars, every attribute known (after the InDiReCT paper's data set)."""

from experiments.renders.cars.contact_sheet import contact_sheet as contact_sheet
from experiments.renders.cars.dataset import RENDER as RENDER, write_dataset as write_dataset
from experiments.renders.cars.generate import draw as draw, render_masks as render_masks, render_scene as render_scene, render_scenes as render_scenes
from experiments.renders.cars.scene import (
    ATTRIBUTES as ATTRIBUTES,
    BODY_TYPES as BODY_TYPES,
    CAMERA_HEIGHTS as CAMERA_HEIGHTS,
    DISTANCES as DISTANCES,
    NUMBERS as NUMBERS,
    SUN_HEIGHTS as SUN_HEIGHTS,
    SUN_SIDES as SUN_SIDES,
    VIEWPOINTS as VIEWPOINTS,
    Scene as Scene,
    sample_scenes as sample_scenes,
)
