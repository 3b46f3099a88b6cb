"""A loss or a miner given as an object: trained with, told of in the config, and needed again when the run goes on."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from lightning import Callback
from pytorch_metric_learning.losses import TripletMarginLoss
from tests.training.conftest import losses, same, stopped, weights
from torch import Tensor, nn

import likeness
from likeness.errors import InputError
from likeness.losses import make_objective
from likeness.samplers import distance_weighted_triplets
from likeness.training.config import RunConfig, config_from, with_changes
from likeness.training.loop.train import train
from likeness.training.runs.run_encoder import load_network
from likeness.training.runs.run_folder import RunFolder


class Centers(nn.Module):
    """Pulls images to a learned point for each class."""

    def __init__(self, classes: int = 3, dim: int = 8) -> None:
        super().__init__()
        self.centers = nn.Parameter(torch.eye(dim)[:classes])
        self.seen: set[int] = set()

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        self.seen |= set(labels.tolist())
        return (embeddings - self.centers[labels]).square().sum(dim=1).mean()


def test_an_own_loss_is_trained_with_its_parameters(config: RunConfig, tmp_path: Path) -> None:
    loss = Centers()
    run = train(config, tmp_path / "run", loss=loss)
    assert run.status().state == "finished"
    assert loss.seen == {0, 1, 2}
    assert losses(run)[-1] < losses(run)[0]
    assert not torch.equal(weights(run)["objective.centers"], torch.eye(8)[:3])
    assert (run.config().objective.name, run.config().objective.options) == ("custom", {})


def test_a_shipped_loss_as_an_object_gives_the_run_of_its_name(config: RunConfig, tmp_path: Path) -> None:
    named = train(config, tmp_path / "named")
    own = train(config, tmp_path / "own", loss=make_objective("margin", 3, 8))
    assert same(named, own)


def test_a_function_is_a_loss_too_and_may_be_wrapped(config: RunConfig, tmp_path: Path) -> None:
    wrapped = with_changes(config, {"objective.uniform_prior": {"hidden": 4}})
    run = train(wrapped, tmp_path / "run", loss=lambda rows, labels: (rows @ rows.T)[labels[:, None] != labels].mean())
    assert run.status().state == "finished"


def test_a_run_goes_on_with_the_object_only(config: RunConfig, tmp_path: Path) -> None:
    whole, run = train(config, tmp_path / "whole", loss=Centers()), stopped(config, tmp_path / "run", 3, loss=Centers())
    with pytest.raises(InputError, match=r"given as an object; pass it again: train\(config, folder, loss=\.\.\.\)"):
        train(run.config(), run.path)
    train(run.config(), run.path, loss=Centers())
    assert same(run, whole)


def test_a_miner_serves_a_named_loss(config: RunConfig, tmp_path: Path) -> None:
    calls: list[int] = []

    def miner(rows: Tensor, labels: Tensor) -> tuple[Tensor, ...]:
        calls.append(len(labels))
        return distance_weighted_triplets(rows, labels)

    named, own = train(config, tmp_path / "named"), train(config, tmp_path / "own", miner=miner)
    assert calls == [6] * 9
    assert losses(named) == losses(own)
    assert (own.config().objective.name, own.config().objective.miner) == ("margin", "custom")
    with pytest.raises(InputError, match=r"pass it again: train\(config, folder, miner=\.\.\.\)"):
        train(with_changes(own.config(), {"seed": 1}), tmp_path / "again")


def test_a_miner_and_a_loss_of_pytorch_metric_learning(config: RunConfig, tmp_path: Path) -> None:
    own = train(config, tmp_path / "own", loss=TripletMarginLoss(0.1), miner=distance_weighted_triplets)
    named = train(with_changes(config, {"objective.miner": "distance-weighted"}), tmp_path / "mixed", loss=TripletMarginLoss(0.1))
    assert losses(own) == losses(named)


def test_label_distances_reach_a_loss_in_place_of_one_that_reads_them(content: dict[str, Any], tmp_path: Path) -> None:
    import pandas as pd

    photos = Path(content["data"]["source"])
    paths = sorted(str(path.relative_to(photos)) for path in photos.rglob("*.png"))
    pd.DataFrame({"path": paths, "x": range(len(paths))}).to_csv(photos / "table.csv", index=False)
    shapes: set[tuple[int, ...]] = set()

    def loss(rows: Tensor, distances: Tensor) -> Tensor:
        shapes.add(tuple(distances.shape))
        return (torch.cdist(rows[: len(distances)], rows) - distances / 36).square().mean()

    data = {
        "source": str(photos / "table.csv"),
        "split": "images",
        "test_images": 16,
        "image_size": 16,
        "labels": {"kind": "numbers", "columns": ["x"]},
    }
    batch = {"size": 6, "nearest": 2, "drawn": 2}
    config = config_from(content | {"data": data, "objective": {"name": "log-ratio"}, "batch": batch, "epochs": 1, "augment": "jitter"})
    run = train(config, tmp_path / "run", loss=loss)
    assert shapes == {(2, 6)}
    assert (run.config().objective.name, run.config().unit_embeddings) == ("custom-distances", False)


def test_an_own_language_model_guides(config: RunConfig, tmp_path: Path) -> None:
    class Lengths:
        """A text is as long as it is."""

        def __init__(self) -> None:
            self.texts: list[str] = []

        def encode_texts(self, texts: list[str]) -> np.ndarray:
            self.texts += texts
            return np.array([[len(text), 1.0 + float(text[-1:].isdigit())] for text in texts])

    language, guided = Lengths(), with_changes(config, {"guidance": {"primer": "{}"}, "epochs": 1})
    run = train(guided, tmp_path / "run", language=language)
    assert language.texts == ["class 0", "class 1", "class 2"]
    assert run.metrics()["loss_guidance"][1:].notna().all()
    assert run.config().guidance.language == ("custom",)
    with pytest.raises(InputError, match=r"pass it again: train\(config, folder, language=\.\.\.\)"):
        train(run.config(), run.path)
    with pytest.raises(InputError, match="the config has no guidance"):
        train(config, tmp_path / "other", language=language)


@pytest.mark.parametrize("loss", [3, nn.Module])
def test_what_cannot_be_called_is_refused(config: RunConfig, tmp_path: Path, loss: object) -> None:
    with pytest.raises(InputError, match="is no object that can be called"):
        train(config, tmp_path / "run", loss=loss)


def test_a_loss_that_is_no_scalar_is_refused(config: RunConfig, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"The objective gives a tensor of shape \(6,\).*take the mean"):
        train(config, tmp_path / "run", loss=lambda rows, labels: rows.sum(dim=1))


def test_processes_that_begin_elsewhere_get_no_objects(config: RunConfig, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not reach the 2 processes of the run; set devices to 1"):
        train(with_changes(config, {"devices": 2}), tmp_path / "run", loss=Centers())


class Colors(nn.Module):
    """Mean colors, scaled by what is learned."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return images.mean(dim=(2, 3)) * self.scale


def test_a_backbone_and_callbacks_are_taken_as_objects(config: RunConfig, tmp_path: Path) -> None:
    class Counts(Callback):
        steps = 0

        def on_train_batch_end(self, *rest: Any) -> None:
            self.steps += 1

    counts, colors = Counts(), Colors()
    run = train(config, tmp_path / "run", backbone=colors, callbacks=[counts])
    report = run.report()
    assert counts.steps == report["steps"]
    assert not torch.equal(colors.scale.detach(), torch.ones(3))
    assert report["best"]["recall_at_1"] > 0.9  # the classes are colors
    assert run.config().backbone.name == "custom"
    with pytest.raises(InputError, match="has a backbone that was passed as an object"):
        load_network(run)
    with pytest.raises(InputError, match=r"The backbone gives shape \(2, 3, 16, 16\) for two images"):
        train(config, tmp_path / "maps", backbone=nn.Identity())


def test_a_callback_whose_state_no_checkpoint_holds_is_named_at_the_first_one(config: RunConfig, tmp_path: Path) -> None:
    class Keeps(Callback):
        kept: Any = 1

        def state_dict(self) -> dict[str, Any]:
            return {"kept": self.kept}

    train(config, tmp_path / "sound", callbacks=[Keeps()])
    odd = Keeps()
    odd.kept = Colors()
    with pytest.raises(InputError, match=r"The callback .*Keeps keeps what no checkpoint holds; keep tensors"):
        train(config, tmp_path / "odd", callbacks=[odd])


def test_the_door_takes_objects_beside_values(content: dict[str, Any], tmp_path: Path) -> None:
    run = likeness.train(content, tmp_path / "run", backbone=Colors(), loss=lambda rows, labels: rows.square().mean(), epochs=1)
    assert run.config().objective.name == "custom"
    named = likeness.train(content, tmp_path / "named", backbone={"name": "test_resnet", "weights": "none", "dim": 4}, epochs=0)
    assert named.config().backbone.dim == 4


def test_a_gpu_without_room_for_a_batch_is_told_of_in_a_sentence(content: dict[str, Any], tmp_path: Path) -> None:
    class Large(Colors):
        def forward(self, images: torch.Tensor) -> torch.Tensor:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")

    config = config_from(content)
    expected = f"too small for a batch of {config.batch.size} images of {config.data.image_size} px; set batch.size lower"
    with pytest.raises(InputError, match=expected):
        train(config, tmp_path / "run", backbone=Large())
    assert expected in RunFolder(tmp_path / "run").status().message
