"""Text encoders of transformers, from the hub, a folder, or the package with MiniLM."""

import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.encoders import (
    check_minilm_weights,
    choose_device,
    encoder_identity,
    load_from_folder,
    load_from_hub,
    minilm_folder,
    token_vectors,
    transformers_folder,
    transformers_hub,
    transformers_hub_files,
)
from likeness.errors import InputError
from likeness.io import as_path
from likeness.language.family import LanguageFamily, Vectors

if TYPE_CHECKING:
    import torch

POOLINGS = ("mean", "pooler")


class TransformersModel:
    """Sentence vectors of a transformers encoder or decoder (BERT, RoBERTa, Reformer, MPNet, GPT-2 ...), from a hub id or a folder.

    The paper does not specify the pooling. The default is the mean of the last layer over non-padding tokens, which every model supports. The
    authors' code uses `pooler_output` of BERT and RoBERTa: pooling "pooler", written "bert@pooler". With `unit`, rows are scaled to unit length.
    Raises InputError if the folder is missing.
    """

    reads_sentences = has_text = True

    def __init__(self, name: str, source: str, pooling: str = "mean", device: str = "auto", unit: bool = False) -> None:
        self.name = name
        self._source, self._pooling, self._device, self._unit = source, pooling, device, unit
        self._folder = _folder(name, source)

    @property
    def identity(self) -> str:
        """Of a folder: a digest of its files; of a hub model: its id and, once downloaded, its revision. With pooling and scaling."""
        encoder = f"local-dir:{self._folder}" if self._folder else f"hf-hub:{self._source}"
        parts = ("transformers", encoder_identity(encoder), self._pooling, str(self._unit))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    def encode_texts(self, texts: list[str]) -> Vectors:
        """Rows (n, d), float32; texts longer than the model's context (or 512 tokens) are truncated. Raises InputError if weights cannot be
        downloaded, the folder has no usable model, or the pooling does not exist.
        """
        parts = _loaded(self.name, self._source, self._folder, self.identity, self._pooling, self._device)
        rows = token_vectors(*parts, texts, self._pooling)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12) if self._unit else rows


def _folder(name: str, source: str) -> Path | None:
    """The folder of `source`, or None for a hub id."""
    written_so = source.startswith(("/", ".", "~"))
    # what is a folder here must not reach transformers by its bare name either
    folder = as_path(source) if written_so or os.path.exists(source) else Path(source)
    if folder.is_dir():
        return folder
    if written_so:
        raise InputError(f"The language model '{name}' is not here: there is no folder '{source}'; give the folder that holds the model.")
    return None


@lru_cache(maxsize=2)
def _loaded(name: str, source: str, folder: Path | None, identity: str, pooling: str, device: str) -> "tuple[Any, Any, torch.device]":
    """Tokenizer, model in evaluation mode and device; the last two models are kept until their files change."""
    place = choose_device(device)
    if folder is not None:
        _check_folder(name, folder)
        tokenizer, model, missing = load_from_folder(name, folder, lambda: _tried(*transformers_folder(folder), place))
    else:
        wanted = transformers_hub_files(source)
        tokenizer, model, missing = load_from_hub(name, lambda: _tried(*transformers_hub(source), place), lambda: (wanted,))
    # many checkpoints lack the pooler, which the mean does not need
    _check_complete(name, [key for key in missing if pooling == "pooler" or "pooler" not in key])
    return tokenizer, model, place


def _tried(tokenizer: Any, model: Any, missing: list[str], place: "torch.device") -> tuple[Any, Any, list[str]]:
    """The loaded model, after embedding a word: a configuration that matches the weights may still fail on text."""
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    # GPT-2 has no padding token, and some tokenizers pad on the left, which would shift positions
    tokenizer.padding_side = "right"
    model = model.eval().requires_grad_(False).to(place)
    token_vectors(tokenizer, model, place, ["a"])
    return tokenizer, model, missing


def _check_folder(name: str, folder: Path) -> None:
    for what, patterns in (("config.json", ("config.json",)), ("weights (model.safetensors)", ("*.safetensors", "*.bin"))):
        if not any(any(folder.glob(pattern)) for pattern in patterns):
            raise InputError(f"The folder '{folder}' of language model '{name}' has no {what}; give a folder saved by transformers.")


def _check_complete(name: str, missing: list[str]) -> None:
    """Raises InputError for missing weights, for which transformers only warns and uses random ones."""
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise InputError(f"The weights of '{name}' lack '{sorted(missing)[0]}'{more}, which would be random; use another pooling or model.")


def split_pooling(name: str) -> tuple[str, str]:
    """Splits a name into model and pooling, "@mean" or "@pooler"."""
    base, at, pooling = name.rpartition("@")
    return (base, pooling) if at and pooling in POOLINGS else (name, "")


def _is_here(target: str) -> bool:
    source, _ = split_pooling(target)
    return _folder(target, source) is not None or transformers_hub_files(source).folder() is not None


def _make(name: str, target: str, device: str) -> TransformersModel:
    source, pooling = split_pooling(target)
    return TransformersModel(name, source, pooling or "mean", device)


def minilm_model(device: str = "auto") -> TransformersModel:
    """all-MiniLM-L6-v2 (a sentence encoder by the makers of sentence-transformers), 384 dimensions, unit rows. As published: mean over tokens, then
    unit length. The paper does not use it; it replaces the paper's models when offline. Raises InputError if the package is not installed or its
    weights are not the published ones.
    """
    folder = minilm_folder()
    check_minilm_weights(folder / "model.safetensors")
    return TransformersModel("minilm", str(folder), "mean", device, unit=True)


TRANSFORMERS = LanguageFamily(
    "transformers",
    "Transformers",
    "Any text encoder or decoder of transformers, from the hub or a folder; its tokens' mean, or with @pooler its own pooled output.",
    _make,
    form="'transformers:HUB-ID-OR-FOLDER'",
    short_names={
        "bert": "transformers:bert-base-uncased",
        "distilbert": "transformers:distilbert-base-uncased",
        "roberta-base": "transformers:roberta-base",
        "roberta-large": "transformers:roberta-large",
        "distilroberta": "transformers:distilroberta-base",
        "reformer": "transformers:google/reformer-crime-and-punishment",
        "mpnet": "transformers:microsoft/mpnet-base",
        "gpt2": "transformers:gpt2",
    },
    pools=True,
    map_path=lambda target, change: change(target),
    is_here=_is_here,
)
MINILM = LanguageFamily(
    "minilm",
    "MiniLM",
    "all-MiniLM-L6-v2, a sentence encoder that comes with the package language and needs no download.",
    lambda name, target, device: minilm_model(device),
    short_names={"minilm": "minilm"},
)
