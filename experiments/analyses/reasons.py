"""Are the reasons why two images are alike true? Each statement of `likeness.reasons` about pairs of images, judged by labels."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from experiments.analyses.run_table import run_table
from likeness.commands.inputs import embedded, notions_of, source_table
from likeness.commands.options import EncoderName, Format, Notions, Only, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.data import has_label
from likeness.defaults import DATASET
from likeness.notion_trust import sample, trust_of, worded_aspects
from likeness.notions import best_aspects
from likeness.progress import Progress
from likeness.reasons import CERTAIN, certain_aspects
from likeness.studies import no_runs

if TYPE_CHECKING:
    from likeness.notions import Notion
    from likeness.space import Space

# labels that are spelled otherwise than the aspects
SPELLED = {
    "a low angle": "low", "eye level": "medium", "above": "high", "close up": "near", "at a medium distance": "middle", "far away": "far",
    "the front": "front", "the right": "right", "behind": "back", "the left": "left",
    "on a beach": "beach", "in the snow": "snow", "on a city street": "street", "on the grass": "grass", "in the water": "water",
}  # fmt: skip
TRUSTED, ALL, RAW, TURNED, OTHERS, WORDS = "reasons", "reasons without trust", "zero-shot labels", "turned words", "another notion's words", "nouns"
GRID = (0.9, 0.99, 0.999, 0.9999)
_RANDOM, _ASKED, _NEAREST = 20_000, 500, 8
_SHARES = (0.2, 0.4, 0.6, 0.8)  # of a noun, as `likeness.clusters` gives them

Places = NDArray[np.int64]
_COUNTS = ("same", "same_true", "same_named", "other", "other_true", "other_named")


def reasons_table(
    base: "Space",
    notions: Sequence["Notion"],
    seeds: Sequence[int] = range(5),
    grid: Sequence[float] = GRID,
    *,
    progress: Progress | None = None,
    on_run: Callable[[dict[str, Any]], None] | None = None,
) -> pd.DataFrame:
    """Counts statements about pairs of images, and the true ones, by notion, method, kind of pair and seed.

    A statement "same" is true if both images have the same label, "other" if they have different ones; it is named right if both aspects are the
    labels, too. Pairs in which an image has no label are left out. Pairs are random, or images with their 8 nearest in the encoder's space.

    Methods: "reasons", what `likeness.reasons` says; "zero-shot labels", the best aspect of each image, always; and for the certainty that is used
    "reasons without trust" and two controls, all of every notion: "turned words", in random directions, and "another notion's words", which say
    nothing of this label.

    Args:
        base: images in their encoder's space, with each notion's `attribute`.
        notions: that are judged.
        seeds: of the pairs, of the images for trust, and of the directions.
        grid: the probability from which on an aspect is certain.
        progress, on_run: as in `compare`.

    Returns:
        A row each: notion, trusted, method, certain, pairs (random or nearest), seed, judged (pairs), alike (of them with the same label), same,
        same_true, same_named, other, other_true, other_named.

    Raises:
        InputError: as `compare`.
    """
    no_runs(base.table, notions, ["exact"], ("suggested",), seeds)
    words = [worded_aspects(base, notion) for notion in notions]

    def rows_of(seed: int) -> Iterator[dict[str, Any]]:
        pairs, images = _pairs(base.vectors, seed), sample(base, seed)
        turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(images.shape[1],) * 2))[0].astype(np.float32)
        for place, notion in enumerate(notions):
            trusted = trust_of(images, *words[place]).reads
            labels = base.table.frame[notion.attribute]
            names = [SPELLED.get(aspect, aspect) for aspect in notion.aspects]
            for method, certain, shown in _readings(base.vectors, words, place, turn, grid):
                if method == TRUSTED and not trusted:
                    shown = np.full_like(shown, -1)
                for kind, (one, other) in pairs.items():
                    counts = count_statements(shown, names, labels, one, other)
                    about = {"notion": notion.name, "trusted": trusted, "method": method, "certain": certain, "pairs": kind, "seed": seed}
                    yield about | counts

    return run_table(seeds, rows_of, progress, on_run)


def nouns_table(base: "Space", attribute: str, seeds: Sequence[int] = range(5), shares: Sequence[float] = _SHARES) -> pd.DataFrame:
    """The same of nouns in place of notions: both images show the same noun if it has the greatest share in both, and that share is high enough."""
    from likeness.clusters import TextShares, noun_choice

    given = TextShares(base, noun_choice(base))
    parts = [given.of(part) for part in np.array_split(np.arange(len(base)), max(1, len(base) // 500))]
    best, most = np.concatenate([part.argmax(axis=1) for part in parts]), np.concatenate([part.max(axis=1) for part in parts])
    rows = []
    for seed in seeds:
        for kind, (one, other) in _pairs(base.vectors, seed).items():
            same = best[one] == best[other]  # another noun says nothing: a dog is an animal
            for share in shares:
                shown = np.where(most >= share, best, -1)
                counts = count_statements(shown, given.choice.words, base.table.frame[attribute], one[same], other[same])
                told = {"judged": len(one), "notion": attribute, "trusted": True, "method": WORDS, "certain": share, "pairs": kind, "seed": seed}
                rows.append(counts | told)
    return pd.DataFrame(rows)


def count_statements(shown: Places, names: Sequence[str], labels: "pd.Series[Any]", one: Places, other: Places) -> dict[str, int]:
    """Counts of `reasons_table` for pairs of images `one` and `other` (m,), with the aspect of each image (n,), -1 for none, and its label (n,)."""
    known, values = has_label(labels), labels.astype(str).to_numpy()
    judged = known[one] & known[other]
    one, other = one[judged], other[judged]
    alike, told = values[one] == values[other], (shown[one] >= 0) & (shown[other] >= 0)
    same = told & (shown[one] == shown[other])
    right = np.asarray(names, object)[shown] == values
    found = [each for said, true in ((same, alike), (told & ~same, ~alike)) for each in (said, said & true, said & right[one] & right[other])]
    return {"judged": len(one), "alike": int(alike.sum())} | {name: int(each.sum()) for name, each in zip(_COUNTS, found, strict=True)}


def reasons_summary(runs: pd.DataFrame, by: Sequence[str] = ("method", "certain", "pairs")) -> pd.DataFrame:
    """Shares over all notions, mean ± spread over seeds and images: of true statements, of true "same" and "other", of statements with both aspects
    right, of pairs of which a notion says something, and of pairs with the same label.

    Args:
        runs: of `reasons_table`, perhaps with a column images.
        by: the columns that a row stands for.
    """
    drawn = [name for name in ("images", "seed") if name in runs and name not in by]
    counts = runs.groupby([*by, *drawn], sort=False)[["judged", "alike", *_COUNTS]].sum()
    said = counts["same"] + counts["other"]
    shares = pd.DataFrame(
        {
            "true": (counts["same_true"] + counts["other_true"]) / said,
            "same true": counts["same_true"] / counts["same"],
            "other true": counts["other_true"] / counts["other"],
            "named right": (counts["same_named"] + counts["other_named"]) / said,
            "said": said / counts["judged"],
            "alike": counts["alike"] / counts["judged"],
        }
    ).groupby(list(by), sort=False)
    texts = shares.mean().map("{:.3f}".format) + shares.std().fillna(0).map(" ± {:.3f}".format)
    return texts.where(shares.mean().notna(), "-").reset_index()


def reasons_page(runs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The tables of a page, by name: all images beside the controls, the grid that the certainty was chosen from, notions on photos, and nouns."""
    runs = runs.assign(set=runs["images"].str.replace(r" \d$", "", regex=True))
    near = runs[runs["pairs"] == "nearest"]
    here = runs[(runs["certain"] == CERTAIN) | (runs["method"] == RAW)]
    main = reasons_summary(here[here["pairs"] == "nearest"], ("set", "use", "method"))
    random = reasons_summary(here[here["pairs"] == "random"], ("set", "use", "method"))
    shares = ["true", "same true", "other true", "said"]
    of_photos = here[(here["pairs"] == "nearest") & (here["set"] == "photos") & here["method"].isin([TRUSTED, ALL])]
    return {
        "reasons": main.assign(**{"true, random pairs": random["true"]}).rename(columns={"set": "images"}),
        "reasons grid": reasons_summary(near[(near["method"] == TRUSTED) & (near["use"] == "chosen on")], ("set", "certain"))[
            ["set", "certain", *shares]
        ].rename(columns={"set": "images"}),
        "reasons of notions": reasons_summary(of_photos, ("notion", "method"))[
            ["notion", "method", "true", "same true", "other true", "said", "alike"]
        ],
        "reasons by nouns": reasons_summary(near[near["method"] == WORDS], ("certain",))[["certain", "true", "said", "alike"]],
    }


def _readings(
    images: NDArray[np.float32], words: Sequence[Any], place: int, turn: NDArray[np.float32], grid: Sequence[float]
) -> Iterator[tuple[str, float, Places]]:
    """Method, certainty, and the aspect (n,) of each image; of the words of another notion some have no name here, and are none."""
    own, another = words[place], words[(place + 1) % len(words)]
    yield RAW, 0.0, best_aspects(images, own[0])
    for certain in grid:
        read = certain_aspects(images, own, certain)
        yield TRUSTED, certain, read
        if certain != CERTAIN:
            continue
        yield ALL, certain, read
        yield TURNED, certain, certain_aspects(images, [each @ turn for each in own], certain)
        if len(words) > 1:
            yield OTHERS, certain, certain_aspects(images, [each[: len(own[0])] for each in another], certain)


def _pairs(images: NDArray[np.float32], seed: int) -> Mapping[str, tuple[Places, Places]]:
    random, n = np.random.default_rng(seed), len(images)
    one = random.integers(n, size=_RANDOM)
    asked = random.permutation(n)[:_ASKED]
    similarities = images[asked] @ images.T
    similarities[np.arange(len(asked)), asked] = -np.inf
    near = np.argsort(-similarities, axis=1, kind="stable")[:, :_NEAREST]
    return {"random": (one, (one + random.integers(1, n, size=_RANDOM)) % n), "nearest": (np.repeat(asked, near.shape[1]), near.ravel())}


def main(
    source: Source = DATASET,
    notions: Notions = "all",
    seeds: Annotated[int, typer.Option(min=1, help="Random draws of pairs, images and directions.")] = 5,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Are the reasons why two images are alike true? Judged by labels, beside zero-shot labels and words without meaning.

    Examples: `python -m experiments.analyses reasons`, `python -m experiments.analyses reasons --encoder cars-small --out reasons.csv`
    """
    base = embedded(source_table(source, only), encoder)
    # of notions with one label that with the fewest aspects counts
    chosen = list({each.attribute: each for each in sorted(notions_of(base.table, notions), key=lambda each: -len(each.aspects))}.values())
    runs = measured("Reasons", out, lambda **watch: reasons_table(base, chosen, range(seeds), **watch))
    print_table(reasons_summary(runs), format)
