from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from likeness.evaluation import retrieval_metrics, structure_metrics
from likeness.losses import make_objective
from likeness.shifts import few_shot_episodes
from likeness.training.config import FewShotConfig, config_from
from likeness.training.data.batches import Batches
from likeness.training.data.crops import cut_crops, random_crops
from likeness.training.data.outputs import embed_rows
from likeness.training.data.pixels import load_pixels
from likeness.training.data.run_images import run_images
from likeness.training.loop.few_shot import _crop_features, adapt, few_shot_scores
from likeness.training.loop.scores import matched_recall
from likeness.training.loop.train import train
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


def test_adaptation_helps_where_the_features_hide_the_classes_and_zero_shot_is_r_at_1_among_the_queries(
    network: EmbeddingNetwork, data: tuple[np.ndarray, np.ndarray]
) -> None:
    (rows, labels), before, state = data, network.head.weight.detach().clone(), torch.get_rng_state()
    found, again = (few_shot_scores(network, *data, CONFIG) for _ in range(2))
    assert found["few_shot_5"] > found["zero_shot_5"] + 0.1
    kinds = (("zero_shot", ""), ("few_shot", ""), ("few_shot", "_deviation"))
    assert set(found) == {f"{what}_{shots}{rest}" for shots in (2, 5) for what, rest in kinds}
    queries = [episode.query for episode in few_shot_episodes(labels, 5, 3, 0)]
    expected = [retrieval_metrics(rows[query], labels[query], ks=(1,))["recall_at_1"] for query in queries]
    assert found["zero_shot_5"] == pytest.approx(np.mean(expected))
    assert found == again
    assert torch.equal(network.head.weight, before)
    assert torch.equal(torch.get_rng_state(), state)
    assert found != few_shot_scores(network, *data, CONFIG.model_copy(update={"seed": 1}))
    both, few, many = (few_shot_scores(network, *data, CONFIG.model_copy(update={"steps": steps})) for steps in ((20, 60), 20, 60))
    assert both["few_shot_2"] == few["few_shot_2"] != many["few_shot_2"]  # each number of shots has its steps
    assert both["few_shot_5"] == many["few_shot_5"] != few["few_shot_5"]


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


def test_the_support_is_cropped_anew_at_each_step(content: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[np.ndarray, int, int, torch.Tensor]] = []

    def watched(network: EmbeddingNetwork, data: Batches, support: np.ndarray, batches: Any, seed: int, step: int) -> torch.Tensor:
        found = _crop_features(network, data, support, batches, seed, step)
        pixels, rows = load_pixels(data.images.table, 16), data.images.test[support][batches.batch(step)]
        cut = cut_crops(torch.from_numpy(pixels[rows]), random_crops(len(rows), np.random.default_rng([seed, step, 2])), 16)
        with torch.no_grad():
            torch.testing.assert_close(found, network.eval().features(cut))
        seen.append((rows, seed, step, found))
        return found

    monkeypatch.setattr("likeness.training.loop.few_shot._crop_features", watched)
    few = {"shots": [2], "episodes": 2, "steps": 3, "crops": "random", "draw": "replacement", "batch_size": 6}
    run = train(config_from(content | {"epochs": 1, "few_shot": few}), tmp_path / "run")
    assert [(seed, step) for _, seed, step, _ in seen] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert all(len(rows) == 6 for rows, *_ in seen)
    assert 0 <= (run.report() or {})["last"]["few_shot_2"] <= 1


@pytest.mark.parametrize("scores", [(0.7, 0.8, 0.9), (0.9, 0.8, 0.7)], ids=["the last are the best", "the first are"])
def test_the_best_and_the_last_weights_are_measured_at_the_end(
    content: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scores: tuple[float, ...]
) -> None:
    told = iter(scores)  # the untrained network, then two epochs
    monkeypatch.setattr(
        "likeness.training.loop.callback.scores", lambda rows, *_: ({"recall_at_1": next(told)}, pd.DataFrame(index=range(len(rows))))
    )
    measured = {"epochs": 2, "evaluate_every": 1, "few_shot": {"shots": [2], "episodes": 2, "steps": 3}, "structure": True, "matched_classes": 2}
    config = config_from(content | measured | {"data": content["data"] | {"select_on_test": True}})
    run = train(config, tmp_path / "run")
    report, images, network = run.report(), run_images(config.data, config.seed), load_network(run)
    best, last, pixels = report["best"], report["last"], load_pixels(images.table, 16)
    of_test, of_train = (embed_rows(network, pixels, rows, 16) for rows in (images.test, images.train))
    labels = images.labels[images.test]
    queries = [episode.query for episode in few_shot_episodes(labels, 2, 2, 0)]
    expected = [retrieval_metrics(of_test[query], labels[query], ks=(1,))["recall_at_1"] for query in queries]
    structure = {f"structure_{name}": value for name, value in structure_metrics(of_train, images.labels[images.train]).items()}
    assert best["zero_shot_2"] == pytest.approx(np.mean(expected))
    assert {name: best[name] for name in structure} == pytest.approx(structure, rel=1e-4)
    assert best["matched_recall_at_1"] == pytest.approx(matched_recall(of_test, labels, 2))
    assert set(best) == set(last)
    if scores[-1] == max(scores):
        assert best == last
    else:
        assert best["step"] < last["step"]
        assert {name: last[name] for name in structure} != pytest.approx(structure, rel=1e-4)


def test_test_images_that_the_last_evaluation_embedded_are_not_embedded_again(
    content: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedded: list[int] = []

    def counted(network: EmbeddingNetwork, inputs: Any, rows: np.ndarray, size: int) -> np.ndarray:
        embedded.append(len(rows))
        return embed_rows(network, inputs, rows, size)

    monkeypatch.setattr("likeness.training.loop.callback.embed_rows", counted)
    config = config_from(content | {"epochs": 1, "evaluate_every": 1, "matched_classes": 2})
    run = train(config, tmp_path / "run")
    report = run.report()
    assert report
    assert "matched_recall_at_1" in report["last"]
    assert embedded == [len(run_images(config.data, config.seed).test)] * int(run.metrics()["recall_at_1"].count())
