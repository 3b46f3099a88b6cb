"""Adaptation to a few images: what it changes, what it leaves, and that it is measured on the queries alone."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from likeness.evaluation import retrieval_metrics, structure_metrics
from likeness.losses import make_objective
from likeness.shifts import few_shot_episodes
from likeness.training.config import FewShotConfig, config_from
from likeness.training.data.outputs import embed_rows
from likeness.training.data.pixels import center_crops, load_pixels
from likeness.training.data.run_images import run_images
from likeness.training.loop.few_shot import _recall_without, adapt, few_shot_scores
from likeness.training.loop.train import train
from likeness.training.network.backbones import build_network
from likeness.training.network.embedding_network import EmbeddingNetwork
from likeness.training.runs.run_encoder import load_network

CLASSES, EACH, DIM = 5, 12, 16


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    """Classes that differ in a few directions, which noise in the others hides."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(CLASSES), EACH)
    rows = 3 * rng.standard_normal((len(labels), DIM))
    rows[:, :CLASSES] = 1.2 * np.eye(CLASSES)[labels] + 0.3 * rng.standard_normal((len(labels), CLASSES))
    return rows.astype(np.float32), labels


@pytest.fixture
def network() -> EmbeddingNetwork:
    return EmbeddingNetwork(None, DIM, None)


CONFIG = FewShotConfig(shots=(2, 5), episodes=3, steps=60, rate=0.02)


def test_adaptation_helps_where_the_features_hide_the_classes(network: EmbeddingNetwork, data: tuple[np.ndarray, np.ndarray]) -> None:
    found = few_shot_scores(network, *data, CONFIG)
    assert found["few_shot_5"] > found["zero_shot_5"] + 0.1
    assert set(found) == {
        f"{what}_{shots}{rest}" for shots in (2, 5) for what, rest in (("zero_shot", ""), ("few_shot", ""), ("few_shot", "_deviation"))
    }


def test_zero_shot_is_r_at_1_among_the_queries(network: EmbeddingNetwork, data: tuple[np.ndarray, np.ndarray]) -> None:
    rows, labels = data
    found = few_shot_scores(network, rows, labels, CONFIG)
    queries = [episode.query for episode in few_shot_episodes(labels, 5, 3, 0)]
    expected = [retrieval_metrics(rows[query], labels[query], ks=(1,))["recall_at_1"] for query in queries]
    assert found["zero_shot_5"] == pytest.approx(np.mean(expected))


def test_the_network_stays_and_the_same_call_gives_the_same(network: EmbeddingNetwork, data: tuple[np.ndarray, np.ndarray]) -> None:
    before, state = network.head.weight.detach().clone(), torch.get_rng_state()
    first, again = (few_shot_scores(network, *data, CONFIG) for _ in range(2))
    assert first == again
    assert torch.equal(network.head.weight, before)
    assert torch.equal(torch.get_rng_state(), state)
    assert first != few_shot_scores(network, *data, CONFIG.model_copy(update={"seed": 1}))


def test_each_number_of_shots_has_its_steps(network: EmbeddingNetwork, data: tuple[np.ndarray, np.ndarray]) -> None:
    both = few_shot_scores(network, *data, CONFIG.model_copy(update={"steps": (20, 60)}))
    alone = [few_shot_scores(network, *data, CONFIG.model_copy(update={"steps": steps})) for steps in (20, 60)]
    assert both["few_shot_2"] == alone[0]["few_shot_2"] != alone[1]["few_shot_2"]
    assert both["few_shot_5"] == alone[1]["few_shot_5"] != alone[0]["few_shot_5"]


def test_a_step_of_the_authors_adaptation_is_one_of_their_margin_loss(
    network: EmbeddingNetwork, data: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, dict[str, Any], np.ndarray]] = []
    seeds: set[int] = set()

    def watched(name: str, classes: int, dim: int, **options: Any) -> Any:
        made = make_objective(name, classes, dim, **options)
        made.register_forward_pre_hook(lambda _, inputs: seen.append((name, options, inputs[1].numpy())))
        made.register_forward_pre_hook(lambda *_: seeds.add(torch.initial_seed()))
        return made

    monkeypatch.setattr("likeness.training.loop.few_shot.make_objective", watched)
    official = CONFIG.model_copy(update={"objective": "margin-official", "beta": 0.6, "draw": "replacement", "batch_size": 40})
    adapt(network, torch.from_numpy(data[0]), data[1], official, 3)
    assert [(name, options) for name, options, _ in seen] == [("margin-official", {"beta": 0.6, "learn_beta": False})] * 3
    assert len(seeds) == 3  # its tuples are drawn anew at each step
    assert {len(labels) for *_, labels in seen} == {40}  # classes come up again, since there are five only
    assert all((labels[::2] == labels[1::2]).all() for *_, labels in seen)


def test_neighbors_in_the_support_do_not_count() -> None:
    neighbors = np.array([[1, 2, 3], [0, 2, 3], [3, 1, 0], [2, 1, 0]])
    labels = np.array([0, 1, 0, 1])
    assert _recall_without(np.array([1]), neighbors, labels)[[0, 2, 3]].tolist() == [True, False, False]
    assert _recall_without(np.array([], dtype=np.int64), neighbors, labels).tolist() == [False, False, False, False]


def test_a_run_of_the_whole_network_measures_it_at_its_end(content: dict[str, Any], tmp_path: Path) -> None:
    few_shot = {"shots": [2], "episodes": 2, "steps": 3}
    config = config_from(content | {"epochs": 1, "few_shot": few_shot, "structure": True, "matched_classes": 2})
    run = train(config, tmp_path / "run")
    report = run.report()
    last = report["last"]
    images = run_images(config.data, config.seed)
    network, pixels = load_network(run), load_pixels(images.table, 16)
    seen = embed_rows(network, pixels, images.test, 16)
    queries = [episode.query for episode in few_shot_episodes(images.labels[images.test], 2, 2, 0)]
    expected = [retrieval_metrics(seen[query], images.labels[images.test][query], ks=(1,))["recall_at_1"] for query in queries]
    assert last["zero_shot_2"] == pytest.approx(np.mean(expected))
    structure = structure_metrics(embed_rows(network, pixels, images.train, 16), images.labels[images.train])
    assert {name: last[f"structure_{name}"] for name in structure} == pytest.approx(structure, rel=1e-4)
    assert 0 <= last["matched_recall_at_1"] <= 1
    assert report["best"] == last


def test_the_best_weights_are_measured_at_the_end_as_the_last_ones_are(
    content: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    falling = iter((0.9, 0.8, 0.7))  # the untrained network, then two epochs
    monkeypatch.setattr("likeness.training.loop.callback.scores", lambda *_: {"recall_at_1": next(falling)})
    measured = {"epochs": 2, "evaluate_every": 1, "few_shot": {"shots": [2], "episodes": 2, "steps": 3}, "structure": True, "matched_classes": 2}
    config = config_from(content | measured | {"data": content["data"] | {"select_on_test": True}})
    run = train(config, tmp_path / "run")
    report = run.report()
    best, last = report["best"], report["last"]
    assert best["step"] < last["step"]
    assert set(best) == set(last)
    images, network = run_images(config.data, config.seed), load_network(run)
    rows = embed_rows(network, load_pixels(images.table, 16), images.train, 16)
    structure = structure_metrics(rows, images.labels[images.train])
    assert {name: best[f"structure_{name}"] for name in structure} == pytest.approx(structure, rel=1e-4)
    assert {name: last[f"structure_{name}"] for name in structure} != pytest.approx(structure, rel=1e-4)


def test_a_run_without_steps_is_the_raw_encoder(content: dict[str, Any], tmp_path: Path) -> None:
    raw = content | {"epochs": 0, "backbone": content["backbone"] | {"dim": None}}
    run = train(config_from(raw), tmp_path / "raw")
    report, images = run.report(), run_images(config_from(raw).data, 0)
    torch.manual_seed(0)
    network = build_network(config_from(raw).backbone).eval()
    with torch.inference_mode():
        features = network.features(center_crops(load_pixels(images.table, 16)[images.test], 16)).numpy()
    expected = retrieval_metrics(features, images.labels[images.test], ks=(1,))
    assert report["last"]["recall_at_1"] == pytest.approx(expected["recall_at_1"])
    assert report["last"]["map_at_r"] == pytest.approx(expected["map_at_r"], abs=1e-5)
    assert report["steps"] == 0
    assert train(config_from(raw), run.path).metrics()["step"].tolist() == [0]
