"""Synthetic Poses: rendered human figures in continuously varied postures, every joint known (for labels that are distances)."""

from likeness.recipes.renders.poses.activities import ACTIVITIES
from likeness.recipes.renders.poses.contact_sheet import contact_sheet
from likeness.recipes.renders.poses.dataset import DATASET, RENDER, write_dataset
from likeness.recipes.renders.poses.generate import Picture, draw, render_poses
from likeness.recipes.renders.poses.scene import ATTRIBUTES, NUMBERS, WORDS, Scene, sample_poses
from likeness.recipes.renders.poses.skeleton import JOINT_COLUMNS, JOINTS

__all__ = [
    "ACTIVITIES",
    "ATTRIBUTES",
    "DATASET",
    "JOINTS",
    "JOINT_COLUMNS",
    "NUMBERS",
    "RENDER",
    "WORDS",
    "Picture",
    "Scene",
    "contact_sheet",
    "draw",
    "render_poses",
    "sample_poses",
    "write_dataset",
]
