"""What a browser can send to the app, drawn from a seed: values of any kind for the widgets of a page, and its address."""

import json
import random
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates

_TEXTS = (
    *("", " ", "\0", "²", "٣", "-1", "0", "1", "nan", "inf", "1e400", "9" * 30, "9" * 5000, "x" * 20_000, "../../etc/passwd", "/dev/zero", "{}"),
    *("[]", "None", "null", "true", "<script>alert(1)</script>", "%00", "%ff", "a\nb", "\u202e", "AAAA", "====", "eJw=", "cars", "PCA", "UMAP"),
    *("car_color", "~", "s3://x/y", "run:x", "{" * 3000, '{"a":', "é" * 50, "\ue000", "Raw encoder", "car color"),
)
_NUMBERS = (0, -1, 1, 2, 3, 1.5, -0.0, float("nan"), float("inf"), float("-inf"), 1e308, 2**31, -(2**31) - 1, 2**53 + 1, 1e-320)
_WHOLE = (0, -1, 1, 2, 7, 2**31 - 1, -(2**31), 2**62)
_JSON: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 3, 1.5, float("nan"), 10**30, "", "x", "٣", "AAAA", "x" * 5000, [], {}, [[]], [None], {"": None}, ["selection"]),
    *({"row": 1}, {"row": -1}, {"row": True}, {"row": 10**30}, {"row": "1"}, {"row": None}, {"row": [1]}, [1, "a", None], {"a": {"b": []}}),
)
# names that the app's components and Streamlit's own read
_KEYS = (
    *("edit", "click", "event", "value", "row", "n", "changed", "selected", "query", "id", "kind", "selection", "rows", "columns", "cells", "points"),
    *("point_indices", "box", "lasso", "edited_rows", "added_rows", "deleted_rows", "0", "1", "-1", "999999", "x", "Aspect"),
    *("act", "action", "name", "on"),
)
_PARAMETERS = (
    *("rows", "query", "draft", "open", "private", "show", "notion", "layout", "dataset", "a", "b", "color", "config", "watch", "runs", "map_seed"),
    *("text", "umap_n_neighbors", "umap_min_dist", "tsne_perplexity", "filter_car_color", "filter_sun_height", "filter_yaw", "continuous_label"),
    *("continuous_columns", "notion", "embed", "embed_options", "nobody_reads_this"),
)


def content(draw: random.Random, depth: int = 0) -> Any:
    """What JSON can hold, of the forms that the app reads and others."""
    kind = draw.random()
    if depth > 3 or kind < 0.45:
        return draw.choice(_JSON)
    if kind < 0.6:
        return [content(draw, depth + 1) for _ in range(draw.randrange(4))]
    return {draw.choice(_KEYS): content(draw, depth + 1) for _ in range(draw.randrange(6))}


def map_edit(draw: random.Random, n: int) -> dict[str, Any]:
    """Nearly what a map sends: one or two of its fields are something else."""
    import base64

    bits = base64.b64encode(bytes(draw.randrange(256) for _ in range((n + 7) // 8))).decode()
    edit: dict[str, Any] = {"id": "a-b", "changed": ["selection", "query"], "n": n, "selected": bits, "query": draw.randrange(n)}
    for _ in range(draw.choice((0, 1, 1, 2))):
        edit[draw.choice(list(edit))] = content(draw)
    return edit


def any_json(draw: random.Random) -> str:
    """A JSON text, mostly; sometimes none."""
    kind = draw.random()
    if kind < 0.2:
        return draw.choice(_TEXTS)
    if kind < 0.45:
        value: Any = {"edit": map_edit(draw, draw.choice((2000, 2000, 3)))}
    elif kind < 0.55:
        value = {"click": content(draw)}
    else:
        value = content(draw)
    if draw.random() < 0.5:
        value = [{"event": draw.choice(("edit", "click", *_KEYS)), "value": next(iter(value.values()), None) if isinstance(value, dict) else value}]
    return json.dumps(value)


_FIELDS = tuple(field.name for field in WidgetState.DESCRIPTOR.fields if field.name != "id")


def widget_state(widget: str, declared: str | None, draw: random.Random) -> WidgetState:
    """A value for a widget: mostly of the kind that it has declared, or else of any other."""
    field = declared if declared in _FIELDS and draw.random() < 0.7 else draw.choice(_FIELDS)
    state = WidgetState(id=widget)
    value = getattr(state, field)
    if field in ("trigger_value", "bool_value"):
        setattr(state, field, draw.random() < 0.5)
    elif field in ("json_value", "json_trigger_value"):
        setattr(state, field, any_json(draw))
    elif field == "string_value":
        setattr(state, field, any_json(draw) if draw.random() < 0.5 else draw.choice(_TEXTS))
    elif field == "double_value":
        state.double_value = draw.choice(_NUMBERS)
    elif field == "int_value":
        state.int_value = draw.choice(_WHOLE)
    elif field == "bytes_value":
        state.bytes_value = draw.randbytes(draw.choice((0, 1, 100)))
    elif field == "file_uploader_state_value":
        value.SetInParent()
        for _ in range(draw.choice((0, 1, 2, 3))):  # without a name, a field or a file, or several times the same
            value.uploaded_file_info.add(**{name: each for name, each in _file(draw).items() if draw.random() < 0.7})
    elif field.endswith("_array_value") and hasattr(value, "data"):
        value.SetInParent()
        pool = {"string": _TEXTS, "double": _NUMBERS, "int": _WHOLE}.get(field.split("_", 1)[0], ())
        value.data.extend(draw.choice(pool) for _ in range(draw.choice((0, 1, 2, 3))) if pool)
    else:
        value.SetInParent()
    return state


def _file(draw: random.Random) -> dict[str, Any]:
    """What a browser says of a file that it has sent."""
    return {"file_id": draw.choice(("a", "a", *_TEXTS)), "name": draw.choice(("a.png", "a.json", *_TEXTS)), "size": abs(draw.choice(_WHOLE))}


def widget_states(declared: dict[str, str | None], draw: random.Random, buttons: bool = True) -> WidgetStates:
    """Values for some of a page's widgets, and for one that there is not."""
    names = [name for name in declared if buttons or declared[name] != "trigger_value"]
    chosen = draw.sample(names, min(len(names), draw.choice((1, 2, 5, len(names))))) if names else []
    states = [widget_state(name, declared[name], draw) for name in chosen]
    if draw.random() < 0.2:
        states.append(widget_state("$$ID-0-nobody", None, draw))
    return WidgetStates(widgets=states)


def address(draw: random.Random) -> dict[str, list[str]]:
    """Parameters of an address."""
    return {draw.choice(_PARAMETERS): [draw.choice(_TEXTS) for _ in range(draw.choice((1, 1, 1, 3)))] for _ in range(draw.choice((1, 2, 6)))}


def any_bytes(draw: random.Random) -> bytes:
    """What is no message, or a message of another kind, or one that is cut off."""
    from streamlit.proto.BackMsg_pb2 import BackMsg

    message = BackMsg()
    kind = draw.randrange(6)
    if kind == 0:
        return draw.randbytes(draw.choice((0, 1, 50, 5000)))
    if kind == 1:
        message.rerun_script.widget_states.widgets.append(WidgetState(id=draw.choice(_TEXTS), int_value=draw.choice(_WHOLE)))
        message.rerun_script.fragment_id = draw.choice(_TEXTS)
        message.rerun_script.page_name = draw.choice(_TEXTS)
    elif kind == 2:
        message.rerun_script.query_string = draw.choice(_TEXTS)
        message.rerun_script.page_script_hash = draw.choice(_TEXTS)
    elif kind == 3:
        setattr(message, draw.choice(("clear_cache", "stop_script", "load_git_info", "set_run_on_save")), True)
    elif kind == 4:
        message.file_urls_request.request_id = draw.choice(_TEXTS)
        message.file_urls_request.file_names.extend(draw.choice(_TEXTS) for _ in range(3))
    else:
        message.rerun_script.widget_states.widgets.extend(WidgetState(id=str(number), string_value="x") for number in range(2000))
    coded = message.SerializeToString()
    return coded if draw.random() < 0.7 else coded[: draw.randrange(len(coded) + 1)]


def route(draw: random.Random) -> str:
    """An address below the app's own routes."""
    rows = (
        *("0", "1", "-1", "999999", "9" * 30, "9" * 5000, "1.5", "²", "٣", "0x1", "%30", "%00", "%ff", "", " 1", "1 ", "a", "..", "1/2", "nan"),
        *("1e3",),
    )
    name, dataset, row = draw.choice(("thumbnails", "pictures", "labeled", "info")), draw.choice(("cars", "cars", *_TEXTS[:24])), draw.choice(rows)
    query = ""
    if draw.random() < 0.5:
        kinds, columns = ("angles", "numbers", "pose", "layout", "nope", *_TEXTS[:8]), ('["yaw"]', '["yaw","elevation"]', "[1]", "{}", *_TEXTS[:20])
        query = f"?kind={draw.choice(kinds)}&columns={draw.choice(columns)}"
    return f"/{name}/{dataset[:3000]}/{row}{query}"
