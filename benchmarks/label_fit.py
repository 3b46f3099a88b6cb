"""Why the log-ratio loss falls behind on frozen features: of rows of the study lsp-pose, how well they fit the labels of the images they learn from.

python benchmarks/label_fit.py data/lsp_pose/joints.csv [--runs runs/lsp-pose] [--save assets/results/lsp-pose-fit.csv]

For each row and seed: mean label distance of the ten nearest, and mean rank correlation of label distances with distances in the embedding, for the
queries of the study, and for as many training images among the training images; and the number of dimensions that vary, (sum s^2)^2 / sum s^4 of the
singular values s of all centered embeddings. Runs of the study in the folder are not trained again. One core: some ten minutes.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from likeness.evaluation import continuous_metrics
from likeness.io import read_weights
from likeness.studies import Cell, cells, read_study
from likeness.studies.study import run_study
from likeness.training import RunConfig, RunFolder, run_images
from likeness.training.data.outputs import cached_outputs
from likeness.training.data.pixels import load_pixels
from likeness.training.data.run_images import RunImages
from likeness.training.network.backbones import build_network

LOG_RATIO = "L(Log-ratio)+M(Dense)"
ROWS = (
    LOG_RATIO,
    f"{LOG_RATIO}, drawn anchors",
    f"{LOG_RATIO}, unit length",
    "L(Triplet)+M(Dense), δ = 0.5",
    "L(Triplet)+M(Binary)",
    "Rank-N-Contrast",
)
OTHERS = {f"{LOG_RATIO}, 10 epochs": {"epochs": 10, "evaluate_every": 10}}


def features(config: RunConfig, images: RunImages) -> np.ndarray:
    """Of the frozen network, (n, f), from the cache that runs use as well."""
    pixels = load_pixels(images.table, config.data.image_size)
    return np.asarray(cached_outputs(build_network(config.backbone), pixels, np.arange(len(images.table)), config.data.image_size))


def embeddings(cell: Cell, inputs: np.ndarray) -> np.ndarray:
    """All images (n, d) in the space of a finished run."""
    weights = read_weights(RunFolder(cell.folder).best)
    found = inputs @ weights["head.weight"].numpy().T + weights["head.bias"].numpy()
    return found / np.linalg.norm(found, axis=1, keepdims=True) if cell.config.unit_embeddings else found


def fit(vectors: np.ndarray, images: RunImages, queries: np.ndarray, gallery: np.ndarray) -> dict[str, float]:
    """Label distance of the ten nearest and rank correlation; a query that is in the gallery does not count there."""
    assert images.distances is not None
    known = images.distances.between(queries, gallery)
    place = {row: number for number, row in enumerate(gallery)}
    own = np.array([place.get(row, -1) for row in queries])
    metrics = continuous_metrics(known, vectors[queries], vectors[gallery], (10,), exclude=own)
    correlations = []
    for query, distances, hidden in zip(queries, known, own, strict=True):
        others = np.arange(len(gallery)) != hidden
        apart = np.linalg.norm(vectors[gallery[others]] - vectors[query], axis=1)
        correlations.append(spearmanr(apart, distances[others]).statistic)
    return {"at_10": metrics["mean_label_distance_at_10"], "correlation": float(np.mean(correlations))}


def main() -> None:
    """Prints a line for each run, then means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("joints", help="joints.csv of lsp_pose")
    parser.add_argument("--runs", type=Path, default=Path("runs/lsp-pose"))
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    study = read_study("lsp-pose")
    rows = {row: study.rows[row] for row in ROWS} | OTHERS
    wanted = cells(study.model_copy(update={"rows": rows}), options.runs, {"data.source": options.joints})
    run_study(wanted)
    images = run_images(wanted[0].config.data, 0)
    inputs, found = features(wanted[0].config, images), []
    for cell in wanted:
        vectors = embeddings(cell, inputs)
        asked = np.random.default_rng(cell.seed).choice(images.train, len(images.queries), replace=False)
        spread = np.linalg.svd(vectors - vectors.mean(axis=0), compute_uv=False) ** 2
        line: dict[str, Any] = {"row": cell.row, "seed": cell.seed, "dimensions": float(spread.sum() ** 2 / (spread**2).sum())}
        for side, parts in (("train", (asked, images.train)), ("test", (images.queries, images.gallery))):
            line |= {f"{side}_{name}": value for name, value in fit(vectors, images, *parts).items()}
        found.append(line)
        print(line, flush=True)
    table = pd.DataFrame(found)
    print(table.drop(columns="seed").groupby("row", sort=False).mean().round(3).to_string())
    if options.save:
        table.round(4).to_csv(options.save, index=False)


if __name__ == "__main__":
    main()
