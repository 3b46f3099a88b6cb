"""open_clip models: images and texts in one space."""

import threading
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from likeness.encoders.digests import digest, folder_digests
from likeness.encoders.encoder import Vectors
from likeness.encoders.family import EncoderFamily, EncoderName, looks_like_folder
from likeness.encoders.models.device import choose_device
from likeness.encoders.models.hub import load_from_folder, load_from_hub
from likeness.encoders.models.hub_files import hub_revision
from likeness.encoders.models.load_model import (
    import_library,
    open_clip_files,
    open_clip_model,
    open_clip_size,
)
from likeness.encoders.models.tower import ImageTower, TowerImages, unit_rows
from likeness.encoders.models.words_outside import TokenCount, open_clip_count, words_outside
from likeness.errors import InputError
from likeness.io import as_path, assets_dir

if TYPE_CHECKING:
    import torch

TEXT_BATCH = 256
# shipped models by name -> folder in the assets
SHIPPED = {"cars": "clip", "cars-small": "clip_small"}


class ClipEncoder(TowerImages):
    """A contrastive language-image model (Radford et al. 2021) loaded through open_clip: a local folder, a model of the hub, or open_clip's own.
    InputError: an unknown name, a folder without a usable model, or weights that cannot be downloaded.
    """

    has_text = True

    def __init__(self, name: str, source: EncoderName, device: str = "auto") -> None:
        import_library("open_clip")
        self._device = choose_device(device)
        self.model, self.tower, tokenizer, self.dim = _load(name, source, self._device)
        self.reader = ClipTokens(tokenizer)
        self.name = name
        self.identity = _FAMILIES[source.kind].identity(name, source.target)

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """Unit rows (n, d). The tokenizer truncates texts that exceed the model's context (`likeness.encoders.cut_texts`)."""
        if not texts:
            raise InputError("There are no texts to encode; pass at least one.")
        return self.reader.encoded(texts, lambda tokens: self.model.encode_text(tokens.to(self._device)))

    def unknown_words(self, text: str) -> list[str]:
        """Words missing in the model's vocabulary, in order; always empty for byte pairs, which spell any text."""
        return self.reader.unknown_words(text)

    def token_count(self, text: str) -> TokenCount:
        """Number of tokens of a text, and how many the model reads."""
        return self.reader.token_count(text)

    def image_side(self) -> "tuple[torch.nn.Module, tuple[float, ...], tuple[float, ...], int]":
        """The module that maps normalized images to features, for training, and its input's mean, standard deviation and height in pixels."""
        visual: Any = self.model.visual
        size = visual.image_size
        return visual, self.tower.mean, self.tower.std, int(size if isinstance(size, int) else size[0])


class ClipTokens:
    """The tokens that a CLIP reads; copies of a network share it."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        # fast tokenizers raise "Already borrowed" when two threads use one
        self._tokenizing = threading.Lock()

    def __deepcopy__(self, memo: Any) -> "ClipTokens":
        return self

    def tokens(self, texts: list[str]) -> "torch.Tensor":
        """Tokens (n, t) of texts; those that are too long are cut off."""
        with self._tokenizing:
            found: torch.Tensor = self._tokenizer(texts)
            return found

    def encoded(self, texts: Sequence[str], encode: "Callable[[torch.Tensor], torch.Tensor]") -> Vectors:
        """Unit rows (n, d) of texts by a function from tokens to features."""
        import torch

        with torch.inference_mode():
            parts = [unit_rows(encode(self.tokens(list(texts[start : start + TEXT_BATCH])))) for start in range(0, len(texts), TEXT_BATCH)]
        return np.concatenate(parts)

    def unknown_words(self, text: str) -> list[str]:
        """As `ClipEncoder.unknown_words`."""
        fast = getattr(getattr(self._tokenizer, "tokenizer", None), "backend_tokenizer", None)
        if fast is None:
            return []
        with self._tokenizing:
            return words_outside(fast, text)

    def token_count(self, text: str) -> TokenCount:
        """As `ClipEncoder.token_count`."""
        with self._tokenizing:
            return open_clip_count(self._tokenizer, text)


def _load(name: str, source: EncoderName, device: "torch.device") -> tuple[Any, ImageTower, Any, int]:
    """Model in evaluation mode, its image tower, tokenizer and dimensions."""

    def load() -> tuple[Any, ImageTower, Any, int]:
        return _tried(*open_clip_model(source, device), device)

    if source.kind == "local-dir":
        folder = as_path(source.target)
        _check_folder(name, folder)
        return load_from_folder(name, folder, load, lambda: open_clip_files(source))
    if source.kind == "open_clip":
        _check_published(name, source.target)
    return load_from_hub(name, load, lambda: open_clip_files(source))


def _tried(model: Any, transform: Any, tokenizer: Any, device: "torch.device") -> tuple[Any, ImageTower, Any, int]:
    """Tests the loaded model on an image and a word: a configuration that fits the weights may still not fit these."""
    import torch

    tower = ImageTower(model.encode_image, transform, device)
    tower.prepare(Image.new("RGB", (8, 8)))
    with torch.inference_mode():
        return model, tower, tokenizer, int(model.encode_text(tokenizer(["a"]).to(device)).shape[1])


def _check_folder(name: str, folder: Path) -> None:
    """open_clip only warns of missing weights and continues with random ones."""
    if not folder.is_dir():
        return
    if not (folder / "open_clip_config.json").is_file():
        raise InputError(f"The folder '{folder}' of encoder '{name}' has no open_clip_config.json; pass a folder saved by open_clip.")
    if not any(file.suffix in (".safetensors", ".bin", ".pth") for file in folder.iterdir()):
        raise InputError(f"The folder '{folder}' of encoder '{name}' has a configuration but no weights; add open_clip_model.safetensors.")


def _check_published(name: str, target: str) -> None:
    """InputError: open_clip does not know the model or its weights."""
    import_library("open_clip")
    import open_clip

    model, _, tag = target.partition("/")
    published = open_clip.list_pretrained()
    if model not in {known for known, _ in published}:
        close = get_close_matches(name, [f"{known}/{weights}" for known, weights in published], n=3, cutoff=0.3)
        raise InputError(f"There is no open_clip model '{model}' (encoder '{name}'); the nearest names are {', '.join(close) or 'none'}.")
    if not open_clip.get_pretrained_cfg(model, tag):
        tags = open_clip.list_pretrained_tags_by_model(model)
        raise InputError(f"The model '{model}' has no weights '{tag}' (encoder '{name}'); it has {', '.join(tags)}.")


def _published(target: str) -> EncoderName:
    _check_published(target, target)
    return EncoderName("open_clip", target)


def _folder_size(target: str) -> int | None:
    folder = as_path(target)
    _check_folder(target, folder)
    return load_from_folder(target, folder, lambda: open_clip_size(EncoderName("local-dir", target)))


def _folder_identity(name: str, target: str) -> str:
    remedy = "install the package again" if name in SHIPPED else "pass the folder that holds the model"
    return digest("open_clip folder", *folder_digests(Path(target), name, remedy=remedy))


LOCAL_DIR = EncoderFamily(
    "local-dir",
    "open_clip folder",
    "A CLIP saved by open_clip, or one of the small ones that ship: 'cars' and 'cars-small', trained on renders of cars.",
    "'cars', 'local-dir:FOLDER'",
    has_text=True,
    identity=_folder_identity,
    load=lambda name, target, device: ClipEncoder(name, EncoderName("local-dir", target), device),
    claims=lambda name: str(assets_dir() / SHIPPED[name]) if name in SHIPPED else "",
    map_path=lambda target, change: change(target),
    native_size=_folder_size,
)
OPEN_CLIP = EncoderFamily(
    "open_clip",
    "open_clip",
    "A CLIP of open_clip, by model and weights; downloaded on first use.",
    "'MODEL/PRETRAINED' (as in 'ViT-B-32/openai')",
    has_text=True,
    identity=lambda name, target: digest("open_clip", target),
    load=lambda name, target, device: ClipEncoder(name, EncoderName("open_clip", target), device),
    hub_files=lambda target: open_clip_files(_published(target)),
    claims=lambda name: name if all(name.partition("/")) and ":" not in name and not looks_like_folder(name) else "",
    native_size=lambda target: open_clip_size(_published(target)),
)
HF_HUB = EncoderFamily(
    "hf-hub",
    "Hugging Face hub",
    "An open_clip model from the Hugging Face hub; downloaded on first use.",
    "'hf-hub:ORG/NAME'",
    has_text=True,
    identity=lambda name, target: digest("hub", target, hub_revision(target)),
    load=lambda name, target, device: ClipEncoder(name, EncoderName("hf-hub", target), device),
    hub_files=lambda target: open_clip_files(EncoderName("hf-hub", target)),
    native_size=lambda target: open_clip_size(EncoderName("hf-hub", target)),
)
_FAMILIES = {family.name: family for family in (LOCAL_DIR, OPEN_CLIP, HF_HUB)}
