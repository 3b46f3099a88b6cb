"""Golden tests of the published families: tiny weights in the real layout, served by a hub, loaded by their real names.

What each family needs is written down here as its makers have it: how pixels are prepared, how many tokens there are, what pads them, which
position of the text and which features of the image are taken. SigLIP 2 from a bare file of weights, for one, gets CLIP's pixels and tokens.
"""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from fake_hub import FakeHub
from likeness.encoders import PUBLISHED, encoder_family

_WIDTH = 32
_VISION_TRANSFORMER = {"embed_dim": _WIDTH, "depth": 1, "num_heads": 2}
_FAST_VIT = {"layers": (1, 1, 1, 1), "embed_dims": (16, 16, 32, 32)}
# timm's networks, kept as they are but for their size
_SMALL_TOWERS: dict[str, dict[str, Any]] = {
    "vit_base_patch16_siglip_256": _VISION_TRANSFORMER,
    "vit_pe_core_small_patch16_384": _VISION_TRANSFORMER | {"attn_pool_num_heads": 2},
    "vit_pe_core_tiny_patch16_384": _VISION_TRANSFORMER | {"attn_pool_num_heads": 2},
    "fastvit_mci0": _FAST_VIT,
    "fastvit_mci2": _FAST_VIT,
    "vit_small_patch16_dinov3.lvd1689m": _VISION_TRANSFORMER,
}
_OPENAI = ((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711))
_HALF = ((0.5,) * 3, (0.5,) * 3)
_AS_IS = ((0.0,) * 3, (1.0,) * 3)
_IMAGENET = ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))
_CAT = [49406, 320, 1125, 539, 320, 2368, 49407]  # <start> a photo of a cat <end>, of CLIP's vocabulary


@dataclass(frozen=True)
class Family:
    """What the makers of an encoder say of it.

    Attributes:
        name: under which it is published.
        squash: whether an image is pressed into the square; else its middle is taken.
        filter: with which it is resized.
        side, normalization: pixels of the square; mean and deviation of its channels.
        tokens: that a text has, whatever its length.
        causal: whether a token sees only those before it.
        pools: "end", the position of the end token; or "last", the last one, which is padding in short texts.
        image_pools: "map", attention; "class token"; or "mean".
    """

    name: str
    squash: bool
    filter: Image.Resampling
    side: int
    normalization: tuple[tuple[float, ...], tuple[float, ...]]
    tokens: int
    causal: bool
    pools: str
    image_pools: str


_BICUBIC, _BILINEAR = Image.Resampling.BICUBIC, Image.Resampling.BILINEAR
_FAMILIES = (
    Family("ViT-B-16-SigLIP2-256/webli", True, _BICUBIC, 256, _HALF, 64, causal=False, pools="last", image_pools="map"),
    Family("MobileCLIP2-S0/dfndr2b", False, _BILINEAR, 256, _AS_IS, 77, causal=False, pools="end", image_pools="mean"),
    Family("MobileCLIP2-S2/dfndr2b", False, _BILINEAR, 256, _AS_IS, 77, causal=False, pools="end", image_pools="mean"),
    Family("PE-Core-S-16-384/meta", True, _BILINEAR, 384, _HALF, 32, causal=True, pools="end", image_pools="map"),
    Family("PE-Core-T-16-384/meta", True, _BILINEAR, 384, _HALF, 32, causal=True, pools="end", image_pools="map"),
    Family("ViT-B-32/openai", False, _BICUBIC, 224, _OPENAI, 77, causal=True, pools="end", image_pools="class token"),
    Family("ViT-H-14-378-quickgelu/dfn5b", True, _BICUBIC, 378, _OPENAI, 77, causal=True, pools="end", image_pools="class token"),
)
_QUICK = {"ViT-B-32/openai": True, "ViT-H-14-378-quickgelu/dfn5b": True, "PE-Core-S-16-384/meta": False}
_EACH = pytest.mark.parametrize("family", [pytest.param(each, id=each.name) for each in _FAMILIES])


def test_every_published_encoder_has_its_golden_test() -> None:
    assert {name for name, each in PUBLISHED.items() if each.has_text} <= {family.name for family in _FAMILIES}


@pytest.fixture(autouse=True)
def _small_towers(monkeypatch: pytest.MonkeyPatch) -> None:
    import timm

    real = timm.create_model
    monkeypatch.setattr(timm, "create_model", lambda name, *given, **options: real(name, *given, **(_SMALL_TOWERS.get(name, {}) | options)))


@pytest.fixture
def load(hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Family], Any]:
    """The encoder of a family, tiny, by way of the hub."""
    import open_clip

    def encoder(family: Family) -> Any:
        from safetensors.torch import save_file

        model, _, tag = family.name.partition("/")
        monkeypatch.setitem(open_clip.factory._MODEL_CONFIGS, model, _small(open_clip.get_model_config(model)))
        folder = tmp_path / "served"
        folder.mkdir()
        torch.manual_seed(0)
        weights = open_clip.create_model(model, load_weights=False, force_quick_gelu=tag in ("openai", "dfn5b")).state_dict()
        # a projection that starts as zero, or all alike, would hide what goes into it
        noisy = {key: value + 0.05 * torch.randn_like(value) if value.is_floating_point() else value for key, value in weights.items()}
        save_file({key: value.contiguous() for key, value in noisy.items()}, folder / "open_clip_model.safetensors")
        if "SigLIP2" in model:
            _save_gemma_tokenizer(folder)
        repository = open_clip.get_pretrained_cfg(model, tag)["hf_hub"].rstrip("/")
        hub.repositories[repository] = folder
        return _fresh(family.name)

    return encoder


def _fresh(name: str) -> Any:
    """Loaded anew, since other weights go by the same name here."""
    family, target = encoder_family(name)
    return family.load(name, target, "cpu")


def _small(config: dict[str, Any]) -> dict[str, Any]:
    small = copy.deepcopy(config)
    small["embed_dim"] = _WIDTH
    small["text_cfg"] |= {"width": _WIDTH, "heads": 2, "layers": 2}
    if "hf_tokenizer_name" in small["text_cfg"]:
        small["text_cfg"]["vocab_size"] = 64
    if "timm_model_name" not in small["vision_cfg"]:
        small["vision_cfg"] |= {"width": _WIDTH, "layers": 1, "head_width": 16}
    return small


def _save_gemma_tokenizer(folder: Path) -> None:
    """Gemma's in the layout of SigLIP 2: pieces that begin with "▁" after a space, lower case, <eos> at the end, <pad> after it, no <bos>."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    letters = [*"abcdefghijklmnopqrstuvwxyz", "\N{LOWER ONE EIGHTH BLOCK}"]
    pieces = ["<pad>", "<eos>", "<bos>", "<unk>", *letters, "ca", "cat"]
    made = Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, [("c", "a"), ("ca", "t")], unk_token="<unk>", fuse_unk=True))
    made.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace(" ", "\N{LOWER ONE EIGHTH BLOCK}")])
    made.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    made.decoder = decoders.Replace("\N{LOWER ONE EIGHTH BLOCK}", " ")
    made.post_processor = processors.TemplateProcessing(single="$A <eos>", pair="$A <eos> $B <eos>", special_tokens=[("<eos>", 1)])
    made.add_special_tokens(["<pad>", "<eos>", "<bos>", "<unk>"])
    made.save(str(folder / "tokenizer.json"))
    special = {"bos_token": "<bos>", "eos_token": "<eos>", "pad_token": "<pad>", "unk_token": "<unk>"}
    ends = {"add_bos_token": False, "add_eos_token": True, "padding_side": "right", "model_max_length": 64}
    config = special | ends | {"tokenizer_class": "GemmaTokenizer"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    (folder / "special_tokens_map.json").write_text(json.dumps(special))


@_EACH
@pytest.mark.parametrize("size", [(500, 300), (300, 400)])
def test_pixels(family: Family, size: tuple[int, int], load, photo) -> None:
    encoder, image = load(family), photo(*size)
    side = family.side
    if family.squash:
        expected = image.resize((side, side), family.filter)
    else:
        width, height = (side * size[0] // min(size), side * size[1] // min(size))
        left, top = round((width - side) / 2), round((height - side) / 2)
        expected = image.resize((width, height), family.filter).crop((left, top, left + side, top + side))
    pixels = (np.asarray(expected, np.float32) / 255 - np.float32(family.normalization[0])) / np.float32(family.normalization[1])
    np.testing.assert_allclose(encoder.tower.pixels([encoder.prepare(image)])[0].permute(1, 2, 0).numpy(), pixels, atol=1e-5)


@_EACH
def test_tokens(family: Family, load) -> None:
    tokenizer = load(family).reader.tokens
    short, cased, long = tokenizer(["a photo of a cat", "A photo of a CAT", "cat " * 100])
    assert (len(short), len(long)) == (family.tokens, family.tokens)
    if "SigLIP2" in family.name:
        words = short[short != 0].tolist()
        assert words[-1] == 1  # <eos>
        assert words[-2] == 32  # "cat", one piece
        assert 2 not in words  # no <bos>
        assert (short[len(words) :] == 0).all()  # <pad>
        assert tokenizer(["A photo, of a cat!"])[0].tolist() == short.tolist()  # no punctuation, no capitals
    else:
        assert short.tolist() == [*_CAT, *[0] * (family.tokens - len(_CAT))]
        assert long.tolist() == [49406, *[2368] * (family.tokens - 2), 49407]  # cut, and ended all the same
    assert cased.tolist() == short.tolist()


@_EACH
def test_text_vectors(family: Family, load) -> None:
    """By hand: embedded, seen or not seen from before, and pooled where the family pools; with the activation of the training."""
    encoder = load(family)
    if family.name in _QUICK:
        kinds = {type(module).__name__ for module in getattr(encoder.model, "text", encoder.model).transformer.modules()}
        assert ("QuickGELU" in kinds, "GELU" in kinds) == (_QUICK[family.name], not _QUICK[family.name])
    texts = ["a photo of a cat", "a cat", "cat " * 100]
    tokens, model = encoder.reader.tokens(texts), encoder.model
    part = getattr(model, "text", model)
    mask = torch.full((family.tokens, family.tokens), float("-inf")).triu(1) if family.causal else None
    with torch.inference_mode():
        rows = part.transformer(part.token_embedding(tokens) + part.positional_embedding, attn_mask=mask)
        place = torch.full((len(texts),), family.tokens - 1) if family.pools == "last" else (tokens == 49407).int().argmax(1)
        pooled = part.ln_final(rows)[torch.arange(len(texts)), place]
        projection = part.text_projection
        expected = projection(pooled) if isinstance(projection, torch.nn.Module) else pooled @ projection
    expected = torch.nn.functional.normalize(expected, dim=1).numpy()
    np.testing.assert_allclose(encoder.encode_texts(texts), expected, atol=1e-5)
    assert np.abs(expected[0] - expected[1]).max() > 1e-3


@_EACH
def test_image_vectors(family: Family, load, photo) -> None:
    encoder, image = load(family), photo(400, 300)
    pixels = encoder.tower.pixels([encoder.prepare(image)])
    visual = encoder.model.visual
    with torch.inference_mode():
        if family.image_pools == "class token":
            assert visual.pool_type == "tok"
            features = _native_tokens(visual, pixels)[:, 0] @ visual.proj
        else:
            trunk = visual.trunk
            tokens = trunk.forward_features(pixels)
            if family.image_pools == "map":
                features = trunk.head(getattr(trunk, "fc_norm", torch.nn.Identity())(trunk.attn_pool(tokens)))
            else:
                features = trunk.head.fc(tokens.mean((2, 3)))
    np.testing.assert_allclose(encoder.encode_images([image]), torch.nn.functional.normalize(features, dim=1).numpy(), atol=1e-5)


def _native_tokens(visual: Any, pixels: torch.Tensor) -> torch.Tensor:
    """Of open_clip's own vision transformer, after its last normalization."""
    patches = visual.conv1(pixels).flatten(2).transpose(1, 2)
    first = visual.class_embedding.expand(len(patches), 1, -1)
    tokens = visual.transformer(visual.ln_pre(torch.cat([first, patches], 1) + visual.positional_embedding))
    result: torch.Tensor = visual.ln_post(tokens)
    return result


def test_dinov3(hub: FakeHub, tmp_path: Path, photo) -> None:
    """ImageNet's colors, and the class token, as its makers take it; timm alone takes the mean over the patches."""
    import timm
    from safetensors.torch import save_file

    name = "vit_small_patch16_dinov3.lvd1689m"
    torch.manual_seed(0)
    network = timm.create_model(name, num_classes=0).eval()
    (tmp_path / "served").mkdir()
    save_file(network.state_dict(), tmp_path / "served" / "model.safetensors")
    hub.repositories[PUBLISHED[f"timm:{name}"].repository] = tmp_path / "served"
    encoder, image = _fresh(f"timm:{name}"), photo(256, 256)
    pixels = torch.from_numpy((np.asarray(image, np.float32) / 255 - np.float32(_IMAGENET[0])) / np.float32(_IMAGENET[1])).permute(2, 0, 1)[None]
    with torch.inference_mode():
        tokens = network.forward_features(pixels)
    assert tokens.shape == (1, 1 + 4 + 16 * 16, _WIDTH)
    np.testing.assert_allclose(encoder.encode_images([image]), torch.nn.functional.normalize(tokens[:, 0], dim=1).numpy(), atol=1e-5)
