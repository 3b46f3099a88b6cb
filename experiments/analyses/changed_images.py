"""Evaluates queries such as "this one, but red", an image and a word, by two labels."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from likeness.commands.inputs import embedded, notion_named
from likeness.commands.options import EncoderName, Format, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.data import image_classes, labeled_images
from likeness.defaults import DATASET
from likeness.errors import InputError
from likeness.progress import Progress
from likeness.studies import mean_text, no_runs

if TYPE_CHECKING:
    from likeness.notions import Notion
    from likeness.space import Space


CHOSEN = "image + text - own / 2"
_RAW = "raw encoder"


def changed_table(
    base: "Space",
    kept: "Notion",
    changed: "Notion",
    count: int = 200,
    seeds: Sequence[int] = range(5),
    *,
    progress: Progress | None = None,
    on_run: Callable[[dict[str, Any]], None] | None = None,
) -> pd.DataFrame:
    """Mean average precision of queries that keep an image's value of one notion and change it to a word of another.

    A query is a random image and another image's aspect of `changed`; the other images with the aspect and the query image's label of `kept` are
    relevant. Images without a label of either notion are excluded. Each way to combine both is measured in the encoder's space and in that of both
    notions joined:

    - "image", "text": one of them alone. "image + text": the sum of both places.
    - "image + text - own", "... - own / 2": the aspect of `changed` that the encoder matches best with the image taken away, too
      (`likeness.changed_place`); no label is read.
    - "product": similarities of image and text, each from 0 at its least to 1 at its largest, multiplied, as in BASIC (arXiv 2510.25387).
    - "image + another text": the control, an aspect that is neither the one that judges nor the image's own.

    Args:
        base: the images in their encoder's space; their table has the `attribute` of both notions, with aspects as labels of `changed`.
        count: queries of each seed.
        seeds: of the queries.
        progress, on_run: as in `compare`.

    Returns:
        A row per space, way and seed: space, row, seed, queries, map.

    Raises:
        InputError: as `compare`; no two labels of `changed` that are its aspects, or a count below 1.
    """
    no_runs(base.table, [kept, changed], ["raw"], ("suggested",), seeds)
    if count < 1:
        raise InputError(f"{count} queries cannot be evaluated; pass at least 1.")
    base = _labeled(base, [str(kept.attribute), str(changed.attribute)])
    guesses = base.best_aspects(changed)
    labels, values = (base.table.frame[notion.attribute].astype(str).to_numpy() for notion in (kept, changed))
    prompts = dict(zip(changed.aspects, changed.prompts, strict=False))
    words = [word for word in prompts if (values == word).any()]
    if len(words) < 3:
        raise InputError(f"'{changed.name}' has {len(words)} aspects that are labels of the images; at least three are needed.")
    spaces = {_RAW: base, f"{kept.name} + {changed.name}": base.refit(kept + changed)}
    rows: list[dict[str, Any]] = []
    for name, space in spaces.items():
        texts = {word: space.text_query(prompt)[0] for word, prompt in prompts.items()}
        for seed in seeds:
            if progress:
                progress(len(rows), len(spaces) * len(seeds) * len(_scores(space.vectors, 0, *(texts[word] for word in words[:3]))))
            found: dict[str, list[float]] = {}
            for row, word, other in _queries(labels, values, words, count, seed):
                relevant = (labels == labels[row]) & (values == word)
                others = np.arange(len(labels)) != row
                for way, scores in _scores(space.vectors, row, texts[word], texts[guesses[row]], texts[other]).items():
                    found.setdefault(way, []).append(float(average_precision_score(relevant[others], scores[others])))
            for way, precisions in found.items():
                rows.append({"space": name, "row": way, "seed": seed, "queries": len(precisions), "map": float(np.mean(precisions))})
                if on_run:
                    on_run(dict(rows[-1]))
    return pd.DataFrame(rows)


def changed_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean average precision of each method, in the encoder's space and in that of both notions; the mean over the pairs of notions ± deviation over
    seeds.

    Args:
        runs: of `changed_table`, with a column images.

    Returns:
        Texts, a row per way.
    """
    where = runs["space"].eq(_RAW).map({True: _RAW, False: "both notions"})
    every = runs.assign(where=runs["images"] + ", " + where)
    seeds = every.groupby(["row", "where", "seed"], sort=False)["map"].mean()
    found = seeds.groupby(["row", "where"], sort=False).agg(mean_text).unstack("where")
    return found.rename_axis(columns=None).reset_index().rename(columns={"row": "query"})


def _labeled(base: "Space", attributes: list[str]) -> "Space":
    """The images that have a label of each attribute, as a space."""
    rows = image_classes(base.table, attributes).rows
    if len(rows) == len(base):
        return base
    return base.replace(vectors=base.vectors[rows], images=labeled_images(base.table, attributes), index=None, provenance="")


def _queries(labels: NDArray[Any], values: NDArray[Any], words: list[str], count: int, seed: int) -> list[tuple[int, str, str]]:
    """(row, target word, another word) of queries that have at least one relevant image."""
    random, found = np.random.default_rng(seed), []
    for row in random.permutation(np.flatnonzero(np.isin(values, words))):
        word, other = random.permutation([each for each in words if each != values[row]])[:2]
        if ((labels == labels[row]) & (values == word)).any():
            found.append((int(row), str(word), str(other)))
        if len(found) == count:
            break
    return found


def _scores(vectors: NDArray[np.float32], row: int, text: Any, own: Any, other: Any) -> dict[str, NDArray[np.float32]]:
    image, word, before, third = (vectors @ place for place in (vectors[row], text, own, other))
    return {
        "image": image,
        "text": word,
        "image + text": image + word,
        "image + text - own": image + word - before,
        CHOSEN: image + word - before / 2,
        "product": _rescaled(image) * _rescaled(word),
        "image + another text": image + third,
    }


def _rescaled(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray((scores - scores.min()) / max(float(scores.max() - scores.min()), np.finfo(np.float32).tiny))


def main(
    source: Source = DATASET,
    keep: Annotated[str, typer.Option(help="Notion that results share with the query image.")] = "car-model",
    change: Annotated[str, typer.Option(help="Notion that the query's word changes.")] = "car-color",
    count: Annotated[int, typer.Option(min=1, help="Queries per seed.")] = 200,
    seeds: Annotated[int, typer.Option(min=1, help="Random samples of queries.")] = 5,
    encoder: EncoderName = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Does "this one, but red" find the right images? Mean average precision of ways to combine an image and a word, by two labels.

    Examples: `python -m experiments.analyses changed-images`,
    `python -m experiments.analyses changed-images --keep car-color --change background-color -e cars-small`
    """
    from likeness.data import read_dataset

    kept, changed = notion_named(keep), notion_named(change)
    base = embedded(read_dataset(source), encoder)
    runs = measured("Queries", out, lambda **watch: changed_table(base, kept, changed, count, range(seeds), **watch))
    means = runs.groupby(["space", "row"], sort=False)["map"].agg(["mean", "std"]).round(3)
    print_table(means.reset_index(), format)
