"""Create Spaces from images and an encoder, or from a file."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.data import ImageTable, ReadOptions, find_format, read_dataset, read_format
from likeness.defaults import default_encoder
from likeness.encoder_functions import encoder_functions, mapped_functions
from likeness.encoders import EncoderLike, TextEncoder, embed_images, encoder_identity, index_folder, load_encoder, with_precision
from likeness.errors import InputError
from likeness.io import VectorFile, as_path, read_vector_file, text_to_name
from likeness.space import Space, Vectors

if TYPE_CHECKING:
    from likeness.search import IVFIndex


def embed(
    images: Any,
    encoder: EncoderLike | None = None,
    *,
    name: str = "Raw encoder",
    precision: str | None = None,
    texts: TextEncoder | str | None = None,
    **options: Any,
) -> Space:
    """Embeds images with a pretrained encoder. Embeddings are stored, so that known images do not load the model.

    Args:
        images: a table, or what `likeness.read` takes: a folder, file or name, a data frame, list or dataset. Unreadable images are skipped and
            listed in `table.failed`.
        encoder: a name that `likeness.encoders.load_encoder` takes, or an object with `encode_images` and optionally `encode_texts`; by default
            "cars" for rendered cars and "photos" for others.
        precision: "bf16": compute in bfloat16, faster on GPUs; the vectors differ and are stored separately, under the encoder "bf16:NAME". "32":
            float32. By default float32, but bfloat16 for "photos" if the CPU or GPU supports it.
        texts: a language model that reads queries in place of the encoder, such as "transformers:FOLDER" of a multilingual one
            (`likeness.joined_texts.JoinedTexts`).
        options: of `likeness.encoders.embed_images` (progress, should_stop, batch_size ...).

    Raises:
        InputError: an unknown encoder or precision, a precision with an encoder object, or no readable image.

    Example:
        >>> import likeness as lk
        >>> lk.embed(lk.read("cars"), "cars")
        Space('Raw encoder', 2,000 images, 512-d, encoder 'cars')
    """
    from likeness.joined_texts import JoinedTexts

    table = images if isinstance(images, ImageTable) else read_dataset(images)
    encoder = with_precision(encoder or default_encoder(table.attributes), precision)
    encoder = encoder if isinstance(encoder, str) else load_encoder(encoder)
    joined = None if texts is None else JoinedTexts(encoder, texts)
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
        provenance=embeddings.provenance_key,
        index=_index(index_folder(table, encoder, options.get("store_dir")), embeddings.vectors) if encoder_identity(encoder) else None,
        store_dir=options.get("store_dir"),
        **encoder_functions(encoder) | ({"embed_texts": joined} if joined else {}),
    )


def _remark_notes(table: ImageTable, remarks: dict[int, str]) -> list[str]:
    """A sentence per kind of remark about how images were read, with numbers in parentheses from one of the images."""
    kinds: dict[str, list[int]] = {}
    for row, remark in remarks.items():
        kinds.setdefault(remark.split(" (")[0], []).append(row)
    return [
        f"{len(rows):,} image{'s' * (len(rows) > 1)}, such as '{table.frame['path'].iat[rows[0]]}': {remarks[rows[0]]}." for rows in kinds.values()
    ]


def load_vectors(path: Path | str, encoder: EncoderLike | None = None) -> Space | None:
    """The space of a file or folder of vectors in a format that gives one (`likeness kinds formats`); None for other folders. Raises InputError for
    other files, damaged ones, and as `Space` for an encoder that did not make them.
    """
    place = as_path(path)
    if not place.exists():
        raise InputError(f"There is no file '{path}'; pass vectors, or a file of `space.save`.")
    chosen = find_format(place)
    if chosen is not None and chosen.gives == "space":
        vectors, table = read_format(place, chosen, ReadOptions())
        return Space(vectors, table, name=table.name, encoder=encoder)
    if place.is_dir():
        return None
    raise InputError(f"'{path}' holds no vectors; read its images by `lk.read`, and embed them by `lk.embed`, or pass a file of `space.save`.")


def load_space(path: Path | str, encoder: EncoderLike | None = None) -> Space:
    """Loads a file of `Space.save`, or another Parquet file with a column of vectors, with text and image side if its encoder is available and its
    notion's map is linear.

    Args:
        encoder: that made the vectors; None: the one that the file names, if any. As for `Space`, a sample of images checks it, unless Likeness
            embedded them.

    Raises:
        InputError: there is no such file, it holds no vectors, or they are another encoder's.

    Example:
        >>> import numpy as np, tempfile, likeness as lk
        >>> path = Path(tempfile.mkdtemp()) / "x.parquet"
        >>> lk.load(lk.Space(np.eye(3), labels=["a", "b", "c"], name="three").save(path))
        Space('three', 3 rows, 3-d)
    """
    return space_of(read_vector_file(Path(path)), f"'{Path(path).name}'", encoder)


def space_of(file: VectorFile, name: str, encoder: EncoderLike | None = None) -> Space:
    """Builds a space from vectors, attributes and the metadata of `Space.about`, as stored in a file or database; raises InputError, which starts
    with `name`, if they do not match.
    """
    from likeness.notions import project

    try:
        about = file.about
        linear = None if about["linear"] is None else np.asarray(about["linear"], np.float32)
        table = ImageTable(str(about["table"]), Path(text_to_name(str(about["root"]))), file.frame, has_images=bool(about["has_images"]))
        own, provenance = str(about["encoder"]) or None, str(about["provenance"])
        space = Space(file.vectors, table, name=str(about["name"]), provenance=provenance)
        fits = linear is None or linear.shape[1:] == space.vectors.shape[1:]
        mute = not fits or (about["notion"] and linear is None)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{name} holds no space; write one with `space.save` or `likeness.export`.") from error
    if encoder not in (None, own) and about["notion"]:
        raise InputError(f"{name} is the space of a notion by '{own}'; load it without another encoder.")
    if encoder not in (None, own) or (own and not provenance):
        return Space(space.vectors, table, name=space.name, encoder=encoder or own)
    if own is None or mute:
        return space.replace(encoder=own)
    space = space.replace(encoder=own, **encoder_functions(own))
    return space if linear is None else space.replace(linear=linear, **mapped_functions(space, partial(project, U=linear)))


def _index(folder: Path, vectors: Vectors) -> "IVFIndex | None":
    """The index of these vectors, or None, also if it belongs to an older state of the images."""
    from likeness.search import open_index

    try:
        return open_index(folder, vectors)
    except InputError:
        return None
