"""The network of a run: a backbone, and the layer that maps its features to the embedding."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from likeness.errors import InputError
from likeness.io.array_files import read_weights
from likeness.io.confinement import is_confined
from likeness.io.paths import as_path
from likeness.training.config import BackboneConfig

_NAME_FILES = frozenset({"checkpoint_path", "pretrained_cfg", "pretrained_cfg_overlay", "cache_dir"})  # options of timm
_IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))


class Seen(NamedTuple):
    """What a network makes of a batch.

    Attributes:
        embeddings: (n, d) of unit length.
        features: (n, f) pooled features of the backbone.
        maps: (n, c, h, w) its last feature maps, before pooling, where the network keeps them.
    """

    embeddings: Tensor
    features: Tensor
    maps: Tensor | None = None


class EmbeddingNetwork(nn.Module):
    """Unit embeddings of images: psi = f(phi(x)), with the backbone phi and a linear layer f.

    Args:
        backbone: maps normalized images (n, 3, h, w) to features (n, f); None where the input are features already.
        feature_dim: f.
        dim: d; None: f, and the linear layer begins as the identity.
        mean, std: by which images with values 0 to 1 are normalized.
        freeze_batch_norm: batch norm keeps its running statistics also in training.
        parts: of equal size, each of which is scaled to the same length; 1: the embedding is scaled as a whole.

    Raises:
        InputError: dim is no multiple of parts.

    Attributes:
        keeps_maps: `forward` hands out the feature maps as well.
        unit: embeddings are scaled to unit length; the log-ratio loss leaves them as they are.
    """

    mean: Tensor
    std: Tensor
    keeps_maps = False
    unit = True

    def __init__(
        self,
        backbone: nn.Module | None,
        feature_dim: int,
        dim: int | None,
        mean: tuple[float, ...] = _IMAGENET[0],
        std: tuple[float, ...] = _IMAGENET[1],
        freeze_batch_norm: bool = True,
        parts: int = 1,
    ) -> None:
        super().__init__()
        if (dim or feature_dim) % parts:
            raise InputError(f"An embedding of {dim or feature_dim} dimensions can't have {parts} parts of equal size; choose a multiple of {parts}.")
        self.backbone, self.head = backbone and backbone.to(memory_format=torch.channels_last), nn.Linear(feature_dim, dim or feature_dim)
        if dim is None:
            nn.init.eye_(self.head.weight)
            nn.init.zeros_(self.head.bias)
        self.feature_dim, self.freeze_batch_norm, self.parts = feature_dim, freeze_batch_norm, parts
        self.register_buffer("mean", torch.tensor(mean).view(1, 3, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std).view(1, 3, 1, 1), persistent=False)
        self.train()  # Lightning leaves modules in the mode in which it finds them

    def free_length(self, anew: bool) -> None:
        """Embeddings keep the length that they have.

        With `anew`, not where the embedding layer begins as the identity, it is drawn once more, with deviation sqrt(2 / d) and without bias,
        as in the authors' code of the log-ratio loss: that loss sees ratios only, so that its gradients grow as embeddings shrink, and torch's
        smaller weights would let training diverge.
        """
        self.unit = False
        if not anew:
            return
        nn.init.kaiming_normal_(self.head.weight, mode="fan_out")
        nn.init.zeros_(self.head.bias)

    def forward(self, inputs: Tensor) -> Seen:
        """Images (n, 3, h, w) with values 0 to 1, or features (n, f)."""
        if inputs.ndim == 4 and self.keeps_maps:
            maps = self.maps(inputs)
            return self._seen(cast(Any, self.backbone).forward_head(maps), maps)
        return self._seen(inputs if inputs.ndim == 2 else self.features(inputs))

    def _seen(self, features: Tensor, maps: Tensor | None = None) -> Seen:
        return Seen(self.embed(features), features, maps)

    def embed(self, features: Tensor) -> Tensor:
        """Embeddings (n, d) of features (n, f), of unit length unless `unit` is False."""
        rows: Tensor = self.head(features)
        if not self.unit:
            return rows
        if self.parts == 1:
            return normalize(rows, dim=1)
        parts: Tensor = normalize(rows.reshape(len(rows), self.parts, -1), dim=2)
        return parts.flatten(1) / math.sqrt(self.parts)

    def features(self, images: Tensor) -> Tensor:
        """The backbone's features (n, f)."""
        if self.backbone is None:
            raise InputError("This network has no backbone; give features, or load it with one.")
        found: Tensor = self.backbone(self._normalized(images))
        return found

    def maps(self, images: Tensor) -> Tensor:
        """The backbone's last feature maps (n, c, h, w), before pooling; pooled, they are its features.

        Raises:
            InputError: a backbone without such maps: none at all, a vision transformer, the image side of a CLIP.
        """
        backbone: Any = self.backbone
        found: Any = backbone.forward_features(self._normalized(images)) if hasattr(backbone, "forward_features") else None
        if found is None or found.ndim != 4 or found.shape[1] != backbone.num_features:
            what = "it has none" if found is None else f"what it pools has the shape {tuple(found.shape[1:])} per image"
            raise InputError(f"Expected a backbone with feature maps (channels, height, width), but {what}; choose a timm CNN such as resnet50.")
        return cast(Tensor, found)

    def map_shape(self, size: int) -> tuple[int, int, int]:
        """Channels, height and width of the feature maps of images of this side.

        Raises:
            InputError: as `maps`.
        """
        was = self.training
        self.eval()
        with torch.no_grad():
            _, channels, height, width = self.maps(self.mean.new_zeros(1, 3, size, size)).shape
        self.train(was)
        return channels, height, width

    def _normalized(self, images: Tensor) -> Tensor:
        # channels last: a quarter faster on processors, above all for depthwise convolutions
        return ((images - self.mean) / self.std).contiguous(memory_format=torch.channels_last)

    def train(self, mode: bool = True) -> "EmbeddingNetwork":
        """As usual, but a frozen batch norm stays in evaluation mode."""
        super().train(mode)
        if self.freeze_batch_norm:
            for module in self.modules():
                if isinstance(module, nn.modules.batchnorm._BatchNorm):
                    module.eval()
        return self


def build_network(config: BackboneConfig) -> EmbeddingNetwork:
    """The network with its pretrained weights; the embedding layer is drawn from torch's generator.

    Raises:
        InputError: unknown backbone, or weights that are not there or do not fit.
    """
    if config.name.startswith("clip:"):
        return _from_clip(config)
    model = timm_model(config, classes=0)
    data = model.pretrained_cfg
    mean, std = (tuple(config_value) for config_value in (data.get("mean", _IMAGENET[0]), data.get("std", _IMAGENET[1])))
    # MobileNetV3 and a few more have another layer between the pooled features and the classifier
    features = int(getattr(model, "head_hidden_size", model.num_features))
    return EmbeddingNetwork(model, features, config.dim, mean, std, config.freeze_batch_norm, config.parts)


def timm_model(config: BackboneConfig, classes: int | None = None) -> Any:
    """The timm model; classes=0 without its classifier, None with the one that its weights have.

    Raises:
        InputError: unknown name, or weights that are not there or do not fit.
    """
    import timm

    from likeness.encoders.models.hub import hub_switch, load_from_hub

    if not timm.is_model(config.name.split(".")[0]):
        from difflib import get_close_matches

        close = get_close_matches(config.name, timm.list_models(), n=3, cutoff=0.3)
        raise InputError(f"There is no timm model '{config.name}'; the nearest names are {', '.join(close) or 'none'}.")
    _check_options(config.options)
    options = dict(config.options) | ({} if classes is None else {"num_classes": classes})
    mean_std = {name: options.pop(name) for name in ("mean", "std") if name in options}
    if config.weights == "pretrained":

        def create(local_files_only: bool) -> Any:
            with hub_switch(local_files_only):
                return timm.create_model(config.name, pretrained=True, **options)

        return load_from_hub(config.name, create)
    try:
        model = timm.create_model(config.name, pretrained=False, **options)
    except TypeError as error:
        raise InputError(f"The backbone '{config.name}' does not take these options: {error}.") from error
    model.pretrained_cfg = dict(model.pretrained_cfg) | mean_std
    if config.weights != "none":
        _load_weights(model, as_path(config.weights), config.name)
    return model


def _check_options(options: Mapping[str, object]) -> None:
    """Options of timm that read another file have no place where this process is confined to some folders."""
    named = sorted(_NAME_FILES & set(options))
    if named and is_confined():
        raise InputError(f"The option '{named[0]}' of a backbone can name a file, and only some folders are read here; remove it.")


def _load_weights(model: nn.Module, file: Path, name: str) -> None:
    if not file.is_file():
        raise InputError(f"The weights '{file}' of '{name}' are not there; give a .safetensors file, 'pretrained' or 'none'.")
    weights = read_weights(file)
    own = model.state_dict()
    shared = {key: value for key, value in weights.items() if key in own}
    wrong = [key for key, value in shared.items() if value.shape != own[key].shape]
    missing = [key for key in own if key not in weights and not key.endswith("num_batches_tracked")]
    if wrong or missing:
        raise InputError(f"The weights '{file.name}' do not fit '{name}': {(wrong or missing)[0]} {'has another shape' if wrong else 'is missing'}.")
    model.load_state_dict(shared, strict=False)


class _ClipTower(nn.Module):
    """The image side of an open_clip model as a module; its output is not scaled."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.visual = model

    def forward(self, images: Tensor) -> Tensor:
        found: Tensor = self.visual(images)
        return found


def _from_clip(config: BackboneConfig) -> EmbeddingNetwork:
    from likeness.encoders import parse_name
    from likeness.encoders.models.clip import ClipEncoder

    name = config.name.removeprefix("clip:")
    encoder = ClipEncoder(name, parse_name(name), "cpu")
    visual, mean, std = encoder.image_side()
    return EmbeddingNetwork(_ClipTower(visual.requires_grad_(True)), encoder.dim, config.dim, mean, std, config.freeze_batch_norm, config.parts)
