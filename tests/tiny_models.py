"""Models with random weights, small and quick to make, in folders as their libraries save them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_WORDS = ["<pad>", "<unk>", "<start>", "<end>", "a", "photo", "of", "red", "green", "car", "bird", "tench"]
_CLIP_WORDS = ["<pad>", "<unk>", "<start>", "<end>", "a", "red", "green", "blue", "car", "photo", "of"]
_TEXT: dict[str, Any] = {"context_length": 10, "vocab_size": len(_CLIP_WORDS), "width": 32, "heads": 2, "layers": 1}
_TEXT |= {"hf_tokenizer_name": "here", "pool_type": "eos", "eos_id": 3, "pad_id": 0}
_VISION = {"image_size": 32, "layers": 1, "width": 32, "head_width": 16, "patch_size": 8}
_MODEL: dict[str, Any] = {"embed_dim": 24, "vision_cfg": _VISION, "text_cfg": _TEXT}
_PREPROCESS = {"mean": [0.5, 0.4, 0.3], "std": [0.2, 0.3, 0.25], "interpolation": "bicubic", "resize_mode": "shortest"}


def save_clip(folder: Path, seed: int = 0, words: Sequence[str] = (), dim: int = 24) -> Path:
    """An open_clip folder with configuration, random weights of `dim` dimensions and a tokenizer of eleven words, and of further ones."""
    import torch
    from open_clip.model import CustomTextCLIP
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    known = list(dict.fromkeys([*_CLIP_WORDS, *words]))
    model = _MODEL | {"embed_dim": dim, "text_cfg": _TEXT | {"vocab_size": len(known)}}
    torch.manual_seed(seed)
    save_file({key: value.contiguous() for key, value in CustomTextCLIP(**model).state_dict().items()}, folder / "open_clip_model.safetensors")
    (folder / "open_clip_config.json").write_text(json.dumps({"model_cfg": model | {"custom_text": True}, "preprocess_cfg": _PREPROCESS}))
    _save_tokenizer(folder, known)
    return folder


def _save_tokenizer(folder: Path, known: list[str], pad: bool = True) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({word: i for i, word in enumerate(known)}, unk_token="<unk>"))
    words.normalizer = normalizers.Lowercase()
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.post_processor = processors.TemplateProcessing(single="<start> $A <end>", special_tokens=[("<start>", 2), ("<end>", 3)])
    special = {"unk_token": "<unk>", "bos_token": "<start>", "eos_token": "<end>"} | ({"pad_token": "<pad>"} if pad else {})
    PreTrainedTokenizerFast(tokenizer_object=words, **special).save_pretrained(str(folder))


_SIZES = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 18}
TRANSFORMERS_KINDS: dict[str, dict[str, Any]] = {
    "bert": _SIZES,
    "roberta": _SIZES,
    "mpnet": _SIZES,
    "distilbert": {"dim": 16, "n_layers": 1, "n_heads": 2, "hidden_dim": 32, "max_position_embeddings": 18},
    "gpt2": {"n_positions": 18, "n_embd": 16, "n_layer": 1, "n_head": 2},
    "reformer": {
        "hidden_size": 16,
        "num_attention_heads": 2,
        "attention_head_size": 8,
        "feed_forward_size": 32,
        "attn_layers": ["local", "lsh"],
        "axial_pos_shape": [4, 5],
        "axial_pos_embds_dim": [8, 8],
        "max_position_embeddings": 20,
        "local_attn_chunk_length": 4,
        "lsh_attn_chunk_length": 4,
        "num_buckets": 2,
        "is_decoder": True,
    },
}


def save_transformers(folder: Path, kind: str = "bert", seed: int = 0) -> Path:
    """A transformers model of one or two layers with random weights and a tokenizer of twelve words, GPT-2's without padding."""
    import torch
    from transformers import AutoConfig, AutoModel

    torch.manual_seed(seed)
    special = {"vocab_size": len(_WORDS), "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
    AutoModel.from_config(AutoConfig.for_model(kind, **special, **TRANSFORMERS_KINDS[kind])).save_pretrained(folder)
    _save_tokenizer(folder, _WORDS, pad=kind != "gpt2")
    return folder


def save_timm(folder: Path) -> Path:
    """A timm model of a few layers, saved as timm saves it."""
    import timm
    import torch
    from timm.models import save_for_hf

    torch.manual_seed(0)
    preprocessing = {"input_size": (3, 48, 48), "mean": (0.5, 0.4, 0.3), "std": (0.2, 0.3, 0.25), "interpolation": "bicubic", "crop_pct": 0.9}
    save_for_hf(timm.create_model("test_resnet", num_classes=5, pretrained_cfg_overlay=preprocessing), folder, safe_serialization=True)
    return folder
