"""Where Spaces come from: images and an encoder, or a file."""

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
    """The space of a pretrained encoder. Images embedded before come from the store, without loading the model.

    Args:
        images: a table, what `likeness.read` takes, a data frame with a column `path`, or a list of paths. Those that can't be read are left out of
            the space and listed in its `table.failed`.
        encoder: a name that `likeness.encoders.load_encoder` takes, or an object with `encode_images` and perhaps `encode_texts`; by default
            "cars" for rendered cars and "photos" for all else.
        precision: "bf16": the encoder's network computes in bfloat16, faster on GPUs; its vectors are others and stored apart, under the encoder
            "bf16:NAME". "32": float32. By default as the encoder has it: float32, but "photos" in bfloat16 where the processor or GPU has that.
        options: of `likeness.encoders.embed_images` (progress, should_stop, batch_size ...).

    Raises:
        InputError: unknown encoder or precision, a precision for an encoder that is no name, or not one readable image.

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
        raise InputError(f"The embedding of '{table.name}' was stopped before its first image; start it again.")
    if not len(embeddings.rows):
        raise InputError(f"None of the {len(table)} images of '{table.name}' could be read; the first reason: {embeddings.failed[0].reason}")
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
    """The table of what a person has in Python, as that of a file that lists it."""
    table = own_table(images, "Images")
    paths, files = find_files(table.frame["path"].tolist(), table.root)
    return one_row_an_image(replace(table, frame=table.frame.assign(path=paths)), files)


def _remark_notes(table: ImageTable, remarks: dict[int, str]) -> list[str]:
    """A sentence for each kind of remark about how images were read; the numbers in brackets are those of one image."""
    kinds: dict[str, list[int]] = {}
    for row, remark in remarks.items():
        kinds.setdefault(remark.split(" (")[0], []).append(row)
    return [
        f"{len(rows):,} image{'s' * (len(rows) > 1)}, such as '{table.frame['path'].iat[rows[0]]}': {remarks[rows[0]]}." for rows in kinds.values()
    ]


def load_space(path: Path | str) -> Space:
    """The space of a file that `Space.save` wrote, with text and image side where its encoder is at hand and its notion's map is linear.

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
    """The space of vectors, attributes and what `Space.about` says, as a file or database holds them; InputError, which begins with `name`, where
    they do not fit.
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
    """The space with the text and image side of its encoder; of a notion's space, seen through its linear map."""
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
    """The index of these vectors; one of an older state of the images is none."""
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
        raise InputError(f"The encoder '{loaded.name}' gives no gradients; choose an open_clip or timm model.")
    return ImageModel(loaded.tower)
