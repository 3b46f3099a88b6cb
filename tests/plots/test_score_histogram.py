"""Bars hold each image once, on the side of the cut-off where it lies."""

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.plots import score_histogram


@pytest.mark.parametrize("seed", range(5))
def test_every_image_is_in_one_bar_of_its_side(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = np.concatenate([rng.normal(size=500), rng.normal(5, 1, 40)])
    for threshold in (float(scores.max()), float(scores.min()), float(rng.choice(scores)), 2.5):
        figure = score_histogram(scores, threshold)
        below, above = figure.data[:2]
        assert sum(below.y) == (scores < threshold).sum()
        assert sum(above.y) == (scores >= threshold).sum()
        for trace in (below, above):
            edges = np.array(trace.x) - np.array(trace.width) / 2
            for edge, width, count in zip(edges, trace.width, trace.y, strict=True):
                assert ((scores > edge + 1e-9) & (scores < edge + width - 1e-9)).sum() <= count
        assert min(np.array(above.x) - np.array(above.width) / 2) == pytest.approx(threshold)


def test_answers_stand_below_the_bars_and_what_is_no_number_is_refused() -> None:
    figure = score_histogram([0.1, 0.2, 0.9], 0.5, ([0.9], [0.1, 0.2]))
    assert [(trace.name, list(trace.x)) for trace in figure.data[2:]] == [("yes", [0.9]), ("no", [0.1, 0.2])]
    assert sum(score_histogram([0.5, 0.5], 0.5).data[1].y) == 2
    for scores in ([], [[0.1]], [0.1, np.nan]):
        with pytest.raises(InputError, match="one finite number for each image"):
            score_histogram(scores, 0.5)
