from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import worlds
from experiments.shipping import cars_notions
from likeness.data import ImageTable, read_dataset
from likeness.data.table import IMAGE_COLUMN
from likeness.embedding import embed, load_space
from likeness.errors import InputError
from likeness.io import assets_dir
from likeness.notions import PCA, Identity, InDiReCT, LinearAutoencoder, Notion, RandomEmbedding, get_notion, save_notion
from likeness.projection import LayoutJob
from likeness.saliency import ImageModel
from likeness.search import build_index, nearest, search_plan
from likeness.space import Space
from made_rows import unit


def _table(n: int) -> ImageTable:
    return ImageTable("photos", Path("."), pd.DataFrame({"path": [f"{i}.png" for i in range(n)]}))


def _vectors(n: int, d: int, seed: int = 0) -> np.ndarray:
    return unit(np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32))


def test_of_several_rows_of_an_image_the_first_that_is_allowed_is_found() -> None:
    table = ImageTable("photos", Path("."), _table(4).frame.assign(**{IMAGE_COLUMN: ["0.png", "0.png", "2.png", "2.png"]}))
    space = Space(_vectors(2, 8)[[0, 0, 1, 1]], table)
    assert space.nearest(0, 4).rows.tolist() == [2]
    allowed, exclude = space.one_row_per_image(exclude=[3, -1])
    assert (allowed.tolist(), list(exclude)) == ([True, False, True, False], [2, -1])
    allowed, exclude = space.one_row_per_image(np.array([False, True, True, True]), [0])
    assert (allowed.tolist(), list(exclude)) == ([False, True, True, False], [1])


def test_the_key_follows_the_vectors_or_their_lineage_and_not_the_name() -> None:
    vectors = _vectors(4, 8)
    nearly = np.nextafter(vectors, 2, dtype=np.float32)
    assert Space(vectors, name="a").key == Space(vectors, name="b").key != Space(_vectors(4, 8, seed=1), name="a").key
    assert Space(vectors, provenance="x").key == Space(nearly, provenance="x").key != Space(vectors, provenance="y").key


class Tower:
    def embed(self, pixels: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.normalize(pixels.flatten(1), dim=1)


@pytest.mark.parametrize("estimator", [InDiReCT(dim=3), PCA(dim=3), LinearAutoencoder(dim=3)])
def test_a_transformed_space_sees_all_alike_in_unit_rows_whatever_the_estimators_are(estimator: InDiReCT | PCA | LinearAutoencoder) -> None:
    vectors, loads = _vectors(6, 12), []
    codes = estimator.fit(_vectors(5, 12, seed=2)).transform(vectors)
    model: Any = lambda: loads.append(1) or ImageModel(Tower())  # type: ignore[arg-type, func-returns-value]  # noqa: E731
    given: Any = {"embed_texts": lambda texts: vectors[: len(texts)], "embed_images": lambda images: vectors[: len(images)], "differentiable": model}
    space = Space(vectors, _table(6), name="raw", **given).project(estimator, "notion")
    np.testing.assert_allclose(space.vectors, unit(codes), atol=1e-6)
    assert space.embed_texts is not None
    assert space.embed_images is not None
    assert space.differentiable is not None
    np.testing.assert_allclose(space.embed_texts(["a", "b"]), space.vectors[:2], atol=1e-6)
    np.testing.assert_allclose(space.embed_images([Path("x")] * 3), space.vectors[:3], atol=1e-6)
    assert not loads
    np.testing.assert_allclose(space.differentiable().embed(torch.tensor(vectors).reshape(6, 3, 2, 2)).numpy(), space.vectors, atol=1e-6)
    assert Space(vectors, _table(6), **given).project(RandomEmbedding(dim=3), "by chance").differentiable is None
    plain = Space(vectors, _table(6)).project(estimator, "notion")
    assert plain.differentiable is plain.embed_texts is None


def test_labels_that_come_are_those_of_the_space_beneath_and_of_what_is_made_from_it() -> None:
    space = Space(np.eye(6), labels=list("aabbcc"))
    projected = space.project(RandomEmbedding(2).fit(space.vectors), "two").project(Identity().fit(space.vectors), "as it is")
    now = projected.with_table(ImageTable("Vectors", Path(), pd.DataFrame({"good": [True] * 6}), has_images=False))
    assert now.base is not None
    assert now.base.base is not None
    assert all(each.table is now.table for each in (now, now.base, now.base.base))
    assert now.base.vectors is projected.base.vectors
    assert projected.table.attributes == projected.base.table.attributes == ["label"]


def test_a_notion_is_searched_through_the_index_of_its_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr(search_plan, "_CHEAP_BYTES", 0)
    base = worlds.cars()
    assert base.search is None
    indexed = base.replace(index=build_index(base.vectors, tmp_path / "index", cells=60))
    notion = get_notion("car-color")
    through, exact = (each.refit(notion, InDiReCT(dim=16)) for each in (indexed, base))
    assert through.key == exact.key
    assert through.search is not None
    np.testing.assert_allclose(through.linear, through.estimator.U, atol=1e-6)
    queries = np.arange(0, 2000, 100)
    for space, other in ((through, exact), (indexed, base)):
        assert space.search is not None
        assert space.search.wait().exact == (space is through)  # 16 numbers an image are compared sooner than the cells of 512 are looked through
        found, expected = (each.nearest(each.vectors[queries], 10, exclude=queries).rows for each in (space, other))
        np.testing.assert_array_equal(expected, nearest(other.vectors[queries], other.vectors, 10, exclude=queries).rows)
        assert np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found.tolist(), expected.tolist(), strict=True)]) > 0.85
    # a notion on top of a notion, and one that is no linear map, have no index
    assert through.project(InDiReCT(dim=4).fit(through.vectors[:50]), "twice").search is None
    assert indexed.refit(notion, PCA(dim=4)).search is None


def test_notions_are_joined_and_taken_away_in_one_linear_map() -> None:
    base = worlds.cars()
    color, body, background = (get_notion(name) for name in ("car-color", "car-model", "background-color"))
    joined = base.refit(color + body - background)
    assert joined.name == "car color + car model - background color"
    assert joined.linear is not None
    assert joined.estimator.fit_stats_.n_prompts == sum(len(notion.prompts) for notion in (color, body, background))

    def score(space: Space, *by: str) -> float:
        return space.metrics(by=list(by), include="map_at_r")["map_at_r"]

    both = ("car_color", "body_type")
    assert score(joined, *both) > max(score(base.refit(color), *both), score(base.refit(body), *both)) + 0.1 > score(base, *both)
    # a smaller weight counts less, and gives another space
    assert score(base.refit(color + 0.1 * body - background), "car_color") > score(joined, "car_color")
    keys = {base.refit(each).key for each in (color, color + body, color + 0.1 * body, color - background)}
    assert len(keys) == 4
    with pytest.raises(InputError, match="is not a linear map"):
        base.refit(color + body, "probabilities")


def test_every_map_that_ships_is_found_by_its_space() -> None:
    base = worlds.cars()
    keys = {LayoutJob(space.vectors, content=space.key).key for space in (base, *(base.refit(notion) for notion in cars_notions()))}
    assert keys == {file.stem for file in (assets_dir() / "maps").glob("*.npy")}


def test_a_method_may_read_images_and_other_notions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = worlds.cars()
    notion = get_notion("car-model")
    material = base.fit_material(notion, base.embed_aspects(notion)[0], "text, images and other notions")
    assert material[1] is base.vectors
    judged_alike = get_notion("car-model-names")
    assert len(judged_alike.prompts) not in {len(rows) for rows in material[2]}
    assert len(get_notion("viewpoint").prompts) in {len(rows) for rows in material[2]}
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path))
    save_notion(Notion("own", "a {} car", ("red", "blue")))
    again = base.fit_material(notion, material[0], "text and other notions")[1]
    assert [len(rows) for rows in again] == [len(rows) for rows in material[2]]
    for method in ("clay", "contrastive-pca", "null-space"):
        assert base.refit(notion, method).metrics(by="body_type", include="map_at_r")["map_at_r"] > 0.9


def test_a_space_of_odd_names_is_saved_loaded_and_finds_its_images(odd_names: Path, tmp_path: Path) -> None:
    import json

    space = embed(read_dataset(odd_names), "cars-small")
    assert (len(space.table), space.table.name) == (7, "phot\N{REPLACEMENT CHARACTER}F6s")
    loaded = load_space(space.save(tmp_path / "x.parquet"))
    np.testing.assert_array_equal(loaded.vectors, space.vectors)
    assert loaded.table.paths() == space.table.paths()
    assert all(path.is_file() for path in loaded.table.paths())
    assert loaded.table.file(3) == loaded.table.paths()[3]
    space.table.frame.to_csv(odd_names / "images.csv", index=False)
    assert embed(read_dataset(odd_names / "images.csv"), "cars-small").table.paths() == space.table.paths()
    given = Space(space.vectors, space.table.paths(), name="mine")
    assert given.table.paths() == space.table.paths()
    shown = [loaded.table._repr_html_(), given.nearest(given.vectors[0], 5)._repr_html_(), repr(loaded.table)]
    assert shown[0].count("data:image/webp") == 7
    json.dumps(shown, ensure_ascii=False).encode()
