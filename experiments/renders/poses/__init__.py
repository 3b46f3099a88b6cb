"""Synthetic Poses: rendered human figures in continuously varied postures, every joint known (for labels that are distances)."""

from experiments.renders.poses.activities import ACTIVITIES as ACTIVITIES
from experiments.renders.poses.contact_sheet import contact_sheet as contact_sheet
from experiments.renders.poses.dataset import DATASET as DATASET, RENDER as RENDER, write_dataset as write_dataset
from experiments.renders.poses.generate import Picture as Picture, draw as draw, render_poses as render_poses
from experiments.renders.poses.scene import ATTRIBUTES as ATTRIBUTES, NUMBERS as NUMBERS, WORDS as WORDS, Scene as Scene, sample_poses as sample_poses
from experiments.renders.poses.skeleton import JOINT_COLUMNS as JOINT_COLUMNS, JOINTS as JOINTS
