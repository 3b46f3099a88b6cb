"""Backbones by name: timm models and image towers of CLIP models, with their weights."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from likeness.defaults import PHOTOS_ENCODER
from likeness.errors import InputError
from likeness.io import as_path, read_weights
from likeness.training.config import BackboneConfig
from likeness.training.network.embedding_network import IMAGENET_MEAN, IMAGENET_STD, EmbeddingNetwork
from likeness.training.network.text_tower import TextTower


def build_network(config: BackboneConfig) -> EmbeddingNetwork:
    """The network with its pretrained weights, and an embedding layer drawn from torch's generator.

    InputError: an unknown backbone, or weights that are missing or do not fit.
    """
    if config.name.startswith("clip:"):
        return _from_clip(config)
    if config.name == "custom":
        raise InputError("This run has a backbone that was passed as an object; pass it again, or load the run's weights into it yourself.")
    from likeness.training.network.depthwise import make_depthwise_fast

    model = timm_model(config, classes=0)
    make_depthwise_fast(model)
    if config.pool == "gem":
        _pool_by_gem(model, config.name)
    if config.checkpointing:
        _recompute(model, config.name)
    data = model.pretrained_cfg
    mean, std = (tuple(value) for value in (data.get("mean", IMAGENET_MEAN), data.get("std", IMAGENET_STD)))
    # MobileNetV3 and some others have another layer between the pooled features and the classifier
    features = int(getattr(model, "head_hidden_size", model.num_features))
    network = EmbeddingNetwork(model, features, config.dim, mean, std, config.freeze_batch_norm, config.parts)
    network.native_size = None if config.weights == "none" else data["input_size"][-1]
    return network


class GeM(nn.Module):
    """Generalized mean of feature maps (n, c, h, w) over their places, (n, c), with a learned power p (Radenovic et al., TPAMI 2018, Eq. 3)."""

    def __init__(self, p: float = 3.0, smallest: float = 1e-6) -> None:
        super().__init__()
        self.p, self.smallest = nn.Parameter(torch.tensor([p])), smallest

    def forward(self, maps: Tensor) -> Tensor:
        with torch.autocast(maps.device.type, enabled=False):
            powers = maps.to(torch.float32).clamp(min=self.smallest) ** self.p
            found: Tensor = powers.mean(dim=(-2, -1)) ** (1 / self.p)
            return found


def _pool_by_gem(model: Any, name: str) -> None:
    pool = getattr(model, "global_pool", None)
    if not isinstance(pool, nn.Module):
        raise InputError(f"The backbone '{name}' pools no feature maps; set backbone.pool to own, or choose a CNN such as resnet50.")
    model.global_pool = GeM()


def _recompute(model: Any, name: str) -> None:
    try:
        model.set_grad_checkpointing()
    except (AssertionError, AttributeError, NotImplementedError) as error:
        raise InputError(f"The backbone '{name}' cannot recompute its activations; set backbone.checkpointing to false.") from error


def size_note(network: EmbeddingNetwork, image_size: int) -> str:
    """A sentence if `image_size` differs from the size that the network's weights were trained at, else ""."""
    if network.native_size in (None, image_size):
        return ""
    return (
        f"Images have {image_size} px, but the weights of this network were trained at {network.native_size} px and transfer only in part; "
        f"data.image_size: {network.native_size} is the native size."
    )


def timm_model(config: BackboneConfig, classes: int | None = None) -> Any:
    """The timm model; classes=0: without classifier, None: with that of its weights. InputError as `build_network`."""
    from likeness.encoders import check_timm_name, timm_pretrained

    config = _named_by_timm(config)
    check_timm_name(config.name)
    options = dict(config.options) | ({} if classes is None else {"num_classes": classes})
    mean_std = {name: options.pop(name) for name in ("mean", "std") if name in options}
    if config.weights == "pretrained":
        if options:  # before the hub, whose errors would hide this one
            _without_weights(config.name, options)
        return timm_pretrained(config.name, **options)
    model = _without_weights(config.name, options)
    model.pretrained_cfg = dict(model.pretrained_cfg) | mean_std
    if config.weights != "none":
        _load_weights(model, as_path(config.weights), config.name)
    return model


def _named_by_timm(config: BackboneConfig) -> BackboneConfig:
    """Replaces the shipped network by timm's name and its file of weights; other configs are unchanged."""
    if config.name != PHOTOS_ENCODER:
        return config
    from likeness.encoders import MEAN, NETWORK, NETWORK_OPTIONS, STD, photo_network_file

    weights = str(photo_network_file()) if config.weights == "pretrained" else config.weights
    options = {**NETWORK_OPTIONS, "mean": MEAN, "std": STD, **config.options}
    return config.model_copy(update={"name": NETWORK, "weights": weights, "options": options})


def _without_weights(name: str, options: dict[str, Any]) -> Any:
    from likeness.encoders import timm_named

    try:
        return timm_named(name, False, **options)
    except InputError:
        raise
    except Exception as error:  # timm's constructors can raise anything for invalid values
        reason = " ".join(str(error).split())[:150] or type(error).__name__
        raise InputError(f"The backbone '{name}' does not take the options {options} ({reason}); change backbone.options.") from error


def _load_weights(model: nn.Module, file: Path, name: str) -> None:
    if not file.is_file():
        raise InputError(f"The weights '{file}' of '{name}' do not exist; pass a .safetensors file, 'pretrained' or 'none'.")
    weights = read_weights(file)
    own = model.state_dict()
    shared = {key: value for key, value in weights.items() if key in own}
    wrong = [key for key, value in shared.items() if value.shape != own[key].shape]
    missing = [key for key in own if key not in weights and not key.endswith("num_batches_tracked")]
    if wrong or missing:
        raise InputError(f"The weights '{file.name}' do not fit '{name}': {(wrong or missing)[0]} {'has another shape' if wrong else 'is missing'}.")
    model.load_state_dict(shared, strict=False)


class _ClipTower(nn.Module):
    """The image tower of an open_clip model as a module; its output is not normalized."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.visual = model

    def forward(self, images: Tensor) -> Tensor:
        found: Tensor = self.visual(images)
        return found


def _from_clip(config: BackboneConfig) -> EmbeddingNetwork:
    from likeness.encoders import ClipEncoder, parse_name

    name = config.name.removeprefix("clip:")
    encoder = ClipEncoder(name, parse_name(name), "cpu")
    visual, mean, std, size = encoder.image_side()
    if config.checkpointing:
        _recompute(visual, config.name)
    tower = _ClipTower(visual.requires_grad_(True))
    network = EmbeddingNetwork(tower, encoder.dim, config.dim, mean, std, config.freeze_batch_norm, config.parts)
    network.native_size = size
    if config.text is not None:
        network.text = TextTower(encoder.model, encoder.reader, config.text == "train")
    return network
