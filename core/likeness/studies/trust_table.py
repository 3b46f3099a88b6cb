"""Does the score that needs no label tell how well a notion does? It beside the labels, for each notion."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from likeness.data import UNLABELED
from likeness.evaluation import retrieval_metrics
from likeness.notion_trust import sample, trust_of, worded_aspects
from likeness.progress import Progress
from likeness.studies.comparison import no_runs

if TYPE_CHECKING:
    from likeness.notions import Notion
    from likeness.space import Space

READ, TURNED = "as it is", "turned words"
_HALVES = 5  # drawings of two halves


def trust_table(
    base: "Space",
    notions: Sequence["Notion"],
    method: str = "exact",
    seeds: Sequence[int] = range(5),
    *,
    progress: Progress | None = None,
    on_run: Callable[[dict[str, Any]], None] | None = None,
) -> pd.DataFrame:
    """The score of each notion (`likeness.notion_trust`), and the MAP@R of its space and of the raw encoder.

    Beside the notion as it is stands a control: its words turned into random directions, all wordings alike, which mean nothing to the images.
    `halves` is the other way to ask without labels: the correlation of similarities by one random half of the aspects and by the other.

    Args:
        base: the images in their encoder's space; their table has each notion's `attribute`.
        notions: as in `compare`.
        method: that makes the space which MAP@R judges.
        seeds: of the images, halves and directions that are drawn.
        progress, on_run: as in `compare`.

    Returns:
        A row per notion, control and seed: notion, row, seed, score, stability, alignment, reads, halves, map_at_r, raw.

    Raises:
        InputError: as `compare`.
    """
    no_runs(base.table, notions, [method], ("suggested",), seeds)
    rows: list[dict[str, Any]] = []
    for done, notion in enumerate(notions):
        if progress:
            progress(done, len(notions))
        labels = base.table.frame[notion.attribute]
        labeled = (labels.notna() & (labels != UNLABELED)).to_numpy(dtype=bool)
        judged = [
            retrieval_metrics(space.vectors[labeled], labels[labeled].astype(str).to_numpy())["map_at_r"]
            for space in (base.refit(notion, method, dim="suggested"), base)
        ]
        words = worded_aspects(base, notion)
        for seed in seeds:
            images = sample(base, seed)
            turn = _turn(images.shape[1], seed)
            for name, texts in ((READ, words), (TURNED, [each @ turn for each in words])):
                trust = trust_of(images, *texts)
                found = {**trust._asdict(), "halves": _halves(images, texts[0], seed), "map_at_r": judged[0], "raw": judged[1]}
                rows.append({"notion": notion.name, "row": name, "seed": seed} | found)
                if on_run:
                    on_run(dict(rows[-1]))
    if progress:
        progress(len(notions), len(notions))
    return pd.DataFrame(rows)


def _turn(width: int, seed: int) -> np.ndarray:
    return np.asarray(np.linalg.qr(np.random.default_rng(seed).normal(size=(width, width)))[0], np.float32)


def _halves(images: np.ndarray, aspects: np.ndarray, seed: int) -> float:
    """How far two random halves of the aspects agree on which images are similar, the mean of five drawings: correlation over pairs of images."""
    random, scores = np.random.default_rng(seed), images @ aspects.T
    scores -= scores.mean(axis=0)
    pairs, found = np.triu_indices(len(images), 1), []
    for _ in range(_HALVES):
        parts = np.array_split(random.permutation(len(aspects)), 2)
        one, other = ((scores[:, part] @ scores[:, part].T)[pairs] for part in parts)
        found.append(np.corrcoef(one, other)[0, 1] if one.std() and other.std() else 0.0)
    return float(np.mean(found))
