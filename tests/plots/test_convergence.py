import numpy as np
import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.plots import convergence_curves


@pytest.fixture
def curves() -> pd.DataFrame:
    """Two seeds of "base", of which one stopped after epoch 2, and one of "ELG"."""
    rows = [("base", 0, 1, 0.2), ("base", 0, 2, 0.4), ("base", 0, 3, 0.5), ("base", 1, 1, 0.4), ("base", 1, 2, 0.6)]
    rows += [("ELG", 0, 1, 0.5), ("ELG", 0, 2, 0.7), ("ELG", 0, 3, 0.8)]
    return pd.DataFrame(rows, columns=["run", "seed", "epoch", "recall_at_1"])


def test_a_line_per_name_with_a_look_of_its_own_and_a_band_over_its_seeds(curves: pd.DataFrame) -> None:
    figure = convergence_curves(curves, title="Courses")
    band, base, elg = figure.data
    assert (base.name, list(base.x)) == ("base", [1, 2, 3])
    np.testing.assert_allclose(base.y, [0.3, 0.5, 0.5])
    np.testing.assert_allclose(band.y, [0.4, 0.6, 0.5, 0.5, 0.4, 0.2])
    assert (band.fill, band.legendgroup, band.showlegend) == ("toself", "base", False)
    assert list(base.hovertext) == ["0.300 ± 0.100 (2 runs)", "0.500 ± 0.100 (2 runs)", "0.500"]
    assert (elg.name, list(elg.y)) == ("ELG", [0.5, 0.7, 0.8])
    assert (figure.layout.title.text, figure.layout.yaxis.title.text, figure.layout.xaxis.title.text) == ("Courses", "R@1", "Epoch")
    assert figure.layout.yaxis.rangemode == "normal"
    _, base, elg = convergence_curves(curves).data
    assert base.line.color != elg.line.color
    assert base.line.dash != elg.line.dash
    assert base.marker.symbol != elg.marker.symbol


def test_nothing_to_draw_is_an_error(curves: pd.DataFrame) -> None:
    for given, metric in ((curves, "nmi"), (curves.iloc[:0], "recall_at_1")):
        with pytest.raises(InputError, match=f"There is no '{metric}' to draw"):
            convergence_curves(given, metric)
