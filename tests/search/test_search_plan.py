"""When all images are compared, and when the cells of an index are looked through."""

import numpy as np
import pytest

from likeness.search import Calibration, plan
from likeness.search.search_plan import RECALL

MILLION = 1_000_000


def calibrated(share_needed: float, cells: int = 4000) -> Calibration:
    """One that needs this share of the cells, all alike, for the recall that is asked for."""
    done = np.arange(1, cells + 1) / cells
    return Calibration(np.minimum(1, 1.001 * RECALL * done / share_needed), done, 100, 10)


@pytest.mark.parametrize(
    ("n", "m", "share", "exact"),
    [
        (2_000, 512, 0.01, True),  # cheap_exact
        (100_000, 128, 0.01, True),
        (MILLION, 512, 0.003, False),
        (MILLION, 128, 0.015, False),
        (MILLION, 16, 0.015, True),  # 64 MB of codes
        (100 * MILLION, 16, 0.015, False),
        (100 * MILLION, 2, 0.67, True),  # the nearest of a narrow notion lie everywhere, but its codes are short
        (100 * MILLION, 8, 0.084, True),
    ],
)
def test_what_reads_less(n: int, m: int, share: float, exact: bool) -> None:
    chosen = plan(n, m, 512, calibrated(share))
    assert chosen.exact == exact
    assert chosen.bytes_read <= 4 * n * m
    if not exact:
        assert chosen.probes == pytest.approx(4000 * share, rel=0.01)
        assert chosen.recall >= RECALL
        assert chosen.message() == f"Approximate: {chosen.recall:.0%} of the nearest are found, measured on images of this dataset."
    else:
        assert chosen.message() == "Exact: every image is compared."


def test_without_an_index_it_is_exact() -> None:
    assert plan(100 * MILLION, 512, 512).exact


def test_a_higher_recall_needs_more_cells() -> None:
    assert plan(MILLION, 512, 512, calibrated(0.01), recall=0.99).probes > plan(MILLION, 512, 512, calibrated(0.01)).probes
