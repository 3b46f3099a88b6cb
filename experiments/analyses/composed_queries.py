"""How well composed queries work, such as "this one, but red" or "this one, without this background", evaluated by labels."""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from experiments.analyses.best_method import leave_one_notion_out
from experiments.analyses.query_fusions import CHOSEN, CONTROL, FUSIONS, TermSimilarities
from likeness.arrays import unit_rows
from likeness.commands.inputs import embedded, source_table
from likeness.commands.options import EncoderName, Format, Only, OutputFile, Source
from likeness.commands.terminal import print_table, progress_bar, write_csv
from likeness.data import has_label
from likeness.defaults import DATASET
from likeness.errors import InputError
from likeness.progress import Progress
from likeness.studies import judged_notions, mean_text

if TYPE_CHECKING:
    from likeness.space import Space


KINDS = ("and", "and and", "not", "and not")  # what follows the image
_PER_CASE = 10


class _Attribute(NamedTuple):
    name: str
    values: list[str]
    labels: NDArray[np.int64]  # (n,) places in `values`, -1 without one of these
    texts: NDArray[np.float32]  # (values, d)


class _Case(NamedTuple):
    """Attributes by role: the one kept from the image, the ones with another value, and the one removed."""

    kind: str
    kept: int
    named: tuple[int, ...]
    avoided: tuple[int, ...]


class _Asked(NamedTuple):
    row: int
    terms: list[tuple[float, int, int]]  # weight, attribute, value
    relevant: NDArray[np.bool_]


def composed_queries(
    space: "Space",
    seeds: Sequence[int] = range(5),
    *,
    queries: int = _PER_CASE,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> pd.DataFrame:
    """Mean average precision of composed queries, for every way to combine the scores of their terms.

    A query is an image and words for values of other attributes, in the prompts of the notions with these labels:

    * "and": the image and another value. Relevant are images with the image's value of the attribute that is kept, and the named one.
    * "and and": values of two attributes.
    * "not": the image less its own value. Relevant are those that share what is kept and differ there.
    * "and not": one value named and one taken away.

    All choices of attributes are asked, each by so many images per seed; one that has no relevant images asks nothing. An image is not ranked itself.

    The control, "wrong words", is the way that `Space.nearest` takes, with each word replaced by one of an attribute that the query is not about.

    Args:
        space: of images with labels, of an encoder that reads text.
        seeds: of the images that ask and of the values that are named.
        queries: images per choice of attributes.
        progress: called with (choices done, choices).
        should_stop: asked between choices; then what is finished comes back.

    Returns:
        A row per kind, seed and fusion: kind, seed, fusion, map (mean over queries), queries.

    Raises:
        InputError: labels of fewer than two attributes whose values are aspects of a notion, or a space without a text side.
    """
    attributes = _attributes(space)
    images = space.vectors - space.vectors.mean(axis=0)
    images = unit_rows(images, "The centered images", zeros=True)
    center = np.concatenate([each.texts for each in attributes]).mean(axis=0)
    cases = _cases(len(attributes))
    found: list[dict[str, object]] = []
    for done, (seed, (number, case)) in enumerate((seed, case) for seed in seeds for case in enumerate(cases)):
        if should_stop and should_stop():
            break
        rng = np.random.default_rng([seed, number])
        for asked in _asked(case, attributes, rng, queries):
            wrong = _wrong(case, asked.terms, attributes, rng)
            similarities = _similarities(space.vectors, images, center, asked.row, asked.terms, attributes)
            scores = {name: fuse(similarities) for name, fuse in FUSIONS.items()}
            scores[CONTROL] = FUSIONS[CHOSEN](_similarities(space.vectors, images, center, asked.row, wrong, attributes))
            figures = {name: _average_precision(values, asked.relevant, asked.row) for name, values in scores.items()}
            found += [{"kind": case.kind, "seed": seed, "fusion": name, "map": value} for name, value in figures.items()]
        if progress:
            progress(done + 1, len(seeds) * len(cases))
    runs = pd.DataFrame(found, columns=["kind", "seed", "fusion", "map"])
    return runs.groupby(["kind", "seed", "fusion"], sort=False)["map"].agg(map="mean", queries="size").reset_index()


def composed_table(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per fusion, a column per set of images and kind of query: mean and deviation over seeds. `runs` may have a column images."""
    named = runs if "images" in runs else runs.assign(images="")
    texts = named.groupby(["images", "kind", "fusion"], sort=False)["map"].agg(mean_text)
    kinds = [kind for kind in KINDS if kind in set(runs["kind"])]
    columns = {f"{images}: {kind}".removeprefix(": "): texts[images, kind] for images in dict.fromkeys(named["images"]) for kind in kinds}
    return pd.DataFrame(columns).loc[list(dict.fromkeys(runs["fusion"]))].rename_axis("fusion").reset_index()


def composed_choice(runs: pd.DataFrame) -> pd.DataFrame:
    """For each kind of query on each set of images the fusion that is best on average over all others, sets of images counting alike, and what it
    scores there.

    Args:
        runs: of `composed_queries` with a column `images`. Sets that have the same value in a column `dataset`, as they differ in the encoder alone,
            are left out together.
    """
    ways = runs[~runs["fusion"].isin([CONTROL])].rename(columns={"fusion": "method"})
    data = ways["dataset"] if "dataset" in ways else ways["images"]
    sets = dict(zip(ways["images"], data, strict=True))
    return leave_one_notion_out(ways.assign(notion=data + ": " + ways["kind"]), "map", sets=sets).iloc[:, :6]


def _attributes(space: "Space") -> list[_Attribute]:
    """Attributes whose values are a notion's aspects, each with the first such notion."""
    found: dict[str, _Attribute] = {}
    for notion in judged_notions(space.table, every=True):
        name = str(notion.attribute)
        column = space.table.frame[name]
        labels = column.astype(str).str.strip().str.lower().where(has_label(column), None).to_numpy()
        aspects = [aspect.lower() for aspect in notion.aspects]
        places = {aspect: place for place, aspect in enumerate(aspects)}
        codes = np.array([places.get(label, -1) for label in labels])
        if name not in found and len(set(aspects)) == len(aspects) and len(set(codes) - {-1}) > 1:
            found[name] = _Attribute(name, aspects, codes, space.embed_aspects(notion)[0])
    if len(found) < 2:
        has = ", ".join(found) or "none"
        raise InputError(f"Composed queries need two attributes whose values are a notion's aspects; '{space.table.name}' has {has}.")
    return list(found.values())


def _cases(attributes: int) -> list[_Case]:
    pairs, triples = list(permutations(range(attributes), 2)), list(permutations(range(attributes), 3))
    return [
        *(_Case("and", kept, (other,), ()) for kept, other in pairs),
        *(_Case("and and", kept, (a, b), ()) for kept, a, b in triples if a < b),
        *(_Case("not", kept, (), (other,)) for kept, other in pairs),
        *(_Case("and not", kept, (a,), (b,)) for kept, a, b in triples),
    ]


def _asked(case: _Case, attributes: list[_Attribute], rng: np.random.Generator, count: int) -> list[_Asked]:
    about = [attributes[place] for place in (case.kept, *case.named, *case.avoided)]
    labeled = np.flatnonzero(np.all([each.labels >= 0 for each in about], axis=0))
    found = []
    for row in rng.permutation(labeled):
        terms, relevant = [], attributes[case.kept].labels == attributes[case.kept].labels[row]
        for place in case.named:
            labels = attributes[place].labels
            value = int(rng.choice(np.setdiff1d(labels, [-1, labels[row]])))
            terms.append((1.0, place, value))
            relevant &= labels == value
        for place in case.avoided:
            labels = attributes[place].labels
            terms.append((-1.0, place, int(labels[row])))
            relevant &= (labels != labels[row]) & (labels >= 0)
        relevant[row] = False
        if relevant.any():
            found.append(_Asked(int(row), terms, relevant))
        if len(found) == count:
            break
    return found


def _wrong(case: _Case, terms: list[tuple[float, int, int]], attributes: list[_Attribute], rng: np.random.Generator) -> list[tuple[float, int, int]]:
    """As many words with the same signs, of attributes that are not in the query, or else of the one that is kept."""
    others = sorted(set(range(len(attributes))) - {case.kept, *case.named, *case.avoided}) or [case.kept]
    drawn = [int(rng.choice(others)) for _ in terms]
    return [(weight, place, int(rng.integers(len(attributes[place].values)))) for (weight, _, _), place in zip(terms, drawn, strict=True)]


def _similarities(
    vectors: NDArray[np.float32],
    images: NDArray[np.float32],
    center: NDArray[np.float32],
    row: int,
    terms: list[tuple[float, int, int]],
    attributes: list[_Attribute],
) -> TermSimilarities:
    texts = np.stack([attributes[place].texts[value] for _, place, value in terms])
    plain = np.vstack([vectors[row], texts]) @ vectors.T
    centered = np.vstack([images[row], unit_rows(texts - center, "The centered texts", zeros=True)]) @ images.T
    return TermSimilarities(plain, centered, [1.0, *(weight for weight, _, _ in terms)], row)


def _average_precision(scores: NDArray[np.floating], relevant: NDArray[np.bool_], row: int) -> float:
    """Mean precision at the relevant images; equal scores are ordered by row."""
    order = np.argsort(-scores, kind="stable")
    hits = np.flatnonzero(relevant[order[order != row]])
    return float(np.mean(np.arange(1, len(hits) + 1) / (hits + 1)))


def main(
    source: Source = DATASET,
    encoder: EncoderName = None,
    only: Only = None,
    seeds: Annotated[int, typer.Option(min=1, help="Random samples of queries.")] = 5,
    queries: Annotated[int, typer.Option(min=1, help="Query images per combination of attributes and sample.")] = 10,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """How well does "this one, but red" work, and with which score? Mean average precision of queries of an image and words, by labels.

    A column per kind of query: the image AND a word, AND two words, NOT what it shows, AND one NOT another. A row per way to combine the similarities
    to image and words; the last one is that of `likeness search --query`, and "wrong words" is a control with words unrelated to the query. Takes
    some minutes.

    Examples: `python -m experiments.analyses composed-queries`,
    `python -m experiments.analyses composed-queries --encoder cars-small --seeds 2 --queries 5`
    """
    space = embedded(source_table(source, only), encoder)
    with progress_bar("Queries") as progress:
        runs = composed_queries(space, range(seeds), queries=queries, progress=progress)
    write_csv(out if len(runs) else None, runs)
    print_table(composed_table(runs), format)
