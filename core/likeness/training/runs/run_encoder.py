"""A trained run as an encoder: its best weights, under the name "run:FOLDER"."""

from pathlib import Path
from typing import TYPE_CHECKING

from likeness.encoders import EncoderFamily, ImagesOnly, ImageTower, choose_device, digest, folder_digests
from likeness.errors import InputError
from likeness.io import as_path, read_weights
from likeness.training.runs.run_folder import RunFolder
from likeness.training.runs.run_preprocessing import run_preprocessing

if TYPE_CHECKING:
    from torch import Tensor

    from likeness.training.network.embedding_network import EmbeddingNetwork
    from likeness.training.network.spherical_map import SphericalMap


class RunEncoder(ImagesOnly):
    """Embeddings of a run's best weights, as unit vectors; images only; those not normalized get one more dimension (`SphericalMap`).

    Args:
        name: as given to `load_encoder`.
        target: the run's folder.
        device: "auto", "cpu", "cuda", "mps".

    Raises:
        InputError: no run in the folder, none that has been evaluated yet, or weights that do not fit.
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


def load_network(run: RunFolder) -> "EmbeddingNetwork":
    """The network of a run with its best weights.

    Raises:
        InputError: no run, none that has been evaluated yet, or weights that do not fit its config.
    """
    from likeness.training.network.backbones import build_network

    backbone = run.config().backbone
    if not run.best.is_file():
        raise InputError(f"The run '{run.path}' has no weights yet: it keeps the best ones from its first evaluation on; let it go on.")
    # a whole network brings its own backbone; an embedding layer alone stands on the pretrained one
    bare = backbone if backbone.head_only else backbone.model_copy(update={"weights": "none"})
    network = build_network(bare)
    own, weights = network.state_dict(), read_weights(run.best)
    expected = [name for name in own if not backbone.head_only or name.startswith("head.")]
    wrong = [name for name in expected if name not in weights or weights[name].shape != own[name].shape]
    if wrong:
        raise InputError(f"The weights of the run '{run.path}' do not fit its config: '{wrong[0]}' is missing or has another shape.")
    network.load_state_dict(weights, strict=False)
    network.unit = run.config().unit_embeddings
    return network


def load_spherical_map(run: RunFolder) -> "SphericalMap":
    """The map that makes unit vectors of embeddings that are not normalized, stored beside a run's best weights.

    Raises:
        InputError: the weights hold no such map.
    """
    from likeness.training.network.spherical_map import MAP_KEYS, SphericalMap

    weights = read_weights(run.best)
    if any(key not in weights for key in MAP_KEYS):
        raise InputError(f"The weights of the run '{run.path}' do not say how long its embeddings are; train it again.")
    return SphericalMap(*(weights[key] for key in MAP_KEYS))


def _identity(name: str, target: str) -> str:
    """Of the run's config and best weights."""
    return digest("run", *folder_digests(Path(target), name, ("config.yaml", "best.safetensors")))


FAMILY = EncoderFamily(
    "run",
    "Trained run",
    "The best weights of a run of `likeness train`; images only.",
    "'run:FOLDER'",
    has_text=False,
    identity=_identity,
    load=RunEncoder,
    map_path=lambda target, change: change(target),
    native_size=lambda target: RunFolder(as_path(target)).config().data.image_size,
)
