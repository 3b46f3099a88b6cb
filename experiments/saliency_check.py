"""Do saliency maps of notions point at the car? In rendered images the pixels of car and background are known."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Unpack

import numpy as np
import typer
from numpy.typing import NDArray

from likeness.commands.inputs import embedded, notion_named, whole_numbers
from likeness.commands.options import EncoderName, Format, Seed, Source
from likeness.commands.terminal import print_table, progress_bar
from likeness.defaults import DATASET, PAPER_NOTIONS
from likeness.saliency import (
    CONTROL,
    CONTROLS,
    Masks,
    Saliency,
    SaliencySettings,
    control_spaces,
    difference,
    difference_shares,
    mass_share,
    object_masks,
    saliency_of_spaces,
)

if TYPE_CHECKING:
    import pandas as pd

    from likeness.notions import Notion
    from likeness.space import Space

_IMAGES = 100  # that are checked where none are named
DIM = 2  # the InDiReCT paper's, section 6

SHARES = {
    "area": "car's area",
    "raw": "raw map on car",
    "map": "notion map on car",
    "more": "notion looks more: on car",
    "less": "notion looks less: on car",
}
# what stands beside a notion's share, so that none is read without its control
CONTROL_SHARES = {"map": "random projection's map on car", "more": "random projection looks more: on car"}


def car_check(
    encoded: "Space",
    notions: "Sequence[Notion]",
    *,
    dim: int = DIM,
    rows: Sequence[int] = range(100),
    controls: int = CONTROLS,
    **settings: Unpack[SaliencySettings],
) -> "pd.DataFrame":
    """The share of each map's mass on the car, for every notion and image, compared with random projections of as many dimensions.

    Args:
        encoded: Synthetic Cars in their encoder's space.
        dim: of the notions' spaces.
        rows: the images.
        controls: random projections: what fewer dimensions alone do to a map, whatever they are about.
        settings: keywords of `saliency_of_spaces`.

    Returns:
        A row per notion (or control, "random projection") and image: notion, dim, row, and the shares `area` (of the image that is car: what a
        map that looks everywhere alike would get), `raw` (the raw encoder's map), `map` (the notion's), `more` and `less` (the positive and
        the negative part of notion minus raw).

    Raises:
        InputError: what `object_masks`, `saliency_of_spaces` and the fit of a notion refuse.
    """
    import pandas as pd

    masks = object_masks(encoded, rows)
    spaces = [*(_space(encoded, notion, dim) for notion in notions), *control_spaces(encoded, dim, controls)]
    raw, *found = saliency_of_spaces([encoded, *spaces], rows, **settings)
    done = len(raw)
    tables = [pd.DataFrame({"notion": own.name, "dim": dim, "row": list(rows)[:done], **_shares(own, raw, masks[:done])}) for own in found]
    return pd.concat(tables, ignore_index=True)


def _space(encoded: "Space", notion: "Notion", dim: int) -> "Space":
    from likeness.notions import InDiReCT

    return encoded.refit(notion, InDiReCT(dim=dim))


def _shares(own: Saliency, raw: Saliency, masks: Masks) -> "dict[str, NDArray[np.float64]]":
    more, less = difference_shares(difference(own, raw), masks)
    return {"area": masks.mean(axis=(1, 2)), "raw": mass_share(raw.maps, masks), "map": mass_share(own.maps, masks), "more": more, "less": less}


def summarize_check(shares: "pd.DataFrame") -> "pd.DataFrame":
    """Mean and standard deviation over the images, one row per notion and dimension, as text `0.412 ± 0.101`; a map of zeros does not count.

    Where the shares have controls, the mean of the random projections to as many dimensions stands in columns beside the notion's own.
    """
    controls = shares[shares["notion"] == CONTROL].groupby("dim")
    groups = shares.groupby(["notion", "dim"], sort=False)
    table = groups["row"].nunique().rename("images").reset_index()
    for share, title in SHARES.items():
        mean, deviation = groups[share].mean(), groups[share].std(ddof=0)
        table[title] = [f"{m:.3f} ± {s:.3f}" for m, s in zip(mean, deviation, strict=True)]
        if share in CONTROL_SHARES and len(controls):
            table[CONTROL_SHARES[share]] = table["dim"].map(controls[share].mean()).map("{:.3f}".format)
    return table


def main(
    source: Source = DATASET,
    rows: Annotated[str | None, typer.Option(help="Rows of the images, separated by commas. Default: the first 100.")] = None,
    notion: Annotated[str | None, typer.Option("--notion", "-n", help="Names or YAML files, separated by commas.")] = None,
    dim: Annotated[int, typer.Option("--dim", "-d", min=1, help="Dimensions of the notions' spaces. Default: the paper's.")] = DIM,
    samples: Annotated[int, typer.Option(min=1, help="Noisy copies per image.")] = 25,
    encoder: EncoderName = None,
    seed: Seed = 0,
    format: Format = "table",
) -> None:
    """Print the share of each notion's saliency map on the car, compared with random projections.

    Example: `python -m experiments.saliency_check --notion car-color,background-color`
    """
    from likeness.data import read_dataset

    named = whole_numbers(rows) if rows else None
    notions = [notion_named(name) for name in (notion.split(",") if notion else PAPER_NOTIONS)]
    images = embedded(read_dataset(source), encoder)
    chosen = named or range(min(_IMAGES, len(images)))
    with progress_bar("Explaining") as progress:
        shares = car_check(images, notions, dim=dim, rows=chosen, samples=samples, seed=seed, progress=progress)
    print_table(summarize_check(shares), format)


if __name__ == "__main__":
    from experiments.command_line import run

    run("saliency_check")
