"""Whether `likeness compare versions` finds planted drifts, names the right notion, and stays silent where nothing drifted."""

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray
from PIL import Image, ImageEnhance, ImageFilter
from scipy.stats import norm

from experiments.analyses.run_table import run_table
from likeness.commands.inputs import embedded, notions_of, source_table
from likeness.commands.options import EncoderName, Format, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.comparisons import VersionChanges, version_drift
from likeness.defaults import DATASET
from likeness.errors import InputError
from likeness.io import read_image
from likeness.progress import Progress
from likeness.shifts import frechet_distance
from likeness.space import Space
from likeness.studies import OnRun

if TYPE_CHECKING:
    from likeness.data import ImageTable
    from likeness.notions import Notion

Rows = NDArray[np.int64]
SHARES = (0.05, 0.1, 0.2, 0.4)
ALTERED_SHARES = (0.1, 0.4, 1.0)
NONE, HALF, SHUFFLED = "nothing", "nothing, half the images in both", "versions shuffled"
_COLUMNS = ["space", "auc", "low", "high", "p", "chance", "seen", "drifted", "whole", "distance", "largest half"]
WORDS = {"dog": r"\bdogs?\b", "water": r"\b(?:water|ocean|beach|pool|lake|river|sea)\b"}


class Plant(NamedTuple):
    """Images of one value, of which the new version has more, and the notions that say so."""

    attribute: str
    value: str
    notions: tuple[str, ...]


def _jpeg(image: Image.Image, quality: int) -> Image.Image:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=quality)
    return Image.open(file).convert("RGB")


def _blurred(pixels: float) -> Callable[[Image.Image], Image.Image]:
    return lambda image: image.filter(ImageFilter.GaussianBlur(pixels * max(image.size) / 224))


def _lit(share: float) -> Callable[[Image.Image], Image.Image]:
    return lambda image: ImageEnhance.Brightness(image).enhance(share)


ALTERATIONS: dict[str, Callable[[Image.Image], Image.Image]] = {
    **{f"JPEG quality {quality}": partial(_jpeg, quality=quality) for quality in (50, 10)},
    **{f"blur, radius {pixels} of 224": _blurred(pixels) for pixels in (1, 3)},
    **{f"brightness {percent} %": _lit(percent / 100) for percent in (50, 80, 125, 200)},
}


def captioned_photos(folder: Path) -> "ImageTable":
    """Photos with captions (`captions.csv`: path, caption), with yes in the column of each of `WORDS` that two of an image's captions contain."""
    captions = pd.read_csv(folder / "captions.csv")
    found = {name: captions["caption"].str.contains(words, case=False).groupby(captions["path"]).sum() >= 2 for name, words in WORDS.items()}
    table = source_table(str(folder))
    names = table.frame["path"].astype(str)
    return replace(table, frame=table.frame.assign(**{name: np.where(names.map(yes), "yes", "no") for name, yes in found.items()}))


def planted_drifts(
    base: Space,
    notions: Sequence["Notion"],
    plants: Sequence[Plant],
    size: int = 250,
    seeds: Sequence[int] = range(40),
    altered: Mapping[str, Space] | None = None,
    *,
    progress: Progress | None = None,
    on_run: OnRun | None = None,
) -> pd.DataFrame:
    """What `version_drift` says of an old and a new version of `size` images each, drawn at random, of which none is in both; and Frechet distances.

    In the new version a share of the images is replaced by images of the plant's value, or altered. Controls without drift: "nothing"; and, with
    plants, half of the images in both versions, and the images of the largest planted change dealt to the versions at random.

    Args:
        base: the images in their encoder's space, with the plants' attributes.
        altered: spaces of the same images in other quality, by name.

    Returns:
        A row per plant, share, seed and space: planted, share, seed, space, notions (the right ones), columns of `version_drift`, and
            whole, distance and largest half of `_frechet_distances`.

    Raises:
        InputError: too few images of a value.
    """
    spaces = [[each, *(each.refit(notion) for notion in notions)] for each in (base, *(altered or {}).values())]
    jobs: list[tuple[str, float, Plant | None, int]] = [(NONE, 0.0, None, 0)]
    jobs += [(HALF, 0.0, None, 0), (SHUFFLED, 0.0, plants[0], 0)] if plants else []
    jobs += [(f"{plant.attribute}: {plant.value}", share, plant, 0) for plant in plants for share in SHARES]
    jobs += [(name, share, None, place) for place, name in enumerate(altered or {}, 1) for share in ALTERED_SHARES]

    def rows_of(run: tuple[tuple[str, float, Plant | None, int], int]) -> Iterator[dict[str, Any]]:
        (name, share, plant, place), seed = run
        old, new = _versions(base, name, share, plant, size, seed)
        pairs = [(_part(one, old), _part(one, new, other, round(share * size))) for one, other in zip(spaces[0], spaces[place], strict=True)]
        about = {"planted": name, "share": share, "seed": seed, "notions": "|".join(plant.notions) if plant and share else ""}
        changes = _changes(old, new)
        distances = pd.DataFrame([_frechet_distances(*pair, changes) for pair in pairs])
        found: Any = pd.concat([version_drift(pairs, changes), distances], axis=1)[_COLUMNS].round(5)
        return (about | line for line in found.to_dict("records"))

    return run_table([*product(jobs, seeds)], rows_of, progress, on_run)


def _versions(base: Space, name: str, share: float, plant: Plant | None, size: int, seed: int) -> tuple[Rows, Rows]:
    """Rows of both versions."""
    rng = np.random.default_rng([seed, 41])
    dealt = rng.permutation(len(base))
    old, rest = dealt[:size], dealt[size:]
    if name == HALF:
        return old, np.concatenate([old[: size // 2], rest[: size - size // 2]])
    wanted = 0 if plant is None else round((share or max(SHARES)) * size)
    is_value = np.zeros(len(rest), bool) if plant is None else (base.table.frame[plant.attribute].astype(str) == plant.value).to_numpy()[rest]
    if plant is not None and is_value.sum() < wanted:
        raise InputError(
            f"{int(is_value.sum())} images are left with {plant.attribute} = '{plant.value}', and {wanted} are needed; take a smaller size."
        )
    added = rest[is_value][len(rest[is_value]) - wanted :]  # the last: the others keep the value's own share
    new = np.concatenate([added, rest[~np.isin(rest, added)][: size - wanted]])
    if name == SHUFFLED:
        both = rng.permutation(np.concatenate([old, new]))
        return both[:size], both[size:]
    return old, new


def _changes(old: Rows, new: Rows) -> VersionChanges:
    """Images of one number are the same image."""
    places = {int(row): place for place, row in enumerate(new)}
    partner = np.array([places.get(int(row), -1) for row in old])
    came = np.setdiff1d(np.arange(len(new)), partner)
    state = np.concatenate([np.where(partner < 0, "went", "same"), np.full(len(came), "came")])
    return VersionChanges(np.concatenate([np.arange(len(old)), np.full(len(came), -1)]), np.concatenate([partner, came]), state, {})


def _frechet_distances(old: Space, new: Space, changes: VersionChanges) -> dict[str, float]:
    """The baseline: the Frechet distance of all images, "whole", and by three draws of half as many "distance", the mean over the draws of that of
    old and new, and "largest half", the largest of two halves of the old version.
    """
    halves, apart = [], []
    for seed in range(3):
        first, second, other = _halves(changes, seed)
        halves.append(frechet_distance(old.vectors[first], old.vectors[second]))
        apart.append(frechet_distance(old.vectors[first], new.vectors[other]))
    return {"whole": frechet_distance(old.vectors, new.vectors), "distance": float(np.mean(apart)), "largest half": float(max(halves))}


def _halves(changes: VersionChanges, seed: int) -> tuple[Rows, Rows, Rows]:
    """Rows of two sets of the old version that share no image, and of one of the new version that shares none with the first; of equally many, with
    images that came and images that stayed in their shares.
    """
    rng = np.random.default_rng([seed, 13])
    olds, news = (np.flatnonzero(rows >= 0) for rows in (changes.old, changes.new))
    size = min(len(olds), len(news)) // 2
    dealt = rng.permutation(olds)
    first, rest = dealt[:size], dealt[size:]
    stayed = (changes.old >= 0) & (changes.new >= 0)
    fresh, free = rng.permutation(news[~stayed[news]]), rest[stayed[rest]]
    count = max(round(size * len(fresh) / len(news)), size - len(free))
    # in the order of the draw, so that where nothing changed they are the second half itself
    others = np.concatenate([fresh[:count], free[: size - count]])
    return changes.old[first], changes.old[rest[:size]], changes.new[others]


def _part(space: Space, rows: Rows, altered: Space | None = None, count: int = 0) -> Space:
    """These rows, the first `count` of them altered."""
    vectors = space.vectors[rows]
    if altered is not None:
        vectors[:count] = altered.vectors[rows[:count]]
    return Space(vectors, pd.DataFrame({"path": space.table.frame["path"].astype(str).to_numpy()[rows]}), name=space.name)


def drift_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per planted change and space.

    Returns:
        planted, share, space, right (whether it is a right notion); auc and its deviation over seeds; c2st: share of seeds with p of at most .05;
            drifted: the same, adjusted for all spaces; frechet: share of seeds whose Frechet distance exceeds that of 95 % of the runs where nothing
            drifted, known here only; halves: share of seeds whose distance exceeds the largest of three pairs of halves; named: share of seeds in
            which it drifted and has the largest AUC of the notions; expected: the detection rate that `chance` and `seen` foretell at this AUC;
            covered: share of intervals that hold the mean AUC; seen: its mean.
    """
    runs = runs.fillna({"notions": ""}).reset_index(drop=True)
    raw = runs["space"] == runs["space"].iat[0]
    runs["limit"] = runs["space"].map(runs[runs["planted"] == NONE].groupby("space")["whole"].quantile(0.95))
    called = runs["auc"].where(runs["drifted"] & ~raw)
    keys = ["planted", "share", "seed"]
    runs["named"] = called.notna() & (called == called.groupby([runs[key] for key in keys]).transform("max"))
    runs["mean"] = runs.groupby(["planted", "share", "space"])["auc"].transform("mean")
    lines = []
    for (planted, share, space), own in runs.groupby(["planted", "share", "space"], sort=False):
        deviation = float(((own["seen"] - own["chance"]) / norm.ppf(0.8)).mean())
        lines.append(
            {"planted": planted, "share": share, "space": space, "right": space in str(own["notions"].iat[0]).split("|")}
            | {"auc": own["auc"].mean(), "deviation": own["auc"].std(), "c2st": (own["p"] <= 0.05).mean(), "drifted": own["drifted"].mean()}
            | {
                "frechet": (own["whole"] > own["limit"]).mean(),
                "halves": (own["distance"] > own["largest half"]).mean(),
                "named": own["named"].mean(),
            }
            | {"expected": float(norm.cdf((own["auc"].mean() - own["chance"].mean()) / deviation)), "seen": own["seen"].mean()}
            | {"covered": ((own["low"] <= own["mean"]) & (own["mean"] <= own["high"])).mean(), "seeds": len(own)}
        )
    return pd.DataFrame(lines)


def drift_table(summary: pd.DataFrame) -> pd.DataFrame:
    """A row per planted change: detection by the encoder's space and by the right notion (by all, in the mean, where none is), whether the right one
    is named, how often any other notion drifts, and how often any space does.
    """
    lines = []
    for (planted, share), own in summary.groupby(["planted", "share"], sort=False):
        raw, right = own.iloc[0], own[own["right"]]
        chosen = right if len(right) else own.iloc[1:]
        lines.append(
            {"planted": planted, "share": share, "raw, C2ST": raw["c2st"], "raw, Frechet": raw["frechet"], "raw, halves": raw["halves"]}
            | {"notion, C2ST": chosen["c2st"].mean(), "notion, Frechet": chosen["frechet"].mean(), "notion, halves": chosen["halves"].mean()}
            | {
                "right one named": right["named"].sum() if len(right) else np.nan,
                "each other drifted": own.iloc[1:].loc[~own["right"].iloc[1:], "drifted"].mean(),
            }
        )
    return pd.DataFrame(lines)


def main(
    source: Source = DATASET,
    plant: Annotated[
        list[str] | None, typer.Option(help="ATTRIBUTE=VALUE:NOTION, images to add and the notion that says so; may be repeated. `|` joins notions.")
    ] = None,
    captions: Annotated[
        bool, typer.Option("--captions", help="SOURCE is a folder with captions.csv; its words make the attributes dog and water.")
    ] = False,
    alter: Annotated[
        list[str] | None, typer.Option(help=f"A share of the new version's images is altered: {'; '.join(ALTERATIONS)}. May be repeated.")
    ] = None,
    notions: Annotated[str, typer.Option(help="Notions to measure in, separated by commas.")] = "all",
    size: Annotated[int, typer.Option(min=60, help="Images of each version.")] = 250,
    seeds: Annotated[int, typer.Option(min=2, help="Random draws of the versions.")] = 40,
    encoder: EncoderName = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Does `likeness compare versions` find planted drifts, and name the notion? A share of the images gets one value, or another quality.

    Examples: `python -m experiments.analyses drift --plant "car_color=black:car color" --plant "background_color=black:background color"`,
    `python -m experiments.analyses drift data/flickr8k_700 --captions --notions setting,main-subject --plant water=yes:setting`,
    `python -m experiments.analyses drift --alter "brightness 50 %" --notions car-color`
    """
    table = captioned_photos(Path(source)) if captions else source_table(source)
    base = embedded(table, encoder)
    altered = {name: _altered(base, name) for name in alter or ()}
    chosen = notions_of(base.table, notions)
    plants = [_plant(each) for each in plant or []]
    runs = measured("Drift", out, lambda **watch: planted_drifts(base, chosen, plants, size, range(seeds), altered, **watch))
    print_table(drift_table(drift_summary(runs)).round(3), format)


def _plant(text: str) -> Plant:
    found = re.fullmatch(r"([^=]+)=([^:]+):(.+)", text)
    if found is None:
        raise InputError(f"The plant '{text}' cannot be read; write ATTRIBUTE=VALUE:NOTION.")
    return Plant(found[1], found[2], tuple(found[3].split("|")))


def _altered(base: Space, name: str) -> Space:
    if name not in ALTERATIONS:
        raise InputError(f"There is no alteration '{name}'; choose from {'; '.join(ALTERATIONS)}.")
    if base.embed_images is None:
        raise InputError("The encoder cannot embed altered images; choose one that can.")
    typer.echo(f"Embedding: {name}", err=True)
    parts = np.array_split(np.arange(len(base)), -(-len(base) // 64))
    vectors = [base.embed_images([ALTERATIONS[name](read_image(base.table.file(int(row)))) for row in part]) for part in parts]
    return base.replace(vectors=np.concatenate(vectors), index=None, provenance="")
