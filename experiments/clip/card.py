"""The model card: data, steps, time and measured zero-shot accuracy."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from experiments.clip.recipe import RENDER_SIZE, ClipRecipe
from experiments.clip.zero_shot import CAR_MODELS, FIRST
from likeness.io import write_atomic
from likeness.studies import as_markdown

CARD = "README.md"
CHANCE = 0.05  # within this of 1 / classes, balanced accuracy is taken for guessing
_TEXT = """# A small CLIP for Synthetic Cars

An [open_clip](https://github.com/mlfoundations/open_clip) local directory, trained from scratch by `python -m experiments.clip train` and loaded by
`open_clip.create_model_from_pretrained("local-dir:FOLDER")`, like any other open_clip model. It knows rendered low-poly cars on plain
backgrounds and English sentences about them, and nothing else: it is no encoder for photographs.

| | |
|---|---|
| image tower | timm `{tower}` at {image_size} px, average pooling, MLP projection to {embed_dim} dimensions |
| text tower | {text_layers} transformer layers of width {text_width}, an own vocabulary of {words} words, up to 30 words a text |
| parameters | {parameters:.1f} million, {megabytes:.1f} MB in half precision |
| data | {renders:,} renders of {render_size} px (seed {seed}) and their mirror images; captions written anew at every step |
| training | {steps:,} steps of {batch} pictures, {minutes:.0f} minutes on {threads} processor threads, bfloat16 where the processor has it |
| loss | contrastive with all true captions as positives, over the batch and over the prompts of each attribute |
| weights | moving average over the steps, decay {averaging} |

Captions name one to five of {attributes},
in varied words and templates, real car models as further words for the body types among them.

## Zero-shot accuracy

On {images:,} renders of seed {report_seed}, which training never used; one prompt a class. *Balanced* is the mean over classes.

{first}

{chance}The same renders, in wordings that training never used: words and templates it knew but never saw together, sentences it never saw,
and car colors with body types that no caption named together.

{unseen}

Among all {names} prompts "a photo of a (car model)", the nearest names a car of the picture's body type in {car_models} of the cases.
"""


def write_card(folder: Path, recipe: ClipRecipe, facts: Mapping[str, float], report: pd.DataFrame) -> None:
    """Writes the card from the recipe, what was counted while training, and a table of `zero_shot_report`.

    Args:
        folder: an exported model.
        recipe: what it was trained by.
        facts: words, parameters, bytes, steps, seconds, report_seed, names (numbers).
        report: the measured accuracies.
    """
    models = report[report["wording"] == CAR_MODELS]
    first = report["wording"] == FIRST
    unseen = report[~first & (report["wording"] != CAR_MODELS)]
    text = _TEXT.format(
        **recipe.model_dump(exclude={"steps"}),
        render_size=RENDER_SIZE,
        steps=int(facts["steps"]),
        words=int(facts["words"]),
        parameters=facts["parameters"] / 1e6,
        megabytes=facts["bytes"] / 1e6,
        minutes=facts["seconds"] / 60,
        attributes=", ".join(_in_words(report[first]["attribute"])),
        images=int(report["images"].max()),
        report_seed=int(facts["report_seed"]),
        first=_table(report[first], ["attribute", "classes", "top1", "balanced", "example"]),
        chance=_at_chance(report[first]),
        unseen=_table(unseen, ["wording", "attribute", "classes", "images", "top1", "balanced", "example"]),
        names=int(facts["names"]),
        car_models=f"{models['top1'].iloc[0]:.1%}",
    )
    write_atomic(folder / CARD, text.encode())


def _at_chance(first: pd.DataFrame) -> str:
    """Lists the attributes that the model has not learned: those no better than guessing."""
    names = first["attribute"][first["balanced"] < 1 / first["classes"] + CHANCE]
    if names.empty:
        return ""
    return f"Not learned, no better than guessing: {', '.join(_in_words(names))}. Do not build a notion on it.\n\n"


def _in_words(names: pd.Series) -> list[str]:
    return [str(name).replace("_", " ").removesuffix(" name") for name in names]


def _table(frame: pd.DataFrame, columns: list[str]) -> str:
    shown = frame[columns].copy()
    for name in ("top1", "balanced"):
        shown[name] = shown[name].map("{:.3f}".format)
    return as_markdown(shown)
