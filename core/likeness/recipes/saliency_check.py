"""Does a notion look where it should? On rendered cars it is known which pixels are car and which background."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.saliency import Masks, Saliency, SaliencySettings, difference, difference_shares, mass_share, saliency_of_spaces

if TYPE_CHECKING:
    import pandas as pd

    from likeness.notions import Notion
    from likeness.space import Space

DIM = 2  # the InDiReCT paper's, section 6

CONTROL = "random projection"
CONTROLS = 3  # random projections, whose mean is the control

SHARES = {
    "area": "car's area",
    "raw": "raw map on car",
    "map": "notion map on car",
    "more": "notion looks more: on car",
    "less": "notion looks less: on car",
}
# what stands beside a notion's share, so that none is read without its control
CONTROL_SHARES = {"map": "random projection's map on car", "more": "random projection looks more: on car"}


def car_masks(space: "Space", rows: Sequence[int]) -> Masks:
    """True (n, h, w) where the car is in what the space's model sees of rendered cars; rendered anew and cropped as the images are.

    Raises:
        InputError: a space without a differentiable model, or a table without the attributes that Synthetic Cars are rendered from.
    """
    from PIL import Image

    from likeness.recipes.renders.cars import NUMBERS, render_masks

    missing = [column for column in ("body_type", *NUMBERS) if column not in space.table.attributes]
    if missing or space.differentiable is None:
        raise InputError(f"Where the cars are in '{space.table.name}' is not known: it lacks {missing or 'a model'}; use Synthetic Cars.")
    frame = space.table.frame.iloc[[_known(row, space) for row in rows]]
    with Image.open(space.table.file(_known(rows[0], space))) as picture:
        size = picture.width
    masks = [Image.fromarray(mask.astype(np.uint8) * 255).convert("RGB") for mask in render_masks(frame, size)]
    return np.asarray(space.differentiable().prepare(masks)[..., 0] >= 128)


def _known(row: int, space: "Space") -> int:
    if not 0 <= row < len(space.table):
        raise InputError(f"There is no image {row}; the last of '{space.table.name}' is {len(space.table) - 1}.")
    return row


def car_check(
    encoded: "Space",
    notions: "Sequence[Notion]",
    *,
    dim: int = DIM,
    rows: Sequence[int] = range(100),
    controls: int = CONTROLS,
    **settings: Unpack[SaliencySettings],
) -> "pd.DataFrame":
    """The share of each map's mass that lies on the car, for every notion and image, beside random projections to as many dimensions.

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
        InputError: what `car_masks`, `saliency_of_spaces` and the fit of a notion refuse.
    """
    import pandas as pd

    masks = car_masks(encoded, rows)
    spaces = [*(_space(encoded, notion, dim) for notion in notions), *control_spaces(encoded, dim, controls)]
    raw, *found = saliency_of_spaces([encoded, *spaces], rows, **settings)
    done = len(raw)
    tables = [pd.DataFrame({"notion": own.name, "dim": dim, "row": list(rows)[:done], **_shares(own, raw, masks[:done])}) for own in found]
    return pd.concat(tables, ignore_index=True)


def _space(encoded: "Space", notion: "Notion", dim: int) -> "Space":
    from likeness.notions import InDiReCT

    return encoded.refit(notion, InDiReCT(dim=dim))


def control_spaces(encoded: "Space", dim: int, count: int = CONTROLS) -> "list[Space]":
    """Random projections of an encoder's space to `dim` dimensions, one for each seed from 0: what fewer dimensions alone do to a saliency map."""
    from likeness.notions import RandomTransform

    return [encoded.project(RandomTransform(dim=dim, seed=seed).fit(encoded.vectors), CONTROL) for seed in range(count)]


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
