"""The shipped CLIP: captions, recipe, training and zero-shot accuracy."""

from experiments.clip.recipe import RECIPES as RECIPES, ClipRecipe as ClipRecipe
from experiments.clip.train import train_clip as train_clip
from experiments.clip.zero_shot import zero_shot_report as zero_shot_report
