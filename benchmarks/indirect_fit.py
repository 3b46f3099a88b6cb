"""InDiReCT's exact solver beside the paper's Adam procedure: time, loss and retrieval, in one run on the same rows.

python benchmarks/indirect_fit.py            # 2, 16, 64, 128 dimensions x 18, 100, 569 prompts, 3 seeds: some minutes
python benchmarks/indirect_fit.py --quick    # 16, 128 dimensions x 18, 569 prompts, 1 seed
"""

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from measuring.record import SMALL, add_record, record
from measuring.timing import best_of
from numpy.typing import NDArray

from likeness.evaluation import retrieval_metrics
from likeness.io import assets_dir
from likeness.notions import Identity, InDiReCT, get_notion, suggest_dim
from likeness.search import nearest

Rows = NDArray[np.float32]
ENCODER_DIM = 512


@dataclass(frozen=True)
class Case:
    """What is fitted and judged: text (n, r), images (m, r), a label per image."""

    name: str
    text: Rows
    images: Rows
    labels: Any


def unit(rows: NDArray[Any]) -> Rows:
    """Rows of length 1."""
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def random_prompts(prompts: int, seed: int = 0) -> Case:
    """Random embeddings: a strong shared mean per modality, a falling spectrum of aspects, nuisance and noise.

    The spectrum falls so that 545 prompts lose .115 radians in 128 dimensions, as they do with the text side of CLIP ViT-B/32.
    """
    rng = np.random.default_rng(seed)
    r, m = ENCODER_DIM, 2000
    text_mean, image_mean = rng.standard_normal((2, r)) / np.sqrt(r)
    spectrum = np.arange(1, r + 1) ** -0.66
    aspects = (rng.standard_normal((prompts, r)) * spectrum / np.linalg.norm(spectrum)) @ np.linalg.qr(rng.standard_normal((r, r)))[0]
    labels = rng.integers(0, min(prompts, 98), m)
    nuisance = rng.standard_normal((12, r))[rng.integers(0, 12, m)] + rng.standard_normal((m, r))
    text = unit(text_mean + 0.6 * aspects)
    images = unit(image_mean + 0.5 * aspects[labels] + 0.7 * nuisance / np.sqrt(r))
    return Case(f"{prompts} random prompts", text, images, labels)


def shipped(name: str) -> Case:
    """A notion's prompts and the shipped images, by the shipped model."""
    from likeness.data import read_dataset
    from likeness.embedding import embed
    from likeness.encoders import embed_texts

    notion, space = get_notion(name), embed(read_dataset("cars"), "cars")
    text = embed_texts("cars", notion.prompts).vectors
    return Case(f"{name}, {len(text)} prompts", text, space.vectors, space.table.frame[notion.attribute])


def map_at_r(case: Case, estimator: Any) -> float:
    """MAP@R of the images in the estimator's space."""
    return retrieval_metrics(estimator.transform(case.images), case.labels)["map_at_r"]


def compare(case: Case, dim: int, seeds: Iterable[int]) -> list[str]:
    """One line of the table."""
    adam = [best_of(1, lambda seed=seed: InDiReCT(dim, solver="adam", seed=seed).fit(case.text)) for seed in seeds]
    exact_time, _, exact = best_of(5, lambda: InDiReCT(dim).fit(case.text))
    adam_time, adam_loss = np.mean([run.seconds for run in adam]), np.mean([run.result.loss_ for run in adam])
    scores = [map_at_r(case, run.result) for run in adam]
    return [
        case.name,
        str(dim),
        f"{adam_time:.2f}",
        f"{1000 * exact_time:.1f}",
        f"{adam_time / exact_time:.0f}",
        f"{adam_loss:.5f}",
        f"{exact.loss_:.5f}",
        f"{map_at_r(case, Identity()):.3f}",
        f"{np.mean(scores):.3f} ± {np.std(scores):.3f}",
        f"{map_at_r(case, exact):.3f}",
    ]


def edit_one_of_569() -> list[str]:
    """What follows the edit of one prompt: fit, 10,000 images into the space, the 10 nearest of one of them; seconds each."""
    case = random_prompts(569)
    images = unit(np.random.default_rng(1).standard_normal((10_000, ENCODER_DIM)))
    text = case.text.copy()
    text[7] = random_prompts(569, seed=1).text[7]
    fit_time, _, fit = best_of(5, lambda: InDiReCT(128).fit(text))
    transform_time, _, space = best_of(5, lambda: fit.transform(images))
    search_time = best_of(5, lambda: nearest(space[:1], space, 10, exclude=[0])).seconds
    total = fit_time + transform_time + search_time
    return [f"{fit_time:.3f}", f"{transform_time:.3f}", f"{search_time:.3f}", f"{total:.3f}", "0.300"]


def show(titles: list[str], rows: Iterable[list[str]]) -> list[str]:
    """Prints a Markdown table, a line as soon as it is known; returns the last row."""
    print("| " + " | ".join(titles) + " |\n|" + "---|" * len(titles))
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer dimensions, prompts and seeds")
    add_record(parser)
    options = parser.parse_args()
    quick = options.quick
    dims, prompts, seeds = ((16, 128), (18, 569), range(1)) if quick else ((2, 16, 64, 128), (18, 100, 569), range(3))
    titles = ["prompts", "dim", "Adam s", "exact ms", "times faster", "Adam loss", "exact loss", "raw MAP@R", "Adam MAP@R", "exact MAP@R"]
    most = show(titles, (compare(case, dim, seeds) for case in map(random_prompts, prompts) for dim in dims))
    if (assets_dir() / "clip").is_dir():
        names = ("car-color",) if quick else ("car-model", "car-color", "background-color", "car-model-names")
        print()
        cases = [shipped(name) for name in names]
        show(titles, (compare(case, dim, seeds) for case in cases for dim in (suggest_dim(case.text), dims[-1])))
    print("\nOne of 569 prompts edited, seconds")
    edit = show(["fit", "transform 10,000", "top 10", "all", "target"], [edit_one_of_569()])
    if options.record:
        record(SMALL, "fit of a notion, 128-d", 569, float(most[3]) / 1000, "s", "Adam", float(most[2]))
        record(SMALL, "one prompt edited: fit, 10,000 images, search", 569, float(edit[3]), "s")


if __name__ == "__main__":
    main()
