"""Zero-shot accuracy while training, on a few renders that training never sees."""

from typing import Any

import numpy as np

from experiments.clip.batches import to_tensor
from experiments.clip.captions import ATTRIBUTES, encode_attributes
from experiments.clip.recipe import RENDER_SIZE, ClipRecipe
from experiments.clip.renders import resized
from experiments.clip.tokenizer import CONTEXT_LENGTH
from experiments.clip.zero_shot import Vectors, accuracy, first_prompts
from experiments.renders.cars import render_scenes, sample_scenes


class Watch:
    """The renders of the recipe's `watch_seed`, drawn once."""

    def __init__(self, recipe: ClipRecipe, tokenizer: Any) -> None:
        scenes = sample_scenes(recipe.watch_renders, recipe.watch_seed)
        self.pixels = resized(render_scenes(scenes, RENDER_SIZE), recipe.image_size)
        self.codes, self.tokenizer = encode_attributes(scenes), tokenizer

    def accuracies(self, model: Any) -> dict[str, float]:
        """Top-1 accuracy per attribute, one prompt a class."""
        import torch

        def texts(prompts: list[str]) -> Vectors:
            ids = self.tokenizer(prompts, padding="max_length", max_length=CONTEXT_LENGTH, truncation=True, return_tensors="pt").input_ids
            vectors: Vectors = model.encode_text(ids, normalize=True).numpy()
            return vectors

        with torch.inference_mode():
            parts = [model.encode_image(to_tensor(part), normalize=True).numpy() for part in np.array_split(self.pixels, 8)]
            images: Vectors = np.concatenate(parts)
            return {name: accuracy(images, texts(first_prompts(name)), self.codes[:, i])[0] for i, name in enumerate(ATTRIBUTES)}
