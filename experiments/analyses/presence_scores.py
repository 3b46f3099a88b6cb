"""How well could photos tell that nothing matches? Scores of a text, with images of its class and without, as many images each time."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from experiments.analyses.presence import ImageSet, cifar_set
from likeness.commands.options import Format, OutputFile
from likeness.commands.terminal import print_table, progress_bar, write_csv
from likeness.notions import CLIP_SCALE
from likeness.presence import FALSE_ALARMS, chance_of, competing_texts, match_scores
from likeness.progress import Progress

Rows = np.ndarray[Any, np.dtype[np.float32]]
ALL, ELSEWHERE, OFFSET = "all of these, logistic regression", "10 best, less the 97 % quantile of other photos", "10 best, less each word's middle"
_CLASSES, _IMAGES, _TOP, _NEAR = 11, 240, 10, 16
_ENOUGH = 0.5  # zero-shot accuracy, from which on an answer is expected


def scores(images: Rows, text: Rows, others: Rows, elsewhere: Rows) -> dict[str, float]:
    """Of a text (d,) on images (n, d), beside other texts (m, d); larger if it is shown. `elsewhere`: images (k, d) that do not show it."""
    own, rivals = images @ text, images @ others.T
    best, middle, spread = rivals.max(axis=1), rivals.mean(axis=1), rivals.std(axis=1)
    beside, their = (own - middle) / spread, (rivals - middle[:, None]) / spread[:, None]
    their_best = np.sort(their, axis=0)[-_TOP:].mean(axis=0)
    ranks = (rivals < own[:, None]).mean(axis=1)
    likely = CLIP_SCALE * own - np.logaddexp.reduce(CLIP_SCALE * np.column_stack([rivals, own]), axis=1)
    centered = beside - beside.mean()
    near = others[np.argsort(-(others @ text))[:_NEAR]] - others.mean(axis=0)
    rest = text - others.mean(axis=0)
    rest = images @ (rest - np.linalg.lstsq(near.T, rest, rcond=0.1)[0] @ near)
    return {
        "best similarity": float(own.max()),
        "p-value": chance_of(float(own.max()), match_scores(images, text, others)),
        "10 best": _top(own),
        "10 best, standardized in each image by other texts": _top(beside),
        "the same, among the 10 best of each other text": (_top(beside) - float(their_best.mean())) / float(their_best.std()),
        "lead before the best other text, 10 best": _top(own - best),
        "rank among other texts, 10 best": float(ranks[np.argsort(-own)[:_TOP]].mean()),
        "log-probability among other texts, 10 best": _top(likely),
        "text and images centered, 10 best": _top(centered),
        "skewness": float((centered**3).mean() / (centered**2).mean() ** 1.5),
        "what the 16 nearest texts leave, 10 best": (_top(rest) - float(rest.mean())) / float(rest.std()),
        ELSEWHERE: _top(own) - float(np.quantile(elsewhere @ text, 0.97)),
    }


def _top(values: Rows) -> float:
    return float(np.sort(values)[-_TOP:].mean())


def scores_table(given: ImageSet, halves: dict[str, list[str]], draws: int = 40, *, progress: Progress | None = None) -> pd.DataFrame:
    """Scores of each query of eleven at random, with ten classes of which it is one, and with the ten others, where zero-shot accuracy is above .5.

    As many images each time, since a fit over several scores tells a larger set from a smaller one.

    Returns:
        A row per half, draw, query and whether its class is there: half, draw, query, shown, and the scores.
    """
    space, rows = given.space, list[dict[str, Any]]()
    assert space.embed_texts is not None
    texts = list(given.shown)
    vectors = dict(zip(texts, np.asarray(space.embed_texts(texts)), strict=True))
    others = {text: np.asarray(space.embed_texts(list(competing_texts(text, space.encoder)))) for text in texts}
    for done, (half, queries) in enumerate(halves.items()):
        elsewhere = space.vectors[~np.any([given.shown[text] for text in queries], axis=0)]
        for draw in range(draws):
            if progress:
                progress(done * draws + draw, len(halves) * draws)
            random = np.random.default_rng(draw)
            drawn = list(random.choice(queries, _CLASSES, replace=False))
            here = np.any([given.shown[text] for text in drawn], axis=0)
            named = np.array(drawn)[(space.vectors[here] @ np.stack([vectors[text] for text in drawn]).T).argmax(axis=1)]
            if np.any([(named == text) & given.shown[text][here] for text in drawn], axis=0).mean() <= _ENOUGH:
                continue
            for text, another in zip(drawn, np.roll(drawn, 1), strict=True):
                for out in (text, another):
                    left = random.permutation(np.flatnonzero(here & ~given.shown[out]))[:_IMAGES]
                    found = scores(space.vectors[left], vectors[text], others[text], elsewhere)
                    rows.append({"half": half, "draw": draw, "query": text, "shown": out != text, **found})
    return pd.DataFrame(rows)


def scores_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per score: AUC; the shares of shown and of absent classes that are called absent, where the threshold calls 5 % of the shown ones of the
    other half absent. A logistic regression of all is fitted on the other half, too, its threshold set on words that did not fit it. Less each word's
    middle, of its mean when shown and when absent, is what no score can know; its threshold is the half's own.
    """
    names = [name for name in runs if name not in ("half", "draw", "query", "shown")]
    fit, lines = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5_000)), []
    for half, judged in runs.groupby("half"):
        chosen, plain = runs[runs["half"] != half], [name for name in names if name != ELSEWHERE]
        columns = {name: (chosen[name].to_numpy(), judged[name].to_numpy()) for name in names}
        held_out = cross_val_predict(fit, chosen[plain], chosen["shown"], groups=chosen["query"], cv=GroupKFold(5), method="decision_function")
        columns[ALL] = held_out, fit.fit(chosen[plain], chosen["shown"]).decision_function(judged[plain])
        middles = judged.groupby(["query", "shown"])["10 best"].mean().groupby("query").mean()
        columns[OFFSET] = (np.array([]), (judged["10 best"] - judged["query"].map(middles)).to_numpy())
        for name, (those, these) in columns.items():
            shown = judged["shown"].to_numpy()
            threshold = np.quantile(these[shown] if name == OFFSET else those[chosen["shown"].to_numpy()], FALSE_ALARMS)
            found = {"AUC": roc_auc_score(shown, these)} | {
                f"{title}: absent": float((these[part] < threshold).mean()) for title, part in (("shown", shown), ("absent", ~shown))
            }
            lines.append({"score": name, "half": half, "queries": len(judged) // 2, **found})
    table = pd.DataFrame(lines).groupby("score", sort=False)
    means = table[["AUC", "shown: absent", "absent: absent"]].mean().round(3)
    return means.assign(**{"shown: absent, worse half": table["shown: absent"].max().round(3), "queries": table["queries"].sum()}).reset_index()


def superclass_halves(data: Path) -> Iterator[tuple[str, list[str]]]:
    """The classes of every other of CIFAR-100's superclasses, as queries, and of the rest."""
    kinds = json.loads((data / "cifar100_superclasses.json").read_text())
    for half, names in (("even", sorted(kinds)[::2]), ("odd", sorted(kinds)[1::2])):
        yield half, sorted(f"a photo of a {each.replace('_', ' ')}" for name in names for each in kinds[name])


def main(
    data: Annotated[Path, typer.Argument(help="Folder with cifar100 and cifar100_superclasses.json.")],
    draws: Annotated[int, typer.Option(min=1, help="Random draws of eleven classes from each half.")] = 40,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """How well could photos tell that nothing matches? Scores of a class with its images and without them, each judged by a threshold from others.

    Example: `python -m experiments.analyses presence-scores DATA --out experiments/results/presence-scores.csv`
    """
    with progress_bar("Scores") as progress:
        runs = scores_table(cifar_set(data), dict(superclass_halves(data)), draws, progress=progress)
    summary = scores_summary(runs)
    write_csv(out, summary)
    print_table(summary, format)
