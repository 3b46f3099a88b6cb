"""A trained run as an encoder: its best weights, under the name "run:FOLDER", with the preprocessing of its evaluation."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from likeness.encoders import EncoderFamily, ImagesOnly, ImageTower, choose_device, digest, folder_digests
from likeness.errors import InputError
from likeness.io import as_path, read_weights
from likeness.training.config import DataConfig, RunConfig, as_yaml
from likeness.training.data.pixels import kept_size
from likeness.training.runs.run_folder import RunFolder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    from likeness.training.network.embedding_network import EmbeddingNetwork
    from likeness.training.network.spherical_map import SphericalMap


@dataclass(frozen=True)
class RunPreprocessing:
    """Resizes an RGB image by bicubic interpolation, crops its center, divides by 255 and normalizes.

    The shorter side, or both if `squeezed`, is resized to `side` pixels, and the center crop has `crop`; mean and std are of red, green and blue, for
    values from 0 to 1.
    """

    side: int
    squeezed: bool
    crop: int
    mean: tuple[float, ...]
    std: tuple[float, ...]

    def transform(self) -> Any:
        """The same as a torchvision `Compose`."""
        from torchvision import transforms

        resize = transforms.Resize((self.side, self.side) if self.squeezed else self.side, transforms.InterpolationMode.BICUBIC)
        return transforms.Compose([resize, transforms.CenterCrop(self.crop), transforms.ToTensor(), transforms.Normalize(self.mean, self.std)])


def run_preprocessing(network: "EmbeddingNetwork", data: DataConfig) -> RunPreprocessing:
    """The preprocessing of the run's evaluation: the center of the image, or of its whole frame."""
    mean, std = (tuple(each.flatten().tolist()) for each in (network.mean, network.std))
    return RunPreprocessing(data.kept or kept_size(data.image_size), data.frame == "whole", data.image_size, mean, std)


def weights_metadata(network: "EmbeddingNetwork", config: RunConfig, figures: dict[str, Any]) -> dict[str, str]:
    """Metadata of the weights: format of the tensors, Likeness's version, the whole config as YAML, preprocessing and metrics as JSON."""
    return {
        "format": "pt",
        "likeness.version": version("likeness"),
        "likeness.config": as_yaml(config),
        "likeness.preprocessing": json.dumps(asdict(run_preprocessing(network, config.data))),
        "likeness.figures": json.dumps(figures),
    }


class RunEncoder(ImagesOnly):
    """Encodes images with a run's best weights, as unit vectors; embeddings that are not normalized get one more dimension (`SphericalMap`).
    A run that kept or trained the text side of a CLIP encodes texts, too.

    InputError: as `load_network`.
    """

    def __init__(self, name: str, target: str, device: str = "auto") -> None:
        self.name, self.identity = name, _identity(name, target)
        run, chosen = RunFolder(as_path(target)), choose_device(device)
        network = load_network(run).eval().requires_grad_(False).to(chosen)
        spherical_map = None if network.unit else load_spherical_map(run).to(chosen)
        backbone = network.backbone
        assert backbone is not None
        self.dim = network.head.out_features + (spherical_map is not None)

        def forward(pixels: "Tensor") -> "Tensor":
            found = network.embed(backbone(pixels))
            return found if spherical_map is None else spherical_map(found)

        self.tower = ImageTower(forward, run_preprocessing(network, run.config().data).transform(), chosen)
        self.text, self.has_text = network.text, network.text is not None
        if network.text is not None:  # so that texts that it cuts off are told
            self.token_count = network.text.reader.token_count

    def encode_texts(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Unit rows (n, d). InputError: a run without text side."""
        text = self.text
        return super().encode_texts(texts) if text is None else text.reader.encoded(texts, lambda tokens: text(tokens.to(self.tower.device)))

    def unknown_words(self, text: str) -> list[str]:
        """As `ClipEncoder.unknown_words`."""
        return [] if self.text is None else self.text.reader.unknown_words(text)


def load_network(run: RunFolder) -> "EmbeddingNetwork":
    """The network of a run with its best weights. InputError: no run, one without evaluation, or weights that do not fit its config."""
    from likeness.training.network.backbones import build_network

    backbone = run.config().backbone
    if not run.best.is_file():
        raise InputError(f"The run '{run.path}' has no weights yet: it keeps the best ones from its first evaluation on; let it continue.")
    # a whole network contains its backbone; its last blocks or the embedding layer alone need the pretrained one
    bare = backbone.model_copy(update={"checkpointing": False} | ({} if backbone.inputs else {"weights": "none"}))
    network = build_network(bare)
    own, weights = network.state_dict(), read_weights(run.best)
    parts = ("head.", "text.") + ((f"backbone.{backbone.train_from}.",) if backbone.train_from else ())
    expected = [name for name in own if not backbone.inputs or name.startswith(parts)]
    wrong = [name for name in expected if name not in weights or weights[name].shape != own[name].shape]
    if wrong:
        raise InputError(f"The weights of the run '{run.path}' do not fit its config: '{wrong[0]}' is missing or has another shape.")
    network.load_state_dict(weights, strict=False)
    network.unit = run.config().unit_embeddings
    return network


def load_spherical_map(run: RunFolder) -> "SphericalMap":
    """The map to unit vectors for embeddings that are not normalized, stored with a run's best weights. InputError: there is none."""
    from likeness.training.network.spherical_map import MAP_KEYS, SphericalMap

    weights = read_weights(run.best)
    if any(key not in weights for key in MAP_KEYS):
        raise InputError(f"The weights of the run '{run.path}' have no spherical map; train it again.")
    return SphericalMap(*(weights[key] for key in MAP_KEYS))


def _identity(name: str, target: str) -> str:
    return digest("run", *folder_digests(Path(target), name, ("config.yaml", "best.safetensors")))


def _reads_text(target: str) -> bool:
    try:
        return RunFolder(as_path(target)).config().backbone.text is not None
    except InputError:  # of a run that is not there, loading it tells
        return False


FAMILY = EncoderFamily(
    "run",
    "Trained run",
    "The best weights of a run of `likeness train`; texts, too, if it kept those of a CLIP.",
    "'run:FOLDER'",
    has_text=False,
    identity=_identity,
    load=RunEncoder,
    map_path=lambda target, change: change(target),
    reads_text=_reads_text,
    native_size=lambda target: RunFolder(as_path(target)).config().data.image_size,
)
