from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
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
    def __init__(self, classes: int = 3, dim: int = 8) -> None:
        super().__init__()
        self.centers = nn.Parameter(torch.eye(dim)[:classes])
        self.seen: set[int] = set()

    def forward(self, embeddings: Tensor, labels: Tensor) -> Tensor:
        self.seen |= set(labels.tolist())
        return (embeddings - self.centers[labels]).square().sum(dim=1).mean()


class Colors(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return images.mean(dim=(2, 3)) * self.scale


def test_an_own_loss_is_trained_with_its_parameters_and_needed_again(config: RunConfig, tmp_path: Path) -> None:
    loss = Centers()
    whole = train(config, tmp_path / "whole", loss=loss)
    assert loss.seen == {0, 1, 2}
    assert losses(whole)[-1] < losses(whole)[0]
    assert not torch.equal(weights(whole)["objective.centers"], torch.eye(8)[:3])
    assert (whole.config().objective.name, whole.config().objective.options) == ("custom", {})
    run = stopped(config, tmp_path / "run", 3, loss=Centers())
    with pytest.raises(InputError, match=r"loss object, which configs cannot hold; pass it again: train\(config, folder, loss=\.\.\.\)"):
        train(run.config(), run.path)
    train(run.config(), run.path, loss=Centers())
    assert same(run, whole)


def test_a_shipped_loss_or_miner_as_an_object_gives_the_run_of_its_name(config: RunConfig, tmp_path: Path) -> None:
    calls: list[int] = []

    def miner(rows: Tensor, labels: Tensor) -> tuple[Tensor, ...]:
        calls.append(len(labels))
        return distance_weighted_triplets(rows, labels)

    named = train(config, tmp_path / "named")
    assert same(named, train(config, tmp_path / "loss", loss=make_objective("margin", 3, 8)))
    own = train(config, tmp_path / "miner", miner=miner)
    assert calls == [6] * 9
    assert losses(named) == losses(own)
    assert (own.config().objective.name, own.config().objective.miner) == ("margin", "custom")
    with pytest.raises(InputError, match=r"pass it again: train\(config, folder, miner=\.\.\.\)"):
        train(with_changes(own.config(), {"seed": 1}), tmp_path / "again")
    both = train(config, tmp_path / "both", loss=TripletMarginLoss(0.1), miner=distance_weighted_triplets)
    mixed = train(with_changes(config, {"objective.miner": "distance-weighted"}), tmp_path / "mixed", loss=TripletMarginLoss(0.1))
    assert losses(both) == losses(mixed)
    wrapped = with_changes(config, {"objective.uniform_prior": {"hidden": 4}})  # a function is a loss, too
    assert train(wrapped, tmp_path / "run", loss=lambda rows, labels: (rows @ rows.T)[labels[:, None] != labels].mean()).report()


def test_label_distances_reach_a_loss_in_place_of_one_that_reads_them(content: dict[str, Any], photos: Path, tmp_path: Path) -> None:
    paths = sorted(str(path.relative_to(photos)) for path in photos.rglob("*.png"))
    pd.DataFrame({"path": paths, "x": range(len(paths))}).to_csv(photos / "table.csv", index=False)
    shapes: set[tuple[int, ...]] = set()

    def loss(rows: Tensor, distances: Tensor) -> Tensor:
        shapes.add(tuple(distances.shape))
        return (torch.cdist(rows[: len(distances)], rows) - distances / 36).square().mean()

    labels = {"kind": "numbers", "columns": ["x"]}
    data = {"source": str(photos / "table.csv"), "split": "images", "test_images": 16, "image_size": 16, "labels": labels}
    batch = {"size": 6, "nearest": 2, "drawn": 2}
    config = config_from(content | {"data": data, "objective": {"name": "log-ratio"}, "batch": batch, "epochs": 1, "augment": "jitter"})
    run = train(config, tmp_path / "run", loss=loss)
    assert shapes == {(2, 6)}
    assert (run.config().objective.name, run.config().unit_embeddings) == ("custom-distances", False)


class Lengths:
    """A text is as long as it is."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode_texts(self, texts: list[str]) -> np.ndarray:
        self.texts += texts
        return np.array([[len(text), 1.0 + float(text[-1:].isdigit())] for text in texts])


def test_an_own_language_model_guides(config: RunConfig, tmp_path: Path) -> None:
    language = Lengths()
    run = train(with_changes(config, {"guidance": {"primer": "{}"}, "epochs": 1}), tmp_path / "run", language=language)
    assert language.texts == ["class 0", "class 1", "class 2"]
    assert run.metrics()["loss_guidance"][1:].notna().all()
    assert run.config().guidance.language == ("custom",)
    with pytest.raises(InputError, match=r"pass it again: train\(config, folder, language=\.\.\.\)"):
        train(run.config(), run.path)


class Keeps(Callback):
    def __init__(self, kept: Any) -> None:
        self.kept = kept

    def state_dict(self) -> dict[str, Any]:
        return {"kept": self.kept}


class Large(Colors):
    def forward(self, images: torch.Tensor) -> torch.Tensor:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")


@pytest.mark.parametrize(
    ("changes", "given", "message"),
    [
        ({}, {"loss": 3}, "is not callable"),
        ({}, {"loss": nn.Module}, "is not callable"),
        ({}, {"loss": lambda rows, labels: rows.sum(dim=1)}, r"The objective returns a tensor of shape \(6,\).*take the mean"),
        ({"devices": 2}, {"loss": Centers()}, "Objects cannot be passed to the 2 processes of the run; set devices to 1"),
        ({}, {"callbacks": [Keeps(Colors())]}, r"The state of the callback .*Keeps does not fit a checkpoint; use tensors"),
        ({}, {"backbone": nn.Identity()}, r"The backbone returns shape \(2, 3, 16, 16\) for two images"),
        ({}, {"language": Colors()}, "the config has no guidance"),
        ({}, {"backbone": Large()}, r"too small for a batch of 6 images of 16 px; lower batch\.size"),
    ],
)
def test_objects_that_do_not_serve_are_refused(config: RunConfig, tmp_path: Path, changes: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        train(with_changes(config, changes), tmp_path / "run", **given)
    status = RunFolder(tmp_path / "run").status()
    assert status.message in (str(refused.value), "")


def test_a_backbone_and_callbacks_are_taken_as_objects(config: RunConfig, tmp_path: Path) -> None:
    class Counts(Callback):
        steps = 0

        def on_train_batch_end(self, *rest: Any) -> None:
            self.steps += 1

    counts, colors = Counts(), Colors()
    run = train(config, tmp_path / "run", backbone=colors, callbacks=[counts, Keeps(1)])
    report = run.report()
    assert counts.steps == report["steps"]
    assert not torch.equal(colors.scale.detach(), torch.ones(3))
    assert report["best"]["recall_at_1"] > 0.9  # the classes are colors
    assert run.config().backbone.name == "custom"
    with pytest.raises(InputError, match="has a backbone that was passed as an object"):
        load_network(run)


def test_the_door_takes_objects_beside_values(content: dict[str, Any], tmp_path: Path) -> None:
    run = likeness.train(content, tmp_path / "run", backbone=Colors(), loss=lambda rows, labels: rows.square().mean(), epochs=1)
    assert run.config().objective.name == "custom"
    named = likeness.train(content, tmp_path / "named", backbone={"name": "test_resnet", "weights": "none", "dim": 4}, epochs=0)
    assert named.config().backbone.dim == 4


class Reversed:
    """The last images first."""

    def __init__(self, labels: Any) -> None:
        self.count = len(labels)

    def batch(self, number: int) -> Any:
        return (np.arange(6) - 6 * number) % self.count


def test_images_batches_and_a_transform_are_taken_as_objects(config: RunConfig, tmp_path: Path) -> None:
    seen: list[tuple[int, ...]] = []

    def darker(image: Tensor) -> Tensor:
        seen.append(tuple(image.shape))
        return image * torch.rand(())

    data = likeness.read(config.data.source)
    given: dict[str, Any] = {"data": data, "sampler": Reversed, "transform": darker}
    whole = likeness.train(with_changes(config, {"data.source": "nowhere"}), tmp_path / "whole", **given)
    assert whole.config().objects == ("data", "sampler", "transform")
    assert set(seen) == {(3, config.data.image_size, config.data.image_size)}
    run = stopped(with_changes(config, {"data.source": "nowhere"}), tmp_path / "run", 3, **given)
    with pytest.raises(InputError, match=r"begun with an object as data; pass it again: train\(config, folder, data=\.\.\.\)"):
        train(run.config(), run.path)
    train(run.config(), run.path, **given)
    assert same(run, whole)
    named = train(config, tmp_path / "named")
    assert losses(named) == losses(train(config, tmp_path / "data", data=data))
    pose = config_from({"data": {"split": "images", "labels": {"kind": "pose"}}, "objective": {"name": "log-ratio"}})
    with pytest.raises(InputError, match=r"A sampler gives no anchors, which objective\.name log-ratio needs"):
        train(pose, tmp_path / "distances", sampler=Reversed)
    with pytest.raises(InputError, match="official reads a dataset's own parts"):
        train(with_changes(config, {"data.split": "official"}), tmp_path / "official", data=data)
