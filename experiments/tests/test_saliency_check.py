from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from experiments.renders.cars import NUMBERS, render_masks, write_dataset
from experiments.saliency_check import car_check, car_masks, control_spaces, summarize_check
from likeness.data import ImageTable, read_cars
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.notions import get_notion
from likeness.saliency import ImageModel, mass_share, saliency_of_spaces
from likeness.space import Space


def _space(table: ImageTable, tower: Any) -> Space:
    return Space(tower.encode_images(table.paths()), table, name="raw", differentiable=lambda: ImageModel(tower))


@pytest.fixture(scope="module")
def base() -> Space:
    cars = read_cars()
    return embed(ImageTable(cars.name, cars.root, cars.frame.iloc[:4]))


def test_masks_follow_the_images_size_and_the_models_crop(tower: Any, tmp_path: Path) -> None:
    frame = write_dataset(tmp_path, 3, seed=4, size=48)
    masks = car_masks(_space(ImageTable("cars", tmp_path, frame), tower), [2, 0])
    blocks = render_masks(frame.iloc[[2, 0]], 48).reshape(2, 12, 4, 12, 4).mean(axis=(2, 4))
    assert masks.shape == (2, 12, 12)
    sure = (blocks < 0.2) | (blocks > 0.8)
    assert sure.mean() > 0.7
    assert (masks == (blocks >= 0.5))[sure].mean() > 0.99


def test_a_repainted_car_differs_inside_its_mask(base: Space) -> None:
    from PIL import Image

    from experiments.renders.cars import render_scenes

    assert base.differentiable is not None
    model, frame = base.differentiable(), base.table.frame
    repainted = frame.assign(car_value=(frame["car_value"] + 0.5) % 1)
    before, after = (model.prepare([Image.fromarray(pixels) for pixels in render_scenes(scenes)]).astype(float) for scenes in (frame, repainted))
    np.testing.assert_array_equal(before, model.prepare(base.table.paths()))
    change, masks = np.abs(before - after).sum(-1), car_masks(base, range(4))
    assert mass_share(change, masks).min() > 0.9
    assert mass_share(change, masks[:, ::-1, ::-1]).max() < 0.8


def test_a_table_without_scenes_or_a_space_without_a_model_is_refused(space: Space, base: Space) -> None:
    with pytest.raises(InputError, match=r"Where the cars are in 'photos' is not known: it lacks \['body_type', 'yaw'"):
        car_masks(space, [0])
    blind = Space(base.vectors, base.table, name="blind")
    with pytest.raises(InputError, match="it lacks a model; use Synthetic Cars"):
        car_masks(blind, [0])
    with pytest.raises(InputError, match="There is no image 4; the last of 'Synthetic Cars' is 3"):
        car_masks(base, [4])
    assert len(NUMBERS) > 5


def test_the_check_measures_what_the_maps_show(base: Space) -> None:
    from likeness.notions import InDiReCT

    notion = get_notion("car-color")
    frame = car_check(base, [notion, get_notion("background-color")], dim=3, rows=[1, 3], controls=0, samples=2, seed=5)
    assert list(frame.columns) == ["notion", "dim", "row", "area", "raw", "map", "more", "less"]
    assert frame["notion"].tolist() == ["car color"] * 2 + ["background color"] * 2
    assert frame["row"].tolist() == [1, 3, 1, 3]
    assert set(frame["dim"]) == {3}
    raw, own = saliency_of_spaces([base, base.refit(notion, InDiReCT(dim=3))], [1, 3], samples=2, seed=5)
    masks = car_masks(base, [1, 3])
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


def test_control_spaces_are_random_projections_of_the_encoder(base: Space) -> None:
    from likeness.notions import RandomTransform

    first, second = control_spaces(base, 3, 2)
    np.testing.assert_array_equal(first.vectors, RandomTransform(3, 0).fit(base.vectors).transform(base.vectors))
    assert (first.vectors.shape, first.name) == ((4, 3), "random projection")
    assert not np.allclose(first.vectors, second.vectors)


def test_a_stopped_check_holds_the_images_that_were_done(base: Space) -> None:
    frame = car_check(base, [get_notion("car-color")], rows=range(4), controls=0, samples=2, batch_size=2, should_stop=lambda: True)
    assert frame["row"].tolist() == [0]


def test_summary_by_hand() -> None:
    shares = pd.DataFrame({"notion": ["a", "a", "b"], "dim": [2, 2, 2], "row": [0, 1, 0], "area": [0.1, 0.3, 0.5], "raw": [0.2, 0.2, 0.2]})
    table = summarize_check(shares.assign(map=[0.5, 0.7, 0.1], more=[0.4, np.nan, 1], less=[0.0, 0.0, 0.0]))
    assert table["images"].tolist() == [2, 1]
    assert table.iloc[0, 3:].tolist() == ["0.200 ± 0.100", "0.200 ± 0.000", "0.600 ± 0.100", "0.400 ± 0.000", "0.000 ± 0.000"]
