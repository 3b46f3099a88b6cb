"""Pictures and attributes by URL, cached by the browser, instead of hundreds of widgets.

A dataset is named by its catalog id, never by a path.
"""

from functools import lru_cache

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

import export_files
import query_pictures
from likeness.data import THUMBNAIL_SIZE, DatasetEntry, thumbnail
from likeness.errors import InputError
from likeness.io import image_remark
from likeness.plots import labeled_image, squared_webp
from pages.continuous import labels
from request_scope import answering
from shared import cached
from shared.sidebar import readable
from visitors import EXPORTS

_NOT_THERE = (InputError, IndexError, OSError)
_DIGITS = 15
_QUERY_SIZE = 2 * THUMBNAIL_SIZE  # it is shown larger than the others
# "same-origin": no page of another site shows these pictures
_HEADERS = {"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": "default-src 'none'"}


def serve_thumbnail(request: Request) -> Response:
    """WebP of image `row`; a grey tile where the file can't be read any more."""
    try:
        entry = _dataset(request)
        return Response(small_picture(entry.id, _row(request)), media_type="image/webp", headers=_kept(entry))
    except _NOT_THERE:
        return Response(status_code=404, headers=_HEADERS)


def serve_labeled(request: Request) -> Response:
    """WebP of image `row` with its continuous label drawn on it; which label, `labels.pictures` wrote into the query string."""
    query = request.query_params
    try:
        entry = _dataset(request)
        picture = _labeled(entry.id, _row(request), query.get("kind", ""), query.get("columns", "[]"))
    except _NOT_THERE:
        return Response(status_code=404, headers=_HEADERS)
    return Response(picture, media_type="image/webp", headers=_kept(entry))


def serve_query_picture(request: Request) -> Response:
    """WebP of a picture that somebody searched with, which a link names by its token."""
    try:
        picture = thumbnail(query_pictures.find(request.path_params["token"]), _QUERY_SIZE)
    except _NOT_THERE:
        return Response(status_code=404, headers=_HEADERS)
    return Response(picture, media_type="image/webp", headers=_HEADERS | {"Cache-Control": "private, max-age=600"})


def serve_info(request: Request) -> Response:
    """File name and attributes of image `row`."""
    try:
        entry = _dataset(request)
        table = cached.table(entry.id)
        row = table.frame.iloc[_row(request)]
    except _NOT_THERE:
        return Response(status_code=404, headers=_HEADERS)
    attributes = {readable(name): _short(row[name]) for name in table.attributes}
    if remark := image_remark(table.file(_row(request))):
        attributes["Note"] = remark
    return JSONResponse({"label": str(row["path"]).rsplit("/", 1)[-1], "attributes": attributes}, headers=_kept(entry))


def serve_export(request: Request) -> Response:
    """A file that was made for this visitor to download."""
    with answering(request.scope):
        file = export_files.find(request.path_params["token"])
    if file is None:
        return PlainTextResponse("This export is not kept any more; export again on the page Explore.", 404, headers=_HEADERS)
    return FileResponse(file, filename=file.name, media_type="application/octet-stream", headers=_HEADERS | {"Cache-Control": "no-store"})


def _dataset(request: Request) -> DatasetEntry:
    """The dataset that an address names; raises InputError where none is listed, as after it was removed."""
    return cached.entry_of(request.path_params["dataset"])


def _kept(entry: DatasetEntry) -> dict[str, str]:
    """For how long browsers keep a picture: of what a visitor uploaded not long, since he may remove it."""
    return _HEADERS | {"Cache-Control": f"private, max-age={600 if entry.owner else 86_400}"}


def _row(request: Request) -> int:
    """The row that an address names, in the digits 0 to 9.

    Raises:
        IndexError: it names none, or one beyond any table.
    """
    text: str = request.path_params["row"]
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise IndexError(text)
    return int(text)


@lru_cache(maxsize=20_000)
def small_picture(dataset: str, row: int) -> bytes:
    """WebP of an image of a dataset; raises IndexError where there is no such row."""
    return thumbnail(cached.table(dataset).file(row))


@lru_cache(maxsize=5_000)
def _labeled(dataset: str, row: int, kind: str, columns: str) -> bytes:
    table = cached.table(dataset)
    return squared_webp(labeled_image(table, labels.config_of(table, {"kind": kind, "columns": columns}), row))


def _short(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


ROUTES = [
    Route("/thumbnails/{dataset}/{row}", serve_thumbnail),
    Route("/labeled/{dataset}/{row}", serve_labeled),
    Route("/info/{dataset}/{row}", serve_info),
    Route("/queries/{token}", serve_query_picture),
    Route(f"/{EXPORTS}/{{token}}", serve_export),
]
