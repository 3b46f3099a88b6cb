import json
import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file
from tests.training.conftest import losses, resumed, same, stopped, weights
from torch import nn

from killed_training import train_until_killed
from likeness.errors import InputError
from likeness.evaluation import retrieval_metrics
from likeness.training.config import RunConfig, config_from, with_changes
from likeness.training.data.outputs import backbone_features
from likeness.training.loop.module import RunModule
from likeness.training.loop.train import train
from likeness.training.network.backbones import build_network
from likeness.training.runs.run_folder import RunFolder, Status


def test_a_run_leaves_config_metrics_checkpoints_events_and_a_report_which_the_seed_decides(config: RunConfig, tmp_path: Path) -> None:
    progress: list[tuple[Any, ...]] = []
    run = train(config, tmp_path / "run", lambda *each: progress.append(each))
    assert run.config() == config
    status, metrics, report = run.status(), run.metrics(), run.report()
    assert (status.state, status.step, status.total, status.pid) == ("finished", 9, 9, 0)
    assert metrics["step"].tolist() == list(range(10))
    assert np.isfinite(metrics["loss"][1:]).all()
    evaluated = metrics.dropna(subset=["recall_at_1"])
    assert evaluated["step"].tolist() == [0, 3, 6, 9]
    assert {"map_at_r", "map_at_1000", "nmi", "f1", "recall_at_8"} <= set(metrics.columns)
    assert "recall_at_100" not in metrics.columns  # there are 18 test images
    assert report["last"]["step"] == 9
    assert report["best"]["recall_at_1"] == evaluated["recall_at_1"][1:].max()
    assert load_file(run.best)["head.weight"].shape[0] == 8
    assert list((run.path / "tensorboard").glob("events*"))
    assert torch.__version__.startswith(json.loads((run.path / "environment.json").read_text())["torch"])
    assert (36, 36, "Reading images") in progress

    before = losses(run)
    assert train(config, run.path).status().state == "finished"
    assert losses(run) == before  # an ended run does nothing more
    with pytest.raises(InputError, match="holds a run with another config"):
        train(with_changes(config, {"epochs": 4}), run.path)
    assert same(run, train(config, tmp_path / "again"))
    assert not same(run, train(with_changes(config, {"seed": 1}), tmp_path / "other"))


def test_classes_with_one_image_train_and_test_with_the_others_and_are_told_of(content: dict[str, Any], photos: Path, tmp_path: Path) -> None:
    for name in ("class 0", "class 5"):  # one trains, one tests
        for image in sorted((photos / name).iterdir())[1:]:
            image.unlink()
    run = train(config_from(content), tmp_path / "run")
    assert run.status().state == "finished"
    assert "1 of 13 test images is the only one of its class" in run.status().message
    last = run.report()["last"]
    assert last["recall_at_1"] <= 12 / 13  # the single image of class 5 is a query that can find nothing
    assert all(np.isfinite(value) for value in last.values())


@pytest.mark.parametrize("frozen", [True, False])
def test_a_run_learns_and_frozen_batch_norm_keeps_its_statistics(content: dict[str, Any], tmp_path: Path, frozen: bool) -> None:
    content["backbone"]["freeze_batch_norm"] = frozen
    run = train(config_from(content | {"epochs": 40, "evaluate_every": 40, "objective": {"name": "multisimilarity"}}), tmp_path / "run")
    found, means = run.metrics()["loss"].dropna(), [value for name, value in weights(run).items() if name.endswith("running_mean")]
    assert found.tail(20).mean() < 0.7 * found.head(10).mean()
    assert means
    assert all(bool((value == 0).all()) for value in means) == frozen


DIVA = {
    "objective": {"name": "margin", "diva": {"hidden": 8, "queue_batches": 2}},
    "backbone": {"name": "test_resnet", "weights": "none", "dim": 8, "parts": 4, "freeze_batch_norm": False},
    "batch": {"size": 9, "per_class": 3},
}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        DIVA,
        DIVA | {"backbone": DIVA["backbone"] | {"head_only": True}},
        {"objective": {"name": "r-margin", "uniform_prior": {"weight": 0.5}}},
        {"precision": "bf16-mixed"},
        {"optimizer": {"rate": 0.05, "ema": 0.8}},
        {"guidance": {"language": "clip:cars", "method": "mining"}},
    ],
    ids=["plain", "diva", "diva head only", "uniform prior", "bfloat16", "moving average", "guided"],
)
def test_stopped_and_resumed_it_ends_where_an_undisturbed_run_ends(content: dict[str, Any], tmp_path: Path, changes: dict[str, Any]) -> None:
    run = resumed(config_from(content | changes), tmp_path)
    assert not any(name.startswith("objective") for name in load_file(run.best))


@pytest.fixture(scope="module")
def begin() -> Callable[..., BaseProcess]:
    """Trains in a process of its own, forked from one that has imported Lightning, which takes longer than these runs."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["likeness.training.loop.train", "likeness.training.loop.trainer"])

    def begun(*arguments: Any, target: Callable[..., Any] = train) -> BaseProcess:
        process = context.Process(target=target, args=arguments)
        process.start()
        return process

    return begun


@pytest.mark.long
def test_killed_at_random_moments_it_ends_where_an_undisturbed_run_ends(begin: Any, content: dict[str, Any], tmp_path: Path) -> None:
    """SIGKILL, three times, each after a random number of steps was written; batch norm that learns, so that there is more to keep."""
    content["backbone"]["freeze_batch_norm"] = False
    config = config_from(content | {"epochs": 40, "evaluate_every": 10})
    whole, killed = train(config, tmp_path / "whole"), RunFolder(tmp_path / "killed")
    rng = np.random.default_rng(0)
    for _ in range(3):
        process = begin(config, killed.path, int(rng.integers(2, 30)), rng.uniform(0, 0.02), target=train_until_killed)
        process.join(600)
        assert process.exitcode == -signal.SIGKILL
        assert killed.status().state in ("lost", "new")
    train(config, killed.path)
    assert killed.status().state == "finished"
    assert same(whole, killed)


def test_a_run_that_is_refused_or_stopped_before_its_first_step_says_why(config: RunConfig, tmp_path: Path) -> None:
    """As the app begins one: its folder and status are there before its process looks at the machine."""
    refused, run = with_changes(config, {"nodes": 2}), RunFolder(tmp_path / "run")
    run.create(refused)
    run.report_status(Status("running", 0, 0, "Starting", os.getpid()))
    with pytest.raises(InputError, match="start the run on each machine with torchrun or SLURM"):
        train(refused, run.path)
    assert run.status().state == "failed"
    assert "torchrun or SLURM" in run.status().message
    run = RunFolder(tmp_path / "other")
    run.create(config)
    run.report_status(Status("running", 1, 9, "", os.getppid()))
    with pytest.raises(InputError, match="is running already"):
        train(config, run.path)
    run = RunFolder(tmp_path / "stopped")
    with pytest.raises(InputError, match="Stopped while reading images"):
        train(with_changes(config, {"data.image_size": 18}), run.path, lambda *_: run.request_stop())
    assert run.status().state == "stopped"  # and not failed


@pytest.mark.long
def test_two_runs_at_once_do_not_disturb_each_other(begin: Any, content: dict[str, Any], tmp_path: Path) -> None:
    configs = [config_from(content | {"seed": seed}) for seed in (0, 1)]
    alone = [train(config, tmp_path / f"alone{number}") for number, config in enumerate(configs)]
    processes = [begin(config, tmp_path / f"both{number}") for number, config in enumerate(configs)]
    for process in processes:
        process.join(600)
    assert [process.exitcode for process in processes] == [0, 0]
    assert all(same(run, RunFolder(tmp_path / f"both{number}")) for number, run in enumerate(alone))


def test_a_full_disk_ends_the_run_and_loses_nothing(config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lightning import Trainer

    original, calls = Trainer.save_checkpoint, []

    def full(self: Trainer, file: Path, *rest: Any) -> None:
        calls.append(1)
        if len(calls) == 2:
            Path(file).write_bytes(b"half")
            raise OSError(28, "No space left on device")
        original(self, file, *rest)

    monkeypatch.setattr(Trainer, "save_checkpoint", full)
    with pytest.raises(InputError, match="No space left on device; make room on the disk and resume"):
        train(config, tmp_path / "run")
    run = RunFolder(tmp_path / "run")
    assert (run.status().state, run.status().message[:7]) == ("failed", "Writing")
    assert not list(run.path.glob("*.partial"))
    monkeypatch.setattr(Trainer, "save_checkpoint", original)
    train(config, run.path)
    assert same(run, train(config, tmp_path / "undisturbed"))


def test_a_loss_that_is_not_finite_ends_the_run_with_its_last_checkpoint(config: RunConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.training.network.embedding_network import EmbeddingNetwork, NetworkOutput

    original, calls = EmbeddingNetwork.forward, []

    def broken(self: EmbeddingNetwork, inputs: torch.Tensor) -> NetworkOutput:
        seen = original(self, inputs)
        calls.append(1)
        return NetworkOutput(seen.embeddings * float("nan"), seen.features) if self.training and len(calls) > 6 else seen

    monkeypatch.setattr(EmbeddingNetwork, "forward", broken)
    with pytest.raises(InputError, match=r"The loss is nan at step [5-7]; choose a smaller learning rate than 0.001"):
        train(config, tmp_path / "run")
    run = RunFolder(tmp_path / "run")
    assert run.status().state == "failed"
    assert all(torch.isfinite(value).all() for value in weights(run).values())


def test_from_a_damaged_checkpoint_it_goes_on_from_the_one_before_and_says_so(
    config: RunConfig, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    whole, run = train(config, tmp_path / "whole"), stopped(config, tmp_path / "run", 5)
    left = [run.path / name for name in (".0123456789abcdef.partial", ".checkpoint.ckpt.partial")]
    for file in left:  # by processes that were killed
        file.write_bytes(b"half")
        os.utime(file, (1, 1))
    content = {file: file.read_bytes() for file in run.path.iterdir() if file.is_file() and file not in left}
    for damaged in (pickle.dumps({"global_step": 5}), content[run.checkpoint][:-200]):
        for file, before in content.items():
            file.write_bytes(before)
        run.checkpoint.write_bytes(damaged)
        assert train(config, run.path).status().state == "finished"
        assert run.status().message.startswith("The checkpoint 'checkpoint.ckpt' is damaged; resuming from the previous one")
        assert "resuming from the previous one" in caplog.text
        assert same(whole, run)
        assert (run.report() or {})["best"] == (whole.report() or {})["best"]
    assert not any(file.exists() for file in left)

    broken = stopped(config, tmp_path / "broken", 5)
    for file in broken.path.glob("checkpoint*.ckpt"):
        file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(InputError, match=r"^The checkpoint '.*checkpoint.ckpt' cannot be read .*; delete it to restart training\.$"):
        train(config, broken.path)
    assert broken.status().state == "failed"


def test_in_the_warmup_the_backbone_stays_as_it_is(content: dict[str, Any], tmp_path: Path) -> None:
    content["optimizer"] = {"rate": 0.001, "warmup": 1}
    torch.manual_seed(0)
    start = dict(build_network(config_from(content).backbone).named_parameters())
    moved = []
    for epochs in (1, 2):
        run = train(config_from(content | {"epochs": epochs}), tmp_path / str(epochs))
        stored = torch.load(run.checkpoint, weights_only=True)
        moved.append({name for name, each in start.items() if not torch.equal(stored["state_dict"][f"network.{name}"], each)})
    assert moved[0] == {"head.weight", "head.bias"}
    assert any(name.startswith("backbone.") for name in moved[1])
    steps = {int(each["step"]) for each in stored["optimizer_states"][0]["state"].values()}
    assert steps == {3, 6}  # of the backbone, which began after the warmup, and of the embedding layer


def test_the_rate_falls_at_milestones_or_twice_at_most_where_validation_does_not_rise(config: RunConfig, tmp_path: Path) -> None:
    steps = with_changes(config, {"optimizer.milestones": [1, 2], "optimizer.factor": 0.5})
    assert train(steps, tmp_path / "run").metrics()["rate"].dropna().tolist() == [0.001] * 3 + [0.0005] * 3 + [0.00025] * 3
    plateau = with_changes(config, {"optimizer.plateau": 2, "optimizer.factor": 0.5, "data.validation": 0.2})
    module, again = (RunModule(build_network(config.backbone), nn.Identity(), None, plateau, 3) for _ in range(2))
    rates = []
    for recall in (0.5, 0.4, 0.5, 0.5, 0.6, 0.1, 0.2, 0.3, 0.6, 0.7):
        module.step_plateau(recall)
        rates.append(module.rate() / 0.001)
    assert rates == [1, 1, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25]
    kept: dict[str, Any] = {}
    module.on_save_checkpoint(kept)
    again.on_load_checkpoint(kept)
    assert (again.drops, again.best, again.waited) == (2, 0.7, 0)


def test_a_validation_split_is_measured_and_chooses_the_best_weights(content: dict[str, Any], tmp_path: Path) -> None:
    content["data"] |= {"train_classes": 0.7, "validation": 2}
    content |= {"batch": {"size": 4, "per_class": 2}}
    run = train(config_from(content), tmp_path / "run")
    evaluated = run.metrics().dropna(subset=["validation_recall_at_1"])
    assert evaluated["step"].tolist() == [0, *range(evaluated["step"].max() // 3, evaluated["step"].max() + 1, evaluated["step"].max() // 3)]
    assert evaluated["best_of"].dropna().max() == evaluated["validation_recall_at_1"][1:].max()


@pytest.mark.parametrize("on_test", [False, True])
def test_test_images_choose_weights_only_where_that_is_said(config: RunConfig, tmp_path: Path, on_test: bool) -> None:
    falling = iter([0.9, 0.8, 0.7, 0.6])  # the untrained network, then three epochs
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "likeness.training.loop.callback.scores", lambda rows, *_: ({"recall_at_1": next(falling)}, pd.DataFrame(index=range(len(rows))))
        )
        run = train(with_changes(config, {"data.select_on_test": on_test}), tmp_path / "run")
    report, measured = run.report(), run.metrics()
    assert (report["best"]["recall_at_1"], report["last"]["recall_at_1"]) == (0.8 if on_test else 0.6, 0.6)
    assert measured.loc[measured["best_of"].notna(), "step"].tolist() == ([3] if on_test else [3, 6, 9])
    assert measured.loc[measured["recall_at_1"].notna(), "step"].tolist() == [0, 3, 6, 9]


def test_the_untrained_network_is_measured_once_whatever_ends_the_run_before(config: RunConfig, tmp_path: Path) -> None:
    run, killed = stopped(config, tmp_path / "resumed", 4), RunFolder(tmp_path / "killed")
    killed.create(config)
    killed.append_metrics({"step": 0, "epoch": 0.0, "recall_at_1": 0.123})  # before its first checkpoint
    for each in (run, killed):
        measured = train(config, each.path).metrics()
        assert measured["step"].tolist() == list(range(10))
        assert measured["recall_at_1"][0] != 0.123


@pytest.mark.parametrize(("epochs", "head_only"), [(3, True), (0, False)])
def test_the_first_point_is_what_the_backbone_gives_before_training(content: dict[str, Any], tmp_path: Path, epochs: int, head_only: bool) -> None:
    """With an embedding layer that begins as the identity: the metrics of the backbone's own features; a run without steps is the raw encoder."""
    content["backbone"] |= {"dim": None, "head_only": head_only}
    config = config_from(content | {"epochs": epochs})
    run = train(config, tmp_path / "run")
    torch.manual_seed(config.seed)
    _, classes, features = backbone_features(config)
    test = classes.labels >= 3
    expected = retrieval_metrics(features[test], classes.labels[test], ks=(1, 8))
    first, report = run.metrics().iloc[0], run.report()
    assert (first["step"], first["epoch"]) == (0, 0.0)
    for name in ("recall_at_1", "recall_at_8", "map_at_r", "map_at_1000"):
        assert first[name] == pytest.approx(expected[name], abs=1e-5)
        assert epochs or report["last"][name] == first[name]
    assert report["steps"] == 3 * epochs
    assert train(config, run.path).metrics()["step"].tolist() == list(range(3 * epochs + 1))
