from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image
from tests.training.conftest import resumed, small_run

from likeness.data import read_dataset
from likeness.encoders import load_encoder
from likeness.errors import InputError
from likeness.evaluation import continuous_metrics, oracle_metrics
from likeness.training.config import config_from, with_changes
from likeness.training.data.batches import Batches
from likeness.training.data.outputs import embed_rows
from likeness.training.data.pixels import load_pixels
from likeness.training.data.run_images import run_images
from likeness.training.loop.prepare import _batches
from likeness.training.loop.train import train
from likeness.training.preview import example_queries
from likeness.training.runs.run_encoder import load_network


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """60 pictures of a bright spot on a dark ground; its place is the label."""
    rng = np.random.default_rng(0)
    places, rows = rng.uniform(4, 16, (60, 2)).round(2), []
    for number, (x, y) in enumerate(places):
        down, across = np.mgrid[:20, :20] + 0.5
        light = 220 * np.exp(-((across - x) ** 2 + (down - y) ** 2) / 12)[..., None] * rng.uniform(0.6, 1, 3)
        Image.fromarray((light + 20).astype(np.uint8)).save(tmp_path / f"{number:02d}.png")
        rows.append({"path": f"{number:02d}.png", "spot_x": x, "spot_y": y})
    pd.DataFrame(rows).to_csv(tmp_path / "spots.csv", index=False)
    return tmp_path / "spots.csv"


@pytest.fixture
def spots(table: Path) -> dict[str, Any]:
    """A run of a few seconds."""
    run = small_run(table)
    data = {"source": str(table), "split": "images", "labels": {"kind": "pose"}, "test_images": 20, "queries": 5, "image_size": 16}
    changes = {"data": data, "backbone": run["backbone"] | {"freeze_batch_norm": False}, "objective": {"name": "log-ratio"}, "augment": "jitter"}
    steps = {"size": 20, "nearest": 3, "drawn": 4, "anchors": "all"}
    return run | changes | {"batch": steps, "optimizer": {"kind": "sgd", "rate": 0.003, "decay": 0.9}}


def test_the_last_images_test_or_as_a_column_says_and_queries_are_spread_over_them(spots: dict[str, Any], table: Path) -> None:
    data = config_from(spots).data
    images = run_images(data, 0)
    assert (images.train.tolist(), images.test.tolist()) == (list(range(40)), list(range(40, 60)))
    assert images.queries.tolist() == [40, 44, 48, 52, 56]
    assert set(images.gallery) | set(images.queries) == set(images.test)
    spot = images.table.frame[["spot_x", "spot_y"]].to_numpy()
    np.testing.assert_allclose(images.distances.between(images.queries, images.gallery)[1, 2], np.linalg.norm(spot[44] - spot[43]), rtol=1e-6)
    held = run_images(data.model_copy(update={"validation": 0.5}), 0)
    assert (len(held.train), len(held.validation)) == (20, 20)
    assert not set(held.train) & set(held.validation)
    first, second = (run_images(data.model_copy(update={"subset": 30, "test_images": 10}), seed) for seed in (0, 1))
    assert (len(first.table), len(first.train), len(first.test)) == (30, 20, 10)
    assert list(first.table.frame["path"]) == list(second.table.frame["path"]) == sorted(first.table.frame["path"])
    assert len(run_images(data.model_copy(update={"subset": 1000}), 0).table) == 60
    frame = pd.read_csv(table)
    for searched in ("test", "gallery"):  # the second as retrieval benchmarks name it
        frame["split"] = [searched] * 10 + ["query"] * 5 + ["train"] * 40 + ["val"] * 5
        frame.to_csv(table, index=False)
        divided = run_images(data, 0)
        assert (len(divided.train), divided.test.tolist(), divided.queries.tolist()) == (40, list(range(15)), list(range(10, 15)))


def test_where_all_test_images_are_queries_each_searches_all_others(spots: dict[str, Any], tmp_path: Path) -> None:
    spots["data"]["queries"] = 20
    config = config_from(spots)
    images = run_images(config.data, 0)
    assert images.queries.tolist() == images.gallery.tolist() == list(range(40, 60))
    shown, nearest = example_queries(images, 20, 19)
    assert all(sorted([query, *others]) == list(range(40, 60)) for query, others in zip(shown, nearest, strict=True))
    run = train(config, tmp_path / "run")
    free = embed_rows(load_network(run), load_pixels(images.table, 16), images.test, 16)
    known, own = images.distances.between(images.test, images.test), np.arange(20)
    last = run.report()["last"]
    expected = continuous_metrics(known, free, free, (1, 10), exclude=own) | {
        f"oracle_{name}": value for name, value in oracle_metrics(known, (1, 10), exclude=own).items() if name.startswith("mean")
    }
    assert {name: last[name] for name in expected if name != "ndcg_at_1"} == pytest.approx(
        {name: value for name, value in expected.items() if name != "ndcg_at_1"}, rel=1e-5
    )


def test_every_loss_can_start_from_the_weights_of_the_authors_code(spots: dict[str, Any], tmp_path: Path) -> None:
    config, started = config_from(spots | {"epochs": 0}), {}
    for name in ("log-ratio", "binary-triplet", "rank-n-contrast"):
        for init in ("kaiming", "torch"):
            run = train(with_changes(config, {"objective.name": name, "backbone.init": init}), tmp_path / f"{name} {init}")
            started[name, init] = load_network(run).head
    usual = train(with_changes(config, {"objective.name": "binary-triplet"}), tmp_path / "usual")
    assert torch.equal(load_network(usual).head.weight, started["binary-triplet", "torch"].weight)
    for init in ("kaiming", "torch"):
        first, *others = (started[name, init] for name in ("log-ratio", "binary-triplet", "rank-n-contrast"))
        assert all(torch.equal(first.weight, other.weight) and torch.equal(first.bias, other.bias) for other in others)
        assert (first.bias == 0).all() == (init == "kaiming")
    head = started["binary-triplet", "kaiming"]
    assert float(head.weight.detach().std()) == pytest.approx((2 / head.out_features) ** 0.5, rel=0.15)
    whole = with_changes(config, {"objective.name": "binary-triplet", "backbone.init": "kaiming", "backbone.dim": None})
    identity = load_network(train(whole, tmp_path / "whole")).head.weight
    assert torch.equal(identity, torch.eye(len(identity)))


def test_a_batch_comes_with_the_distances_of_its_anchors(spots: dict[str, Any]) -> None:
    for anchors, count in (("all", 20), ("drawn", 4)):
        config = with_changes(config_from(spots), {"batch.anchors": anchors})
        images = run_images(config.data, 0)
        batches, epoch = _batches(config, images, lambda *_: None)
        assert epoch == 40 // count
        _, known, rows = Batches(load_pixels(images.table, 16), images, batches, 16, "jitter", 0)[0].cut(16)
        assert known.shape == (count, 20)
        np.testing.assert_array_equal(known.numpy(), images.distances.between(rows.numpy()[:count], rows.numpy()))
        assert set(rows.tolist()) <= set(images.train.tolist())


def test_shuffled_labels_are_those_of_other_training_images_and_nothing_else(spots: dict[str, Any]) -> None:
    own = config_from(spots)
    config = with_changes(own, {"data.shuffled": True})
    plain, images, again, other = (run_images(each.data, seed) for each, seed in ((own, 0), (config, 0), (config, 0), (config, 1)))
    train, rest = images.train, np.setdiff1d(np.arange(60), images.train)
    true, taught = images.distances.between(train, train), images.taught.between(train, train)
    np.testing.assert_array_equal(np.sort(true[true > 0]), np.sort(taught[taught > 0]))
    assert (true != taught).mean() > 0.8
    np.testing.assert_array_equal(taught, again.taught.between(train, train))
    assert (taught != other.taught.between(train, train)).any()
    np.testing.assert_array_equal(images.taught.between(rest, rest), images.distances.between(rest, rest))
    assert plain.taught is plain.distances
    np.testing.assert_array_equal(true, plain.distances.between(train, train))  # they judge as before
    batches, _ = _batches(config, images, lambda *_: None)
    _, known, rows = Batches(load_pixels(images.table, 16), images, batches, 16, "jitter", 0)[0].cut(16)
    np.testing.assert_array_equal(known.numpy(), images.taught.between(rows.numpy(), rows.numpy()))
    nearest = images.taught.between(rows.numpy()[:1], train)[0]
    assert set(train[np.argsort(nearest)[:4]]) <= set(rows.tolist())


@pytest.mark.parametrize("split", ["classes", "images"])
def test_shuffled_names_are_those_of_other_training_classes_and_judge_as_they_are(split: str, photos: Path) -> None:
    data = {"source": str(photos), "image_size": 16, "labels": {"kind": "names", "columns": ["class"]}, "split": split, "queries": 4}
    content = {"data": data, "objective": {"name": "log-ratio"}, "batch": {"size": 12, "nearest": 2, "drawn": 4}}
    images = run_images(config_from(content | {"data": data | {"shuffled": True}}).data, 0)
    plain = run_images(config_from(content).data, 0)
    every, train = np.arange(len(images.table)), images.train
    np.testing.assert_array_equal(images.distances.between(every, every), plain.distances.between(every, every))
    true, taught = images.distances.between(train, train), images.taught.between(train, train)
    assert (true != taught).any()
    classes = images.table.frame["class"].to_numpy()[train]
    same = np.equal.outer(classes, classes)
    np.testing.assert_array_equal(true[same], taught[same])  # images of one class stay together
    np.testing.assert_array_equal(np.unique(true), np.unique(taught))


def test_it_learns_the_label_and_its_space_has_unit_rows_in_the_order_of_the_euclidean_distances(spots: dict[str, Any], tmp_path: Path) -> None:
    run = train(config_from(spots | {"epochs": 40, "evaluate_every": 40}), tmp_path / "run")
    last = run.report()["last"]
    assert last["mean_label_distance_at_1"] < 0.6 * last["chance_mean_label_distance"]
    assert last["oracle_mean_label_distance_at_1"] < last["mean_label_distance_at_1"]
    assert {f"mean_label_distance_at_{k}" for k in range(1, 11)} | {"ndcg_at_10"} <= set(last)
    assert not {"ndcg_at_20", "recall_at_1"} & set(last)  # there are 15 gallery images, and no classes
    encoder, data = load_encoder(f"run:{run.path}"), read_dataset(spots["data"]["source"])
    found = encoder.encode_images(data.paths())
    assert (found.shape, encoder.dim) == ((60, 9), 9)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    free = embed_rows(load_network(run), load_pixels(data, 16), np.arange(60), 16)
    assert np.linalg.norm(free, axis=1).std() > 0.01
    apart, lifted = (np.linalg.norm(each[:, None] - each[None], axis=2) for each in (free, found))
    upper = np.triu_indices(60, 1)
    assert np.corrcoef(apart[upper], lifted[upper])[0, 1] > 0.99
    kept = continuous_metrics(apart, found, found, (10,), exclude=np.arange(60))["ndcg_at_10"]
    assert kept > 0.97  # resized in other steps, as for every run


def test_stopped_and_resumed_it_ends_where_an_undisturbed_run_ends(spots: dict[str, Any], tmp_path: Path) -> None:
    resumed(config_from(spots), tmp_path)


def test_classes_with_label_distances_between_their_names(content: dict[str, Any], tmp_path: Path) -> None:
    np.save(tmp_path / "apart.npy", np.abs(np.subtract.outer(np.arange(36), np.arange(36))).astype(np.float32))
    data = content["data"] | {"labels": {"kind": "matrix", "file": str(tmp_path / "apart.npy")}, "queries": 4}
    batch = {"size": 12, "nearest": 2, "anchors": "all"}
    config = config_from(content | {"data": data, "objective": {"name": "log-ratio"}, "batch": batch, "epochs": 1})
    last = train(config, tmp_path / "run").report()["last"]
    assert {"recall_at_1", "ndcg_at_10", "oracle_mean_label_distance_at_1"} <= set(last)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"data.test_images": 58}, "has 2 training and 58 test images, but needs 3 of each; change data.test_images"),
        ({"data.queries": 21}, "There are 20 test images, fewer than 21 queries; use fewer"),
        ({"data.queries": 11}, "9 gallery images are too few for metrics at 10; use more test images, or fewer queries"),
        ({"batch.size": 42}, "A batch of 42 images needs at least as many, but there are 40"),
        ({"data.labels.columns": ["knee"]}, "has no column 'knee_x'"),
    ],
)
def test_data_that_does_not_fit(spots: dict[str, Any], tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        train(with_changes(config_from(spots), changes), tmp_path / "run")


def test_the_best_weights_are_those_of_the_smallest_label_distance_on_validation_images(spots: dict[str, Any], tmp_path: Path) -> None:
    spots["data"]["validation"] = 0.4
    config = config_from(spots | {"epochs": 4, "evaluate_every": 1})
    assert config.selection_metric == "mean_label_distance_at_10"
    run = train(config, tmp_path / "run")
    evaluated = run.metrics().dropna(subset=["validation_mean_label_distance_at_10"]).iloc[1:]  # step 0 is not kept
    kept = evaluated.dropna(subset=["best_of"])
    assert kept["best_of"].iloc[-1] == evaluated["validation_mean_label_distance_at_10"].min()
    assert kept["best_of"].is_monotonic_decreasing
    assert len(kept) == (evaluated["validation_mean_label_distance_at_10"].cummin().diff().fillna(-1) < 0).sum()
