"""Synthetic Poses: rendered human figures in continuously varied postures, every joint known (for labels that are distances)."""

from likeness.data.synthetic_poses.activities import ACTIVITIES
from likeness.data.synthetic_poses.contact_sheet import contact_sheet
from likeness.data.synthetic_poses.dataset import write_dataset
from likeness.data.synthetic_poses.generate import Picture, draw, render_poses
from likeness.data.synthetic_poses.scene import ATTRIBUTES, NUMBERS, WORDS, Scene, sample_poses
from likeness.data.synthetic_poses.skeleton import JOINT_COLUMNS, JOINTS

__all__ = [
    "ACTIVITIES",
    "ATTRIBUTES",
    "JOINTS",
    "JOINT_COLUMNS",
    "NUMBERS",
    "WORDS",
    "Picture",
    "Scene",
    "contact_sheet",
    "draw",
    "render_poses",
    "sample_poses",
    "write_dataset",
]
