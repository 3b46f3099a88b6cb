"""The shipped CLIP: captions, recipe, training and zero-shot accuracy."""

from experiments.clip.recipe import RECIPES, ClipRecipe
from experiments.clip.train import train_clip
from experiments.clip.zero_shot import zero_shot_report

__all__ = ["RECIPES", "ClipRecipe", "train_clip", "zero_shot_report"]
