"""The shipped CLIP: captions, recipe, training and zero-shot accuracy."""

from likeness.recipes.clip.recipe import RECIPES, ClipRecipe
from likeness.recipes.clip.train import train_clip
from likeness.recipes.clip.zero_shot import zero_shot_report

__all__ = ["RECIPES", "ClipRecipe", "train_clip", "zero_shot_report"]
