"""Regions are images to everything: on collages of cars, all of it answers as on the cars themselves."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import likeness as lk
from likeness.clusters import cluster
from likeness.comparisons import version_changes
from likeness.data import ImageTable, large_picture, thumbnail
from likeness.duplicates import exact_copies, near_copies
from likeness.saliency import saliency_maps
from likeness.space import Space
from likeness.tagging import TagStore
from likeness.training.data.pixels import load_pixels, load_whole_images
from worlds import copy_cars, draw_collages

ROWS = [*range(0, 960, 20), 0, 20]  # the last two are copies of the first


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Space, Space]:
    """The regions of the collages, and the cars themselves."""
    regions, cars = lk.read(draw_collages(tmp_path_factory.mktemp("streets"), ROWS)), lk.read("cars")
    assert len(regions) == len(ROWS)
    assert len({path.partition("#")[0] for path in regions.frame["path"]}) == 13
    folder = copy_cars(tmp_path_factory.mktemp("cars"), ROWS)
    frame = cars.frame.iloc[ROWS].assign(path=[f"{number:02}.webp" for number in range(len(ROWS))])
    return lk.embed(regions, "cars"), lk.embed(ImageTable("cars", folder, frame), "cars")


def test_spaces_search_notions_metrics_and_clusters(both: tuple[Space, Space]) -> None:
    regions, cars = both
    np.testing.assert_allclose(regions.vectors, cars.vectors, atol=1e-5)
    found, expected = regions.nearest("a red car", k=9), cars.nearest("a red car", k=9)
    assert set(found.rows) == set(expected.rows)  # of two copies either may come first
    np.testing.assert_allclose(found.similarities, expected.similarities, atol=1e-5)
    assert regions.nearest(regions.table.file(7), k=3).rows.tolist()[0] == 7
    notion = lk.Notion("color", "a {} car", ["red", "blue", "black", "white"])
    of_regions, of_cars = regions.refit(notion), cars.refit(notion)
    np.testing.assert_allclose(of_regions.vectors @ of_regions.vectors.T, of_cars.vectors @ of_cars.vectors.T, atol=1e-4)
    labels = regions.table.frame["car_color"]
    assert lk.metrics(of_regions.vectors, labels, "precision_at_1") == pytest.approx(lk.metrics(of_cars.vectors, labels, "precision_at_1"))
    clusters = cluster(of_regions, seed=1).labels
    np.testing.assert_array_equal(clusters[[0, 1]], clusters[[48, 49]])


def test_copies_versions_and_tags(both: tuple[Space, Space], tmp_path: Path) -> None:
    regions, cars = both
    assert len(exact_copies(regions.table)) == 0  # equal pixels, but no equal files with equal boxes
    assert sorted(near_copies(regions, 0.9999).rows.tolist()) == sorted(near_copies(cars, 0.9999).rows.tolist()) == [[0, 48], [1, 49]]
    assert version_changes(regions.table, regions.table).counts().set_index("change")["images"]["same"] == len(ROWS)
    store, paths = TagStore(tmp_path / "tags.sqlite"), regions.table.frame["path"].tolist()
    store.add_tag(paths[:2], "mine", "me")
    assert store.columns(paths)["mine"].astype(bool).tolist() == [True, True] + [False] * (len(ROWS) - 2)


def test_pictures_training_and_saliency(both: tuple[Space, Space]) -> None:
    regions, cars = both
    for read in (load_pixels, load_whole_images):
        np.testing.assert_array_equal(read(regions.table, 32), read(cars.table, 32))
    np.testing.assert_allclose(saliency_maps(regions, [3], samples=2).maps, saliency_maps(cars, [3], samples=2).maps, atol=1e-4)
    assert saliency_maps(regions, [3], samples=2).maps.shape[0] == 1
    assert len(thumbnail(regions.table.file(0))) > 100
    assert len(large_picture(regions.table.file(0))) > 100


def test_a_picture_shows_the_region_in_its_image(tmp_path: Path) -> None:
    from io import BytesIO

    pixels = np.full((100, 200, 3), 200, np.uint8)
    pixels[20:60, 40:80] = (250, 0, 0)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    path = tmp_path / "a.png#xywh=40,20,40,40"
    with Image.open(BytesIO(large_picture(path))) as whole:
        assert whole.size == (200, 100)
        shown = np.asarray(whole.convert("RGB")).astype(int)
    assert np.abs(shown[21:59, 41:79] - [250, 0, 0]).max() < 12
    assert np.abs(shown[70:, 100:] - 80).max() < 12  # dimmed
    with Image.open(BytesIO(thumbnail(path, 60))) as small:
        assert small.size == (60, 60)  # 40 pixels and a quarter of that around
        shown = np.asarray(small.convert("RGB")).astype(int)
    assert np.abs(shown[14:46, 14:46] - [250, 0, 0]).mean() < 20
    assert np.abs(shown[:6] - 80).mean() < 20
    with pytest.raises(OSError, match="is empty or outside of the image"):
        thumbnail(tmp_path / "a.png#xywh=400,20,40,40")
