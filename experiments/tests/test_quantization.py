"""What binary labels lose, on a line where it can be counted."""

import numpy as np
import pytest

from experiments.figures.quantization import quantization, whole_pixels
from experiments.results import read_results

CROWD, FAR = np.arange(0.0, 90), 1000 + 100 * np.arange(10.0)


def test_a_crowd_has_near_negatives_and_rare_images_far_positives() -> None:
    """Ninety images at a distance of one from the next, and ten at a distance of a hundred, each with three positives."""
    places = np.concatenate([CROWD, FAR])
    found = quantization(np.abs(places[:, None] - places), positives=3)
    assert found.index.tolist() == ["commonest tenth", "all", "rarest tenth"]
    assert found["first"].tolist() == [1, 1, 100]
    assert found["last"].tolist() == [2, 2, 200]
    assert found["threshold"].tolist() == [2] * 3
    assert found["rare"].tolist() == [100] * 3
    assert found.loc["rarest tenth", ["within", "missed"]].tolist() == [0, 0]
    assert found.loc["commonest tenth", "within"] == 4
    assert found.loc["commonest tenth", "missed"] == 89 - 3  # the rest of the crowd


@pytest.mark.parametrize("images", ["rendered", "photos"])
def test_shipped_poses_are_as_the_paper_draws_them(images: str) -> None:
    found = read_results("quantization").query("images == @images").set_index("group")
    common, rare = found.loc["commonest tenth"], found.loc["rarest tenth"]
    assert rare["last"] > 2 * common["last"]
    assert common["within"] > 100 > 2 > rare["within"]
    texts = whole_pixels(found.reset_index()).set_index("group")
    assert texts.loc["rarest tenth", "last"] == f"{rare['last']:.0f}"
