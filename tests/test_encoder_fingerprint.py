"""Vectors of one's own are searched by words if they are the encoder's, and refused with the number if not."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.decomposition import PCA

import likeness as lk
import worlds
from experiments.analyses.encoder_fingerprints import fingerprints
from likeness.encoder_fingerprint import THRESHOLD
from likeness.io import read_image
from likeness.notions import get_notion
from likeness.search import build_index

RESULTS = Path(__file__).parents[1] / "experiments" / "results" / "encoder-fingerprints.csv"


def _cars() -> lk.Space:
    return worlds.cars()[:150]


@pytest.mark.parametrize(
    "stored",
    [lambda rows: 7 * rows, lambda rows: rows.astype(np.float16), lambda rows: np.round(127 * rows / np.abs(rows).max()).astype(np.int8)],
    ids=["scaled", "float16", "int8"],
)
def test_vectors_of_the_encoder_are_searched_by_words_and_images_as_embedded_ones(stored: Any, tmp_path: Path) -> None:
    cars = _cars()
    own = lk.Space(stored(cars.vectors), cars.table, encoder="cars")
    assert repr(own) == "Space('Vectors', 150 images, 512-d, encoder 'cars')"
    assert own.table.notes == ()
    assert own.nearest("a red car", k=5).rows.tolist() == cars.nearest("a red car", k=5).rows.tolist()
    assert own.nearest(cars.table.paths()[3], k=1).rows.tolist() == [3]
    assert own.differentiable is not None
    notion = get_notion("car-color")
    np.testing.assert_allclose(own.refit(notion).vectors, cars.refit(notion).vectors, atol=0.05)
    assert own.refit(notion).nearest("a red car", k=1).rows.shape == (1,)
    indexed = own.replace(index=build_index(own.vectors, tmp_path / "index", cells=4))
    assert indexed.build_index(tmp_path / "other", cells=4).nearest("a red car", k=5).rows.tolist() == own.nearest("a red car", k=5).rows.tolist()
    with pytest.raises(lk.InputError, match="Vectors of your own have no default folder; pass a folder for the index"):
        own.build_index()
    loaded = lk.load(own.save(tmp_path / "own.parquet"))
    assert loaded.nearest("a red car", k=5).rows.tolist() == own.nearest("a red car", k=5).rows.tolist()
    again = lk.load(own.refit(notion).save(tmp_path / "color.parquet"))
    assert again.nearest("a red car", k=5).rows.tolist() == own.refit(notion).nearest("a red car", k=5).rows.tolist()


def _shuffled(cars: lk.Space) -> Any:
    return np.roll(cars.vectors, 7, axis=0)


def _cropped(cars: lk.Space) -> Any:
    images = [read_image(path) for path in cars.table.paths()]
    parts = [image.crop((image.width // 16, image.height // 16, image.width * 15 // 16, image.height * 15 // 16)) for image in images]
    return lk.load("cars").encode_images(parts)


def _half_shuffled(cars: lk.Space) -> Any:
    return np.concatenate([cars.vectors[:75], np.roll(cars.vectors[75:], 1, axis=0)])


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (
            _shuffled,
            r"have a cosine of 0\.\d+ with their rows, expected at least 0.985 .*They fit other rows, such as row \d+ for 'images/\d+.webp' in row",
        ),
        (_half_shuffled, "They fit other rows"),
        (_cropped, r"have a cosine of 0\.9\d+ with .*resized, cropped or normalized otherwise"),
        (lambda cars: cars.vectors - cars.vectors.mean(axis=0), r"cosine of 0\.8\d+ .*that were not centered"),
        (lambda cars: lk.embed(cars.table, "cars-small").vectors, r"have a cosine of -?0\.0\d+ .*Name the encoder that made them"),
        (
            lambda cars: PCA(64).fit_transform(cars.vectors),
            "have 64 dimensions, but 'cars' has 512",
        ),
    ],
    ids=["shuffled", "half shuffled", "cropped", "centered", "other encoder", "principal components"],
)
def test_other_vectors_are_refused_with_the_cosine_and_what_it_may_mean(vectors: Any, message: str) -> None:
    cars = _cars()
    with pytest.raises(lk.InputError, match=message):
        lk.Space(vectors(cars), cars.table, encoder="cars")


def test_without_an_image_to_compare_it_says_so_and_searches(tmp_path: Path) -> None:
    cars = _cars()
    gone = pd.DataFrame({"path": [str(tmp_path / f"{row}.png") for row in range(len(cars))]})
    for images, message in (
        (None, "'Vectors' has no images, so it is not known"),
        (gone, "'Vectors' could not be compared with its images (there is no such file), so it is not known"),
    ):
        own = lk.Space(cars.vectors, images, encoder="cars")
        assert repr(own).endswith("encoder 'cars' (not checked))")
        assert any(message in note for note in own.table.notes)
        assert own.nearest("a red car", k=5).rows.tolist() == cars.nearest("a red car", k=5).rows.tolist()
        with pytest.raises(lk.InputError, match="have 32 dimensions, but 'cars' has 512"):
            lk.Space(cars.vectors[:, :32], images, encoder="cars")
    # a space that reads texts by a function of its own, and one that is only called by an encoder, are not checked
    assert lk.Space(np.eye(3), encoder="cars", embed_texts=lambda texts: np.eye(3)[: len(texts)]).table.notes == ()
    assert lk.Space(np.eye(3)).replace(encoder="cars").embed_texts is None


def test_a_foreign_parquet_file_is_searched_by_words_with_its_encoder(tmp_path: Path) -> None:
    cars = _cars()
    frame = pl.DataFrame({"path": [str(path) for path in cars.table.paths()], "vector": cars.vectors.tolist(), "price": range(150)})
    frame.write_parquet(tmp_path / "x.parquet")
    own = lk.load(tmp_path / "x.parquet", encoder="cars")
    assert own.nearest("a red car", k=5).rows.tolist() == cars.nearest("a red car", k=5).rows.tolist()
    assert own.table.attributes == ["price"]
    with pytest.raises(lk.InputError, match="The vectors are not those of 'cars-small'"):
        lk.load(str(tmp_path / "x.parquet"), encoder="cars-small")
    # the encoder that a file of another origin names is checked, too
    lk.Space(_shuffled(cars), cars.table).replace(encoder="cars").save(tmp_path / "wrong.parquet")
    with pytest.raises(lk.InputError, match="The vectors are not those of 'cars'"):
        lk.load(tmp_path / "wrong.parquet")
    cars.refit(get_notion("car-color")).save(tmp_path / "color.parquet")
    with pytest.raises(lk.InputError, match=r"'color\.parquet' is the space of a notion by 'cars'; load it without another encoder"):
        lk.load(tmp_path / "color.parquet", encoder="photos")
    with pytest.raises(lk.InputError, match=r"'cars' is no file of vectors, so it cannot be of the encoder 'photos'"):
        lk.load("cars", encoder="photos")


def test_an_encoder_given_as_an_object_is_checked_as_well() -> None:
    cars = _cars()
    encoder = lk.load("cars")
    assert lk.Space(cars.vectors, cars.table, encoder=encoder).nearest("a red car", k=2).rows.shape == (2,)
    with pytest.raises(lk.InputError, match="The vectors are not those of 'cars'"):
        lk.Space(_shuffled(cars), cars.table, encoder=encoder)


def test_the_threshold_lets_stored_vectors_through_and_others_not() -> None:
    found = pd.read_csv(RESULTS)
    assert set(found["encoder"]) == {"cars", "cars-small", "photos"}
    kept = (found["kind"] == "stored") & (found["change"] != "signs only")
    assert (found.loc[kept, "fits"] == 1).all()
    assert found.loc[kept, "lowest"].min() > THRESHOLD
    other = found["change"].isin(["next image", "random rotation", "cars", "cars-small", "signs only"])
    assert (found.loc[other, "fits"] == 0).all()
    assert found.loc[other, "highest"].max() < 0.9


def test_the_measurement_counts_what_the_check_does() -> None:
    rows: list[dict[str, Any]] = []
    found = fingerprints(_cars().table.paths()[:14], "cars-small", ["cars"], on_run=rows.append)
    assert rows == found.to_dict("records")
    by_change = found.set_index("change")
    assert by_change.loc["float16", "fits"] == 1
    assert by_change.loc[["cars", "random rotation", "next image"], "fits"].tolist() == [0, 0, 0]
    assert by_change.loc["weights changed by 1%", "quartile"] > by_change.loc["weights changed by 10%", "quartile"]
