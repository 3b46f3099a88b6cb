"""A step's pictures and truth follow from the seed and the step; mirrored pictures carry mirrored attributes."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from experiments.clip import renders as renders_module
from experiments.clip.batches import BatchMaker, mirrored_codes, moved, to_tensor
from experiments.clip.captions import ATTRIBUTES, CaptionWriter, Codes, encode_attributes
from experiments.clip.model import build_model, export
from experiments.clip.recipe import ClipRecipe
from experiments.clip.renders import load_renders, resized
from experiments.clip.tokenizer import UNKNOWN, build_tokenizer, vocabulary
from experiments.renders.cars import render_scenes
from experiments.renders.cars.scene import sun_side_name, viewpoint_name


@pytest.fixture
def maker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BatchMaker:
    monkeypatch.setattr(renders_module, "CHUNK", 4)
    recipe = ClipRecipe(image_size=32, batch=6, described=3, renders=8, unknown_share=0.5)
    renders = load_renders(8, recipe.seed, 32, tmp_path)
    return BatchMaker(recipe, renders, CaptionWriter(), build_tokenizer(vocabulary()))


def test_mirrored_attributes_are_those_of_the_mirrored_scene(scenes: pd.DataFrame, codes: Codes) -> None:
    mirrored = scenes.assign(
        viewpoint=[viewpoint_name((360 - yaw) % 360) for yaw in scenes["yaw"]],
        sun_side=[sun_side_name((360 - azimuth) % 360) for azimuth in scenes["sun_azimuth"]],
    )
    np.testing.assert_array_equal(mirrored_codes(codes), encode_attributes(mirrored))


def test_moved_repeats_the_border() -> None:
    picture = np.arange(9, dtype=np.uint8).reshape(1, 3, 3, 1).repeat(3, axis=3)
    out = moved(picture, np.array([[1, -1]]), 1)
    np.testing.assert_array_equal(out[0, :, :, 0], [[3, 3, 4], [6, 6, 7], [6, 6, 7]])


def test_pixels_are_prepared_as_open_clip_prepares_them(tmp_path: Path, scenes: pd.DataFrame) -> None:
    import open_clip

    recipe, words = ClipRecipe(image_size=32), vocabulary()
    export(build_model(recipe, len(words)).state_dict(), words, recipe, tmp_path)
    _, preprocess = open_clip.create_model_from_pretrained(f"local-dir:{tmp_path}")
    pixels = render_scenes(scenes[:2])
    expected = np.stack([preprocess(Image.fromarray(picture)).numpy() for picture in pixels])
    np.testing.assert_allclose(to_tensor(resized(pixels, 32)).numpy(), expected, atol=1e-6)


def test_a_step_gives_its_batch_again_with_one_true_prompt_per_set(maker: BatchMaker) -> None:
    first, again, other = maker.batch(3), maker.batch(3), maker.batch(4)
    np.testing.assert_array_equal(first.pixels, again.pixels)
    np.testing.assert_array_equal(first.tokens, again.tokens)
    assert not np.array_equal(first.pixels, other.pixels)
    batch = maker.batch(0)
    assert len(batch.sets) == len(ATTRIBUTES) + 1
    for columns in batch.sets:
        assert (batch.truth[:, columns].sum(axis=1) == 1).all()
    described = batch.truth[:, batch.sets[-1].stop :][:3, :3]
    assert described.diagonal().all()
    tokens = maker._tokens(["a photo of a red car"] * 50, np.random.default_rng(0))
    red = maker.tokenizer("red", add_special_tokens=False).input_ids[0]
    assert (tokens[:, 5] == red).all()
    assert 0.3 < (tokens[:, 1] == UNKNOWN).mean() < 0.7
