"""How good cutoffs are, and whether guarantees hold, on queries with known matches and simulated answers."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
import typer

from experiments.analyses.query_cutoffs import LabeledQuery, after_answers, flat_thresholds, otsu, two_normals
from likeness.commands.inputs import embedded, notions_of, source_table
from likeness.commands.options import EncoderName, Format, Notions, Only, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.cutoffs import CutoffFinder, check_shares
from likeness.data import has_label
from likeness.defaults import DATASET
from likeness.errors import InputError
from likeness.progress import Progress
from likeness.studies import OnRun, collected

if TYPE_CHECKING:
    from likeness.notions import Notion
    from likeness.space import Space


_FEWEST = 5  # images that match a query
CONTROL = "another query"
_FIGURES = ("f1", "ratio", "within", "promise", "promised_fdr", "promised_recall", "precision_held", "recall_held")


def cut_offs(
    base: "Space",
    notions: "Sequence[Notion]" = (),
    *,
    by: str | None = None,
    queries: int = 40,
    counts: Sequence[int] = (0, 10, 20, 30),
    seeds: Sequence[int] = range(5),
    fdr: float = 0.1,
    progress: Progress | None = None,
    on_run: OnRun | None = None,
) -> pd.DataFrame:
    """F1 of cutoffs relative to that of the best threshold for each query, and the false-discovery rate of guaranteed sets.

    Queries are the aspects of notions as texts, in the encoder's space and in each notion's, with the other aspects as negative prompts or without;
    or images, which match those with the same label. Queries with fewer than five matches are excluded.

    Methods: "cut-off" is `likeness.cutoffs.CutoffFinder`, "cut-off, negatives" the same with negative prompts. Without answers: "flat" and "flat,
    negatives", one threshold for all queries that is best on average on all others; "Otsu" and "two normals", on the scores alone. "another query" is
    the control: the cut-off on the similarities to another query, answered for this one.

    Args:
        base: images with labels, in their encoder's space.
        notions: each with the label column that judges it; of several with one label the first counts.
        by: in place of notions, a label column: queries are images.
        queries: images per seed.
        counts: of answers.
        seeds: of the images drawn, and of the image queries.
        fdr: what is promised.

    Returns:
        A row per attribute, space, method, seed and number of answers, with means over its queries: attribute, space, method, seed, answers, queries,
        f1, ratio (of F1 to that of the best threshold on the similarities), within (share of the queries where it is 95 % at least), promise (share
        of queries with a promise), and over these promised_fdr (realized), broken (share above `fdr`) and promised_recall; precision_held and
        recall_held (share of queries whose interval of 90 % holds the figure).

    Raises:
        InputError: no notion with a label here whose aspects are its values, or no such label column.
    """
    groups = _image_groups(base, by, queries, seeds) if by else _text_groups(base, notions, seeds)
    rows: list[dict[str, Any]] = []
    for done, (label, asked, seed, total) in enumerate(groups):
        found = _figures(asked, tuple(counts), seed, fdr, plain=label["first"])
        rows += collected(({**_named(label), "seed": seed, **row} for row in found), on_run)
        if progress:
            progress(done + 1, total)
    return pd.DataFrame(rows)


def cut_offs_table(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per images, space, method and number of answers: means over queries, attributes and seeds. `runs` may have a column images."""
    keys = [*(["images"] if "images" in runs else []), "space", "method", "answers"]

    def mean(group: pd.DataFrame, name: str, weights: "pd.Series[float]") -> float:
        there = group[name].notna() & (weights > 0)
        return float(np.average(group.loc[there, name], weights=weights[there])) if there.any() else float("nan")

    lines = []
    for values, group in runs.groupby(keys, sort=False):
        every, promised = group["queries"].astype(float), group["promise"].fillna(0) * group["queries"]
        line = dict(zip(keys, values, strict=True)) | {"queries": int(group.groupby("attribute")["queries"].first().sum())}
        line |= {name: mean(group, name, every) for name in ("ratio", "within", "precision_held", "recall_held", "promise")}
        lines.append(line | {name: mean(group, name, promised) for name in ("promised_fdr", "broken", "promised_recall")})
    return pd.DataFrame(lines)


def _named(label: dict[str, Any]) -> dict[str, Any]:
    return {name: label[name] for name in ("attribute", "space")}


def _text_groups(base: "Space", notions: "Sequence[Notion]", seeds: Sequence[int]) -> Iterator[tuple[dict[str, Any], list[LabeledQuery], int, int]]:
    """The aspects of each notion in both spaces, for each seed."""
    found = [group for notion in _first_of_label(notions) for group in _aspects(base, notion)]
    if not found:
        raise InputError("No notion has aspects that are labels of these images; choose another notion, or a label with --by.")
    for label, asked in found:
        for seed in seeds:
            yield {**label, "first": seed == seeds[0]}, asked, seed, len(found) * len(seeds)


def _first_of_label(notions: "Sequence[Notion]") -> "list[Notion]":
    return list({each.attribute: each for each in reversed(notions) if each.attribute}.values())[::-1]


def _aspects(base: "Space", notion: "Notion") -> Iterator[tuple[dict[str, Any], list[LabeledQuery]]]:
    frame = base.table.frame
    if notion.attribute not in frame:
        return
    there = np.flatnonzero(has_label(frame[notion.attribute]))
    labels = frame[notion.attribute].iloc[there].astype(str).str.strip().str.lower().to_numpy()
    aspects = [aspect.lower() for aspect in notion.aspects]
    asked = [place for place, aspect in enumerate(aspects) if _FEWEST <= (labels == aspect).sum() < len(labels)]
    if not asked or len(set(aspects)) < len(aspects):
        return
    texts = base.embed_aspects(notion)[0]
    refit = base.refit(notion)
    for name, images, words in (("raw", base.vectors, texts), ("notion", refit.vectors, refit.estimator.transform(texts))):
        products = np.asarray(words @ images[there].T, np.float64)
        queries = [LabeledQuery(aspects[each], products[each], np.delete(products, each, axis=0), labels == aspects[each]) for each in asked]
        yield {"attribute": notion.attribute, "space": name}, queries


def _image_groups(base: "Space", by: str, count: int, seeds: Sequence[int]) -> Iterator[tuple[dict[str, Any], list[LabeledQuery], int, int]]:
    """Random images, different for each seed."""
    frame = base.table.frame
    if by not in base.table.attributes:
        raise InputError(f"'{base.table.name}' has no label '{by}'; it has {', '.join(base.table.attributes) or 'none'}.")
    there = np.flatnonzero(has_label(frame[by]))
    labels = frame[by].iloc[there].astype(str).to_numpy()
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    possible = np.flatnonzero((sizes[codes] > _FEWEST) & (sizes[codes] < len(labels)))
    if not len(possible):
        raise InputError(f"No value of '{by}' has more than {_FEWEST} images and other images besides; choose another label.")
    for seed in seeds:
        rows = np.random.default_rng(seed).choice(possible, min(count, len(possible)), replace=False)
        yield {"attribute": by, "space": "raw", "first": True}, [_image_query(base, there, labels, int(row)) for row in rows], seed, len(seeds)


def _image_query(base: "Space", there: Any, labels: Any, row: int) -> LabeledQuery:
    products = np.asarray(base.vectors[there] @ base.vectors[there[row]], np.float64)
    return LabeledQuery(f"{labels[row]} {row}", np.delete(products, row), None, np.delete(labels == labels[row], row))


def _figures(queries: list[LabeledQuery], counts: tuple[int, ...], seed: int, fdr: float, *, plain: bool) -> Iterator[dict[str, Any]]:
    """Rows of each method; of deterministic ones only if `plain`."""
    has_negatives = queries[0].negatives is not None
    if plain:
        yield from _without_answers(queries, has_negatives)
    others = np.random.default_rng([seed, 1]).integers(1, len(queries), len(queries)) if len(queries) > 1 else None
    ways: dict[str, Callable[[int], CutoffFinder]] = {"cut-off": lambda at: CutoffFinder(queries[at].similarities, fdr=fdr, seed=seed)}
    if has_negatives:
        ways["cut-off, negatives"] = lambda at: CutoffFinder(queries[at].similarities, queries[at].negatives, fdr=fdr, seed=seed)
    if others is not None:
        ways[CONTROL] = lambda at: CutoffFinder(queries[(at + int(others[at])) % len(queries)].similarities, fdr=fdr, seed=seed)
    for name, finder in ways.items():
        found = pd.DataFrame([row for at, query in enumerate(queries) for row in after_answers(query, finder(at), counts)])
        for answers, own in found.groupby("answers"):
            yield {"method": name, "answers": int(float(str(answers))), "queries": len(own), **_means(own, fdr)}


def _without_answers(queries: list[LabeledQuery], has_negatives: bool) -> Iterator[dict[str, Any]]:
    ways = {"flat": flat_thresholds(queries, lambda each: each.similarities)}
    if has_negatives:
        ways["flat, negatives"] = flat_thresholds(queries, lambda each: each.margins)
    ways["Otsu"] = [otsu(each.similarities) for each in queries]
    ways["two normals"] = [two_normals(each.similarities) for each in queries]
    for name, thresholds in ways.items():
        scores = [each.margins if name == "flat, negatives" else each.similarities for each in queries]
        if np.isfinite(thresholds).all():
            found = pd.DataFrame([query.figures(each >= t) for query, each, t in zip(queries, scores, thresholds, strict=True)])
            yield {"method": name, "answers": 0, "queries": len(found), **_means(found, 0)}


def _means(found: pd.DataFrame, fdr: float) -> dict[str, float]:
    """Means over queries; for guarantees, over queries that have one."""
    row = {name: round(float(found[name].mean()), 6) if name in found else float("nan") for name in _FIGURES}
    made = found["promised_fdr"].dropna() if "promised_fdr" in found else pd.Series(dtype=float)
    return row | {"broken": round(float((made > fdr + 1e-9).mean()), 6) if len(made) else float("nan")}


def main(
    source: Source = DATASET,
    notions: Notions = "all",
    by: Annotated[
        str | None, typer.Option(help="Label column: uses images as queries, which match those with the same label, instead of words.")
    ] = None,
    queries: Annotated[int, typer.Option(min=2, help="With --by: query images per seed.")] = 40,
    seeds: Annotated[int, typer.Option(min=1, help="Random samples of the answered images and of the query images.")] = 5,
    fdr: Annotated[float, typer.Option(help="Allowed error rate of a guaranteed set, above 0 and below 1.")] = 0.1,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """How good is the cutoff of `likeness matches`, and do its guarantees hold? After 0, 10, 20 and 30 answers, simulated by labels.

    `ratio` is F1 as a share of that of the best threshold for each query, `within` the share of queries where it is at least 95 %, `promise` the
    share with a guarantee, `promised_fdr` the error rate of guaranteed sets, and `broken` the share of guarantees that exceed the allowed rate.
    Baselines: one threshold for all queries (`flat`), Otsu's, and that of two normal distributions; control: the similarities to another query.

    Examples: `python -m experiments.analyses cut-offs --notions car-color`,
    `python -m experiments.analyses cut-offs photos/ --by class --out runs.csv`
    """
    check_shares(fdr, 0.9)
    base = embedded(source_table(source, only), encoder)
    chosen = [] if by else notions_of(base.table, notions)
    runs = measured("Cut-offs", out, lambda **watch: cut_offs(base, chosen, by=by, queries=queries, seeds=range(seeds), fdr=fdr, **watch))
    print_table(cut_offs_table(runs).round(3), format)
