"""The network of a run: a backbone, and the layer that maps its features to embeddings."""

import math
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize

from likeness.errors import InputError
from likeness.training.dist_context import DistContext
from likeness.training.network.text_tower import TextTower

IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class NetworkOutput(NamedTuple):
    """Output for a batch: embeddings (n, d) of unit length; the backbone's pooled features (n, f); and its last feature maps (n, c, h, w), before
    pooling, if the network returns them.
    """

    embeddings: Tensor
    features: Tensor
    maps: Tensor | None = None


class EmbeddingNetwork(nn.Module):
    """Unit embeddings of images: psi = f(phi(x)), with the backbone phi and a linear layer f.

    Args:
        backbone: maps normalized images (n, 3, h, w) to features (n, f); None: inputs are features.
        dim: d, a multiple of `parts`, else InputError; None: f, with a linear layer that starts as the identity.
        mean, std: for the normalization of images with values 0 to 1.
        freeze_batch_norm: batch norm keeps its running statistics also in training.
        parts: number of parts of equal size, each scaled to the same length; 1: the embedding is scaled as a whole.

    Attributes:
        keeps_maps: `forward` returns the feature maps as well.
        is_given, has_adapters: the backbone is a user's own module; has low-rank adapters (`likeness.training.network.adapters`).
        text: the text side of a CLIP, which the run keeps beside the image side.
        unit: embeddings are scaled to unit length, as for all losses except the log-ratio loss.
        native_size: side in pixels of the images that the backbone's weights were trained on; None: unknown, or random weights.
        input_shape: (c, h, w) of the maps that it takes in place of images, if its first blocks were cut off (`cut_backbone`).
    """

    mean: Tensor
    std: Tensor
    keeps_maps = False
    is_given = False
    has_adapters = False
    unit = True
    native_size: int | None = None
    input_shape: tuple[int, ...] | None = None

    def __init__(
        self,
        backbone: nn.Module | None,
        feature_dim: int,
        dim: int | None,
        mean: tuple[float, ...] = IMAGENET_MEAN,
        std: tuple[float, ...] = IMAGENET_STD,
        freeze_batch_norm: bool = True,
        parts: int = 1,
    ) -> None:
        super().__init__()
        self.text: TextTower | None = None
        if (dim or feature_dim) % parts:
            raise InputError(
                f"An embedding of {dim or feature_dim} dimensions cannot have {parts} parts of equal size; choose a multiple of {parts}."
            )
        self.backbone, self.head = backbone and backbone.to(memory_format=torch.channels_last), nn.Linear(feature_dim, dim or feature_dim)
        if dim is None:
            nn.init.eye_(self.head.weight)
            nn.init.zeros_(self.head.bias)
        self.feature_dim, self.freeze_batch_norm, self.parts = feature_dim, freeze_batch_norm, parts
        self.register_buffer("mean", torch.tensor(mean).view(1, 3, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std).view(1, 3, 1, 1), persistent=False)
        self.train()  # Lightning does not change the mode of modules

    def kaiming_init(self) -> None:
        """Redraws the embedding layer with standard deviation sqrt(2 / d) and without bias, as the code of the log-ratio loss.

        Gradients of losses that do not depend on the length of embeddings grow as these shrink, so what torch's smaller weights give learns faster,
        and diverges without unit length.
        """
        nn.init.kaiming_normal_(self.head.weight, mode="fan_out")
        nn.init.zeros_(self.head.bias)

    def forward(self, inputs: Tensor) -> NetworkOutput:
        """Images (n, 3, h, w) with values 0 to 1, or features (n, f)."""
        if inputs.ndim == 4 and self.keeps_maps:
            maps = self.maps(inputs)
            return self._output(cast(Any, self.backbone).forward_head(maps), maps)
        return self._output(inputs if inputs.ndim == 2 else self.features(inputs))

    def _output(self, features: Tensor, maps: Tensor | None = None) -> NetworkOutput:
        return NetworkOutput(self.embed(features), features, maps)

    def embed(self, features: Tensor) -> Tensor:
        """Embeddings (n, d) of features (n, f), in float32 also under autocast, of unit length unless `unit` is False."""
        with torch.autocast(features.device.type, enabled=False):
            rows: Tensor = self.head(features.to(self.head.weight.dtype))
        if not self.unit:
            return rows
        if self.parts == 1:
            return normalize(rows, dim=1)
        parts: Tensor = normalize(rows.reshape(-1, self.parts, rows.shape[1] // self.parts), dim=2)
        return parts.flatten(1) / math.sqrt(self.parts)

    def features(self, images: Tensor) -> Tensor:
        if self.backbone is None:
            raise InputError("This network has no backbone; pass features, or load it with one.")
        found: Tensor = self.backbone(self.normalized(images))
        return found

    def maps(self, images: Tensor) -> Tensor:
        """The backbone's last feature maps (n, c, h, w), before pooling; pooled, they are its features.

        InputError: no backbone, or one without feature maps, such as a vision transformer or a CLIP.
        """
        backbone: Any = self.backbone
        found: Any = backbone.forward_features(self.normalized(images)) if hasattr(backbone, "forward_features") else None
        if found is None or found.ndim != 4 or found.shape[1] != backbone.num_features:
            what = "it has none" if found is None else f"what it pools has the shape {tuple(found.shape[1:])} per image"
            raise InputError(f"Expected a backbone with feature maps (channels, height, width), but {what}; choose a timm CNN such as resnet50.")
        return cast(Tensor, found)

    def map_shape(self, size: int) -> tuple[int, int, int]:
        """Channels, height and width of the feature maps of images of this size; InputError as `maps`."""
        training = self.training
        self.eval()
        with torch.no_grad():
            _, channels, height, width = self.maps(self.mean.new_zeros(1, *(self.input_shape or (3, size, size)))).shape
        self.train(training)
        return channels, height, width

    def normalized(self, images: Tensor) -> Tensor:
        """The backbone's input for images with values 0 to 1; maps are unchanged."""
        # channels last: a quarter faster on CPUs, mainly for depthwise convolutions
        return (images if self.input_shape else (images - self.mean) / self.std).contiguous(memory_format=torch.channels_last)

    def train(self, mode: bool = True) -> "EmbeddingNetwork":
        """Sets the mode, except that frozen batch norm stays in evaluation mode."""
        super().train(mode)
        if self.freeze_batch_norm:
            for module in self.modules():
                if isinstance(module, nn.modules.batchnorm._BatchNorm):
                    module.eval()
        return self


def sync_batch_norm(network: EmbeddingNetwork, dist: DistContext) -> EmbeddingNetwork:
    """The network with batch norm over the whole batch that several processes share, as in one process.

    On GPUs this is torch's SyncBatchNorm, by timm's conversion, since torch's own would lose the activations inside timm's layers. SyncBatchNorm does
    not run on CPUs, and statistics of parts of a batch would change the training, so trainable batch norm is an InputError there. Frozen batch norm,
    as in the papers' protocols, needs no synchronization.
    """
    learns = not network.freeze_batch_norm and any(isinstance(each, nn.modules.batchnorm._BatchNorm) for each in network.modules())
    if not (dist.is_distributed and learns):
        return network
    if dist.device != "cuda":
        raise InputError(
            f"Batch norm that learns needs the whole batch, which {dist.world_size} processes share on GPUs only; set backbone.freeze_batch_norm to "
            "true, as in the papers, or train in one process (--devices 1)."
        )
    from timm.layers import convert_sync_batchnorm

    converted: EmbeddingNetwork = convert_sync_batchnorm(network)
    return converted
