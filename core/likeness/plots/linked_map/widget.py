"""The linked map as a Jupyter widget."""

import base64
from collections.abc import Sequence
from typing import Any

import anywidget
import numpy as np
import pandas as pd
import traitlets
from numpy.typing import NDArray

from likeness.arrays import to_numpy
from likeness.data import ImageTable, thumbnail
from likeness.errors import InputError
from likeness.io import image_remark
from likeness.plots.linked_map.coloring import Coloring, color_by, coloring_of
from likeness.plots.linked_map.frontend import notebook_module
from likeness.plots.linked_map.map_event import decode_event, row_of
from likeness.plots.linked_map.map_payload import MapPanel, encode_map
from likeness.plots.linked_map.placement import MapSpace, Placement, place
from likeness.plots.linked_map.still import saved_style, still_png
from likeness.search import scan

Rows = NDArray[np.int64]


class RowsTrait(traitlets.TraitType[Rows, Any]):
    """Sorted row numbers (m,) int64, each once, below `obj.n`. Accepts any sequence of rows, a mask (n,), or None for no rows."""

    info_text = "row numbers or a mask"

    def make_dynamic_default(self) -> Rows:
        return np.zeros(0, np.int64)

    def validate(self, obj: Any, value: Any) -> Rows:
        rows = np.zeros(0, np.int64) if value is None else np.atleast_1d(np.asarray(to_numpy(value)))
        if rows.dtype == bool:
            if rows.shape != (obj.n,):
                raise InputError(f"A mask of shape {rows.shape} does not fit {obj.n} rows; pass a mask ({obj.n},) or row numbers.")
            rows = np.flatnonzero(rows)
        if rows.size and rows.dtype.kind not in "iu":
            raise InputError(f"Rows are whole numbers, not {rows.dtype}; pass row numbers from 0 to {obj.n - 1} or a mask.")
        rows = np.unique(rows.astype(np.int64))
        if rows.size and (rows[0] < 0 or rows[-1] >= obj.n):
            wrong = rows[-1] if rows[-1] >= obj.n else rows[0]
            raise InputError(f"Row {wrong} is outside the {obj.n} rows of the map; pass rows from 0 to {obj.n - 1}.")
        return rows

    def set(self, obj: Any, value: Any) -> None:
        """Notifies only when the rows change; a plain trait would use the truth value of an array comparison, which NumPy rejects."""
        rows, before = self.validate(obj, value), self.get(obj)
        if before is None or not np.array_equal(rows, before):
            super().set(obj, rows)


_NEIGHBORS = 10


class LinkedMapWidget(anywidget.AnyWidget):
    """One or two maps of the same rows, drawn by the scripts of the app.

    Large arrays and pictures are sent as messages when the browser first needs them; there is no server.

    Args:
        spaces: one or two, each with `name`, `table` and `vectors` (n, d), or positions (n, 2).
        color: see `recolor`.
        method: a name in `likeness.projection.METHODS`; stored layouts are reused.
        positions: (n, 2) for each space, used instead of a layout.
        height: total height in px.
        parameters: of the method, such as `seed`.

    Attributes:
        selected: rows (m,) int64, sorted; a lasso changes it, and setting it changes the maps. Use `observe` for changes.
        query: the clicked row, or None; lines connect it to its ten nearest rows.

    Raises:
        InputError: not one or two spaces, spaces of different numbers of rows, or an error of `recolor`.
        LayoutFailed: a layout could not be computed.

    Example:
        >>> import numpy as np
        >>> widget = LinkedMapWidget([np.random.default_rng(0).random((50, 2))], color=np.arange(50) % 3)
        >>> widget.selected = [4, 1]
        >>> widget.selected
        array([1, 4])
    """

    _esm = notebook_module()
    payload = traitlets.Dict().tag(sync=True)
    still = traitlets.Bytes().tag(sync=True)
    pictures = traitlets.Bool().tag(sync=True)
    height = traitlets.Int().tag(sync=True)
    selected = RowsTrait()
    query = traitlets.Int(None, allow_none=True)

    def __init__(
        self,
        spaces: Sequence[MapSpace | Any],
        color: Any = None,
        method: str = "umap",
        *,
        positions: Sequence[Any] | None = None,
        height: int = 520,
        **parameters: Any,
    ) -> None:
        if not 1 <= len(spaces) <= 2:
            raise InputError(f"{len(spaces)} maps were passed; pass one or two.")
        if positions is not None and len(positions) != len(spaces):
            raise InputError(f"{len(positions)} arrays of positions do not fit {len(spaces)} maps; pass one (n, 2) for each.")
        self._method, self._parameters = method, parameters
        self._placements: list[Placement] = []
        for space, given in zip(spaces, [None] * len(spaces) if positions is None else positions, strict=True):
            self._placements.append(place(space, method, parameters, positions=given, onto=self._placements[0] if self._placements else None))
        self.n = len(self._placements[0].own)
        self._coloring = self._coloring_of(color)
        self._parts: dict[str, bytes] = {}
        self._seen: str | None = None
        self._neighbors: list[np.ndarray] | None = None
        super().__init__(height=height, pictures=self.table is not None and self.table.has_images)
        self.on_msg(self._answer)
        self._send_map()
        self.still = self.still_png()

    @property
    def table(self) -> ImageTable | None:
        """The images of the rows; None for positions alone."""
        return next((each.space.table for each in self._placements if each.space is not None), None)

    def recolor(self, color: Any = None) -> None:
        """Changes the colors, without sending the positions again.

        `color`: name of an attribute of the table, one value for each row (names or numbers, NumPy or torch), a `Coloring`, or None for one color.
        InputError: an unknown attribute, or values that do not fit the rows.
        """
        self._coloring = self._coloring_of(color)
        self._send_map()
        self.still = self.still_png()

    def update(self, space: MapSpace | Any, panel: int = -1, *, positions: Any = None) -> None:
        """Shows another space of the same rows, such as a refit, in one of the maps; its points move from where they are.

        The new layout is aligned to the old one, so that points only move if the layout changed.

        Args:
            space: as in the constructor.
            positions: (n, 2), used instead of a layout.
            panel: which map; the last one if not given.

        Raises:
            InputError: no such map, or another number of rows.
            LayoutFailed: the layout could not be computed; the maps are unchanged.
        """
        if not -len(self._placements) <= panel < len(self._placements):
            raise InputError(f"There is no map {panel}; pass a number from 0 to {len(self._placements) - 1}.")
        index = panel % len(self._placements)
        onto = self._placements[0] if index else None
        before = self._placements[index]
        self._placements[index] = place(space, self._method, self._parameters, positions=positions, before=before, onto=onto)
        self._neighbors = self._nearest()
        self._send_map()
        self.still = self.still_png()

    def still_png(self) -> bytes:
        """A PNG of the current maps, not zoomed."""
        return still_png(self._panels, self._coloring, self.n, self.selected)

    def _ipython_display_(self) -> None:
        """Shows the map, preceded by a style that replaces it with a picture once the notebook is saved and has no kernel."""
        from IPython.display import publish_display_data

        bundle = self._repr_mimebundle_()
        if bundle is not None:
            data, metadata = bundle
            publish_display_data({"text/html": saved_style(self.model_id, data["image/png"]), "text/plain": ""})  # type: ignore[no-untyped-call]
            publish_display_data(data, metadata)  # type: ignore[no-untyped-call]

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is not None:
            bundle[0]["image/png"] = base64.b64encode(self.still_png() if len(self.selected) else self.still).decode("ascii")
        return bundle

    def __repr__(self) -> str:
        names = " and ".join(panel.title for panel in self._panels if panel.title)
        return f"LinkedMapWidget({names or 'positions'}, {self.n:,} rows, {len(self.selected):,} selected)"

    @property
    def _panels(self) -> list[MapPanel]:
        return [MapPanel("" if each.space is None else each.space.name, each.shown, each.caption) for each in self._placements]

    def _coloring_of(self, color: Any) -> Coloring:
        if isinstance(color, Coloring):
            return color
        if color is None:
            return coloring_of("", [""] * self.n, "none")
        if isinstance(color, str):
            if self.table is None or color not in self.table.attributes:
                known = ", ".join(self.table.attributes) if self.table is not None else "none"
                raise InputError(f"The table has no attribute '{color}' to color by; choose from: {known}.")
            return color_by(self.table.frame[color], color, color.replace("_", " "))
        values = color if isinstance(color, pd.Series) else to_numpy(color)
        if len(values) != self.n:
            raise InputError(f"{len(values)} values do not color {self.n} rows; pass one for each.")
        return color_by(values, str(getattr(color, "name", None) or ""))

    def _nearest(self) -> list[np.ndarray] | None:
        """The neighbors of the query in each map; empty for a map that has only positions; None without a query."""
        if self.query is None or self.n < 2:
            return None
        query = self.query
        spaces = [each.space for each in self._placements]
        return [_NONE if space is None else scan(space.vectors, space.vectors[[query]], _NEIGHBORS, exclude=[query]).rows[0] for space in spaces]

    def _send_map(self) -> None:
        parts: dict[str, bytes] = {}

        def publish(content: bytes, name: str) -> str:
            parts[name] = content
            return name

        payload = encode_map(
            self._panels, self._coloring, n=self.n, selected=self.selected, query=self.query, neighbors=self._neighbors, seen=self._seen,
            noun="images" if self.pictures else "rows", publish=publish,
        )  # fmt: skip
        self._parts = parts
        self.payload = payload

    @traitlets.validate("query")
    def _check_query(self, proposal: Any) -> int | None:
        row = proposal["value"]
        if row is not None and not 0 <= row < self.n:
            raise InputError(f"The query {row} is outside the {self.n} rows of the map; pass a row from 0 to {self.n - 1}.")
        return None if row is None else int(row)

    @traitlets.observe("query", "selected")
    def _changed(self, change: Any) -> None:
        if change["name"] == "query":
            self._neighbors = self._nearest()
        self._send_map()

    def _answer(self, _: Any, message: Any, __: Any) -> None:
        """Handles a browser's message: a request for an array or a row, or an action; ignores anything else."""
        kind = message.get("kind") if isinstance(message, dict) else None
        if kind == "edit":
            self._take_edit(message)
        elif kind == "part":
            content = self._parts.get(str(message.get("id")))
            self.send(message if content is not None else message | {"error": "These points are gone."}, None if content is None else [content])
        elif kind == "row" and (row := row_of(message.get("row"), self.n)) is not None:
            picture = row_picture(self.table, row)
            self.send({"kind": "row", "row": row} | describe_row(self.table, row), None if picture is None else [picture])

    def _take_edit(self, edit: dict[str, Any]) -> None:
        event = decode_event(edit, self.n)
        self._seen = event.id or self._seen
        with self.hold_sync():
            if event.selection_changed:
                self.selected = event.selected
            if event.query_changed:
                self.query = event.query
            self._send_map()


_NONE = np.zeros(0, np.int64)


def describe_row(table: ImageTable | None, row: int) -> dict[str, object]:
    """{"label", "attributes"} of a row: its file name, its attributes in the table, and a note if its pixels were converted when read."""
    if table is None:
        return {"label": f"Row {row}", "attributes": {}}
    values = table.frame.iloc[row]
    label = str(values["path"]).rsplit("/", 1)[-1] if table.has_images else f"Row {row}"
    remark = image_remark(table.file(row)) if table.has_images else ""
    attributes = {name: f"{values[name]:.3g}" if isinstance(values[name], float) else str(values[name]) for name in table.attributes}
    return {"label": label, "attributes": attributes | ({"note": remark} if remark else {})}


def row_picture(table: ImageTable | None, row: int) -> bytes | None:
    """A WebP thumbnail of a row; None if there is no image or it is unreadable."""
    if table is None or not table.has_images:
        return None
    try:
        return thumbnail(table.file(row))
    except (OSError, ValueError):  # the file is missing or damaged, or access to it is denied
        return None
