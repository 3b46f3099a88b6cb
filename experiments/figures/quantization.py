"""Figure 2 of the log-ratio paper, measured: what is lost where the nearest images by label are positives and all others negatives, on rendered
poses and on photos of poses; writes experiments/results/quantization.csv.

python -m experiments.figures.quantization JOINTS    # joints.csv of Leeds Sports Pose; needs labels alone, seconds
"""

import argparse

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.results import FOLDER
from likeness.commands.terminal import write_csv
from likeness.data import read_dataset
from likeness.labels import LabelsConfig, label_distances

POSITIVES = 30  # as in the paper


def quantization(apart: NDArray[np.floating], positives: int = POSITIVES) -> pd.DataFrame:
    """Medians over the tenth of the images whose last positive lies nearest, over all, and over the tenth where it lies farthest.

    Args:
        apart: label distances (n, n).
        positives: how many of the nearest images count as positive.

    Returns:
        Rows "commonest tenth", "all" and "rarest tenth"; label distances of the `first` and the `last` positive; how many images lie `within` one
        `threshold` for all, the median of `last`; and how many negatives lie within `rare`, where the rarest tenth has its first positive (`missed`).
    """
    nearest = np.sort(apart, axis=1)[:, 1:]  # without itself
    last = nearest[:, positives - 1]
    order, tenth = np.argsort(last, kind="stable"), len(last) // 10
    groups = {"commonest tenth": order[:tenth], "all": order, "rarest tenth": order[-tenth:]}
    threshold, rare = np.median(last), np.median(nearest[groups["rarest tenth"], 0])
    lines = {
        name: {
            "first": np.median(nearest[rows, 0]),
            "last": np.median(last[rows]),
            "within": np.median((nearest[rows] <= threshold).sum(axis=1)),
            "missed": np.median((nearest[rows, positives:] <= rare).sum(axis=1)),
            "threshold": threshold,
            "rare": rare,
        }
        for name, rows in groups.items()
    }
    return pd.DataFrame(lines).T.astype(float).rename_axis("group")


def whole_pixels(medians: pd.DataFrame) -> pd.DataFrame:
    """The table with its figures as texts without decimals."""
    return medians[["images", "group"]].join(medians.drop(columns=["images", "group"]).map("{:.0f}".format))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("joints")
    sources = {"rendered": "synthetic-poses", "photos": parser.parse_args().joints}
    found = []
    for images, source in sources.items():
        table = read_dataset(source)
        rows = np.arange(len(table))
        found.append(quantization(label_distances(table, LabelsConfig(kind="pose")).between(rows, rows)).reset_index().assign(images=images))
    every = pd.concat(found, ignore_index=True)
    write_csv(FOLDER / "quantization.csv", every[["images", *every.columns.drop("images")]].round(2))


if __name__ == "__main__":
    main()
