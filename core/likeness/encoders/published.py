"""Recommended published encoders: purpose, license and size. Needs no torch and no network."""

from dataclasses import dataclass

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
    repository: str
    megabytes: int
    pixels: int
    open_license: bool = False
    has_text: bool = True

    @property
    def is_here(self) -> bool:
        """Whether it is downloaded."""
        return HubFiles(self.repository, _WEIGHTS).folder() is not None


# Sizes follow from the architectures (a test compares them). The first is the one to try first. Licenses: read on the pages of
# apple/DFN5B-CLIP-ViT-H-14-378 (apple-amlr), timm/vit_small_patch16_dinov3.lvd1689m (dinov3-license), timm/vit_base_patch32_clip_224.openai
# (apache-2.0; OpenAI's own repository of CLIP is MIT), timm/ViT-B-16-SigLIP2-512 (apache-2.0) and in facebookresearch/perception_models (models:
# Apache 2.0). Not seen, and taken from their siblings: both of MobileCLIP2 (MobileCLIP: apple-amlr), ViT-B-16-SigLIP2-256 and DINOv3 B/16.
PUBLISHED: dict[str, PublishedEncoder] = {
    encoder.name: encoder
    for encoder in (
        PublishedEncoder(
            "MobileCLIP2-S0/dfndr2b",
            "MobileCLIP2 S0",
            "Photos of all kinds, fast on any machine; the best start.",
            license="Apple, research only (AMLR)",
            repository="timm/MobileCLIP2-S0-OpenCLIP",
            megabytes=300,
            pixels=256,
        ),
        PublishedEncoder(
            "PE-Core-S-16-384/meta",
            "Perception Encoder S",
            "Photos of all kinds with fine detail; free for any use.",
            license="Apache 2.0",
            open_license=True,
            repository="timm/PE-Core-S-16-384",
            megabytes=349,
            pixels=384,
        ),
        PublishedEncoder(
            "MobileCLIP2-S2/dfndr2b",
            "MobileCLIP2 S2",
            "Photos of all kinds, more accurate than S0, and slower.",
            license="Apple, research only (AMLR)",
            repository="timm/MobileCLIP2-S2-OpenCLIP",
            megabytes=397,
            pixels=256,
        ),
        PublishedEncoder(
            "ViT-B-32/openai",
            "CLIP ViT-B/32",
            "The classic of many papers, for comparison; fast.",
            license="Apache 2.0 on the hub, MIT at OpenAI",
            open_license=True,
            repository="timm/vit_base_patch32_clip_224.openai",
            megabytes=605,
            pixels=224,
        ),
        PublishedEncoder(
            "ViT-B-16-SigLIP2-256/webli",
            "SigLIP 2 B/16",
            "Photos of all kinds, and texts in many languages.",
            license="Apache 2.0",
            open_license=True,
            repository="timm/ViT-B-16-SigLIP2-256",
            megabytes=1535,
            pixels=256,
        ),
        PublishedEncoder(
            "ViT-H-14-378-quickgelu/dfn5b",
            "DFN CLIP ViT-H/14",
            "The most accurate; best with a GPU, since it takes seconds per image without one.",
            license="Apple, research only (AMLR)",
            repository="apple/DFN5B-CLIP-ViT-H-14-378",
            megabytes=3947,
            pixels=378,
        ),
        PublishedEncoder(
            "timm:vit_small_patch16_dinov3.lvd1689m",
            "DINOv3 S/16",
            "Appearance, without words: near duplicates, textures, shapes; fast.",
            license="DINOv3",
            repository="timm/vit_small_patch16_dinov3.lvd1689m",
            megabytes=86,
            pixels=256,
            has_text=False,
        ),
        PublishedEncoder(
            "timm:vit_base_patch16_dinov3.lvd1689m",
            "DINOv3 B/16",
            "Appearance, without words; more accurate than S, and slower.",
            license="DINOv3",
            repository="timm/vit_base_patch16_dinov3.lvd1689m",
            megabytes=343,
            pixels=256,
            has_text=False,
        ),
    )
}
