"""A backbone cut before a block, whose first part is computed once."""

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from tests.training.conftest import resumed

from likeness.errors import InputError
from likeness.training.config import BackboneConfig, config_from
from likeness.training.loop.train import train
from likeness.training.network.backbones import build_network
from likeness.training.network.cut_backbone import cut_backbone
from likeness.training.runs.manage_runs import export_run
from likeness.training.runs.run_encoder import RunEncoder, load_network
from likeness.training.runs.run_folder import RunFolder

PHOTOS = {"name": "photos", "dim": 8, "train_from": "blocks.6"}


@pytest.fixture
def cut(content: dict[str, Any]) -> dict[str, Any]:
    return content | {"backbone": PHOTOS, "data": content["data"] | {"image_size": 56}, "augment": False, "epochs": 3}


@pytest.mark.parametrize(("name", "block"), [("test_resnet", "layer4"), ("test_efficientnet", "blocks.2.0"), ("test_resnet", "layer2.0")])
def test_both_parts_give_what_the_whole_gives(name: str, block: str) -> None:
    torch.manual_seed(0)
    network, images = build_network(BackboneConfig(name=name, weights="none", dim=5)).eval(), torch.rand(3, 3, 64, 64)
    names, expected = set(network.state_dict()), network(images)
    before = cut_backbone(network, block, 64)
    maps = before.features(images)
    found = network(maps)
    torch.testing.assert_close(found.features, expected.features)
    torch.testing.assert_close(found.embeddings, expected.embeddings)
    assert network.input_shape == maps.shape[1:]
    assert any(each.startswith(f"backbone.{block}.") for each in network.state_dict())
    assert set(network.state_dict()) < names
    torch.testing.assert_close(network.map_shape(64), tuple(network.maps(maps).shape[1:]))


@pytest.mark.parametrize(
    ("name", "block", "message"),
    [
        ("test_resnet", "layer9", "no block 'layer9'; backbone.train_from takes one of .*layer4"),
        ("test_vit", "blocks.3", "cannot be cut before 'blocks.3', as it is no chain of blocks"),
        ("test_resnet", "layer2.0.conv2", "cannot be cut before"),
    ],
)
def test_what_cannot_be_cut_is_refused(name: str, block: str, message: str) -> None:
    network = build_network(BackboneConfig(name=name, weights="none", dim=5))
    with pytest.raises(InputError, match=message):
        cut_backbone(network, block, 160 if "vit" in name else 64)


def test_it_trains_as_a_whole_network_does_whose_first_blocks_are_frozen(
    cut: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Adam's first steps follow the sign of a gradient, and the margin loss draws by distances: both make much of rounding
    cut |= {"optimizer": {"kind": "sgd", "rate": 0.001}, "objective": {"name": "contrastive"}}
    run = train(config_from(cut), tmp_path / "cut")
    whole = config_from(cut | {"backbone": PHOTOS | {"train_from": None}})

    def frozen(config: Any) -> Any:
        network = build_network(config)
        for name, each in network.named_parameters():
            each.requires_grad_(name.startswith(("backbone.blocks.6", "backbone.conv_head", "backbone.bn2", "head")))
        return network

    with monkeypatch.context() as patch:
        patch.setattr("likeness.training.loop.given_objects.build_network", frozen)
        expected = load_file(train(whole, tmp_path / "whole").best)
    found = load_file(run.best)
    assert {name.split(".")[1] for name in found if name.startswith("backbone.")} == {"blocks", "conv_head", "bn2"}
    began = build_network(config_from(cut).backbone).state_dict()
    for name in ("backbone.conv_head.weight", "backbone.blocks.6.0.conv_pw.weight"):
        assert (found[name] - expected[name]).norm() < 0.01 * (expected[name] - began[name]).norm()


def test_it_is_resumed_loaded_and_exported(cut: dict[str, Any], tmp_path: Path) -> None:
    run = resumed(config_from(cut), tmp_path)
    network, images = load_network(run).eval(), torch.rand(2, 3, 56, 56)
    export_run(run, tmp_path / "export")
    assert RunFolder(tmp_path / "export").config().backbone.train_from is None
    torch.testing.assert_close(load_network(RunFolder(tmp_path / "export")).eval()(images).embeddings, network(images).embeddings)
    weights = load_file(run.best)
    torch.testing.assert_close(network.state_dict()["backbone.blocks.6.0.conv_pw.weight"], weights["backbone.blocks.6.0.conv_pw.weight"])
    assert RunEncoder("run", str(run.path)).dim == 8


@pytest.mark.parametrize(
    "changes",
    [
        {"few_shot": {"shots": [2], "episodes": 2, "steps": 2}, "structure": True, "matched_classes": 2},
        {"objective": {"name": "margin", "diva": {"hidden": 5, "queue_batches": 2}}, "batch": {"size": 9, "per_class": 3}, "parts": 4},
        {"objective": {"name": "multisimilarity", "s2sd": {"pooling": "average+max", "target_dims": [16]}}},
    ],
    ids=["few shots", "diva", "s2sd on maps"],
)
def test_what_reads_features_or_maps_reads_those_of_the_trained_part(cut: dict[str, Any], tmp_path: Path, changes: dict[str, Any]) -> None:
    cut["backbone"] = PHOTOS | {"parts": changes.pop("parts", 1)}
    run = train(config_from(cut | {"epochs": 1} | changes), tmp_path / "run")
    assert run.status().state == "finished", run.status().message


def test_without_crops(cut: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="a run on maps that are computed once has none"):
        config_from(cut | {"data": cut["data"] | {"crops": "whole"}, "augment": True})
    with pytest.raises(InputError, match="a head_only run trains no blocks"):
        config_from(cut | {"backbone": PHOTOS | {"head_only": True}})
