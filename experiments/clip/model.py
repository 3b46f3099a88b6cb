"""open_clip's model from the recipe, and the folder it is saved to."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.clip.recipe import ClipRecipe, model_cfg, preprocess_cfg
from experiments.clip.tokenizer import save_tokenizer
from likeness.errors import InputError
from likeness.io import write_atomic

if TYPE_CHECKING:
    from torch import Tensor

CONFIG, WEIGHTS, RECIPE = "open_clip_config.json", "open_clip_model.safetensors", "recipe.json"


def build_model(recipe: ClipRecipe, vocab_size: int) -> Any:
    """A newly initialized `open_clip.model.CustomTextCLIP` (which has no types); the same seed gives the same weights."""
    import torch
    from open_clip.model import CustomTextCLIP

    config: dict[str, Any] = model_cfg(recipe, vocab_size)
    config.pop("custom_text")
    torch.manual_seed(recipe.seed)
    try:
        model = CustomTextCLIP(**config)
    except Exception as error:  # open_clip and timm raise anything on a tower that they do not know or that does not fit
        reason = " ".join(str(error).split())[:150]
        raise InputError(f"Cannot build a model with the tower '{recipe.tower}' ({reason}); choose another timm model, such as resnet18.") from error
    return model.to(memory_format=torch.channels_last)


def export(state: dict[str, "Tensor"], words: list[str], recipe: ClipRecipe, folder: Path) -> None:
    """Writes an open_clip local directory: config, weights (half precision), tokenizer and the recipe.

    Every file is replaced as a whole, the config last, so that a reader never meets a config without weights.
    """
    import torch
    from safetensors.torch import save

    folder.mkdir(parents=True, exist_ok=True)
    half = {name: (value.half() if value.dtype == torch.float32 else value).contiguous() for name, value in state.items()}
    write_atomic(folder / WEIGHTS, save(half))
    save_tokenizer(words, folder)
    write_atomic(folder / RECIPE, recipe.model_dump_json(indent=2).encode())
    config = {"model_cfg": model_cfg(recipe, len(words)), "preprocess_cfg": preprocess_cfg()}
    write_atomic(folder / CONFIG, json.dumps(config, indent=2).encode())
