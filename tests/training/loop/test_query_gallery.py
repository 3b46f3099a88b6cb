"""Queries and a gallery in a run's evaluation, against a slow loop."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.training.config import DataConfig, config_from
from likeness.training.data.outputs import embed_rows
from likeness.training.data.pixels import load_pixels
from likeness.training.data.run_images import run_images
from likeness.training.loop.scores import RECALLS, first_recall, scores
from likeness.training.loop.train import train
from likeness.training.runs.run_encoder import load_network


def _slow(embeddings: NDArray[Any], labels: NDArray[np.int64], is_query: NDArray[np.bool_], cameras: Any = None) -> dict[str, float]:
    """R@1 to R@8, MAP@R and MAP by loops; queries without an image of their class in the gallery are misses, and of no MAP."""
    cameras = np.arange(len(labels)) if cameras is None else cameras
    hits: dict[int, list[float]] = {k: [] for k in RECALLS}
    at_r, whole = [], []
    gallery = np.flatnonzero(~is_query)
    for query in np.flatnonzero(is_query):
        ranked = sorted(gallery, key=lambda row: -float(embeddings[query] @ embeddings[row]))
        ranked = [row for row in ranked if (labels[row], cameras[row]) != (labels[query], cameras[query])]
        same = [labels[row] == labels[query] for row in ranked]
        for k in RECALLS:
            hits[k].append(any(same[:k]))
        if count := sum(same):
            precision = [sum(same[: place + 1]) / (place + 1) * same[place] for place in range(len(same))]
            at_r.append(sum(precision[:count]) / count)
            whole.append(sum(precision) / count)
    return {f"recall_at_{k}": np.mean(hits[k]) for k in RECALLS if k <= len(gallery)} | {"map_at_r": np.mean(at_r), "map": np.mean(whole)}


@pytest.mark.parametrize("as_tensor", [False, True])
def test_queries_search_the_gallery_as_in_a_slow_loop(as_tensor: bool) -> None:
    rng = np.random.default_rng(0)
    labels, is_query = rng.integers(0, 6, 40), rng.random(40) < 0.4
    labels[np.flatnonzero(is_query)[0]] = 9  # a class that the gallery does not have
    embeddings = rng.normal(size=(40, 4)).astype(np.float32) + np.eye(10, 4, dtype=np.float32)[labels]
    embeddings /= np.linalg.norm(embeddings, axis=1, keepdims=True)
    found, by_query = scores(torch.from_numpy(embeddings) if as_tensor else embeddings, labels, is_query=is_query)
    expected = _slow(embeddings, labels, is_query)
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-6)
    assert set(found) == {*expected, "map_at_1000", "nmi", "f1"}
    assert first_recall(embeddings, labels, is_query) == pytest.approx(expected["recall_at_1"])
    assert len(by_query) == is_query.sum()
    assert by_query.mean().to_dict() == pytest.approx({name: found[name] for name in by_query})
    plain, _ = scores(embeddings, labels)
    assert "map" not in plain
    assert {name: plain[name] for name in ("nmi", "f1")} == {name: found[name] for name in ("nmi", "f1")}


@pytest.fixture
def shop(photos: Path) -> Path:
    """The photos as a table; of each class the first two of six are queries, in words as others write them."""
    rows = [
        (f"class {label}/{number}.png", f"class {label}", "Query" if number < 2 else "gallery", f"c{number % 2}")
        for label in range(6)
        for number in range(6)
    ]
    file = photos / "shop.csv"
    pd.DataFrame(rows, columns=["path", "class", "part", "camera"]).to_csv(file, index=False)
    return file


def _row(frame: pd.DataFrame) -> dict[str, float]:
    return {str(name): float(value) for name, value in frame.dropna(subset=["recall_at_1"]).iloc[-1].items()}


@pytest.mark.parametrize("camera", [None, "camera"])
def test_a_run_ranks_the_queries_of_test_and_validation_against_their_gallery(
    camera: str | None, content: dict[str, Any], shop: Path, tmp_path: Path
) -> None:
    data = content["data"] | {"source": str(shop), "query_attribute": "part", "train_classes": 0.7, "validation": 2, "camera_attribute": camera}
    config = config_from(content | {"data": data, "batch": {"size": 4, "per_class": 2}, "objective": {"name": "margin", "matryoshka": {"dims": [4]}}})
    run, images = train(config, tmp_path / "run"), run_images(config.data, config.seed)
    row, best = _row(run.metrics()), run.report()["best"]  # type: ignore[index]
    pixels, network = load_pixels(images.table, 16), load_network(run).eval()
    for before, rows, queries in (("", images.test, images.queries), ("validation_", images.validation, images.validation_queries)):
        embeddings = embed_rows(network, pixels, rows, 16)
        expected = _slow(embeddings, images.labels[rows], np.isin(rows, queries), None if images.cameras is None else images.cameras[rows])
        assert len(queries) == 4
        assert {f"{before}recall_at_8", f"{before}map", f"{before}nmi"} <= set(row)
        assert f"{before}recall_at_10" not in row  # the gallery has 8 images
        assert {name: best[before + name] for name in expected} == pytest.approx(expected, abs=1e-5)
    assert best["recall_at_1_in_4d"] == pytest.approx(
        first_recall(embed_rows(network, pixels, images.test, 16)[:, :4], images.labels[images.test], np.isin(images.test, images.queries)), abs=0.5
    )


def test_without_queries_among_them_validation_images_search_each_other(content: dict[str, Any], shop: Path) -> None:
    frame = pd.read_csv(shop)
    frame.loc[frame["class"] < "class 4", "part"] = "train"  # as in In-Shop Clothes
    frame.to_csv(shop, index=False)
    data = DataConfig(source=str(shop), query_attribute="part", train_classes=0.7, validation=2)
    images = run_images(data, 0)
    assert (len(images.queries), len(images.validation_queries), len(images.gallery)) == (4, 0, 8)
    assert images.lone_note == ""
    frame.loc[(frame["class"] == "class 5") & (frame["part"] == "gallery"), "class"] = "class 4"
    frame.to_csv(shop, index=False)
    assert run_images(data, 0).lone_note.startswith("2 of 4 queries have no gallery image of their class: recall counts misses")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("kind", None, "'shop' has no attribute 'kind'; data.query_attribute takes one of class, part, camera"),
        ("part", "gallery", "No test image of 'shop' has the part 'query'; choose another data.query_attribute"),
        ("part", "query", "No test query of 'shop' has a gallery image of its class; choose another data.query_attribute"),
    ],
)
def test_an_attribute_without_queries_or_gallery_is_refused(shop: Path, name: str, value: str | None, message: str) -> None:
    if value is not None:
        pd.read_csv(shop).assign(part=value).to_csv(shop, index=False)
    with pytest.raises(InputError, match=message):
        run_images(DataConfig(source=str(shop), query_attribute=name), 0)
