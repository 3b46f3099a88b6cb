"""Search by text, by image, or by several terms, and the neighbors of an image."""

from typing import Annotated, Any

import numpy as np
import pandas as pd
from fastapi import Query as InQuery
from numpy.typing import NDArray

from api.datasets import check_may_edit, check_row, entry_of, image_fields
from api.notions import fitted
from api.schemas import Found, Hit, InDataset, NearestOptions, NotionText, OfRow, Picture, Search, Term
from likeness.data import DatasetEntry, ImageTable, numbers_of
from likeness.encoders import cut_ends
from likeness.errors import InputError
from likeness.io import foreign_image
from likeness.search import Query
from likeness.space import Space
from parts import cached
from server.settings import server

Rows = tuple[NDArray[np.int64], NDArray[np.float32]]


def neighbors(dataset: InDataset, row: OfRow, options: Annotated[NearestOptions, InQuery()]) -> Found:
    """Finds the images nearest to an image of the dataset, in the encoder's or a notion's space."""
    entry, space = _opened(dataset, options.notion)
    check_row(len(space), row)
    return _found(entry, space, *_nearest(space, row, options.k, None), options.attributes)


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
    return _found(entry, space, *_nearest(space, place, query.k, allowed), query.attributes, _unread(space, texts))


def search_by_image(dataset: InDataset, options: Annotated[NearestOptions, InQuery()], content: Picture = b"") -> Found:
    """Finds the images most similar to a picture, whose file is the body. The picture is not stored."""
    check_may_edit()
    entry, space = _opened(dataset, options.notion)
    return _found(entry, space, *_nearest(space, _picture(space, content), options.k, None), options.attributes)


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


def _unread(space: Space, texts: list[str]) -> str:
    unknown = cached.unknown_words(space, " ".join(texts)) if texts else []
    words = f"The encoder does not know these words: {', '.join(sorted(unknown))}." if unknown else ""
    return " ".join(filter(None, (words, cut_ends(cached.cut_texts(space, texts)))))


def _found(entry: DatasetEntry, space: Space, rows: Any, similarities: Any, attributes: bool, note: str = "") -> Found:
    table = space.table
    hits = [
        Hit(**image_fields(entry, table, row, attributes), similarity=round(similarity, 6))
        for row, similarity in zip(rows.tolist(), similarities.tolist(), strict=True)
    ]
    approximate = "" if space.search is None or space.search.exact else space.search.message
    return Found(space="encoder" if space.base is None else space.name, hits=hits, note=" ".join(filter(None, (approximate, note))))
