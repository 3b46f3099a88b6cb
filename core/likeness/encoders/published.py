"""Recommended published encoders (`published.csv`): purpose, license and size. Needs no torch and no network."""

import csv
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from likeness.encoders.models.hub_files import HubFiles

_WEIGHTS = (("open_clip_model.safetensors",), ("open_clip_pytorch_model.bin",), ("model.safetensors",), ("pytorch_model.bin",))


@dataclass(frozen=True)
class PublishedEncoder:
    """A published encoder on the hub.

    Attributes:
        name: name for `likeness.encoders.load_encoder`.
        help: its purpose, in one sentence.
        license: name of the license.
        open_license: the license allows any use; others are for research or have conditions.
        megabytes: size of the download, weights in float32 and tokenizer.
        pixels: image size.
        has_text: embeds texts, for search by words and for notions.
    """

    name: str
    title: str
    help: str
    license: str
    open_license: bool
    repository: str
    megabytes: int
    pixels: int
    has_text: bool

    @property
    def is_here(self) -> bool:
        """Whether it is downloaded."""
        return HubFiles(self.repository, _WEIGHTS).folder() is not None


# Sizes follow from the architectures (a test compares them). The first is the one to try first. Licenses: read on the pages of
# apple/DFN5B-CLIP-ViT-H-14-378 (apple-amlr), timm/vit_small_patch16_dinov3.lvd1689m (dinov3-license), timm/vit_base_patch32_clip_224.openai
# (apache-2.0; OpenAI's own repository of CLIP is MIT), timm/ViT-B-16-SigLIP2-512 (apache-2.0) and in facebookresearch/perception_models (models:
# Apache 2.0). Not seen, and taken from their siblings: both of MobileCLIP2 (MobileCLIP: apple-amlr), ViT-B-16-SigLIP2-256 and DINOv3 B/16.
with Path(__file__).with_name("published.csv").open(encoding="utf-8", newline="") as _file:
    PUBLISHED = {encoder.name: encoder for encoder in TypeAdapter(list[PublishedEncoder]).validate_python(list(csv.DictReader(_file)))}
