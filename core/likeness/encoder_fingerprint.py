"""Whether vectors of unknown origin are those of an encoder: a sample of their images is embedded again."""

from dataclasses import replace
from typing import Any

import numpy as np
from PIL import Image

from likeness.encoders import embed_images, load_encoder
from likeness.errors import InputError

SAMPLE = 12  # images that are embedded again
# lower quartile of the cosines of a sample, chosen on rendered cars: experiments/results/encoder-fingerprints.csv has what it lets through
THRESHOLD = 0.985
_RELATED = 0.9  # other preprocessing leaves so much; centered vectors and swapped channels are below
NOT_CHECKED = "so it is not known whether its vectors are those of"


def fingerprint(cosines: Any) -> float:
    """The lower quartile of the cosines of images with their vectors: it falls if a quarter of the rows belong to something else."""
    return float(np.quantile(cosines, 0.25))


def check_fingerprint(vectors: Any, table: Any, encoder: Any, name: str, seed: int = 0) -> list[str]:
    """Checks that the unit rows (n, d) of a table are an encoder's: embeds up to 12 images again, one of each twelfth of the rows.

    Returns a note if no image could be compared. Raises InputError, with the cosine and what it may mean, for vectors of another width or encoder, in
    another order, or by other preprocessing.
    """
    edges = np.linspace(0, len(table), min(SAMPLE, len(table)) + 1).astype(int)
    rows = np.random.default_rng(seed).integers(edges[:-1], edges[1:])
    found: Any = embed_images(replace(table, frame=table.frame.iloc[rows]), encoder) if table.has_images else None
    unread = found is None or not len(found.rows)
    again = load_encoder(encoder).encode_images([Image.new("RGB", (64, 64))]) if unread else found.vectors
    if vectors.shape[1] != again.shape[1]:
        raise InputError(
            f"The vectors have {vectors.shape[1]} dimensions, but '{name}' has {again.shape[1]}; pass them whole, since words cannot be compared "
            "with a part of them, such as principal components, or name the encoder that made them."
        )
    if unread:
        what = f"could not be compared with its images ({found.failed[0].reason})" if found else "has no images"
        return [f"'{table.name}' {what}, {NOT_CHECKED} '{name}'."]
    rows = rows[found.rows]
    own, others = (fingerprint(np.vecdot(vectors[rows], each)) for each in (again, np.roll(again, 1, axis=0)))
    if own >= THRESHOLD:
        return []
    raise InputError(
        f"The vectors are not those of '{name}': {len(rows)} images embedded again have a cosine of {own:.3f} with their rows, expected at least "
        f"{THRESHOLD} (with other rows: {others:.3f}). {_reason(vectors, rows, again, own, table)}"
    )


def _reason(vectors: Any, rows: Any, again: Any, cosine: float, table: Any) -> str:
    from likeness.search import scan

    best = scan(vectors, again, 1)
    if fingerprint(best.similarities) >= THRESHOLD:
        place = int(np.flatnonzero(best.rows[:, 0] != rows)[0])
        moved = f"row {best.rows[place, 0]} for '{table.frame['path'].iat[rows[place]]}' in row {rows[place]}"
        return f"They fit other rows, such as {moved}: pass vectors and images in the same order."
    if cosine >= _RELATED:
        return "The images may have been resized, cropped or normalized otherwise, or changed since: embed them again with `likeness.embed`."
    return "Name the encoder that made them, pass vectors that were not centered or otherwise changed, or embed the images again."
