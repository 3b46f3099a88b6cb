"""Does the reliability score, which needs no labels, predict how good a notion is? Both for each notion."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
import typer
from scipy.stats import spearmanr

from experiments.analyses.run_table import run_table
from likeness.commands.inputs import embedded, notions_of, source_table
from likeness.commands.options import EncoderName, Format, Notions, Only, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.data import has_label
from likeness.defaults import DATASET
from likeness.evaluation import retrieval_metrics
from likeness.notion_trust import sample, trust_of, worded_aspects
from likeness.progress import Progress
from likeness.studies import no_runs

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

    def rows_of(notion: "Notion") -> Iterator[dict[str, Any]]:
        labels = base.table.frame[notion.attribute]
        labeled = has_label(labels)
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
                yield {"notion": notion.name, "row": name, "seed": seed} | found

    return run_table(notions, rows_of, progress, on_run)


def trust_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """Of each score: its rank correlation with MAP@R and with the gain over the raw encoder, over all notions and encoders, mean ± spread over seeds;
    and what the score is where words are turned into random directions.

    Args:
        runs: of `trust_table`.

    Returns:
        Texts, a row per score.
    """
    lines = []
    for score, title in {"score": "Score", "stability": "Stability", "alignment": "Alignment", "halves": "Halves of the prompts"}.items():
        read, turned = (runs[runs["row"] == row] for row in (READ, TURNED))
        found = [
            (spearmanr(own[score], own["map_at_r"])[0], spearmanr(own[score], own["map_at_r"] - own["raw"])[0]) for _, own in read.groupby("seed")
        ]
        names = ("rank correlation with MAP@R", "with the gain over the raw encoder")
        spread = {name: f"{np.mean(each):.3f} ± {np.std(each, ddof=1):.3f}" for name, each in zip(names, zip(*found, strict=True), strict=True)}
        lines.append({"without labels": title, **spread, READ: f"{read[score].mean():.3f}", TURNED: f"{turned[score].mean():.3f}"})
    return pd.DataFrame(lines)


def trust_verdicts(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per notion and images, the mean over seeds: score, map_at_r, raw, gain, and the verdict of most seeds, "reads it" or "flagged".

    Args:
        runs: of `trust_table`, with a column images.
    """
    own = runs[runs["row"] == READ].groupby(["images", "notion"], sort=False)[["score", "reads", "map_at_r", "raw"]].mean().reset_index()
    verdict = np.where(own["reads"] > 0.5, "reads it", "flagged")
    return own.drop(columns="reads").assign(gain=own["map_at_r"] - own["raw"], verdict=verdict)


def trust_cases(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per images and notion: stability, alignment, score, the score of turned words, verdict, MAP@R in the notion's space, of the raw encoder,
    and the gain.

    Args:
        runs: of `trust_table`, with a column images.
    """
    parts = runs.groupby(["images", "notion", "row"], sort=False)[["stability", "alignment", "score"]].mean()
    own = parts.xs(READ, level="row").join(parts["score"].xs(TURNED, level="row").rename(TURNED))
    verdicts = trust_verdicts(runs).set_index(["images", "notion"])[["verdict", "map_at_r", "raw", "gain"]]
    return own.join(verdicts).reset_index()


def flags_table(runs: pd.DataFrame) -> pd.DataFrame:
    """InDiReCT compared with the raw encoder for reliable and unreliable notions; each pair of notion and encoder counts once.

    Args:
        runs: as `trust_verdicts`.

    Returns:
        Texts, a row per verdict.
    """
    lines = []
    for verdict, part in trust_verdicts(runs).groupby("verdict", sort=False):
        lines.append(
            {
                "verdict": verdict,
                "notions and encoders": len(part),
                "InDiReCT": f"{part['map_at_r'].mean():.3f}",
                "raw encoder": f"{part['raw'].mean():.3f}",
                "smallest gain": f"{part['gain'].min():+.3f}",
                "largest gain": f"{part['gain'].max():+.3f}",
            }
        )
    return pd.DataFrame(lines)


def _turn(width: int, seed: int) -> np.ndarray:
    return np.asarray(np.linalg.qr(np.random.default_rng(seed).normal(size=(width, width)))[0], np.float32)


def _halves(images: np.ndarray, aspects: np.ndarray, seed: int) -> float:
    """Agreement of two random halves of the aspects on which images are similar: correlation over pairs of images, averaged over five draws."""
    random, scores = np.random.default_rng(seed), images @ aspects.T
    scores -= scores.mean(axis=0)
    pairs, found = np.triu_indices(len(images), 1), []
    for _ in range(_HALVES):
        parts = np.array_split(random.permutation(len(aspects)), 2)
        one, other = ((scores[:, part] @ scores[:, part].T)[pairs] for part in parts)
        found.append(np.corrcoef(one, other)[0, 1] if one.std() and other.std() else 0.0)
    return float(np.mean(found))


def main(
    source: Source = DATASET,
    notions: Notions = "all",
    method: Annotated[str, typer.Option(help="Method whose space is evaluated, one of {methods}.")] = "exact",
    seeds: Annotated[int, typer.Option(min=1, help="Random samples of images and of the control.")] = 5,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Can the reliability of a notion be estimated without labels? The app's score, compared with MAP@R by labels.

    `turned words` is the control: the same words in random directions, which are unrelated to the images.

    Examples: `python -m experiments.analyses trust`, `python -m experiments.analyses trust --encoder cars-small --out trust.csv`
    """
    from likeness.notions import named_methods

    named_methods([method])  # refuses what is none
    base = embedded(source_table(source, only), encoder)
    chosen = notions_of(base.table, notions)
    runs = measured("Trust", out, lambda **watch: trust_table(base, chosen, method, range(seeds), **watch))
    print_table(runs.groupby(["notion", "row"], sort=False).mean(numeric_only=True).drop(columns="seed").round(3).reset_index(), format)
