"""Create Spaces from images and an encoder, or from a file."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.data import ImageTable, find_files, one_row_an_image, own_table, read_dataset
from likeness.defaults import default_encoder
from likeness.errors import InputError
from likeness.io import VectorFile, read_vector_file, text_to_name
from likeness.space import Space, Vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from likeness.encoders import Encoder, EncoderLike
    from likeness.saliency import ImageModel
    from likeness.search import Index


def embed(
    images: "ImageTable | pd.DataFrame | Sequence[str | Path] | str | Path",
    encoder: "EncoderLike | None" = None,
    *,
    name: str = "Raw encoder",
    precision: str | None = None,
    **options: Any,
) -> Space:
    """Embeds images with a pretrained encoder. Embeddings are stored, so that known images do not load the model.

    Args:
        images: a table, what `likeness.read` takes, a data frame with a column `path`, or a list of paths. Unreadable images are skipped and listed
            in `table.failed`.
        encoder: a name that `likeness.encoders.load_encoder` takes, or an object with `encode_images` and optionally `encode_texts`; by default
            "cars" for rendered cars and "photos" for others.
        precision: "bf16": compute in bfloat16, faster on GPUs; the vectors differ and are stored separately, under the encoder "bf16:NAME". "32":
            float32. By default float32, but bfloat16 for "photos" if the CPU or GPU supports it.
        options: of `likeness.encoders.embed_images` (progress, should_stop, batch_size ...).

    Raises:
        InputError: an unknown encoder or precision, a precision with an encoder object, or no readable image.

    Example:
        >>> import likeness as lk
        >>> lk.embed(lk.read("cars"), "cars")
        Space('Raw encoder', 2,000 images, 512-d, encoder 'cars')
    """
    from likeness.encoders import embed_images, embed_texts, encoder_identity, index_folder, load_encoder, reads_text, with_precision

    table = images if isinstance(images, ImageTable) else read_dataset(images) if isinstance(images, str | Path) else _listed(images)
    encoder = with_precision(encoder or default_encoder(table.attributes), precision)
    encoder = encoder if isinstance(encoder, str) else load_encoder(encoder)
    embeddings = embed_images(table, encoder, **options)
    if not len(embeddings.rows) and not embeddings.failed:
        raise InputError(f"The embedding of '{table.name}' was stopped before its first image; restart it.")
    if not len(embeddings.rows):
        raise InputError(f"None of the {len(table)} images of '{table.name}' could be read; first reason: {embeddings.failed[0].reason}")
    rows = slice(None) if len(embeddings.rows) == len(table) else embeddings.rows
    return Space(
        embeddings.vectors,
        replace(
            table,
            frame=table.frame.iloc[rows],
            failed=(*table.failed, *embeddings.failed),
            notes=(*table.notes, *_remark_notes(table, embeddings.remarks)),
        ),
        name=name,
        encoder=encoder,
        embed_texts=(lambda texts: embed_texts(encoder, list(texts)).vectors) if reads_text(encoder) else None,
        embed_images=lambda new: load_encoder(encoder).encode_images(list(new)),
        provenance=embeddings.provenance_key,
        differentiable=lambda: _image_model(encoder),
        index=_index(index_folder(table, encoder, options.get("store_dir")), embeddings.vectors) if encoder_identity(encoder) else None,
        store_dir=options.get("store_dir"),
    )


def _listed(images: Any) -> ImageTable:
    """The table of images given as Python objects, processed like a table file."""
    table = own_table(images, "Images")
    paths, files = find_files(table.frame["path"].tolist(), table.root)
    return one_row_an_image(replace(table, frame=table.frame.assign(path=paths)), files)


def _remark_notes(table: ImageTable, remarks: dict[int, str]) -> list[str]:
    """A sentence per kind of remark about how images were read, with numbers in parentheses from one of the images."""
    kinds: dict[str, list[int]] = {}
    for row, remark in remarks.items():
        kinds.setdefault(remark.split(" (")[0], []).append(row)
    return [
        f"{len(rows):,} image{'s' * (len(rows) > 1)}, such as '{table.frame['path'].iat[rows[0]]}': {remarks[rows[0]]}." for rows in kinds.values()
    ]


def load_space(path: Path | str) -> Space:
    """Loads a file of `Space.save`, with text and image side if its encoder is available and its notion's map is linear.

    Raises:
        InputError: there is no such file, or it holds no space.

    Example:
        >>> import numpy as np, tempfile, likeness as lk
        >>> path = Path(tempfile.mkdtemp()) / "x.parquet"
        >>> lk.load(lk.Space(np.eye(3), labels=["a", "b", "c"], name="three").save(path))
        Space('three', 3 rows, 3-d)
    """
    return space_of(read_vector_file(Path(path)), f"'{Path(path).name}'")


def space_of(file: VectorFile, name: str) -> Space:
    """Builds a space from vectors, attributes and the metadata of `Space.about`, as stored in a file or database; raises InputError, which starts
    with `name`, if they do not match.
    """
    try:
        about = file.about
        linear = None if about["linear"] is None else np.asarray(about["linear"], np.float32)
        table = ImageTable(str(about["table"]), Path(text_to_name(str(about["root"]))), file.frame, has_images=bool(about["has_images"]))
        space = Space(file.vectors, table, name=str(about["name"]), encoder=str(about["encoder"]) or None, provenance=str(about["provenance"]))
        fits = linear is None or linear.shape[1:] == space.vectors.shape[1:]
        mute = not fits or (about["notion"] and linear is None)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{name} holds no space; write one with `space.save` or `likeness.export`.") from error
    if mute or not isinstance(space.encoder, str):
        return space
    return _with_encoder(space, space.encoder, linear)


def _with_encoder(space: Space, encoder: str, linear: Vectors | None) -> Space:
    """The space with the text and image side of its encoder, for a notion's space through its linear map."""
    from likeness.encoders import embed_texts, load_encoder, reads_text
    from likeness.notions import project

    def projected(rows: Vectors) -> Vectors:
        return rows if linear is None else np.asarray(project(rows, linear), np.float32)

    return space.replace(
        embed_texts=(lambda texts: projected(embed_texts(encoder, list(texts)).vectors)) if reads_text(encoder) else None,
        embed_images=lambda images: projected(load_encoder(encoder).encode_images(list(images))),
        linear=linear,
    )


def _index(folder: Path, vectors: Vectors) -> "Index | None":
    """The index of these vectors, or None, also if it belongs to an older state of the images."""
    from likeness.search import open_index

    try:
        return open_index(folder, vectors)
    except InputError:
        return None


def _image_model(encoder: "str | Encoder") -> "ImageModel":
    from likeness.encoders import TowerEncoder, load_encoder
    from likeness.saliency import ImageModel

    loaded = load_encoder(encoder)
    if not isinstance(loaded, TowerEncoder):
        raise InputError(f"The encoder '{loaded.name}' provides no gradients; choose an open_clip or timm model.")
    return ImageModel(loaded.tower)
