"""Captions of images in place of class names (Sec. 4.6 and Table 5)."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from likeness.encoders import TextEncoder
from likeness.errors import InputError
from likeness.io import name_finder
from likeness.language.embedding import embed_names
from likeness.language.similarity import cosine_similarities


def captions_in_order(captions: Mapping[str, str] | Sequence[str], paths: Sequence[str]) -> list[str]:
    """One caption per image, in the order of `paths`: looked up by path, or a column that has this order already.

    Raises:
        InputError: if an image has no caption, or there are more or fewer captions than images.
    """
    if isinstance(captions, Mapping):
        find = name_finder(captions)
        found = [find(path) for path in paths]
        missing = [path for path, name in zip(paths, found, strict=True) if name is None]
        if missing:
            raise InputError(f"{len(missing)} of {len(paths)} images have no caption, the first is '{missing[0]}'; add captions or leave these out.")
        return [captions[name] for name in found if name is not None]
    if isinstance(captions, str) or len(captions) != len(paths):
        count = "a single text" if isinstance(captions, str) else f"{len(captions)} captions"
        raise InputError(f"There are {len(paths)} images and {count}; give one caption per image.")
    return list(captions)


def insert_class_name(caption: str, name: str, keywords: str | Sequence[str]) -> str:
    """The caption with every keyword replaced by the class name: "Caption + insertion" of Table 5.

    "A blue bird sitting on a branch" becomes "A blue Shiny Cowbird sitting on a branch" for the keyword "bird". Keywords match whole words
    in any case; a caption without one stays as it is.

    Raises:
        InputError: if there is no keyword or one is empty.
    """
    words = [keywords] if isinstance(keywords, str) else list(keywords)
    if not words or not all(word.strip() for word in words):
        raise InputError(f"Expected at least one keyword such as 'bird', got {keywords!r}; give the words that the class name replaces.")
    # longest first, so that of "sports car" and "car" the longer is replaced as a whole
    choices = "|".join(re.escape(word.strip()) for word in sorted(words, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{choices})(?!\w)", lambda _: name, caption, flags=re.IGNORECASE)


def caption_embeddings(
    captions: Sequence[str], labels: Sequence[int] | NDArray[np.integer], model: TextEncoder | str = "minilm", device: str = "auto"
) -> NDArray[np.float32]:
    """One vector per class, the mean of its captions' vectors at unit length (the paper does not say how it goes from captions to classes).

    Args:
        captions: n captions.
        labels: (n,) the class of each.
        model: what `language_model` knows, or such a model.
        device: where a model given by name computes.

    Returns:
        (c, d) float32, in ascending order of the labels.

    Raises:
        InputError: if the numbers differ, or the model cannot embed.
    """
    classes, rows = np.unique(np.asarray(labels), return_inverse=True)
    if isinstance(captions, str) or len(captions) != len(rows):
        raise InputError(f"There are {len(rows)} labels and {len(captions)} captions; give one label per caption.")
    vectors = embed_names(list(captions), model, device).astype(np.float64)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float64).tiny)
    sums = np.zeros((len(classes), vectors.shape[1]))
    np.add.at(sums, rows, vectors)
    return np.asarray(sums / np.bincount(rows)[:, None], dtype=np.float32)


def caption_similarities(
    captions: Sequence[str], labels: Sequence[int] | NDArray[np.integer], model: TextEncoder | str = "minilm", device: str = "auto"
) -> NDArray[np.float32]:
    """Cosine similarities (c, c) of classes by their captions, float32, classes in ascending order of the labels.

    For similarities of single images use `class_similarities(captions, model, primer="{}")`, or `class_vectors` where they are many.

    Raises:
        InputError: as `caption_embeddings`.
    """
    return cosine_similarities(caption_embeddings(captions, labels, model, device)).astype(np.float32)
