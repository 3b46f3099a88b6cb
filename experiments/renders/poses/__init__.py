"""Synthetic Poses: rendered human figures in continuously varied postures, every joint known (for labels that are distances)."""

from experiments.renders.poses.activities import ACTIVITIES
from experiments.renders.poses.contact_sheet import contact_sheet
from experiments.renders.poses.dataset import DATASET, RENDER, write_dataset
from experiments.renders.poses.generate import Picture, draw, render_poses
from experiments.renders.poses.scene import ATTRIBUTES, NUMBERS, WORDS, Scene, sample_poses
from experiments.renders.poses.skeleton import JOINT_COLUMNS, JOINTS

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
