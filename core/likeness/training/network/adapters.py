"""Low-rank adapters on the layers of a backbone (LoRA: Hu et al., ICLR 2022), by peft. A run's kept weights have them added in."""

from typing import Any

import torch
from torch import Tensor, nn

from likeness.errors import InputError
from likeness.training.config import LoraOptions
from likeness.training.network.embedding_network import EmbeddingNetwork

_ADAPTER = "default"  # peft's name of the only one


def add_adapters(network: EmbeddingNetwork, options: LoraOptions) -> None:
    """Puts adapters on the backbone's linear layers and 1 x 1 convolutions and freezes all else in it. InputError: peft is not installed, or no
    such layer.
    """
    try:
        from peft import LoraConfig, inject_adapter_in_model
    except ImportError as error:
        raise InputError('backbone.lora needs peft; run: pip install "likeness[lora]"') from error
    assert network.backbone is not None
    names = [name for name, module in network.backbone.named_modules() if _can_adapt(module)]
    if not names:
        raise InputError("The backbone has no linear layers and 1 x 1 convolutions for adapters; remove backbone.lora.")
    chosen = LoraConfig(r=options.rank, lora_alpha=options.alpha, target_modules=names)
    inject_adapter_in_model(chosen, network.backbone, _ADAPTER)
    network.has_adapters = True


def _can_adapt(module: nn.Module) -> bool:
    """Layers whose forward pass is called: torch's attention reads the weight of its last one itself."""
    if isinstance(module, nn.Conv2d):
        return module.kernel_size == (1, 1) and module.groups == 1
    return isinstance(module, nn.Linear) and not isinstance(module, nn.modules.linear.NonDynamicallyQuantizableLinear)


def plain_state(network: EmbeddingNetwork) -> dict[str, Tensor]:
    """The state of the network as it is without the adapters of `add_adapters`, which are added to the weights of their layers."""
    if not network.has_adapters:
        return network.state_dict()
    state = {name.replace(".base_layer.", "."): value for name, value in network.state_dict().items() if ".lora_" not in name}
    with torch.no_grad():
        return state | {f"{name}.weight": state[f"{name}.weight"] + layer.get_delta_weight(_ADAPTER) for name, layer in _adapted(network)}


def load_plain_state(network: EmbeddingNetwork, weights: dict[str, Tensor]) -> None:
    """Loads weights of `plain_state`, as far as the network has them; its adapters then add nothing."""
    layers = [name for name, _ in _adapted(network)]
    owners = {f"{name}.{kind}": f"{name}.base_layer.{kind}" for name in layers for kind in ("weight", "bias")}
    silent = {name: torch.zeros_like(value) for name, value in network.state_dict().items() if layers and ".lora_B." in name}
    network.load_state_dict({owners.get(name, name): value for name, value in weights.items()} | silent, strict=False)


def _adapted(network: EmbeddingNetwork) -> list[tuple[str, Any]]:
    return [(name, module) for name, module in network.named_modules() if network.has_adapters and hasattr(module, "get_delta_weight")]
