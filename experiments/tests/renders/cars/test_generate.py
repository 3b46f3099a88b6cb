"""Pictures: those that ship, of every body, and masks."""

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy.ndimage import binary_dilation, binary_erosion, generate_binary_structure

from experiments.renders.cars import render_masks, render_scene, render_scenes, sample_scenes
from likeness.errors import InputError


@pytest.fixture(scope="module")
def scenes() -> pd.DataFrame:
    return sample_scenes(60, seed=5)


def test_repainting_changes_pixels_inside_the_mask_only(scenes: pd.DataFrame) -> None:
    """The hue also seeds the proportions, so the paint is changed in saturation and value."""
    some = scenes.head(12)
    repainted = some.assign(car_saturation=0.1, car_value=(some.car_value + 0.5) % 1)
    changed = (render_scenes(some, 96) != render_scenes(repainted, 96)).any(axis=3)
    mask = render_masks(some, 96)
    assert not (changed & ~binary_dilation(mask, np.ones((1, 3, 3)))).any()
    assert (changed & mask).sum() > 0.35 * mask.sum()


def test_background_change_leaves_the_inside_of_the_car(scenes: pd.DataFrame) -> None:
    some = scenes[scenes.body_type != "convertible"].head(8)
    mask = render_masks(some, 96)
    core = binary_erosion(mask, generate_binary_structure(2, 1)[None])
    changed = (render_scenes(some, 96) != render_scenes(some.assign(background_value=(some.background_value + 0.5) % 1), 96)).any(axis=3)
    assert (changed & core).sum() < 0.02 * core.sum()
    assert changed[~mask].mean() > 0.95


def test_an_unknown_body_is_refused(scenes: pd.DataFrame) -> None:
    with pytest.raises(InputError, match=r'"tank" is unknown: use one of sedan, hatchback'):
        render_scene(scenes.iloc[0].to_dict() | {"body_type": "tank"})


def test_the_car_is_whole_and_large_enough(scenes: pd.DataFrame) -> None:
    masks = render_masks(scenes)
    assert not masks[:, [0, -1]].any()
    assert not masks[:, :, [0, -1]].any()
    size = [max(np.ptp(np.nonzero(m.any(axis=0))), np.ptp(np.nonzero(m.any(axis=1)))) / 128 for m in masks]
    assert min(size) > 0.25
    assert 0.5 < np.median(size) < 0.75


def test_shipped_images_are_what_the_generator_makes() -> None:
    from likeness.io.paths import assets_dir

    folder = assets_dir() / "synthetic_cars"
    table = pd.read_csv(folder / "attributes.csv")
    assert len(table) == 2000
    rows = table.groupby("body_type").head(2)
    for path, pixels in zip(rows.path, render_scenes(rows), strict=True):
        difference = np.abs(np.asarray(Image.open(folder / path)).astype(int) - pixels)
        # sines may differ in the last bit from machine to machine, which can flip a subpixel at an edge
        assert (difference > 2).mean() < 0.002
