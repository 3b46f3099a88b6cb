from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from peft import LoraConfig, inject_adapter_in_model
from safetensors.torch import load_file

from likeness.embedding import embed
from likeness.errors import InputError
from likeness.training import RunFolder, config_from, load_network, train, with_changes
from likeness.training.config import BackboneConfig, LoraOptions
from likeness.training.network.adapters import add_adapters, load_plain_state, plain_state
from likeness.training.network.backbones import build_network
from likeness.training.network.embedding_network import EmbeddingNetwork


@pytest.mark.parametrize(("name", "size"), [("test_resnet", 32), ("test_efficientnet", 32), ("test_vit", 160), ("clip:cars-small", 96)])
def test_adapters_start_without_effect_learn_alone_and_are_added_to_the_weights(name: str, size: int) -> None:
    torch.manual_seed(0)
    weights = "pretrained" if name.startswith("clip:") else "none"
    network = build_network(BackboneConfig(name=name, weights=weights, dim=None)).eval()
    images, before = torch.rand(2, 3, size, size), {key: value.clone() for key, value in network.state_dict().items()}
    expected = network(images).embeddings.detach()
    add_adapters(network, LoraOptions(rank=2, alpha=4))
    assert torch.allclose(network(images).embeddings, expected, atol=1e-5)
    learned = [key for key, each in network.named_parameters() if each.requires_grad]
    assert {key for key in learned if ".lora_" not in key} == {"head.weight", "head.bias"}
    assert len(learned) > 4
    with torch.no_grad():
        for key, each in network.named_parameters():
            if ".lora_B." in key:
                each.normal_(std=0.1)
    found = network(images).embeddings
    assert not torch.allclose(found, expected, atol=1e-3)
    plain = build_network(BackboneConfig(name=name, weights=weights, dim=None)).eval()
    state = plain_state(network)
    assert state.keys() == before.keys()
    plain.load_state_dict(state)
    assert torch.allclose(plain(images).embeddings, found, atol=1e-4)
    load_plain_state(network, before)
    assert torch.allclose(network(images).embeddings, expected, atol=1e-5)


def test_a_run_with_adapters_resumes_and_is_an_encoder_without_them(content: dict[str, Any], tmp_path: Path) -> None:
    changes = {"backbone.lora": {"rank": 2}, "optimizer.rate": 0.01, "structure": True}
    config = with_changes(config_from(content), changes)
    run = train(config, tmp_path / "run")
    torch.manual_seed(config.seed)
    start, kept = build_network(config.backbone).state_dict(), load_file(run.best)
    changed = {name for name, value in start.items() if not torch.equal(value, kept[name])}
    assert {"head.weight", "head.bias"} < changed
    assert not any("bn" in name or "lora" in name for name in kept.keys() & changed)
    assert kept.keys() == start.keys()
    network = load_network(RunFolder(run.path))
    assert network.state_dict().keys() == start.keys()
    found = embed(config.data.source, f"run:{run.path}").vectors
    assert np.isfinite(found).all()
    report = run.report()
    assert report is not None
    figures = {name: value for name, value in report["best"].items() if name.startswith("structure_")}
    assert figures == {name: report["last"][name] for name in figures}


def test_a_backbone_of_ones_own_with_adapters_is_kept_as_it_is() -> None:
    own = inject_adapter_in_model(LoraConfig(target_modules=["0"]), torch.nn.Sequential(torch.nn.Linear(4, 3)))
    network = EmbeddingNetwork(own, 3, 2)
    assert plain_state(network).keys() == network.state_dict().keys()
    assert any(".lora_A." in name for name in plain_state(network))
    load_plain_state(network, {name: torch.ones_like(value) for name, value in network.state_dict().items()})
    assert all((value == 1).all() for value in network.state_dict().values())


def test_what_has_no_adapters(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="a head_only run trains no backbone"):
        config_from({"backbone": {"head_only": True, "lora": {}}})
    network = build_network(BackboneConfig(name="test_resnet", weights="none"))
    network.backbone = torch.nn.Flatten()
    with pytest.raises(InputError, match="has no linear layers"):
        add_adapters(network, LoraOptions())
    monkeypatch.setitem(__import__("sys").modules, "peft", None)
    with pytest.raises(InputError, match=r'needs peft; run: pip install "likeness\[lora\]"'):
        add_adapters(network, LoraOptions())
