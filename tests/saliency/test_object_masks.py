"""Where the object of each image is: as the renderer drew it, in the model's crop; and what is missing or does not fit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from experiments.renders.cars import render_masks, render_scenes, write_dataset
from experiments.renders.cars.dataset import write_masks
from likeness.data import ImageTable, read_cars
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.notions import RandomTransform
from likeness.saliency import control_spaces, mass_share, object_masks
from likeness.space import Space


@pytest.fixture(scope="module")
def base() -> Space:
    cars = read_cars()
    return embed(ImageTable(cars.name, cars.root, cars.frame.iloc[:4]))


def test_masks_follow_the_images_size_and_the_models_crop(tower: Any, make_space: Any, tmp_path: Path) -> None:
    frame = write_dataset(tmp_path, 3, seed=4, size=48)
    masks = object_masks(make_space(tower, of=ImageTable("cars", tmp_path, frame)), [2, 0])
    blocks = render_masks(frame.iloc[[2, 0]], 48).reshape(2, 12, 4, 12, 4).mean(axis=(2, 4))
    assert masks.shape == (2, 12, 12)
    sure = (blocks < 0.2) | (blocks > 0.8)
    assert sure.mean() > 0.7
    assert (masks == (blocks >= 0.5))[sure].mean() > 0.99


def test_those_of_the_shipped_cars_are_as_the_renderer_draws_them(base: Space) -> None:
    assert base.differentiable is not None
    model, frame = base.differentiable(), base.table.frame
    drawn = [Image.fromarray(mask.astype(np.uint8) * 255).convert("RGB") for mask in render_masks(frame)]
    np.testing.assert_array_equal(object_masks(base, range(4)), model.prepare(drawn)[..., 0] >= 128)
    repainted = frame.assign(car_value=(frame["car_value"] + 0.5) % 1)
    before, after = (model.prepare([Image.fromarray(pixels) for pixels in render_scenes(scenes)]).astype(float) for scenes in (frame, repainted))
    np.testing.assert_array_equal(before, model.prepare(base.table.paths()))
    change, masks = np.abs(before - after).sum(-1), object_masks(base, range(4))
    assert mass_share(change, masks).min() > 0.9
    assert mass_share(change, masks[:, ::-1, ::-1]).max() < 0.8


def test_what_does_not_say_where_its_objects_are_is_refused(space: Space, base: Space, tower: Any, make_space: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no object masks for 'photos', since 'masks\.npz' is missing"):
        object_masks(space, [0])
    with pytest.raises(InputError, match="'blind' has no model"):
        object_masks(Space(base.vectors, base.table, name="blind"), [0])
    with pytest.raises(InputError, match="There is no image 4; the last of 'Synthetic Cars' is 3"):
        object_masks(base, [4])
    frame = write_dataset(tmp_path, 2, size=16)
    rendered = make_space(tower, of=ImageTable("cars", tmp_path, frame))
    write_masks(tmp_path, ["images/00000.webp"], np.ones((1, 16, 16), bool))
    with pytest.raises(InputError, match="does not fit its images"):
        object_masks(rendered, [1])
    np.savez(tmp_path / "masks.npz", paths=np.array(frame["path"].tolist()), size=(16, 16), masks=np.zeros((2, 3), np.uint8))
    with pytest.raises(InputError, match="does not fit its images"):
        object_masks(rendered, [1])
    (tmp_path / "masks.npz").write_bytes(b"none")
    with pytest.raises(InputError, match="cannot be read as arrays"):
        object_masks(rendered, [0])


def test_control_spaces_are_random_projections_of_the_encoder(base: Space) -> None:
    first, second = control_spaces(base, 3, 2)
    np.testing.assert_array_equal(first.vectors, RandomTransform(3, 0).fit(base.vectors).transform(base.vectors))
    assert (first.vectors.shape, first.name) == ((4, 3), "random projection")
    assert not np.allclose(first.vectors, second.vectors)
