"""A comparison on several processes has the rows of one on a single process."""

import pandas as pd
import pytest

from likeness.data import read_cars
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.notions import get_notion
from likeness.space import Space
from likeness.studies import compare, compare_in_parallel


@pytest.fixture(scope="module")
def base() -> Space:
    return embed(read_cars())


def test_rows_are_those_of_compare(base: Space) -> None:
    notions = [get_notion("distance"), get_notion("car-color")]
    # pca is refused for the distance, which has few prompts
    methods, dims, seeds, options = ("exact", "raw", "pca", "random"), (8, "suggested", 3), (5, 0), {"metrics": ("map_at_r", "precision_at_1")}
    done: list[tuple[int, int]] = []
    parallel = compare_in_parallel(base, notions, methods, dims, seeds, workers=2, progress=lambda *step: done.append(step), **options)
    serial = compare(base, notions, methods, dims, seeds, **options)
    assert (serial["refused"] != "").any()
    pd.testing.assert_frame_equal(parallel.drop(columns="fit_seconds"), serial.drop(columns="fit_seconds"), atol=1e-6, rtol=0)
    assert done == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_what_compare_refuses_is_refused_before_any_process_starts(base: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    import joblib

    def forbidden(*args: object, **kwargs: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(joblib, "Parallel", forbidden)
    notion = get_notion("car-color")
    with pytest.raises(InputError, match="There is no method 'magic'"):
        compare_in_parallel(base, [notion], ["magic"])
    with pytest.raises(InputError, match="There is no seed to measure"):
        compare_in_parallel(base, [notion], seeds=[])
    with pytest.raises(InputError, match="There is no metric 'speed'"):
        compare_in_parallel(base, [notion], metrics=["speed"])
