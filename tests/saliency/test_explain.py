from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from likeness.data import ImageTable, read_cars
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.notions import Identity, InDiReCT, RandomEmbedding
from likeness.saliency import ImageModel, Saliency, saliency_maps, saliency_of_spaces
from likeness.saliency.one_tower import copy_noise, picture_key
from likeness.space import Space

DIM = 6


def _text(seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((5, DIM)).astype(np.float32)


def _expected(tower: Any, table: ImageTable, slow_sums: Callable[..., Any], U: np.ndarray | None = None, spread: float = 0.15) -> np.ndarray:
    """Sums of all images by loops, 4 copies, seed 7."""

    def embed(pixels: torch.Tensor) -> torch.Tensor:
        rows = tower.forward(pixels)
        return rows if U is None else rows @ torch.as_tensor(U, dtype=torch.float32)

    pictures = [tower.prepare(Image.open(path)) for path in table.paths()]
    base = embed(tower.pixels([np.zeros_like(pictures[0])]))[0]
    noise = [copy_noise([(picture_key(picture), copy) for copy in range(4)], 12, 12, 7) for picture in pictures]
    return np.stack([slow_sums(embed, tower.pixels([seen])[0], base, draws, spread) for seen, draws in zip(pictures, noise, strict=True)])


def test_equals_loops_over_images_copies_and_channels(space: Space, tower: Any, table: ImageTable, slow_sums: Callable[..., Any]) -> None:
    found = saliency_maps(space, range(5), samples=4, seed=7)
    np.testing.assert_allclose(found.sums, _expected(tower, table, slow_sums), rtol=1e-4, atol=1e-7)
    assert found.maps.shape == (5, 12, 12)
    assert found.maps.dtype == np.float32
    assert (found.maps.min(), found.maps.max()) == (0, 1)
    outer, inner = InDiReCT(dim=4).fit(_text()), InDiReCT(dim=2).fit(_text(1)[:, :4])
    one = space.project(outer, "a")
    for projected, U in ((one, outer.U), (one.project(inner, "b"), outer.U @ inner.U)):  # notions are their matrices behind the tower
        found = saliency_maps(projected, range(5), samples=4, seed=7)
        np.testing.assert_allclose(found.sums, _expected(tower, table, slow_sums, U), rtol=1e-3, atol=1e-6)
    assert found.name == "b"


def test_an_image_alone_has_the_map_that_it_has_among_others(space: Space) -> None:
    together = saliency_maps(space, range(5), samples=7)
    for batch_size in (1, 3, 7, 16, 1000):
        np.testing.assert_allclose(saliency_maps(space, [3], samples=7, batch_size=batch_size).maps[0], together.maps[3], atol=1e-5)
    turned = saliency_maps(space, [4, 0, 3], samples=7, batch_size=10)
    np.testing.assert_allclose(turned.maps, together.maps[[4, 0, 3]], atol=1e-5)


def test_the_seed_decides_the_noise_and_without_noise_the_number_of_copies_does_not_matter(space: Space) -> None:
    first, again, other = (saliency_maps(space, [0], samples=3, seed=seed).sums for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0.01 * first.max()
    one, many = (saliency_maps(space, [0, 2], samples=samples, noise=0).sums for samples in (1, 6))
    np.testing.assert_allclose(one, many, rtol=1e-5, atol=1e-8)


def test_another_percentile_needs_no_new_gradients(space: Space, tower: Any) -> None:
    found = saliency_maps(space, [0, 1], samples=3)
    tower.batches.clear()
    again = found.at(80)
    assert not tower.batches
    np.testing.assert_array_equal(again.maps, saliency_maps(space, [0, 1], samples=3, percentile=80).maps)
    assert (again.maps == 1).mean() == pytest.approx(0.2, abs=0.01)


def test_rows_files_and_pictures_are_the_same_images_of_which_the_model_sees_the_middle(space: Space, table: ImageTable) -> None:
    path = table.paths()[4]
    with Image.open(path) as picture:
        found = saliency_maps(space, [4, path, picture, picture.convert("RGBA"), np.int64(4)], samples=2)
        resized = np.asarray(picture.convert("RGB").resize((36, 12), Image.Resampling.BILINEAR))
    for one in found.maps[1:]:
        np.testing.assert_allclose(one, found.maps[0], atol=1e-5)
    assert found.pixels.dtype == np.uint8
    np.testing.assert_allclose(found.pixels[0].astype(int), resized[:, 12:24], atol=1)


def test_spaces_on_one_tower_share_noise_and_forward_pass(space: Space, tower: Any, make_space: Any, make_tower: Any) -> None:
    notion, elsewhere = space.project(InDiReCT(dim=2).fit(_text()), "notion"), make_tower(seed=1)
    tower.batches.clear()
    spaces = [space, make_space(elsewhere, "other"), notion, space.project(Identity(), "same")]
    found = saliency_of_spaces(spaces, range(5), samples=4, batch_size=8)
    assert tower.batches == [8, 8, 4]
    assert elsewhere.batches == [8, 8, 4]
    assert [one.name for one in found] == ["raw", "other", "notion", "same"]
    for one, alone in zip(found, spaces, strict=True):
        np.testing.assert_allclose(one.maps, saliency_maps(alone, range(5), samples=4).maps, atol=1e-4)
    np.testing.assert_allclose(found[0].maps, found[3].maps, atol=1e-4)
    assert np.abs(found[0].maps - found[1].maps).max() > 0.1


def test_the_base_image_matters_and_may_be_a_row_a_file_or_a_picture(space: Space, table: ImageTable) -> None:
    black, row = (saliency_maps(space, [0], samples=2, base=base).sums for base in ("black", 2))
    assert np.abs(black - row).max() > 0.05 * black.max()
    with Image.open(table.paths()[2]) as picture:
        np.testing.assert_array_equal(saliency_maps(space, [0], samples=2, base=picture).sums, row)
    np.testing.assert_array_equal(saliency_maps(space, [0], samples=2, base=table.paths()[2]).sums, row)
    np.testing.assert_array_equal(saliency_maps(space, [0], samples=2, base=Image.new("RGB", (9, 5))).sums, black)


def test_an_image_equal_to_the_base_has_a_finite_map(space: Space) -> None:
    found = saliency_maps(space, [Image.new("RGB", (20, 20)), 0], samples=3, noise=0)
    assert found.sums[0].max() < 1e-5 * found.sums[1].max()
    assert np.isfinite(found.maps).all()


def test_progress_counts_images_and_a_stop_keeps_what_is_done(space: Space) -> None:
    told: list[tuple[int, int]] = []
    notion = space.project(InDiReCT(dim=2).fit(_text()), "notion")
    found = saliency_of_spaces(
        [space, notion], range(5), samples=4, batch_size=8, progress=lambda *seen: told.append(seen), should_stop=lambda: len(told) == 2
    )
    assert told == [(2, 5), (4, 5)]
    assert [len(one) for one in found] == [4, 4]
    assert found[0].pixels.shape == (4, 12, 12, 3)
    np.testing.assert_allclose(found[1].maps, saliency_maps(notion, range(4), samples=4).maps, atol=1e-4)
    told.clear()
    saliency_maps(space, range(5), samples=4, batch_size=8, progress=lambda *seen: told.append(seen))
    assert told == [(2, 5), (4, 5), (5, 5)]


@pytest.mark.parametrize(
    ("images", "settings", "message"),
    [
        ([5], {}, "There is no image 5; the last of 'photos' is 4"),
        ([-1], {}, "There is no image -1; the last of 'photos' is 4"),
        ([], {}, "1 spaces and 0 images to explain; pass at least one"),
        ([Path("nothing.png")], {}, r"The image 'nothing.png' cannot be opened \(No such file"),
        ([0], {"base": "white"}, "There is no base image 'white'; pass 'black'"),
        ([0], {"base": 9}, "There is no image 9"),
        ([0], {"samples": 0}, "Got 0 samples in batches of 50"),
        ([0], {"batch_size": 0}, "Got 25 samples in batches of 0"),
        ([0], {"noise": -0.1}, "Got noise -0.1 and seed 0"),
        ([0], {"noise": float("nan")}, "Got noise nan"),
        ([0], {"seed": -1}, "Got noise 0.15 and seed -1"),
        *(([0], {"percentile": value}, f"The percentile is {value}; choose") for value in (0, 100.5, float("nan"))),
    ],
)
def test_bad_input_is_refused_in_words(space: Space, images: list[Any], settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        saliency_maps(space, images, **settings)


def test_images_and_spaces_that_do_not_fit_are_refused_before_anything_is_computed(space: Space, table: ImageTable, tower: Any) -> None:
    (table.root / "broken.png").write_bytes(b"no picture")
    with pytest.raises(InputError, match=r"'broken.png' cannot be read"):
        saliency_maps(space, [0, 1, 2, table.root / "broken.png"])
    random = space.project(RandomEmbedding(dim=4).fit(_text()), "by chance")
    for blind in (random, space.replace(name="by chance", differentiable=None)):
        with pytest.raises(InputError, match=r"'by chance' has no differentiable model; choose an encoder's space"):
            saliency_of_spaces([space, blind], [0])
    fewer = Space(space.vectors[1:], ImageTable("x", table.root, table.frame.iloc[1:]), name="fewer", differentiable=space.differentiable)
    for row in (0, 4):
        with pytest.raises(InputError, match=f"Image {row} is not the same in the spaces 'raw' and 'fewer'"):
            saliency_of_spaces([space, fewer], [row])
    assert not tower.batches


def test_an_image_at_a_right_angle_to_a_notion_has_a_zero_map(table: ImageTable, make_tower: Any, make_space: Any) -> None:
    flat = make_tower(forward=lambda pixels: torch.cat([pixels[:, :, :6].flatten(1)[:, :5].abs() + 1, torch.zeros(len(pixels), 1)], dim=1))
    notion = InDiReCT(dim=1)
    notion.U = np.eye(DIM)[:, 5:]
    found = saliency_maps(make_space(flat).project(notion, "notion"), [0, 1], samples=2)
    assert not found.sums.any()
    assert not found.maps.any()


def test_the_shipped_encoder_explains_the_vectors_that_it_stores() -> None:
    import likeness.encoders

    table = read_cars()
    few = ImageTable(table.name, table.root, table.frame.iloc[:3])
    base = embed(few)
    notion = base.project(InDiReCT(dim=2).fit(likeness.encoders.embed_texts("cars", ["a red car", "a blue car", "a car"]).vectors), "notion")
    for space in (base, notion):
        assert space.differentiable is not None
        model = space.differentiable()
        assert isinstance(model, ImageModel)
        with torch.no_grad():
            rows = model.embed(model.pixels(model.prepare(few.paths()))).numpy()
        np.testing.assert_allclose(rows, space.vectors, atol=2e-5)
    raw, own = saliency_of_spaces([base, notion], [0, 1], samples=2)
    assert isinstance(raw, Saliency)
    assert raw.maps.shape == own.maps.shape == (2, 96, 96)
    assert 0.05 < raw.maps.mean() < 0.9


def test_a_copys_noise_is_standard_normal_and_follows_from_image_number_and_seed_alone() -> None:
    a, b = picture_key(np.zeros((4, 5, 3), np.uint8)), picture_key(np.full((4, 5, 3), 7, np.uint8))
    together = copy_noise([(a, 0), (a, 1), (b, 0)], 4, 5, seed=3)
    assert together.shape == (3, 3, 4, 5)
    assert together.dtype == np.float32
    np.testing.assert_array_equal(copy_noise([(b, 0)], 4, 5, seed=3)[0], together[2])
    np.testing.assert_array_equal(copy_noise([(a, 1)], 4, 5, seed=3)[0], together[1])
    for other in (together[1], together[2], copy_noise([(a, 0)], 4, 5, seed=4)[0]):
        assert np.abs(other - together[0]).max() > 0.5
    draws = copy_noise([(a, copy) for copy in range(20)], 40, 50, seed=0)
    assert draws.mean() == pytest.approx(0, abs=0.01)
    assert draws.std() == pytest.approx(1, abs=0.01)
    assert (np.abs(draws) > 1.96).mean() == pytest.approx(0.05, abs=0.003)
    assert abs(np.corrcoef(draws.reshape(20, -1))[np.triu_indices(20, 1)]).max() < 0.08
