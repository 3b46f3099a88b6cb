"""The shipped encoder for photos: MobileNetV2 and all-MiniLM-L6-v2, joined by a linear head."""

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from likeness.arrays import unit_rows
from likeness.encoders.digests import digest, folder_digests
from likeness.encoders.encoder import Vectors
from likeness.encoders.family import EncoderFamily
from likeness.encoders.models.batch_norm import fold_batch_norm
from likeness.encoders.models.device import choose_device
from likeness.encoders.models.hub import load_from_folder
from likeness.encoders.models.load_model import import_library, timm_named, transformers_folder
from likeness.encoders.models.minilm import SHA256, check_minilm_weights, minilm_folder, minilm_tokenizer
from likeness.encoders.models.token_vectors import token_vectors
from likeness.encoders.models.tower import ImageTower, TowerImages
from likeness.encoders.models.words_outside import TokenCount, token_count, words_outside
from likeness.errors import InputError
from likeness.io import as_path, assets_dir

if TYPE_CHECKING:
    import torch

NETWORK, NETWORK_FILE, HEAD_FILE = "mobilenetv2_100", "network.safetensors", "head.safetensors"
NETWORK_OPTIONS = {"pad_type": "same"}
IMAGE_SIZE = 224
# normalization of timm's weights: RGB scaled to [-1, 1]
MEAN, STD = (0.5,) * 3, (0.5,) * 3
_SHIPPED = "photos"


class PhotosEncoder(TowerImages):
    """Photos and English sentences in one space of 384 dimensions.

    Images: the mean of the names of ImageNet's 1,000 classes, weighted by the probabilities of MobileNetV2 (Sandler et al. 2018; ConSE, Norouzi et
    al. 2014), plus a ridge regression from its pooled features. Texts: vectors of all-MiniLM-L6-v2. Both are centered and multiplied by a matrix that
    reduces what all sentences have in common. `python -m experiments.photos` makes the head.

    InputError: a folder without network.safetensors and head.safetensors of such a model.
    """

    has_text = True

    def __init__(self, name: str, folder: Path, device: str = "auto") -> None:
        import_library("timm")
        self.name, self._device = name, choose_device(device)
        self._network, self._head = load_from_folder(name, folder, lambda: (photo_network(folder / NETWORK_FILE), _head(folder / HEAD_FILE)))
        self._network.to(self._device)
        self._head = {key: value.to(self._device) for key, value in self._head.items()}
        self.tower = ImageTower(self._rows, photo_transform(), self._device)
        self.identity = _identity(name, str(folder))
        self.dim = int(self._head["text"].shape[1])
        self._loading = threading.Lock()
        self._sentences: tuple[Any, Any] | None = None

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """Unit rows (n, 384); MiniLM is loaded for the first text. InputError: no text, or MiniLM is not installed."""
        if not texts:
            raise InputError("There are no texts to encode; pass at least one.")
        with self._loading:
            self._sentences = self._sentences or _sentence_model(self._device)
        rows = unit_rows(token_vectors(*self._sentences, self._device, texts), "The vectors", zeros=True)
        center, text = (self._head[key].cpu().numpy() for key in ("center", "text"))
        return unit_rows((rows - center) @ text, "The vectors", zeros=True)

    def unknown_words(self, text: str) -> list[str]:
        """Characters missing in MiniLM's vocabulary, such as emoji; it can spell any word in Latin letters."""
        return words_outside(minilm_tokenizer()[0], text)

    def token_count(self, text: str) -> TokenCount:
        """Number of tokens of a text, and how many MiniLM reads."""
        tokenizer, limit = minilm_tokenizer()
        return token_count(tokenizer, text, limit)

    def _rows(self, pixels: "torch.Tensor") -> "torch.Tensor":
        import torch

        precision = self.tower.precision or ("bf16" if _has_bfloat16(self._device) else "32")
        network = self._network if precision == "bf16" else self._folded
        with torch.autocast(pixels.device.type, enabled=False):  # the head is float32 in any precision of the network
            return head_rows(self._head, *features_and_logits(network, pixels, precision))

    @cached_property
    def _folded(self) -> "torch.nn.Module":
        """The network for float32 only: in bfloat16, folded weights would be rounded differently."""
        return fold_batch_norm(self._network, (3, IMAGE_SIZE, IMAGE_SIZE))


def photo_network(weights: Path) -> "torch.nn.Module":
    """MobileNetV2 of timm in evaluation mode, float32, with the weights of a safetensors file."""
    from safetensors.torch import load_file

    network: torch.nn.Module = timm_named(NETWORK, False, **NETWORK_OPTIONS)
    given = {name: value.float() for name, value in load_file(weights).items()}
    missing, unexpected = network.load_state_dict(given, strict=False)
    # batch norm is folded into the convolutions in the file, so its counters do not matter
    if unexpected or [name for name in missing if not name.endswith("num_batches_tracked")]:
        raise InputError(f"'{weights.name}' does not hold weights of timm's {NETWORK} with its classifier.")
    return network.eval().requires_grad_(False)


def photo_network_file() -> Path:
    """The weights of the shipped MobileNetV2."""
    return assets_dir() / _SHIPPED / NETWORK_FILE


def photo_transform() -> Any:
    """Resizes the short side to 224 px, the network's native size, and crops the center."""
    import timm

    size = (3, IMAGE_SIZE, IMAGE_SIZE)
    return timm.data.create_transform(input_size=size, interpolation="bicubic", mean=MEAN, std=STD, crop_pct=1.0, is_training=False)


def features_and_logits(network: Any, pixels: "torch.Tensor", precision: str | None = None) -> "tuple[torch.Tensor, torch.Tensor]":
    """Pooled features (n, 1280) and logits (n, 1000), float32. `precision`: "32" or "bf16" for the convolutions; None: bfloat16 if the CPU has
    instructions for it.
    """
    import torch

    pixels = pixels.to(memory_format=torch.channels_last)
    bfloat16 = _has_bfloat16(pixels.device) if precision is None else precision == "bf16"
    with torch.autocast(pixels.device.type, torch.bfloat16, enabled=bfloat16):
        features: torch.Tensor = network.forward_head(network.forward_features(pixels), pre_logits=True)
    return features.float(), network.get_classifier()(features.float())


def head_rows(head: "dict[str, torch.Tensor]", features: "torch.Tensor", logits: "torch.Tensor") -> "torch.Tensor":
    """Rows (n, 384), not scaled, of features (n, 1280) and the classifier's logits (n, 1000)."""
    import torch

    probabilities = torch.softmax(logits / head["temperature"], dim=1)
    return probabilities @ head["names"] + root_rows(features) @ head["features"] + head["bias"]


def root_rows(features: "torch.Tensor") -> "torch.Tensor":
    """Square roots of features, as unit rows (n, 1280), since many features are near 0 and few are large."""
    import torch

    return torch.nn.functional.normalize((features.clamp_min(0) + 1e-6).sqrt(), dim=1)  # not at 0, where the gradient is infinite


def _sentence_model(device: "torch.device") -> tuple[Any, Any]:
    folder = minilm_folder()
    check_minilm_weights(folder / "model.safetensors")
    tokenizer, model, _ = load_from_folder("minilm", folder, lambda: transformers_folder(folder))
    return tokenizer, model.eval().requires_grad_(False).to(device)


def _head(file: Path) -> "dict[str, torch.Tensor]":
    from safetensors.torch import load_file

    head = {name: value.float() for name, value in load_file(file).items()}
    shapes = {name: tuple(value.shape) for name, value in head.items()}
    dim = shapes.get("bias", (0,))[0]
    expected = {"temperature": (), "names": (1000, dim), "features": (1280, dim), "bias": (dim,), "center": (384,), "text": (384, dim)}
    if shapes != expected:
        raise InputError(f"'{file.name}' does not hold a head of the encoder for photos; it has {shapes}, expected {expected}.")
    return head


def _has_bfloat16(device: "torch.device") -> bool:
    import torch

    return device.type == "cuda" or (device.type == "cpu" and torch.cpu._is_avx512_bf16_supported())


def _identity(name: str, target: str) -> str:
    remedy = "install the package again" if name == _SHIPPED else "pass the folder that `python -m experiments.photos` wrote"
    return digest("photos", SHA256, *folder_digests(Path(target), name, remedy=remedy))


PHOTOS = EncoderFamily(
    "photos",
    "Photos",
    "MobileNetV2 and MiniLM joined by a head: the shipped 'photos', or the folder of another head.",
    "'photos', 'photos:FOLDER'",
    has_text=True,
    precision=None,
    identity=_identity,
    load=lambda name, target, device: PhotosEncoder(name, as_path(target), device),
    claims=lambda name: str(assets_dir() / _SHIPPED) if name == _SHIPPED else "",
    map_path=lambda target, change: change(target),
    native_size=lambda target: IMAGE_SIZE,
)
