"""Pictures and captions of one training step; all randomness follows from the seed and the step."""

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from experiments.clip.captions import ATTRIBUTES, PREFIXES, CaptionWriter, Claims, Codes, encode_attributes, join
from experiments.clip.phrases import GENERIC_NOUNS, VALUES
from experiments.clip.recipe import MEAN, STD, ClipRecipe
from experiments.clip.renders import Bytes, Renders
from experiments.clip.tokenizer import CONTEXT_LENGTH, PAD, UNKNOWN

if TYPE_CHECKING:
    from torch import Tensor

LOOSE_CAPTIONS = 16


@dataclass(frozen=True)
class Batch:
    """pixels (n, size, size, 3), token ids (c, length), truth (n, c), and the captions' competing sets."""

    pixels: Bytes
    tokens: npt.NDArray[np.int64]
    truth: Claims
    sets: list[slice]


def mirrored_codes(codes: Codes) -> Codes:
    """The attributes (n, attributes) of mirrored pictures: left and right change places in viewpoint and sun."""
    out = codes.copy()
    for name in ("viewpoint", "sun_side"):
        values = VALUES[name]
        swap = {"left": "right", "right": "left"}
        table = [values.index(" ".join(swap.get(word, word) for word in value.split())) for value in values]
        column = ATTRIBUTES.index(name)
        out[:, column] = np.array(table)[codes[:, column]]
    return out


def moved(pixels: Bytes, by: npt.NDArray[np.int64], largest: int) -> Bytes:
    """Pictures (n, size, size, 3) moved by (n, 2) whole pixels, the border repeated."""
    padded = np.pad(pixels, ((0, 0), (largest, largest), (largest, largest), (0, 0)), mode="edge")
    size = pixels.shape[1]
    start = by + largest
    return np.stack([picture[y : y + size, x : x + size] for picture, (y, x) in zip(padded, start, strict=True)])


def to_tensor(pixels: Bytes) -> "Tensor":
    """Normalized float32 (n, 3, size, size), channels last in memory, of bytes (n, size, size, 3)."""
    import torch

    scaled = torch.from_numpy(np.ascontiguousarray(pixels)).float().div_(255)
    return ((scaled - torch.tensor(MEAN)) / torch.tensor(STD)).permute(0, 3, 1, 2)


class BatchMaker:
    """Draws the batches of a run from renders, with captions by `writer` and the vocabulary's tokenizer."""

    def __init__(self, recipe: ClipRecipe, renders: Renders, writer: CaptionWriter, tokenizer: Any) -> None:
        self.recipe, self.renders, self.writer, self.tokenizer = recipe, renders, writer, tokenizer
        self.codes = encode_attributes(renders.scenes)
        self.fillers = np.array(tokenizer(" ".join([*PREFIXES, *GENERIC_NOUNS]), add_special_tokens=False).input_ids)

    def batch(self, step: int) -> Batch:
        """The batch of one step."""
        rng = np.random.default_rng((self.recipe.seed, step))
        rows = rng.choice(len(self.codes), self.recipe.batch, replace=self.recipe.batch > len(self.codes))
        pixels, codes = self.renders.pixels(rows), self.codes[rows]
        flip = rng.random(len(rows)) < 0.5
        pixels[flip] = pixels[flip][:, :, ::-1]
        codes = np.where(flip[:, None], mirrored_codes(codes), codes)
        shift = self.recipe.shift
        pixels = moved(pixels, rng.integers(-shift, shift + 1, (len(rows), 2)), shift)
        competing = [self.writer.prompts_of_all_values(name, rng) for name in ATTRIBUTES]
        competing.append(self.writer.prompts_of_all_values("body_type", rng, use_models=True))
        captions = join([*competing, self.writer.describe(codes[: self.recipe.described], rng), self.writer.loose(rng, LOOSE_CAPTIONS)])
        ends = np.cumsum([0, *(len(part.texts) for part in competing)])
        sets = [slice(int(a), int(b)) for a, b in pairwise(ends)]
        return Batch(pixels, self._tokens(captions.texts, rng), captions.true_of(codes), sets)

    def _tokens(self, texts: list[str], rng: np.random.Generator) -> npt.NDArray[np.int64]:
        ids = self.tokenizer(texts, padding="max_length", truncation=True, max_length=CONTEXT_LENGTH, return_tensors="np").input_ids
        hidden = np.isin(ids, self.fillers) & (rng.random(ids.shape) < self.recipe.unknown_share) & (ids != PAD)
        return np.where(hidden, UNKNOWN, ids)
