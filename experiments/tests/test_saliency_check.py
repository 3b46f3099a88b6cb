from collections.abc import Callable
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from experiments.saliency_check import car_check, summarize_check
from likeness.data import ImageTable, read_cars
from likeness.embedding import embed
from likeness.notions import get_notion
from likeness.saliency import object_masks, saliency_of_spaces
from likeness.space import Space


@pytest.fixture(scope="module")
def base() -> Space:
    cars = read_cars()
    return embed(ImageTable(cars.name, cars.root, cars.frame.iloc[:4]))


def test_the_check_measures_what_the_maps_show(base: Space) -> None:
    from likeness.notions import InDiReCT

    notion = get_notion("car-color")
    frame = car_check(base, [notion, get_notion("background-color")], dim=3, rows=[1, 3], controls=0, samples=2, seed=5)
    assert list(frame.columns) == ["notion", "dim", "row", "area", "raw", "map", "more", "less"]
    assert frame["notion"].tolist() == ["car color"] * 2 + ["background color"] * 2
    assert frame["row"].tolist() == [1, 3, 1, 3]
    assert set(frame["dim"]) == {3}
    raw, own = saliency_of_spaces([base, base.refit(notion, InDiReCT(dim=3))], [1, 3], samples=2, seed=5)
    masks = object_masks(base, [1, 3])
    assert frame["area"].to_numpy()[:2] == pytest.approx(masks.mean((1, 2)))
    for i in range(2):
        on_car = own.maps[i][masks[i]] - raw.maps[i][masks[i]]
        everywhere = own.maps[i] - raw.maps[i]
        assert frame["raw"][i] == pytest.approx(raw.maps[i][masks[i]].sum() / raw.maps[i].sum(), abs=1e-4)
        assert frame["map"][i] == pytest.approx(own.maps[i][masks[i]].sum() / own.maps[i].sum(), abs=1e-4)
        assert frame["more"][i] == pytest.approx(on_car[on_car > 0].sum() / everywhere[everywhere > 0].sum(), abs=1e-4)
        assert frame["less"][i] == pytest.approx(on_car[on_car < 0].sum() / everywhere[everywhere < 0].sum(), abs=1e-4)


def test_controls_are_random_projections_that_differ(base: Space) -> None:
    frame = car_check(base, [get_notion("car-color")], rows=[0], controls=2, samples=2)
    assert frame["notion"].tolist() == ["car color", "random projection", "random projection"]
    assert frame["map"].nunique() == 3
    assert frame["raw"].nunique() == frame["area"].nunique() == 1
    table = summarize_check(frame)
    assert table["images"].tolist() == [1, 1]
    assert table["random projection's map on car"].tolist() == [f"{frame['map'][1:].mean():.3f}"] * 2
    assert table["random projection looks more: on car"].tolist() == [f"{frame['more'][1:].mean():.3f}"] * 2


def test_a_stopped_check_holds_the_images_that_were_done(base: Space) -> None:
    frame = car_check(base, [get_notion("car-color")], rows=range(4), controls=0, samples=2, batch_size=2, should_stop=lambda: True)
    assert frame["row"].tolist() == [0]


def test_summary_by_hand() -> None:
    shares = pd.DataFrame({"notion": ["a", "a", "b"], "dim": [2, 2, 2], "row": [0, 1, 0], "area": [0.1, 0.3, 0.5], "raw": [0.2, 0.2, 0.2]})
    table = summarize_check(shares.assign(map=[0.5, 0.7, 0.1], more=[0.4, np.nan, 1], less=[0.0, 0.0, 0.0]))
    assert table["images"].tolist() == [2, 1]
    assert table.iloc[0, 3:].tolist() == ["0.200 ± 0.100", "0.200 ± 0.000", "0.600 ± 0.100", "0.400 ± 0.000", "0.000 ± 0.000"]


def test_the_check_prints_shares_on_the_car(run: Callable[..., tuple[int, str, str]]) -> None:
    status, printed, err = run("saliency_check", "--rows", "0,1", "--notion", "car-color", "--samples", "2", "--dim", "4", "--format", "csv")
    assert status == 0, err
    table = pd.read_csv(StringIO(printed))
    assert table["notion"].tolist() == ["car color", "random projection"]
    assert table["images"].tolist() == [2, 2]
    assert table["dim"].tolist() == [4, 4]
    shares = table.iloc[:, 3:].map(lambda text: float(str(text).split(" ± ")[0]))
    assert shares.shape == (2, 7)
    own, control = shares["notion map on car"], shares["random projection's map on car"]
    assert control[0] == control[1] == own[1]
    assert own[0] != control[0]
    assert ((shares > 0) & (shares < 1)).all(axis=None)
