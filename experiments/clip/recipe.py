"""The recipe of the shipped CLIP: all settings that determine a run."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from experiments.clip.tokenizer import CONTEXT_LENGTH, END, PAD
from likeness.defaults import LARGEST_SEED

MEAN, STD = (0.5, 0.5, 0.5), (0.25, 0.25, 0.25)
RENDER_SIZE = 128


class ClipRecipe(BaseModel):
    """One training run; `python -m experiments.clip train` makes the shipped one, whose figures and time stand in `assets/clip/README.md`.

    timm's smallest residual network is the tower since it learns fastest on two cores: after 35 seconds of plain classification
    of the same renders it had .37 of the bodies and .43 of the viewpoints right, RegNetY-002 and ResNet-10-T (7 and 13 times as
    many weights, a half and a quarter of the pictures a second) .18 and .13: guesses.

    The learning rate rises over `warmup` steps, stays, and falls along a cosine to 0 over the last `cooldown` share of the
    steps: a run may be resumed with another number of `steps`, which a single long cosine would not allow.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    tower: str = Field(default="test_resnet", description="timm model without weights")
    image_size: int = Field(default=96, ge=16)
    embed_dim: int = Field(default=512, ge=2)
    text_width: int = Field(default=128, ge=8)
    text_layers: int = Field(default=2, ge=1)
    text_heads: int = Field(default=4, ge=1)
    renders: int = Field(default=80_000, ge=2)
    seed: int = Field(default=101, ge=0, le=LARGEST_SEED, description="of renders, captions and first weights")
    watch_renders: int = Field(default=500, ge=1)
    watch_seed: int = Field(default=102, ge=0, le=LARGEST_SEED, description="of the renders whose accuracy is shown while training")
    card_renders: int = Field(default=2000, ge=1, description="held-out renders behind the model card's figures")
    batch: int = Field(default=256, ge=2)
    described: int = Field(default=96, ge=1, description="pictures of a batch that get a sentence of their own")
    prompts_weight: float = Field(default=3.0, ge=0, description="of the loss over the prompts of each attribute")
    steps: int = Field(default=4000, ge=1)
    warmup: int = Field(default=200, ge=0)
    cooldown: float = Field(default=0.5, gt=0, le=1)
    learning_rate: float = Field(default=3e-3, gt=0)
    weight_decay: float = Field(default=0.05, ge=0)
    averaging: float = Field(default=0.999, ge=0, lt=1, description="decay of the moving average of the weights, which is what is saved")
    largest_scale: float = Field(default=60.0, gt=1, description="bound of the learnt inverse temperature")
    shift: int = Field(default=3, ge=0, description="pixels by which pictures are moved at most")
    unknown_share: float = Field(default=0.03, ge=0, lt=1, description="share of filler words that become the unknown word")
    save_every: int = Field(default=200, ge=1)
    threads: int = Field(default=2, ge=1)


# The models that ship, by the encoder's name. The small one sees pictures at half the width and reads with a quarter of the text tower: the
# second size of the encoder-size analysis (InDiReCT, Figure 4), where no larger CLIP can be downloaded.
RECIPES = {
    "cars": ClipRecipe(),
    "cars-small": ClipRecipe(image_size=48, text_width=64, text_layers=1, renders=40_000, steps=2000, threads=1),
}


def model_cfg(recipe: ClipRecipe, vocab_size: int) -> dict[str, Any]:
    """open_clip's own description of the model.

    The projection is an MLP since a linear one would give embeddings of the tower's width in rank only.
    """
    vision = {
        "timm_model_name": recipe.tower,
        "timm_model_pretrained": False,
        "timm_pool": "avg",
        "timm_proj": "mlp",
        "image_size": recipe.image_size,
    }
    text = {
        "context_length": CONTEXT_LENGTH,
        "vocab_size": vocab_size,
        "hf_tokenizer_name": "words",
        "width": recipe.text_width,
        "heads": recipe.text_heads,
        "layers": recipe.text_layers,
        "pool_type": "eos",
        "eos_id": END,
        "pad_id": PAD,
    }
    return {"embed_dim": recipe.embed_dim, "vision_cfg": vision, "text_cfg": text, "custom_text": True}


def preprocess_cfg() -> dict[str, Any]:
    """How open_clip prepares pictures at inference; `renders` and `batches` do the same while training."""
    return {"mean": list(MEAN), "std": list(STD), "interpolation": "bicubic", "resize_mode": "shortest"}
