"""Encoder names: what kind each is, and a digest of all that changes its vectors. Needs no torch."""

import hashlib
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from typing import Literal

from likeness.errors import InputError
from likeness.io.paths import as_path, assets_dir

# The models that ship, by name -> folder in the assets.
SHIPPED = {"cars": "clip", "cars-small": "clip_small"}

Kind = Literal["local-dir", "hf-hub", "open_clip", "timm", "run"]

FORMS = "'cars', 'MODEL/PRETRAINED' (as in 'ViT-B-32/openai'), 'hf-hub:ORG/NAME', 'local-dir:FOLDER', 'timm:MODEL' or 'run:FOLDER'"

# Raised whenever the same weights would give other vectors than before (reading of images, preprocessing, normalization).
_VERSION = 1

# What decides the vectors; a model card or a training log in the same folder does not.
_DECIDING = (
    *("open_clip_config.json", "config.json", "*.safetensors", "*.bin", "*.pth"),
    *("tokenizer*", "vocab*", "merges.txt", "special_tokens_map.json", "added_tokens.json", "*.model"),
)


@dataclass(frozen=True)
class EncoderName:
    """A parsed name: `target` is a folder, a hub id, "MODEL/PRETRAINED", a timm name or a run's folder."""

    kind: Kind
    target: str


def parse_name(name: str) -> EncoderName:
    """Splits an encoder's name into kind and target.

    Raises:
        InputError: if the name has none of the known forms.
    """
    if name in SHIPPED:
        return EncoderName("local-dir", str(assets_dir() / SHIPPED[name]))
    prefix, colon, rest = name.partition(":")
    if colon and rest and prefix in ("local-dir", "hf-hub", "timm", "run"):
        return EncoderName(prefix, rest)  # type: ignore[arg-type]
    model, slash, weights = name.partition("/")
    if model and slash and weights and not _looks_like_folder(name):
        return EncoderName("open_clip", name)
    raise InputError(_not_a_name(name))


def reads_text(name: str) -> bool:
    """Whether the encoder of this name embeds texts too, told without loading it: all but timm's backbones and trained runs do.

    Raises:
        InputError: if the name has no known form.
    """
    return parse_name(name).kind not in ("timm", "run")


def encoder_identity(name: str) -> str:
    """16 hex digits that change whenever the encoder's vectors would.

    For a folder (and "cars"): a digest of its configuration, weights and tokenizer files, wherever it lies. For a run: of its config and
    best weights. For a hub model: its name and, once downloaded, the revision. For an open_clip tag or a timm model: its name, since
    published weights do not change.

    Raises:
        InputError: if the name has no known form or the folder is missing.
    """
    parsed = parse_name(name)
    if parsed.kind == "local-dir":
        return _digest("open_clip folder", *_folder_digests(Path(parsed.target), name))
    if parsed.kind == "timm" and parsed.target.startswith("local-dir:"):
        return _digest("timm folder", *_folder_digests(Path(parsed.target.removeprefix("local-dir:")), name))
    if parsed.kind == "run":
        return _digest("run", *_folder_digests(Path(parsed.target), name, ("config.yaml", "best.safetensors")))
    if parsed.kind == "hf-hub":
        return _digest("hub", parsed.target, _hub_revision(parsed.target))
    return _digest(parsed.kind, parsed.target)


def _looks_like_folder(name: str) -> bool:
    return name.startswith(("/", "./", "../", "~")) or Path(name).is_dir()


def _not_a_name(name: str) -> str:
    if _looks_like_folder(name):
        return f"The encoder '{name}' looks like a folder; write 'local-dir:{name}'."
    return f"The encoder '{name}' has no known form; write {FORMS}."


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join((str(_VERSION), *parts)).encode()).hexdigest()[:16]


def _folder_digests(folder: Path, name: str, deciding: tuple[str, ...] = _DECIDING) -> list[str]:
    folder = as_path(folder)
    if not folder.is_dir():
        remedy = "install the package again" if name in SHIPPED else "give the folder that holds the model"
        raise InputError(f"The encoder '{name}' is not here: there is no folder '{folder}'; {remedy}.")
    files = sorted(file for file in folder.iterdir() if file.is_file() and any(fnmatch(file.name, pattern) for pattern in deciding))
    digests = []
    for file in files:
        stat = file.stat()
        digests.append(f"{file.name} {_file_digest(file, stat.st_size, stat.st_mtime_ns)}")
    return digests


@lru_cache(maxsize=256)
def _file_digest(file: Path, size: int, mtime_ns: int) -> str:
    """SHA-256 of a file, remembered as long as size and time of change stay."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _hub_revision(hub_id: str) -> str:
    from huggingface_hub.constants import HF_HUB_CACHE

    reference = Path(HF_HUB_CACHE) / f"models--{hub_id.replace('/', '--')}" / "refs" / "main"
    return reference.read_text().strip() if reference.is_file() else ""
