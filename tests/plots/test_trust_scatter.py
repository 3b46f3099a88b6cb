import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.plots import trust_scatter


@pytest.fixture
def verdicts() -> pd.DataFrame:
    rows = [("cars", "color", 0.9, 0.8, "reads it"), ("cars", "sun", 0.7, 0.0, "flagged"), ("birds", "names", 0.3, -0.1, "flagged")]
    return pd.DataFrame(rows, columns=["images", "notion", "score", "gain", "verdict"])


def test_a_color_per_set_of_images_and_a_cross_for_what_is_flagged(verdicts: pd.DataFrame) -> None:
    read, sun, birds = trust_scatter(verdicts).data
    assert [(trace.name, list(trace.x), list(trace.y)) for trace in (read, sun, birds)] == [
        ("cars", [0.9], [0.8]),
        ("cars, flagged", [0.7], [0.0]),
        ("birds, flagged", [0.3], [-0.1]),
    ]
    assert read.marker.color == sun.marker.color != birds.marker.color
    assert [trace.marker.symbol for trace in (read, sun, birds)] == ["circle", "x", "x"]
    assert list(birds.hovertext) == ["names"]


def test_another_table_is_refused(verdicts: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="There is no 'gain' to draw; pass the table of"):
        trust_scatter(verdicts.drop(columns="gain"))
