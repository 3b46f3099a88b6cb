"""Pictures: determinism, masks, the named attributes seen in the pixels."""

import numpy as np
import pandas as pd
import pytest

from experiments.renders.cars import BODY_TYPES, render_masks, render_scene, render_scenes, sample_scenes
from experiments.renders.cars.scene import nearest_distance
from likeness.data.css_colors import hsv_to_rgb
from likeness.errors import InputError


@pytest.fixture(scope="module")
def scenes() -> pd.DataFrame:
    return sample_scenes(60, seed=5)


def scene(**changes: object) -> dict[str, object]:
    """A gray sedan on a white ground seen from its left side, the sun high on the right."""
    row: dict[str, object] = {
        "body_type": "sedan",
        "yaw": 90.0,
        "elevation": 15.0,
        "distance": 12.0,
        "sun_azimuth": 90.0,
        "sun_elevation": 35.0,
        "car_hue": 0.0,
        "car_saturation": 0.0,
        "car_value": 0.5,
        "background_hue": 0.0,
        "background_saturation": 0.0,
        "background_value": 1.0,
    }
    return row | changes


def test_same_rows_give_the_same_pixels_alone_and_together(scenes: pd.DataFrame) -> None:
    some = scenes.head(4)
    together = render_scenes(some)
    assert together.shape == (4, 128, 128, 3)
    assert together.dtype == np.uint8
    np.testing.assert_array_equal(together, render_scenes(some))
    np.testing.assert_array_equal(together[2], render_scene(some.iloc[2].to_dict()))


def test_progress_counts_every_image(scenes: pd.DataFrame) -> None:
    seen: list[tuple[int, int]] = []
    render_scenes(scenes.head(3), 32, lambda done, n: seen.append((done, n)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_repainting_changes_pixels_inside_the_mask_only(scenes: pd.DataFrame) -> None:
    """The hue also seeds the proportions, so the paint is changed in saturation and value."""
    some = scenes.head(12)
    repainted = some.assign(car_saturation=0.1, car_value=(some.car_value + 0.5) % 1)
    changed = (render_scenes(some, 96) != render_scenes(repainted, 96)).any(axis=3)
    mask = render_masks(some, 96)
    grown = mask.copy()
    for axis in (1, 2):
        for step in (-1, 1):
            grown |= np.roll(mask, step, axis=axis)
    for axis, step in ((1, -1), (1, 1)):
        grown |= np.roll(np.roll(mask, step, axis=axis), 1, axis=2) | np.roll(np.roll(mask, step, axis=axis), -1, axis=2)
    assert not (changed & ~grown).any()
    assert (changed & mask).sum() > 0.35 * mask.sum()


def test_background_change_leaves_the_inside_of_the_car(scenes: pd.DataFrame) -> None:
    some = scenes[scenes.body_type != "convertible"].head(8)
    mask = render_masks(some, 96)
    core = mask.copy()
    for axis in (1, 2):
        for step in (-1, 1):
            core &= np.roll(mask, step, axis=axis)
    changed = (render_scenes(some, 96) != render_scenes(some.assign(background_value=(some.background_value + 0.5) % 1), 96)).any(axis=3)
    assert (changed & core).sum() < 0.02 * core.sum()
    assert changed[~mask].mean() > 0.95


def test_the_car_is_whole_and_large_enough(scenes: pd.DataFrame) -> None:
    masks = render_masks(scenes)
    assert not masks[:, [0, -1]].any()
    assert not masks[:, :, [0, -1]].any()
    size = [max(np.ptp(np.nonzero(m.any(axis=0))), np.ptp(np.nonzero(m.any(axis=1)))) / 128 for m in masks]
    assert min(size) > 0.25
    assert 0.5 < np.median(size) < 0.75


@pytest.mark.parametrize("azimuth", [90.0, 270.0])
def test_shadow_falls_away_from_the_sun(azimuth: float) -> None:
    row = scene(sun_azimuth=azimuth)
    pixels, mask = render_scene(row), render_masks(pd.DataFrame([row]))[0]
    shadow = (pixels.mean(axis=2) < 160) & ~mask
    columns = np.nonzero(shadow)[1]
    middle = np.nonzero(mask)[1].mean()
    assert len(columns) > 100
    assert (columns.mean() < middle) == (azimuth == 90)


def test_a_sun_behind_the_camera_lights_the_side_in_view() -> None:
    mask = render_masks(pd.DataFrame([scene()]))[0]
    core = mask.copy()
    core[: np.nonzero(mask)[0].mean().astype(int)] = False
    lit, unlit = (render_scene(scene(sun_azimuth=azimuth))[core].mean() for azimuth in (0.0, 180.0))
    assert lit > unlit + 15


def test_background_color_is_what_the_wall_shows() -> None:
    row = scene(background_hue=0.6, background_saturation=0.7, background_value=0.8, elevation=4.0)
    top = render_scene(row)[:20].reshape(-1, 3).mean(axis=0)
    np.testing.assert_allclose(top, 255 * hsv_to_rgb([[0.6, 0.7, 0.8]])[0], atol=16)


def test_paint_keeps_its_hue_in_every_light() -> None:
    """Over all suns, the median painted pixel of a green car stays green by a wide margin."""
    for azimuth in (0.0, 90.0, 180.0, 270.0):
        row = scene(car_hue=1 / 3, car_saturation=1.0, car_value=0.6, sun_azimuth=azimuth)
        inside = render_scene(row)[render_masks(pd.DataFrame([row]))[0]].astype(float)
        r, g, b = np.median(inside, axis=0)
        assert g > 1.6 * max(r, b)


def test_red_lamps_behind_white_ones_in_front() -> None:
    front, rear = (render_scene(scene(yaw=yaw, elevation=5.0, distance=8.0)).astype(int) for yaw in (0.0, 180.0))
    red = [int(((p[..., 0] > 100) & (p[..., 1] < 60) & (p[..., 2] < 60)).sum()) for p in (front, rear)]
    assert red[0] == 0
    assert red[1] > 20


def test_farther_is_smaller_and_bodies_differ() -> None:
    near, far = (render_masks(pd.DataFrame([scene(distance=d)]))[0].sum() for d in (10.0, 15.0))
    assert 1.9 < near / far < 2.7
    distance = nearest_distance("van", [90.0], [15.0])[0]
    masks = [render_masks(pd.DataFrame([scene(body_type=body, distance=distance)]))[0] for body in BODY_TYPES]
    for i, a in enumerate(masks):
        for b in masks[:i]:
            assert (a & b).sum() / (a | b).sum() < 0.93


def test_bad_scenes_are_refused() -> None:
    with pytest.raises(InputError, match=r'"tank" is unknown: use one of sedan, hatchback'):
        render_scene(scene(body_type="tank"))
    with pytest.raises(InputError, match=r"lacks a number for \['yaw'\]: fill"):
        render_scene(scene(yaw=float("nan")))
    with pytest.raises(InputError, match=r"of 0 px"):
        render_scene(scene(), 0)
