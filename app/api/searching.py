"""Search by text, by image, or by several terms, and the neighbors of an image."""

from typing import Annotated, Any

import numpy as np
import pandas as pd
from fastapi import Query as InQuery
from numpy.typing import NDArray

from api.datasets import check_may_edit, check_row, entry_of, image_fields
from api.notions import fitted
from api.schemas import Found, Hit, HitOptions, InDataset, NearestOptions, NotionText, OfRow, Picture, Presence, Search, Term
from likeness.data import DatasetEntry, ImageTable, numbers_of
from likeness.encoders import cut_ends
from likeness.errors import InputError
from likeness.io import foreign_image
from likeness.reasons import reasons
from likeness.search import Query
from likeness.space import Space
from parts import cached
from parts.sidebar import fitting
from server.added_labels import made_by_encoder
from server.settings import server

Rows = tuple[NDArray[np.int64], NDArray[np.float32]]


def neighbors(dataset: InDataset, row: OfRow, options: Annotated[NearestOptions, InQuery()]) -> Found:
    """Finds the images nearest to an image of the dataset, in the encoder's or a notion's space."""
    entry, space = _opened(dataset, options.notion)
    check_row(len(space), row)
    return _found(entry, space, *_nearest(space, row, options.k, None), options, Term(row=row))


def search(dataset: InDataset, query: Search) -> Found:
    """Finds the images that fit a text, an image of the dataset, an uploaded picture, or several of these, each with a weight.

    A negative weight says what images should not resemble. Uploaded pictures are not stored.
    """
    entry, space = _opened(dataset, query.notion)
    for term in query.terms:
        if term.row is not None:
            check_row(len(space), term.row)
    if any(term.image is not None for term in query.terms):
        check_may_edit()
    allowed = _allowed(space.table, query.where) if query.where else None
    places = [(term.weight, _place(space, term)) for term in query.terms]
    place = places[0][1] if len(places) == 1 and places[0][0] > 0 else Query(places)
    texts = [term.text for term in query.terms if term.text is not None]
    presence = _presence(space, texts[0], allowed) if texts and not isinstance(place, Query) else None
    return _found(entry, space, *_nearest(space, place, query.k, allowed), query, query.terms[0], _unread(space, texts), presence)


def search_by_image(dataset: InDataset, options: Annotated[NearestOptions, InQuery()], content: Picture) -> Found:
    """Finds the images most similar to a picture, whose file is the body. The picture is not stored."""
    check_may_edit()
    entry, space = _opened(dataset, options.notion)
    found = _nearest(space, _picture(space, content), options.k, None)
    return _found(entry, space, *found, options, Term.model_construct(image=content))


def _opened(dataset: str, notion: str | NotionText | None) -> tuple[DatasetEntry, Space]:
    entry = entry_of(dataset)
    return entry, cached.base(entry.id) if notion is None else fitted(entry, notion)


def _place(space: Space, term: Term) -> Any:
    """A term for `Space.nearest`."""
    if term.image is not None:
        return _picture(space, term.image)
    return term.row if term.row is not None else space.text_query(term.text or "")[0]  # never the path of a file


def _picture(space: Space, content: bytes) -> NDArray[np.float32]:
    settings = server()
    if len(content) > settings.max_upload_mb * 1_000_000:
        raise InputError(f"The picture has {len(content):,} bytes. The limit is {settings.max_upload_mb} MB.")
    return np.asarray(space.image_query(foreign_image(content, "the picture", settings.max_pixels))[0], np.float32)


def _nearest(space: Space, query: Any, k: int, allowed: NDArray[np.bool_] | None) -> Rows:
    rows = list(query.rows) if isinstance(query, Query) else [query] if isinstance(query, int) else []
    among = len(space) if allowed is None else int(allowed.sum())
    if among <= (len(set(rows)) if allowed is None else int(allowed[sorted(set(rows))].sum())):
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    found = space.nearest(query, k, allowed=allowed)
    return found.rows, found.similarities


def _allowed(table: ImageTable, where: dict[str, list[Any]]) -> NDArray[np.bool_]:
    allowed = np.ones(len(table), bool)
    for name, wanted in where.items():
        if name not in table.attributes:
            raise InputError(f"The images have no attribute '{name}'. They have {', '.join(table.attributes[:30]) or 'none'}.")
        column = table.frame[name]
        numbers = None if pd.api.types.is_bool_dtype(column) else numbers_of(column)
        if numbers is not None:
            exact = column if pd.api.types.is_numeric_dtype(column) else pd.Series(numbers)
            allowed &= exact.isin(_numbers(name, wanted)).to_numpy(bool)
        else:
            allowed &= (column.astype(str).isin([str(each) for each in wanted]) & column.notna()).to_numpy(bool)
    return allowed


def _numbers(name: str, wanted: list[Any]) -> list[float]:
    """Converts texts to numbers; integers stay integers, since floats cannot represent all long ones."""
    try:
        return [each if type(each) is int else float(each) for each in wanted]
    except (ValueError, OverflowError):
        raise InputError(f"The attribute '{name}' holds numbers. Pass numbers.") from None


def _why(entry: DatasetEntry, asked: Term, rows: list[int]) -> list[str]:
    base = cached.base(entry.id)
    query = _picture(base, asked.image) if asked.image is not None else asked.text if asked.row is None else asked.row
    made = made_by_encoder(base.table.attributes)
    return reasons(base, query, rows, fitting(base), [name for name in base.table.attributes if name not in made])


def _presence(space: Space, text: str, allowed: NDArray[np.bool_] | None) -> Presence | None:
    if allowed is not None and not allowed.any():
        return None
    found = space.presence(text, allowed)
    return Presence(**found._asdict() | {"p_value": None if np.isnan(found.p_value) else found.p_value})


def _unread(space: Space, texts: list[str]) -> str:
    unknown = cached.unknown_words(space, " ".join(texts)) if texts else []
    words = f"The encoder does not know these words: {', '.join(sorted(unknown))}." if unknown else ""
    return " ".join(filter(None, (words, cut_ends(cached.cut_texts(space, texts)))))


def _found(
    entry: DatasetEntry,
    space: Space,
    rows: Any,
    similarities: Any,
    options: HitOptions,
    asked: Term,
    note: str = "",
    presence: Presence | None = None,
) -> Found:
    table, said = space.table, [{"why": each} for each in _why(entry, asked, rows.tolist())] if options.why else [{}] * len(rows)
    hits = [
        Hit(**image_fields(entry, table, row, options.attributes), similarity=round(similarity, 6), **why)
        for row, similarity, why in zip(rows.tolist(), similarities.tolist(), said, strict=True)
    ]
    approximate = "" if space.search is None or space.search.exact else space.search.message
    return Found(
        space="encoder" if space.base is None else space.name, hits=hits, note=" ".join(filter(None, (approximate, note))), presence=presence
    )
