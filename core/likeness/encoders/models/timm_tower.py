"""timm backbones: images only."""

from pathlib import Path
from typing import TYPE_CHECKING

from likeness.encoders.digests import digest, folder_digests
from likeness.encoders.family import EncoderFamily
from likeness.encoders.models.hub import hub_switch, load_from_folder, load_from_hub
from likeness.encoders.models.tower import ImagesOnly, ImageTower, choose_device
from likeness.errors import InputError
from likeness.io import as_path

if TYPE_CHECKING:
    import torch


class TimmEncoder(ImagesOnly):
    """Penultimate features of a pretrained timm model, as unit vectors; it has no text side.

    Args:
        name: as given to `load_encoder`.
        target: what `timm.create_model` takes: "resnet50.a1_in1k", "hf-hub:ORG/NAME", "local-dir:FOLDER".
        device: "auto", "cpu", "cuda", "mps".

    Raises:
        InputError: if the name is unknown or weights cannot be downloaded.
    """

    def __init__(self, name: str, target: str, device: str = "auto") -> None:
        import timm
        import torch

        self.name, self._device = name, choose_device(device)
        self._check_known(name, target)
        self._model = self._load(name, target).eval().requires_grad_(False).to(self._device)
        config = timm.data.resolve_model_data_config(self._model)
        self.tower = ImageTower(self._model, timm.data.create_transform(**config, is_training=False), self._device)
        self.identity = _identity(name, target)
        with torch.inference_mode():
            self.dim = int(self._forward_one(config["input_size"]).shape[1])

    def _forward_one(self, size: tuple[int, int, int]) -> "torch.Tensor":
        import torch

        features: torch.Tensor = self._model(torch.zeros(1, *size, device=self._device))
        return features

    @staticmethod
    def _load(name: str, target: str) -> "torch.nn.Module":
        import timm

        prefix, _, place = target.partition(":")
        folder = as_path(place) if prefix == "local-dir" else None

        def create(local_files_only: bool) -> "torch.nn.Module":
            with hub_switch(local_files_only):
                model: torch.nn.Module = timm.create_model(f"local-dir:{folder}" if folder else target, pretrained=True, num_classes=0)
            return model

        return load_from_folder(name, folder, create) if folder else load_from_hub(name, create)

    @staticmethod
    def _check_known(name: str, target: str) -> None:
        from difflib import get_close_matches

        import timm

        if ":" in target or timm.is_model(target.split(".")[0]):
            return
        close = get_close_matches(target, timm.list_models(), n=3, cutoff=0.3)
        raise InputError(f"There is no timm model '{target}' (encoder '{name}'); the nearest names are {', '.join(close) or 'none'}.")


def _identity(name: str, target: str) -> str:
    if target.startswith("local-dir:"):
        return digest("timm folder", *folder_digests(Path(target.removeprefix("local-dir:")), name))
    return digest("timm", target)


TIMM = EncoderFamily(
    "timm",
    "timm",
    "The features of a pretrained backbone of timm; images only.",
    "'timm:MODEL'",
    has_text=False,
    identity=_identity,
    load=TimmEncoder,
)
