"""Spaces one after another."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from likeness.data import stacked_table
from likeness.encoders import encoder_identity
from likeness.errors import InputError
from likeness.space import Space

_COMPARED = 64  # rows by which two notions are compared


def concat(spaces: Sequence[Space]) -> Space:
    """The rows of several spaces of one encoder or notion as one space, in this order, without an index. Tables of different folders get absolute
    paths, and attributes that one lacks are missing values. An image that is in several of them counts as one (`Space.image_numbers`).

    Raises:
        InputError: no space, or spaces of different encoders or notions.

    Example:
        >>> import likeness as lk
        >>> space = lk.embed(lk.read("cars"), "cars")
        >>> concat([space[:100], space[300:400]])
        Space('Raw encoder', 200 images, 512-d, encoder 'cars')
    """
    if not len(spaces):
        raise InputError("There is no space to join; pass at least one.")
    first, known = spaces[0], [each.provenance for each in spaces]
    other = next((each for each in spaces if not _is_same(first, each)), None)
    if other is not None:
        raise InputError(f"{first} and {other} are not of one encoder or notion; embed and refit the images of both alike.")
    provenance = repr(known) if all(known) else ""
    if first.base is not None:
        return concat([each.base or each for each in spaces]).project(first.estimator, first.name, provenance)
    vectors, table = np.concatenate([each.vectors for each in spaces]), stacked_table([each.table for each in spaces])
    return first.replace(vectors=vectors, images=table, provenance=provenance, index=None, store_dir=None)


def _is_same(first: Space, other: Space) -> bool:
    if first.base is None or other.base is None:
        return first.base is other.base and _origin(first) == _origin(other)
    mapped = Space(first.estimator.transform(other.base.vectors[:_COMPARED]), estimator=first.estimator).vectors
    rows = other.vectors[:_COMPARED]
    return _is_same(first.base, other.base) and mapped.shape == rows.shape and np.allclose(mapped, rows, atol=1e-4)


def _origin(space: Space) -> tuple[Any, ...]:
    """What spaces without a base must have in common."""
    linear = None if space.linear is None else space.linear.tobytes()
    if space.encoder is None:
        return space.vectors.shape[1], linear, space.embed_texts, space.embed_images
    return space.vectors.shape[1], linear, encoder_identity(space.encoder) or id(space.encoder)
