"""Makes the encoder for photos: what the network sees, the head, its figures, the folder."""

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.photos.card import write_card
from experiments.photos.features import photo_features
from experiments.photos.head import HeadRecipe, Rows, fit_twice
from experiments.photos.judge import judge_captions, judge_classes
from experiments.photos.material import captioned_photos, class_definitions, class_names
from experiments.shipped_files import write_sight
from likeness.arrays import unit_rows
from likeness.encoder_check import FEWEST
from likeness.encoders import HEAD_FILE, NETWORK_FILE, photo_network
from likeness.errors import InputError
from likeness.io import write_atomic
from likeness.language import embed_names
from likeness.progress import Progress

RECIPE, LEFT_OUT = "recipe.json", "left_out.txt"


def train_photos(
    out: Path,
    captions: str | Path,
    weights: Path,
    judges: tuple[Path, ...] = (),
    recipe: HeadRecipe | None = None,
    leave_out: int = 0,
    seed: int = 0,
    progress: Progress | None = None,
    path_column: str | None = None,
    caption_column: str | None = None,
) -> Path:
    """Fits the head on captioned photos and writes the encoder, with a model card, into `out`.

    Args:
        out: folder of the encoder.
        captions: a table of photos with captions, or a dataset, see `captioned_photos`.
        weights: of timm's mobilenetv2_100, a safetensors file.
        judges: folders of classes, which train nothing: the card says how many of their photos the encoder names.
        recipe: the constants of the fit.
        leave_out: photos that train nothing, so that they can judge; `left_out.txt` names them.
        seed: of the draw of those.
        progress: called with (done, total, what is being done).
        path_column, caption_column: of a table of photos, where they are called otherwise.

    Returns:
        `out`.

    Raises:
        InputError: a table, photos or weights that cannot be read, or too few photos to judge by.
    """
    recipe = recipe or HeadRecipe()
    paths, sentences = captioned_photos(captions, path_column, caption_column)
    if not 0 <= leave_out < len(paths):
        raise InputError(f"{leave_out} of {len(paths)} photos cannot be held out; keep at least one for training.")
    order = np.random.default_rng(seed).permutation(len(paths))
    left_out, kept = np.sort(order[:leave_out]), np.sort(order[leave_out:])
    away, paths, sentences = [paths[row] for row in left_out], [paths[row] for row in kept], [sentences[row] for row in kept]
    features = photo_features(paths, weights, progress)
    reduced = photo_features(paths, weights, progress, reduced_px=recipe.reduced_px)
    vectors, names = caption_vectors(sentences), name_vectors()
    figures = judge_captions(features, reduced, vectors, names, recipe)
    _write(out, weights, fit_twice(features, reduced, vectors, names, recipe), recipe)
    if len(paths) >= FEWEST:
        write_sight(f"photos:{out}", paths)
    if away:
        write_atomic(out / LEFT_OUT, "".join(f"{path.name}\n" for path in away).encode())
    write_card(out, recipe, len(paths), len(away), figures, [judge_classes(out, folder, progress) for folder in judges])
    return out


def caption_vectors(sentences: list[list[str]]) -> Rows:
    """MiniLM's vectors (n, k, 384) of k captions of each of n photos."""
    flat = embed_names([caption for captions in sentences for caption in captions], "minilm")
    return flat.reshape(len(sentences), -1, flat.shape[1]).astype(np.float64)


def name_vectors() -> Rows:
    """Of each class of ImageNet (1000, 384): the mean of "a photo of a NAME", NAME its most usual one, of its synonyms, and of its definition."""
    names, definitions = class_names(), embed_names(class_definitions(), "minilm")
    first = embed_names([f"a photo of a {synonyms[0]}" for synonyms in names], "minilm")
    flat = embed_names([name for synonyms in names for name in synonyms], "minilm")
    starts = np.cumsum([0, *(len(synonyms) for synonyms in names)])[:-1]
    counts = np.diff([*starts, len(flat)])
    means = np.add.reduceat(flat.astype(np.float64), starts) / counts[:, None]
    return np.asarray((first + unit_rows(means, "The names") + definitions) / 3, dtype=np.float64)


def _write(out: Path, weights: Path, head: dict[str, NDArray[np.float64]], recipe: HeadRecipe) -> None:
    """The network in half precision, the head, and what it was fitted by; a reader never meets a head without its network."""
    from safetensors.numpy import save
    from safetensors.torch import save as save_network

    out.mkdir(parents=True, exist_ok=True)
    network = {name: value.half().contiguous() for name, value in photo_network(weights).state_dict().items() if value.is_floating_point()}
    write_atomic(out / NETWORK_FILE, save_network(network))
    write_atomic(out / RECIPE, json.dumps(asdict(recipe), indent=2).encode())
    write_atomic(out / HEAD_FILE, save({name: np.asarray(value, dtype=np.float16, order="C") for name, value in head.items()}))
