"""`import likeness as lk`: what a user of the package meets first."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import likeness as lk
from likeness.data import Failure
from likeness.notions import PCA, suggest_dim

COLORS = {"red": (200, 30, 30), "green": (30, 180, 40), "blue": (30, 40, 200)}


class ColorEncoder:
    """Mean color; reads the names of three colors."""

    name, identity, dim, has_text = "colors", "colors-1", 3, True

    def encode_images(self, images: Sequence[Any]) -> np.ndarray:
        opened = [Image.open(image).convert("RGB") if isinstance(image, Path) else image for image in images]
        rows = np.array([np.asarray(image, np.float32).mean((0, 1)) + 1 for image in opened])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.array([np.mean([COLORS[word] for word in text.split() if word in COLORS] or [(1, 1, 1)], axis=0) for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def unknown_words(self, text: str) -> list[str]:
        return [word for word in text.split() if word not in COLORS]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Nine pictures, three of each color, and one file that is none."""
    place = tmp_path / "photos"
    for name, color in COLORS.items():
        (place / name).mkdir(parents=True)
        for i in range(3):
            Image.new("RGB", (16, 12), tuple(min(255, c + 9 * i) for c in color)).save(place / name / f"{i}.png")
    (place / "red" / "broken.png").write_bytes(b"no picture")
    return place


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("likeness", {"torch", "numpy", "pandas", "streamlit", "PIL"}),
        ("likeness.commands.cli", {"torch", "numpy", "pandas", "plotly"}),
        ("likeness.saliency", {"torch", "scipy", "pandas", "open_clip", "PIL"}),
    ],
)
def test_importing_loads_nothing_heavy(module: str, heavy: set[str]) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys, {module}; print({heavy} & set(sys.modules))"], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "set()"


def test_every_name_is_there_and_says_what_it_is() -> None:
    for name in lk.__all__:
        found = getattr(lk, name)
        assert len((found.__doc__ or "").split()) > 5, name
        assert name in dir(lk)
        assert isinstance(found, type) or "return" in found.__annotations__, name
        assert ">>> " in found.__doc__ or name in ("InputError", "maps", "compare"), name
    with pytest.raises(AttributeError, match="No likeness attribute embedd"):
        lk.embedd  # noqa: B018


def test_from_a_folder_with_an_encoder_of_ones_own_to_hits(folder: Path) -> None:
    images = lk.read(folder)
    assert repr(images) == "ImageTable('photos', 10 images, attributes: class)"
    space = lk.embed(images, ColorEncoder())
    assert repr(space) == "Space('Raw encoder', 9 images, 3-d, encoder 'colors')"
    assert [Path(each.path).name for each in space.table.failed] == ["broken.png"]
    assert isinstance(space.table.failed[0], Failure)
    hits = space.nearest("a red thing", k=3)
    assert {path.parent.name for path in hits.paths} == {"red"}
    assert list(hits.similarities) == sorted(hits.similarities, reverse=True)
    row = int(hits.rows[0])
    for query in (hits.paths[0], Image.open(hits.paths[0]).convert("RGB"), space.vectors[row], hits.paths[0].read_bytes()):
        assert space.nearest(query, k=1).rows[0] == row
    assert row not in space.nearest(row, k=8).rows
    for query in (str(hits.paths[0]), space.table.frame["path"][row]):  # a text that is the path of an image
        assert space.nearest(query, k=1).rows[0] == row
    assert space.nearest(space.vectors[:4], k=2).rows.shape == (4, 2)
    assert [len(each) for each in space.nearest(space.vectors[:4], k=2)] == [2, 2, 2, 2]


def test_a_text_that_names_no_image_is_no_query_and_neither_is_a_truth_value(folder: Path) -> None:
    space = lk.embed(lk.read(folder), ColorEncoder())
    with pytest.raises(lk.InputError, match=r"There is no image 'red/7\.PNG'; check the path, or pass `space\.text_query\('red/7\.PNG'\)\[0\]`"):
        space.nearest("red/7.PNG")
    assert space.nearest(space.text_query("red/7.PNG")[0], k=1).rows.shape == (1,)
    assert lk.Query([(1, "red/7.PNG"), (1, "red")]).name == '"red/7.PNG" + "red"'
    for query in (True, np.True_, lk.Query([(1, True)])):
        with pytest.raises(lk.InputError, match="The query True is neither a text, a row, an image nor vectors; pass a row number, such as 1"):
            space.nearest(query)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.npy", None, r"There is no file '.*x\.npy'; pass vectors, or a file of `space\.save`"),
        ("x.parquet", b"", r"'x.parquet' holds no space; write one with `space.save`"),
        ("x.parquet", b"PAR1 is not enough PAR1", "holds no space"),
        ("x.parquet", pd.DataFrame({"path": ["a"]}).to_parquet(), "holds no space"),
        ("x.parquet", None, r"There is no file '.*x.parquet'"),
    ],
)
def test_a_file_that_holds_no_space_is_refused(name: str, content: bytes | None, message: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    for given in (tmp_path / name, str(tmp_path / name)):
        with pytest.raises(lk.InputError, match=message):
            lk.load(given)


def test_refits_do_not_pile_up_and_take_an_estimator_or_its_name(folder: Path) -> None:
    space = lk.embed(folder, ColorEncoder())
    other = lk.Notion("two colors", "{}", ["red", "blue"])
    color = space.refit(_NOTION, dim=2)
    assert color.vectors.shape == (9, 2)
    assert color.estimator.fit_stats_.n_prompts == 3
    np.testing.assert_allclose(color.refit(other, dim=2).vectors, space.refit(other, dim=2).vectors)
    for given in (space.refit(_NOTION, "pca", dim=2), space.refit(_NOTION, PCA, dim=2)):
        np.testing.assert_allclose(given.vectors, space.refit(_NOTION, PCA(dim=2)).vectors)
    assert color.nearest("red", k=1).rows.shape == (1,)


def test_a_refit_has_the_dimensions_of_the_call_or_of_the_notion_or_those_that_the_prompts_suggest(folder: Path) -> None:
    space, chosen = lk.embed(folder, ColorEncoder()), replace(_NOTION, dim=2)
    suggested = suggest_dim(space.embed_prompts(_NOTION.prompts)[0])
    assert suggested == 3
    cases: list[tuple[lk.Notion, dict[str, Any], int]] = [(_NOTION, {}, suggested), (chosen, {}, 2), (chosen, {"dim": 1}, 1)]
    cases += [(chosen, {"dim": "suggested"}, suggested), (replace(_NOTION, dim=999), {}, space.vectors.shape[1])]
    for notion, given, dim in cases:
        assert space.refit(notion, **given).vectors.shape[1] == dim


def test_vectors_of_ones_own_are_scaled_and_everything_works_on_them() -> None:
    rng = np.random.default_rng(0)
    vectors = np.concatenate([rng.normal(0, 1, (10, 5)) + 8 * np.eye(5)[i] for i in range(2)]) * rng.uniform(1, 90, (20, 1))
    space = lk.Space(vectors, labels=np.repeat(["a", "b"], 10))
    np.testing.assert_allclose(np.linalg.norm(space.vectors, axis=1), 1, atol=1e-6)
    assert space.nearest(0, k=19).similarities.max() <= 1 + 1e-6
    assert space.metrics()["precision_at_1"] == 1.0
    assert space.metrics() == lk.metrics(vectors, np.repeat(["a", "b"], 10))
    with pytest.raises(lk.InputError, match="has no text side; search by image"):
        space.nearest("a red car")
    with pytest.raises(lk.InputError, match="have no images; pass `images=`"):
        space.nearest(0).paths  # noqa: B018


_NOTION = lk.Notion("color", "a {} thing", ["red", "green", "blue"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lk.Space(np.eye(3), labels=["a", "b"]), r"labels 'label' have shape \(2,\) for 3 rows"),
        (lambda: lk.Space(np.eye(3), ["a.png", "b.png"]), "has 3 vectors for 2 images; pass one row per image"),
        (lambda: lk.Space(np.array([[1.0, 0], [0, 0]])), "The vectors of 'Vectors' row 1 is all zeros, so its cosine is undefined"),
        (lambda: lk.Space(np.eye(3)).build_index(), "pass a folder for the index"),
        (lambda: lk.embed("cars").refit(_NOTION).build_index("other"), "is a notion's space; build the index of the encoder's space"),
    ],
)
def test_what_makes_no_space_or_index_is_said(call: Callable[[], object], message: str) -> None:
    with pytest.raises(lk.InputError, match=message):
        call()


def test_labels_stand_beside_the_attributes_of_the_images() -> None:
    labeled = lk.Space(np.eye(2), pd.DataFrame({"path": ["a.png", "b.png"], "x": [1, 2]}), labels={"y": [3, 4]})
    assert labeled.table.attributes == ["x", "y"]


def test_saved_and_loaded_a_space_reads_texts_again(tmp_path: Path) -> None:
    space = lk.embed("cars").refit(lk.Notion("car color", "a {} car", ["red", "green", "blue"]))
    loaded = lk.load(space.save(tmp_path / "color.parquet"))
    assert isinstance(loaded, lk.Space)
    np.testing.assert_array_equal(loaded.vectors, space.vectors)
    assert loaded.table.attributes == space.table.attributes
    found, expected = loaded.nearest("a red car", k=5), space.nearest("a red car", k=5)
    np.testing.assert_array_equal(found.rows, expected.rows)
    assert found.paths == expected.paths
    with pytest.raises(lk.InputError, match="loaded without its base vectors"):
        loaded.refit(lk.Notion("b", "a {}", ["car", "van"]))
    np.testing.assert_array_equal(np.load(space.save(tmp_path / "color.npy")), space.vectors)


def test_in_a_notebook_they_show_pictures(folder: Path) -> None:
    space = lk.embed(folder, ColorEncoder())
    for shown, tiles in ((space.table, 9), (space, 9), (space.nearest("red", k=4), 4), (space.nearest(space.vectors[:2], k=3), 6)):
        html = shown._repr_html_()
        assert html.count("data:image/webp;base64,") == tiles
    assert len(repr(space.nearest(0))) < 120
    assert "<img" not in lk.Space(np.eye(3)).nearest(0)._repr_html_()
