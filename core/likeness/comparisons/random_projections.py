"""Noise baseline of comparisons: random projections of the wider space to the dimensions of the narrower one."""

from collections.abc import Iterator, Sequence

from likeness.errors import InputError
from likeness.notions import RandomTransform
from likeness.space import Space


def random_projections(a: Space, b: Space, seeds: Sequence[int]) -> Iterator[Space]:
    """The control of a comparison: the effect of losing dimensions only.

    Of two spaces of the same images the one with more dimensions (the first, where both have as many) is projected by a matrix of normal entries
    (`likeness.notions.RandomTransform`) to as many dimensions as the other has, once for each seed.
    """
    wide, narrow = (a, b) if a.vectors.shape[1] >= b.vectors.shape[1] else (b, a)
    dim = narrow.vectors.shape[1]
    for seed in seeds:
        estimator = RandomTransform(dim, seed).fit(wide.vectors[:1])
        yield wide.project(estimator, f"random projection to {dim}", f"random projection {dim} {seed} of {wide.key}")


def check_same_images(a: Space, b: Space) -> None:
    """Raises InputError unless both spaces have the same rows, by number and, where both have images, by path."""
    if len(a) != len(b):
        raise InputError(f"'{a.name}' has {len(a):,} images and '{b.name}' {len(b):,}; compare two spaces of the same images.")
    if a.table is b.table or not (a.table.has_images and b.table.has_images):
        return
    different = (a.table.frame["path"].to_numpy() != b.table.frame["path"].to_numpy()).nonzero()[0]
    if len(different):
        row = int(different[0])
        paths = [str(space.table.frame["path"].iat[row]) for space in (a, b)]
        raise InputError(f"Row {row} is '{paths[0]}' in one space and '{paths[1]}' in the other; embed the same images in the same order.")
