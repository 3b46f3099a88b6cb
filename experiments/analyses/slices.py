"""Are planted slices found where a model fails, and is nothing found where errors are shuffled?"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from experiments.analyses.run_table import run_table
from likeness.commands.inputs import embedded, source_table
from likeness.commands.options import EncoderName, Format, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.data import ImageTable
from likeness.defaults import DATASET
from likeness.errors import InputError
from likeness.progress import Progress
from likeness.search import nearest
from likeness.slices import failing_slices, slice_columns
from likeness.space import Space
from likeness.studies import OnRun, mean_text

Mask = NDArray[np.bool_]
INSIDE, ELSEWHERE = 0.35, 0.10  # error rates in the planted slice and elsewhere
_SIZES = {"rare value": (0.01, 0.03), "value": (0.03, 0.15), "large value": (0.15, 0.4)}  # shares of the images
_PLANTS = 6  # of each kind and seed
_COMPONENTS, _DIM, _WEIGHT = 25, 128, 10.0  # as in Domino's paper
_FEWEST, _ATTRIBUTES = 20, "car_color,body_type,viewpoint,background_color"
TOOL, GIVEN = "clusters and notions", "attributes given"
RANDOM, PROJECTED, MIXTURE = "random images", "clusters, random projection", "mixture, weight 10"


def planted_table(
    base: Space, attributes: Sequence[str], seeds: Sequence[int] = range(5), *, progress: Progress | None = None, on_run: OnRun | None = None
) -> pd.DataFrame:
    """Slices with an error rate of .35 are planted among errors of .10, in values of attributes that the finder is not given, and looked for.

    Planted: a value of an attribute, by its share of the images, and "two values": images with one value of each of two attributes or, of a single
    attribute, with either of two values. Columns: "clusters and notions" (`likeness.slices.slice_columns` without attributes), each of them alone,
    "attributes given", an upper bound, and controls: "random images", the same columns in random order, and "clusters, random projection" of the
    vectors to ten dimensions. "mixture" is Domino's error-aware mixture (Eyuboglu et al., ICLR 2022, arXiv 2203.14960), which tests nothing.

    Returns:
        A row for each seed, plant and method: planted, kind, share, found (slices), precision and recall of the first slice's images, hit_1 and
        hit_3: whether the first, or one of the first three, has both at least .5; covered: the share of slices whose interval is right.
    """
    return run_table(seeds, lambda seed: _planted(base, attributes, seed), progress, on_run)


def null_table(
    base: Space, attributes: Sequence[str], shuffles: int = 200, seed: int = 0, *, progress: Progress | None = None, on_run: OnRun | None = None
) -> pd.DataFrame:
    """How often anything is found where errors have nothing to do with the images: errors of .10, exponential losses, and differences of two models
    (-1, 0, 1), shuffled. Columns as in `planted_table`, without and, of shares, with attributes; "uncorrected" takes the smallest p-value as it
    is, and "mixture" tests its first slice on the errors that made it, by Fisher's exact test, in 20 of the shuffles.

    Returns:
        A row for each shuffle, errors and method: found, true or false.
    """
    rng = np.random.default_rng(seed)
    own = slice_columns(_bare(base), seed)
    columns = {TOOL: own, GIVEN: own.join(base.table.frame[list(attributes)].astype(str))}
    drawn = {"shares": (rng.random(len(base)) < ELSEWHERE) * 1.0, "losses": rng.exponential(size=len(base))}
    drawn["two models"] = drawn["shares"] - (rng.random(len(base)) < 2 * ELSEWHERE)

    def rows_of(shuffle: int) -> Iterator[dict[str, Any]]:
        for kind, errors in drawn.items():
            dealt = rng.permutation(errors)
            found = {name: bool(failing_slices(each, dealt).rows) for name, each in columns.items() if name == TOOL or kind == "shares"}
            if kind == "shares":
                found["uncorrected"] = min(_fisher(mask, dealt) for mask in _masks(columns[TOOL])) <= 0.05
                if shuffle < 20:
                    found[MIXTURE] = _fisher(mixture(base.vectors, dealt, shuffle)[0], dealt) <= 0.05
            yield from ({"shuffle": shuffle, "errors": kind, "method": name, "found": each} for name, each in found.items())

    return run_table(range(shuffles), rows_of, progress, on_run)


def real_table(
    base: Space, attribute: str, splits: Sequence[int] = range(10), *, progress: Progress | None = None, on_run: OnRun | None = None
) -> pd.DataFrame:
    """The errors of a real classifier, by the nearest other image of a space: slices found in a random half, and their difference in the other half.

    Returns:
        A row for each split and slice, with errors "as it is" and "shuffled", without attributes ("clusters and notions") and with them: method,
        errors, split, error_rate, name, images, p, difference, other_half.
    """
    labels = base.table.frame[attribute].astype(str).to_numpy()
    wrong = (labels != labels[nearest(base.vectors, base.vectors, 1, np.arange(len(base))).rows[:, 0]]).astype(float)
    own = slice_columns(_bare(base))
    columns = {TOOL: own, GIVEN: own.join(base.table.frame[[attribute]].astype(str))}

    def rows_of(split: int) -> Iterator[dict[str, Any]]:
        rng = np.random.default_rng(split)
        half = rng.random(len(base)) < 0.5
        for errors, values in (("as it is", wrong), ("shuffled", rng.permutation(wrong))):
            for method, each in columns.items():
                for line in failing_slices(each, np.where(half, values, np.nan)).table.to_dict("records"):
                    inside = _mask_of(each, line["name"])[~half]
                    other = values[~half]
                    about = {name: line[name] for name in ("name", "images", "p", "difference")}
                    about["other_half"] = other[inside].mean() - other[~inside].mean() if inside.any() else np.nan
                    yield {"method": method, "errors": errors, "split": split, "error_rate": values.mean(), **about}

    return run_table(splits, rows_of, progress, on_run)


def _mask_of(columns: pd.DataFrame, name: str) -> Mask:
    """The images (n,) of a slice, which may be a pair."""
    values = {
        f"{column}: {value}": (columns[column] == value).to_numpy(bool, na_value=False)
        for column in columns
        for value in columns[column].dropna().unique()
    }
    mask: Mask = np.logical_and.reduce([values[part] for part in ([name] if name in values else name.split(" + "))])
    return mask


def _masks(columns: pd.DataFrame) -> list[Mask]:
    masks = [(columns[column] == value).to_numpy(bool, na_value=False) for column in columns for value in columns[column].dropna().unique()]
    return [mask for mask in masks if mask.sum() >= _FEWEST]


def mixture(vectors: NDArray[np.float32], errors: NDArray[np.float64], seed: int, steps: int = 30) -> list[Mask]:
    """Masks (n,) of the images of an error-aware Gaussian mixture's components, by error rate, largest first: diagonal Gaussians of PCA's coordinates
    and a weighted Bernoulli likelihood of the error, fitted by EM from random responsibilities that know the errors.
    """
    from scipy.special import softmax
    from sklearn.decomposition import PCA

    rng, k = np.random.default_rng(seed), _COMPONENTS
    points = PCA(min(_DIM, *vectors.shape), random_state=seed).fit_transform(vectors).astype(np.float64)
    starts = points[rng.choice(len(points), k, replace=False)]
    shares = softmax(-((points[:, None] - starts[None]) ** 2).sum(axis=2) / points.var(axis=0).sum() + errors[:, None] * (np.arange(k) % 2), axis=1)
    for _ in range(steps):
        weights = shares.sum(axis=0) + 1e-9
        means = shares.T @ points / weights[:, None]
        variances = np.maximum(shares.T @ points**2 / weights[:, None] - means**2, 1e-6)
        rates = np.clip(shares.T @ errors / weights, 1e-3, 1 - 1e-3)
        squares = points**2 @ (1 / variances).T - 2 * points @ (means / variances).T + (means**2 / variances).sum(axis=1)
        likely = np.log(weights / len(points)) - (squares + np.log(variances).sum(axis=1)) / 2
        likely += _WEIGHT * (errors[:, None] * np.log(rates) + (1 - errors[:, None]) * np.log(1 - rates))
        shares = softmax(likely, axis=1)
    best = shares.argmax(axis=1)
    filled = [place for place in np.argsort(-rates) if (best == place).any()]
    return [best == place for place in filled]


def _fisher(mask: Mask, errors: NDArray[np.float64]) -> float:
    from scipy.stats import hypergeom

    return float(hypergeom.sf(errors[mask].sum() - 1, len(errors), errors.sum(), mask.sum()))


def _bare(base: Space) -> Space:
    """The images without attributes."""
    return base.with_table(ImageTable(base.table.name, base.table.root, base.table.frame[["path"]]))


def plants(table: ImageTable, attributes: Sequence[str], rng: np.random.Generator) -> Iterator[tuple[str, str, Mask]]:
    """Kind, name and images (n,) of slices to plant, up to six of each kind."""
    missing = [name for name in attributes if name not in table.attributes]
    if missing:
        raise InputError(f"There is no attribute '{missing[0]}'; there are {', '.join(table.attributes) or 'none'}.")
    columns = {name: table.frame[name].astype(str).to_numpy() for name in attributes}
    single = {(name, value): values == value for name, values in columns.items() for value in dict.fromkeys(values)}
    kinds = {kind: [(f"{name}: {value}", mask) for (name, value), mask in single.items() if _is(mask, *size)] for kind, size in _SIZES.items()}
    keys = list(single)
    joined = []
    for i, j in rng.integers(len(keys), size=(3000, 2)):
        (one, a), (other, b) = sorted((keys[i], keys[j]))
        if one != other and len(attributes) > 2:
            joined.append((f"{one}: {a} and {other}: {b}", single[one, a] & single[other, b]))
        elif one == other and a != b and len(attributes) <= 2:
            joined.append((f"{one}: {a} or {b}", single[one, a] | single[other, b]))
    kinds["two values"] = [(name, mask) for name, mask in dict(joined).items() if _is(mask, 0.015, 0.15)]
    for kind, found in kinds.items():
        for place in rng.permutation(len(found))[:_PLANTS]:
            yield kind, *found[place]


def _is(mask: Mask, least: float, most: float) -> bool:
    return bool(least <= mask.mean() < most)


def _planted(base: Space, attributes: Sequence[str], seed: int) -> Iterator[dict[str, Any]]:
    rng, bare = np.random.default_rng(seed), _bare(base)
    own = slice_columns(bare, seed)
    turned = np.asarray(base.vectors @ rng.normal(size=(base.vectors.shape[1], 10)), np.float32)
    turned /= np.linalg.norm(turned, axis=1, keepdims=True)
    columns = {
        TOOL: own,
        "clusters": own.filter(regex="^cluster"),
        "notions": own.filter(regex=", by words$"),
        GIVEN: own.join(base.table.frame[list(attributes)].astype(str)),
        RANDOM: own.iloc[rng.permutation(len(base))].reset_index(drop=True),
        PROJECTED: slice_columns(Space(turned, bare.table), seed),
    }
    for kind, name, mask in plants(base.table, attributes, rng):
        chance = np.where(mask, INSIDE, ELSEWHERE)
        errors = (rng.random(len(base)) < chance).astype(float)
        row = {"seed": seed, "kind": kind, "planted": name, "share": mask.mean()}
        for method, each in columns.items():
            found = failing_slices(each, errors)
            masks = [np.isin(np.arange(len(base)), rows) for rows in found.rows]
            true = np.array([chance[inside].mean() - chance[~inside].mean() for inside in masks])
            covered = ((found.table["low"] <= true) & (true <= found.table["high"])).mean()
            yield row | {"method": method} | _judged(masks, mask) | {"covered": covered}
        yield row | {"method": MIXTURE} | _judged(mixture(base.vectors, errors, seed)[:3], mask)


def _judged(found: list[Mask], planted: Mask) -> dict[str, Any]:
    figures = [((each & planted).sum() / each.sum(), (each & planted).sum() / planted.sum()) for each in found[:3]]
    hits = [min(pair) >= 0.5 for pair in figures]
    first = figures[0] if figures else (np.nan, np.nan)
    return {"found": len(found), "hit_1": any(hits[:1]), "hit_3": any(hits), "precision": first[0], "recall": first[1]}


def slices_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per images, kind and method: how often the planted slice is the first, or one of three; precision and recall; intervals that hold."""
    by = [name for name in ("images", "kind", "method") if name in runs]
    grouped = runs.groupby(by, sort=False)
    table = pd.DataFrame({"plants": grouped.size().astype(str), "any slice": grouped["found"].agg(lambda found: f"{(found > 0).mean():.2f}")})
    for column, title in {"hit_1": "first", "hit_3": "one of three"}.items():
        seeds = runs.groupby([*by, "seed"], sort=False)[column].mean()
        table[title] = seeds.groupby(by, sort=False).agg(mean_text)
    means = grouped[["precision", "recall", "covered"]].mean().map("{:.2f}".format).replace("nan", "–")
    return table.join(means).rename(columns={"covered": "interval holds"}).reset_index()


def null_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per images, errors and method: shuffles, the share with any finding, and its Wilson interval."""
    from scipy.stats import binomtest

    rows = []
    for key, found in runs.groupby([name for name in ("images", "errors", "method") if name in runs], sort=False)["found"]:
        low, high = binomtest(int(found.sum()), len(found)).proportion_ci(0.95, "wilson")
        rows.append((*key, str(len(found)), f"{found.mean():.3f}", f"{low:.3f} to {high:.3f}"))
    return pd.DataFrame(rows, columns=[*(["images"] if "images" in runs else []), "errors", "method", "shuffles", "any finding", "95 % interval"])


def real_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per method and errors: slices over all halves, their mean difference where they were found and in the other half, and how often that is
    above 0.
    """
    grouped = runs.groupby(["method", "errors"], sort=False)
    means = grouped[["difference", "other_half"]].mean().map("{:.3f}".format)
    above = grouped["other_half"].agg(lambda other: f"{(other > 0).mean():.2f}")
    table = pd.DataFrame({"slices": grouped.size().astype(str), "halves with any": grouped["split"].nunique().astype(str)})
    return table.join(means).assign(**{"above 0 there": above}).rename(columns={"other_half": "in the other half"}).reset_index()


def main(
    source: Source = DATASET,
    attributes: Annotated[str, typer.Option(help="Attributes in whose values slices are planted, separated by commas.")] = _ATTRIBUTES,
    seeds: Annotated[int, typer.Option(min=1, help="Repetitions with other clusters, plants and errors.")] = 5,
    shuffles: Annotated[int, typer.Option(min=0, help="Instead of plants: shuffles of errors in which nothing is to be found.")] = 0,
    real: Annotated[str | None, typer.Option(help="Instead of plants: a class attribute; errors of the nearest other image, in halves.")] = None,
    encoder: EncoderName = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Is it found where a model fails? Slices with more errors are planted in values of attributes that the finder does not see.

    Compared with sets of random images, clusters of a random projection, the attributes themselves, and an error-aware mixture (Domino).

    Examples: `python -m experiments.analyses slices`, `python -m experiments.analyses slices --shuffles 200`,
    `python -m experiments.analyses slices cub200/all:FOLDER --real bird_species`
    """
    base, names = embedded(source_table(source), encoder), [name.strip() for name in attributes.split(",")]
    if real is not None:
        runs = measured("Slices", out, lambda **watch: real_table(base, real, range(seeds), **watch))
        print_table(runs.round(4), format)
    elif shuffles:
        runs = measured("Shuffles", out, lambda **watch: null_table(base, names, shuffles, **watch))
        print_table(null_summary(runs), format)
    else:
        runs = measured("Slices", out, lambda **watch: planted_table(base, names, range(seeds), **watch))
        print_table(slices_summary(runs), format)
