"""Routes of pictures and attributes, cached by the browser, in place of hundreds of widgets.

A dataset is named by its catalog id, never by a path.
"""

from collections.abc import Callable
from functools import lru_cache

from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from likeness.data import THUMBNAIL_SIZE, DatasetEntry, large_picture, thumbnail
from likeness.errors import InputError
from likeness.io import image_remark, spoken_name
from parts import cached, viewer
from parts.sidebar import readable
from server import export_files, hand_labels, query_pictures
from server.accounts import answering
from server.visitors import EXPORTS

_NOT_THERE = (InputError, IndexError, OSError)
_NEIGHBORS = 12
_QUERY_SIZE = 2 * THUMBNAIL_SIZE  # it is shown larger than the others
# "same-origin": no page of another site shows these pictures
_HEADERS = {"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": "default-src 'none'"}


class _Row(IntegerConvertor):
    """A row in an address, with at most as many digits as any table needs."""

    regex = "[0-9]{1,15}"


register_url_convertor("row", _Row())


def _or_404(serve: Callable[[Request], Response]) -> Callable[[Request], Response]:
    def answered(request: Request) -> Response:
        try:
            return serve(request)
        except _NOT_THERE:
            return Response(status_code=404, headers=_HEADERS)

    return answered


def serve_thumbnail(request: Request) -> Response:
    """WebP of image `row`, twice as large if the query asks for it."""
    size = 2 * THUMBNAIL_SIZE if "large" in request.query_params else THUMBNAIL_SIZE
    return _webp(request, small_picture(_dataset(request).id, request.path_params["row"], size))


def serve_picture(request: Request) -> Response:
    """WebP of image `row` in full size, within bounds."""
    return _webp(request, _large_picture(_dataset(request).id, request.path_params["row"]))


def serve_neighbors(request: Request) -> Response:
    """Rows and similarities of the nearest images to image `row` in a space, named by a token that only people who were shown it know."""
    _dataset(request)
    space, row = viewer.space_of(request.path_params["token"]), request.path_params["row"]
    if space is None or row >= len(space.vectors):
        raise IndexError(row)
    found = space.nearest(row, _NEIGHBORS)
    similarities = [round(float(each), 4) for each in found.similarities]
    return JSONResponse({"rows": found.rows.tolist(), "similarities": similarities}, headers=_HEADERS | {"Cache-Control": "no-store"})


def serve_why(request: Request) -> Response:
    """What image `row` shares with the query, or with image `of`, and in what they differ; the question is named by a token as a space is."""
    _dataset(request)
    asked = viewer.question_of(request.path_params["token"])
    found = asked.answer(request.path_params["row"], request.query_params.get("of", "")) if asked else None  # null: no error in a browser's console
    return JSONResponse(found, headers=_HEADERS | {"Cache-Control": "no-store"})


def serve_labeled(request: Request) -> Response:
    """WebP of image `row` with its continuous label drawn on it; the query names the label as `labels.pictures` does."""
    query = request.query_params
    return _webp(request, _labeled(_dataset(request).id, request.path_params["row"], query.get("kind", ""), tuple(query.getlist("column"))))


def serve_query_picture(request: Request) -> Response:
    """WebP of a picture used as a query, by the token in a link."""
    picture = thumbnail(query_pictures.find(request.path_params["token"]), _QUERY_SIZE)
    return Response(picture, media_type="image/webp", headers=_HEADERS | {"Cache-Control": "private, max-age=600"})


def serve_info(request: Request) -> Response:
    """File name, attributes and labels of image `row`."""
    entry, number = _dataset(request), request.path_params["row"]
    table = cached.table(entry.id)
    row = table.frame.iloc[number]
    attributes = {readable(name): f"{row[name]:.3g}" if isinstance(row[name], float) else str(row[name]) for name in table.attributes}
    if remark := image_remark(table.file(number)):
        attributes["Note"] = remark
    content = {"label": spoken_name(str(row["path"])), "attributes": attributes, "labels": hand_labels.labels_of(table.frame, number)}
    return JSONResponse(content, headers=_kept(entry))


def serve_export(request: Request) -> Response:
    """A file created for download by this visitor."""
    with answering(request.scope):
        file = export_files.find(request.path_params["token"])
    if file is None:
        return PlainTextResponse("This export has been removed. Export again on the page Explore.", 404, headers=_HEADERS)
    return FileResponse(file, filename=file.name, media_type="application/octet-stream", headers=_HEADERS | {"Cache-Control": "no-store"})


def _webp(request: Request, picture: bytes) -> Response:
    return Response(picture, media_type="image/webp", headers=_kept(_dataset(request)))


def _dataset(request: Request) -> DatasetEntry:
    """The dataset in an address; raises InputError if it does not exist or was removed."""
    return cached.entry_of(request.path_params["dataset"])


def _kept(entry: DatasetEntry) -> dict[str, str]:
    """How long browsers cache a picture; only briefly for uploads, since they may be removed."""
    return _HEADERS | {"Cache-Control": f"private, max-age={600 if entry.owner else 86_400}"}


@lru_cache(maxsize=20_000)
def small_picture(dataset: str, row: int, size: int = THUMBNAIL_SIZE) -> bytes:
    """WebP of an image of a dataset; raises IndexError if there is no such row."""
    return thumbnail(cached.table(dataset).file(row), size)


@lru_cache(maxsize=32)
def _large_picture(dataset: str, row: int) -> bytes:
    return large_picture(cached.table(dataset).file(row))


@lru_cache(maxsize=5_000)
def _labeled(dataset: str, row: int, kind: str, columns: tuple[str, ...]) -> bytes:
    from likeness.labels import labels_named
    from likeness.plots import labeled_image, squared_webp

    table = cached.table(dataset)
    return squared_webp(labeled_image(table, labels_named(table, kind, columns), row))


ROUTES = [
    Route("/thumbnails/{dataset}/{row:row}", _or_404(serve_thumbnail)),
    Route("/pictures/{dataset}/{row:row}", _or_404(serve_picture)),
    Route("/neighbors/{dataset}/{token}/{row:row}", _or_404(serve_neighbors)),
    Route("/why/{dataset}/{token}/{row:row}", _or_404(serve_why)),
    Route("/labeled/{dataset}/{row:row}", _or_404(serve_labeled)),
    Route("/info/{dataset}/{row:row}", _or_404(serve_info)),
    Route("/queries/{token}", _or_404(serve_query_picture)),
    Route(f"/{EXPORTS}/{{token}}", serve_export),
]
