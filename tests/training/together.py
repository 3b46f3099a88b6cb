"""Every objective of runs on a tiny network, trained for some steps in one process or in one of several: what `test_together` compares.

As a script it is one of two processes, as torchrun would start it: `together.py FOLDER` writes there what it found.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from lightning import Callback, LightningModule, Trainer
from tests.training.conftest import stop_at
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from likeness.errors import InputError
from likeness.losses import objectives_on
from likeness.losses.commodity import COMMODITY
from likeness.samplers import MPerClassBatches, NeighborBatches, ShuffledBatches
from likeness.training.config import RunConfig, config_from, read_config
from likeness.training.data.batches import Batches
from likeness.training.data.captions import Captions
from likeness.training.data.run_images import RunImages
from likeness.training.dist_context import DistContext
from likeness.training.guidance.ablations import LanguageContrast, LanguageMining, LanguageScaling, PredictedLanguage, ViTPrediction
from likeness.training.guidance.guided_loss import ClassTargets, ImageTargets, LanguageGuidance, VectorTargets
from likeness.training.loop.given_objects import build_objective
from likeness.training.loop.module import RunModule
from likeness.training.loop.train import train
from likeness.training.loop.trainer import build_trainer, dist_context_of, silence_lightning
from likeness.training.loop.worker import end_with_parent
from likeness.training.network.backbones import build_network
from likeness.training.network.embedding_network import EmbeddingNetwork, NetworkOutput
from likeness.training.runs.run_folder import RunFolder

STEPS, CLASSES, EACH, DIM = 3, 6, 4, 8
_DIVA = {"objective": {"name": "margin", "diva": {"hidden": 5, "queue_batches": 2}}, "batch": {"size": 12, "per_class": 3}}
_PARTS = {"name": "test_resnet", "weights": "none", "dim": DIM, "parts": 4}
_CHUNKS = {
    "backbone": {"name": "test_resnet", "weights": "none", "dim": DIM, "freeze_batch_norm": True},
    "batch": {"size": 12, "per_class": 2, "chunk": 4},
}
_BASE: dict[str, Any] = {
    "backbone": {"name": "test_resnet", "weights": "none", "dim": DIM},
    "batch": {"size": 12, "per_class": 2},
    "optimizer": {"kind": "sgd", "rate": 0.05},
    "data": {"image_size": 16},
    "device": "cpu",
}


def _language(seed: int = 0, wide: int = 6) -> Any:
    return np.random.default_rng(seed).normal(size=(CLASSES, wide)).astype(np.float32)


def _similarities(count: int = CLASSES) -> Any:
    unit = np.random.default_rng(1).normal(size=(count, 5))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    return (unit @ unit.T).astype(np.float32)


_GUIDANCE: dict[str, tuple[dict[str, Any], Callable[[Any], nn.Module]]] = {
    "elg": ({"omega": 5.0}, lambda network: LanguageGuidance(ClassTargets(_similarities()))),
    "elg whose vectors learn": (
        {"stop_gradient": False},
        lambda network: LanguageGuidance(VectorTargets(_language(), learned=True), stop_gradient=False),
    ),
    "plg of classes, several": ({"kind": "plg"}, lambda network: LanguageGuidance(ClassTargets(np.stack([_similarities()] * 2)))),
    "plg of images": (
        {"kind": "plg", "level": "sample"},
        lambda network: LanguageGuidance(ImageTargets(np.arange(CLASSES * EACH * 2).reshape(-1, 2) % 9, _similarities(9)), masked=False),
    ),
    "devise": ({"method": "devise"}, lambda network: PredictedLanguage(_language(), DIM, 7)),
    "vit": ({"method": "vit"}, lambda network: ViTPrediction(_language(), *_flat(network.map_shape(16)), width=8, depth=1, heads=2)),
    "clip-style": ({"method": "clip-style"}, lambda network: LanguageContrast(_language(wide=DIM), DIM)),
    "mining": ({"method": "mining"}, lambda network: LanguageMining(ClassTargets(_similarities()))),
    "scaling": ({"method": "scaling"}, lambda network: LanguageScaling(ClassTargets(_similarities()))),
}


def _flat(shape: tuple[int, int, int]) -> tuple[int, int]:
    return shape[0], shape[1] * shape[2]


# Of the losses of pytorch-metric-learning those that the papers train with stand for all: pairs, triplets, learned points of classes.
_OF_PAPERS = {"contrastive", "triplet", "arcface", "arcface-official", "proxyanchor", "proxyanchor-official", "softmax"}
_OTHERS = {each.name for each in COMMODITY} - _OF_PAPERS
CASES: dict[str, dict[str, Any]] = {
    **{name: {"objective": {"name": name}} for name in objectives_on("classes") if name not in _OTHERS},
    **{f"{name}, beta learned": {"objective": {"name": name, "options": {"learn_beta": True}}} for name in ("margin", "r-margin")},
    # its parameters have no gradient at all
    "margin without tuples": {"objective": {"name": "margin", "options": {"learn_beta": True}}, "batch": {"size": 6, "per_class": 1}},
    "s2sd": {"objective": {"name": "multisimilarity", "s2sd": {"target_dims": [5, 9]}}},
    "s2sd with proxies, on maps": {"objective": {"name": "proxyanchor", "s2sd": {"target_dims": [5], "pooling": "average+max"}}},
    "uniform prior": {"objective": {"name": "margin", "uniform_prior": {"weight": 0.5, "hidden": 7}}},
    "uniform prior around s2sd": {"objective": {"name": "softmax", "s2sd": {"target_dims": [5]}, "uniform_prior": {"hidden": 7}}},
    "diva": _DIVA | {"backbone": _PARTS},
    "diva on features": _DIVA | {"backbone": _PARTS | {"head_only": True}},
    "circle": {"objective": {"name": "pml:CircleLoss"}},
    "matryoshka": {"objective": {"name": "multisimilarity", "matryoshka": {"dims": [2, 4]}}},
    # three steps of twelve: the memory is full in the last one
    **{f"memory, {name}": {"objective": {"name": name, "memory": {"size": 30}}} for name in ("contrastive", "triplet", "supcon")},
    "in chunks": {"objective": {"name": "margin", "options": {"learn_beta": True}}} | _CHUNKS,
    "in chunks, with memory": {"objective": {"name": "contrastive", "memory": {"size": 30}}} | _CHUNKS,
    **{
        name: {"objective": {"name": name}, "backbone": {"name": "clip:cars-small", "dim": None, "text": "train"}}
        for name in objectives_on("captions")
    },
    "adam": {"objective": {"name": "arcface"}, "optimizer": {"kind": "adam", "rate": 0.001}},
    # a run whose guidance takes the objective's place leaves the objective's parameters without gradient
    **{name: {"objective": {"name": "proxyanchor"}, "guidance": config} for name, (config, _) in _GUIDANCE.items()},
    **{f"{name}, in chunks": {"objective": {"name": "margin"}, "guidance": _GUIDANCE[name][0]} | _CHUNKS for name in ("elg", "vit")},
    **{
        f"{name}, {anchors}": {
            "objective": {"name": name},
            "batch": {"size": 12, "nearest": 3, "drawn": 2, "anchors": anchors},
            "augment": "jitter",
            "data": {"image_size": 16, "labels": {"kind": "numbers", "columns": ["x"]}},
        }
        for name in objectives_on("distances")
        for anchors in ("drawn", "all")
    },
}


class Line(NamedTuple):
    """Continuous labels: places on a line."""

    places: Any
    unit: str = ""

    def between(self, rows: Any, columns: Any) -> Any:
        return np.abs(self.places[rows][:, None] - self.places[columns][None]).astype(np.float32)


class Found(NamedTuple):
    """Gradients of the first step by parameter, None where there is none; the loss of each step; the state after the last."""

    gradients: dict[str, Tensor | None]
    losses: list[float]
    state: dict[str, Any]


class _Gradients(Callback):
    def __init__(self) -> None:
        self.first: dict[str, Tensor | None] = {}
        self.losses: list[float] = []

    def on_before_optimizer_step(self, trainer: Trainer, module: LightningModule, optimizer: Any) -> None:
        if not self.first:
            self.first = {name: None if each.grad is None else each.grad.clone() for name, each in module.named_parameters()}
        assert isinstance(module, RunModule)
        self.losses.append(module.figures.values[2].item())


class _Doubled(NamedTuple):
    """What a batch is cut to, in float64."""

    tensors: tuple[Tensor, ...]

    def cut(self, size: int, images: Tensor | None = None, transform: nn.Module | None = None) -> tuple[Tensor, ...]:
        return self.tensors


class _Double(Dataset[_Doubled]):
    def __init__(self, batches: Batches) -> None:
        self.batches = batches

    def __len__(self) -> int:
        return STEPS

    def __getitem__(self, number: int) -> _Doubled:
        return _Doubled(tuple(each.double() if each.is_floating_point() else each for each in self.batches[number].cut(16)))


def trained(case: str, processes: int, dist: DistContext | None = None) -> Found:
    """Some steps of a case in float64."""
    config = config_from(_BASE | CASES[case] | {"devices": processes, "epochs": 1})
    dist = dist_context_of(config) if dist is None else dist
    torch.manual_seed(0)
    network = build_network(config.backbone)
    network.unit = config.unit_embeddings
    if config.kaiming:
        network.kaiming_init()
    objective = build_objective(config.objective, CLASSES, DIM, network.feature_dim)
    _, guides = _GUIDANCE.get(case.removesuffix(", in chunks"), (None, None))
    guidance = guides(network) if guides is not None else None
    if config.backbone.head_only:
        network.backbone = None
    module = RunModule(network.double(), objective.double(), guidance, config, STEPS, dist).double()
    if network.text is not None:
        module.captions = Captions([[f"a {'red' if row % 2 else 'blue'} car", "a bus"][: 1 + row % 3] for row in range(CLASSES * EACH)], network.text)
    kept = _Gradients()
    with silence_lightning():
        trainer = build_trainer(config, max_steps=STEPS, max_epochs=1, callbacks=[kept], logger=False)
        trainer.fit(module, DataLoader(_Double(_batches(config, module, dist)), batch_size=None))
    return Found(kept.first, kept.losses, {name: deepcopy(value) for name, value in module.state_dict().items()})


def _batches(config: RunConfig, module: RunModule, dist: DistContext) -> Batches:
    rng, count = np.random.default_rng(0), CLASSES * EACH
    rows, labels = np.arange(count), np.repeat(np.arange(CLASSES), EACH)
    inputs = rng.integers(0, 256, (count, 18, 18, 3), dtype=np.uint8)
    if config.backbone.head_only:
        inputs = rng.normal(size=(count, module.network.feature_dim)).astype(np.float32)
    line = Line(rng.random(count))
    images = RunImages(None, [str(each) for each in range(CLASSES)], labels, rows, rows[:0], rows, distances=line)  # type: ignore[arg-type]
    batch = config.batch
    chosen: Any = ShuffledBatches(count, batch.size) if config.objective.on_captions else MPerClassBatches(labels, batch.size, batch.per_class)
    if config.objective.continuous:
        nearest = np.argsort(line.between(rows, rows), axis=1)[:, 1:4]
        chosen = NeighborBatches(nearest, batch.size, batch.nearest, batch.drawn, batch.size if batch.anchors == "all" else batch.drawn)
    return Batches(inputs, images, chosen, 16, config.augment, 0, "view" in module.reads, dist)


def whole_runs(config: RunConfig, folder: Path, rank: int) -> dict[str, Any]:
    """Runs of this process and its companion, disturbed in several ways; what each of them told here."""
    told: dict[str, Any] = {"whole": _told(config, folder / "whole")}
    with pytest.MonkeyPatch.context() as patch:  # a person asks for a stop, which the first process alone sees
        if rank == 0:
            patch.setattr(RunFolder, "append_metrics", stop_at(4))
        told["stopped"] = _told(config, folder / "halting")
    if rank == 0:
        shutil.copytree(folder / "halting", folder / "two-to-one")
    with pytest.MonkeyPatch.context() as patch:  # the system asks one process to end
        if rank == 1:
            patch.setattr(RunModule, "on_train_batch_start", _terminated_at(6))
        told["terminated"] = _told(config, folder / "halting")
    told["resumed"] = _told(config, folder / "halting")
    told |= {name: _told(config, folder / name) for name in ("one-to-two", "launched")}
    with pytest.MonkeyPatch.context() as patch:
        if rank == 1:
            patch.setattr(EmbeddingNetwork, "forward", _broken_after(4))
        told["broken"] = _told(config, folder / "broken")
    with pytest.MonkeyPatch.context() as patch:
        if rank == 0:
            patch.setattr(Trainer, "save_checkpoint", _full)
        told["full"] = _told(config, folder / "full")
    return told


def _told(config: RunConfig, folder: Path) -> str:
    try:
        status = train(config, folder).status()
    except (InputError, SystemExit) as error:
        return f"{type(error).__name__}: {error}"
    except RuntimeError as error:
        return f"RuntimeError: {error}"
    return f"{status.state} at {status.step}"


def _terminated_at(step: int) -> Callable[[RunModule, Any, int], None]:
    original = RunModule.on_train_batch_start

    def start(self: RunModule, batch: Any, number: int) -> None:
        original(self, batch, number)
        if self.global_step == step - 1:
            os.kill(os.getpid(), signal.SIGTERM)

    return start


def _broken_after(steps: int) -> Callable[[EmbeddingNetwork, Tensor], NetworkOutput]:
    original, calls = EmbeddingNetwork.forward, []

    def forward(self: EmbeddingNetwork, inputs: Tensor) -> NetworkOutput:
        seen = original(self, inputs)
        calls.extend([1] * self.training)
        return NetworkOutput(seen.embeddings * float("nan"), seen.features) if len(calls) > steps else seen

    return forward


def _full(self: Trainer, file: Path) -> None:
    Path(file).write_bytes(b"half")
    raise OSError(28, "No space left on device")


def main(folder: Path) -> None:
    """What one of two processes finds, in files that its number tells apart."""
    end_with_parent()
    torch.set_num_threads(1)
    rank = int(os.environ["RANK"])
    config = read_config(folder / "config.yaml")
    torch.save({case: trained(case, 2)._asdict() for case in CASES}, folder / f"cases-{rank}.pt")
    (folder / f"told-{rank}.json").write_text(json.dumps(whole_runs(config, folder, rank)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
