"""timm backbones: images only."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image

from likeness.encoders.digests import digest, folder_digests
from likeness.encoders.family import EncoderFamily, PathChange
from likeness.encoders.models.batch_norm import fold_batch_norm
from likeness.encoders.models.device import choose_device
from likeness.encoders.models.hub import load_from_folder, load_from_hub
from likeness.encoders.models.hub_files import HubFiles, hub_folder, hub_revision
from likeness.encoders.models.load_model import (
    import_library,
    timm_folder,
    timm_hub_files,
    timm_named,
    timm_named_files,
    timm_size,
)
from likeness.encoders.models.tower import ImagesOnly, ImageTower
from likeness.errors import InputError
from likeness.io import as_path

if TYPE_CHECKING:
    import torch


_TOKEN = "token"


class TimmEncoder(ImagesOnly):
    """Penultimate features of a pretrained timm model, as unit vectors; images only. For DINOv3's vision transformers, the class token, as in the
    paper (Simeoni et al. 2025). InputError: an unknown name, or weights that cannot be downloaded.
    """

    def __init__(self, name: str, target: str, device: str = "auto") -> None:
        import_library("timm")
        self.name = name
        self.tower, self.dim = _load(name, target, choose_device(device))
        self.identity = _identity(name, target)


def _load(name: str, target: str, device: "torch.device") -> tuple[ImageTower, int]:
    source, place = timm_source(target)
    if source == "local-dir":
        folder = as_path(place)
        return load_from_folder(name, folder, lambda: _tried(timm_folder(folder, num_classes=0), device))
    if source == "hf-hub":
        wanted = timm_hub_files(place)
        return load_from_hub(name, lambda: _tried(timm_folder(hub_folder(wanted), num_classes=0), device), lambda: (wanted,))
    check_timm_name(place, f" (encoder '{name}')")
    return _tried(timm_pretrained(place, name, num_classes=0, **({"global_pool": _TOKEN} if _is_pooled_by_token(place) else {})), device)


def _tried(model: "torch.nn.Module", device: "torch.device") -> tuple[ImageTower, int]:
    """Tests the model on an image and returns it with its dimensions: a configuration that fits the weights may still not fit images."""
    import timm
    import torch

    model = model.eval().requires_grad_(False).to(device)
    config = timm.data.resolve_model_data_config(model)
    size, transform = config["input_size"], timm.data.create_transform(**config, is_training=False)
    tower = ImageTower(fold_batch_norm(model, size), transform, device)
    with torch.inference_mode():
        return tower, int(tower.features(tower.pixels([tower.prepare(Image.new("RGB", (8, 8)))])).shape[1])


def timm_pretrained(model: str, name: str = "", **options: Any) -> "torch.nn.Module":
    """A model that timm knows by name, with its published weights, downloaded if necessary; options of `timm.create_model`. `name` is the encoder's,
    for messages. InputError: an option that reads other files, or unavailable weights.
    """
    found: torch.nn.Module = load_from_hub(name or model, lambda: timm_named(model, True, **options), lambda: timm_named_files(model))
    return found


def _is_pooled_by_token(model: str) -> bool:
    """Whether the model is to be pooled by the class token instead of timm's mean over patches: DINOv3's vision transformers."""
    return model.startswith("vit_") and "_dinov3" in model


def timm_source(target: str) -> tuple[str, str]:
    """Normalized source of a timm model: "local-dir", "hf-hub", or "" for timm's names; and the folder, id or name. InputError: another prefix."""
    prefix, colon, place = target.partition(":")
    if not colon:
        return "", target
    source = prefix.lower().replace("_", "-")
    if source not in ("local-dir", "hf-hub") or not place:
        raise InputError(f"The timm model '{target}' has no known form; write 'timm:MODEL', 'timm:hf-hub:ORG/NAME' or 'timm:local-dir:FOLDER'.")
    return source, place


def check_timm_name(name: str, where: str = "") -> None:
    """InputError: a name that timm does not have; `where` follows it in the message."""
    from difflib import get_close_matches

    import timm

    if not timm.is_model(name.split(".")[0]):
        close = get_close_matches(name, timm.list_models(), n=3, cutoff=0.3)
        raise InputError(f"There is no timm model '{name}'{where}; the nearest names are {', '.join(close) or 'none'}.")


def _map_path(target: str, change: PathChange) -> str:
    source, place = timm_source(target)
    return f"{source}:{change(place) if source == 'local-dir' else place}" if source else place


def _hub_files(target: str) -> tuple[HubFiles, ...]:
    source, place = timm_source(target)
    if source == "local-dir":
        return ()
    if source == "hf-hub":
        return (timm_hub_files(place),)
    import_library("timm")
    check_timm_name(place)
    return timm_named_files(place)


def _native_size(target: str) -> int | None:
    source, place = timm_source(target)
    if source == "local-dir":
        return load_from_folder(target, Path(place), lambda: timm_size(Path(place)))
    if source == "hf-hub":
        folder = timm_hub_files(place).folder()
        return None if folder is None else timm_size(folder)
    import_library("timm")
    check_timm_name(place)
    return timm_size(place)


def _identity(name: str, target: str) -> str:
    source, place = timm_source(target)
    if source == "local-dir":
        return digest("timm folder", *folder_digests(Path(place), name))
    if source == "hf-hub":
        return digest("timm", f"hf-hub:{place}", hub_revision(place.partition("@")[0]))
    return digest("timm", place, _TOKEN) if _is_pooled_by_token(place) else digest("timm", place)


TIMM = EncoderFamily(
    "timm",
    "timm",
    "Features of a pretrained timm backbone; images only.",
    "'timm:MODEL'",
    has_text=False,
    identity=_identity,
    load=TimmEncoder,
    hub_files=_hub_files,
    map_path=_map_path,
    native_size=_native_size,
)
