"""What a browser sends for a widget counts if it is of the widget's own kind, and else as if nothing had been sent."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.Common_pb2 import FileUploaderState, UploadedFileInfo
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.state.session_state import SessionState, WStates
from streamlit.testing.v1 import AppTest

MAIN = Path(__file__).resolve().parents[2] / "app" / "main.py"


@pytest.fixture(autouse=True)
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(MAIN.parent))
    from parts.component import check_widget_values

    monkeypatch.setattr(WStates, "__getitem__", getattr(WStates.__getitem__, "__wrapped__", WStates.__getitem__))
    monkeypatch.setattr(WStates, "set_widget_from_proto", getattr(WStates.set_widget_from_proto, "__wrapped__", WStates.set_widget_from_proto))
    check_widget_values()
    check_widget_values()


def _script() -> None:
    import streamlit as st

    def note(key: str) -> None:
        st.session_state["noted"] = st.session_state[key]

    st.selectbox("Color", ["red", "blue"], key="color", on_change=note, args=("color",))
    st.multiselect("Colors", ["red", "blue"], ["red"], key="colors", on_change=note, args=("colors",))
    st.number_input("Number", 0, 10, 3, key="number", on_change=note, args=("number",))
    st.segmented_control("Size", ["S", "M"], default="S", required=True, key="size", on_change=note, args=("size",))
    st.data_editor({"a": ["x"]}, key="table")


def _sent(name: str, kind: str, value: object) -> AppTest:
    app = AppTest.from_function(_script).run()
    drawn = {"color": app.selectbox, "colors": app.multiselect, "number": app.number_input, "size": app.button_group, "table": app.dataframe}
    state = WidgetState(id=drawn[name][0].proto.id)
    if kind.endswith("_array_value"):
        getattr(state, kind).SetInParent()
        getattr(state, kind).data.extend(value)  # type: ignore[arg-type]
    else:
        setattr(state, kind, value)
    return app._run(WidgetStates(widgets=[state]))


BEGIN: dict[str, Any] = {"color": "red", "colors": ["red"], "number": 3, "size": "S"}
SENT: list[tuple[str, str, list[Any], Any]] = [  # the widget, the kind of what is sent, values, and what is kept
    ("color", "string_value", ["green"], "red"),
    ("color", "int_value", [1], "red"),
    ("color", "json_value", ["{"], "red"),
    ("color", "string_array_value", [["blue"]], "red"),
    ("colors", "string_array_value", [["green"]], ["red"]),
    ("colors", "double_value", [1.0], ["red"]),
    ("number", "double_value", [float("nan"), 1e300], 3),
    ("number", "string_value", ["4"], 3),
    ("size", "string_array_value", [[], ["L"]], "S"),
    ("table", "string_value", ["{", json.dumps({"edited_rows": {"x": {}}})], None),
    ("color", "string_value", ["blue"], "blue"),
    ("colors", "string_array_value", [["blue", "red"]], ["blue", "red"]),
    ("colors", "string_array_value", [[]], []),
    ("number", "double_value", [4.0], 4),
    ("size", "string_array_value", [["M"]], "M"),
]


@pytest.mark.parametrize(("name", "kind", "values", "kept"), SENT)
def test_what_does_not_fit_is_as_if_nothing_had_been_sent_and_what_fits_counts(name: str, kind: str, values: list[Any], kept: Any) -> None:
    for value in values:
        app = _sent(name, kind, value)
        assert not app.exception
        assert name == "table" or app.session_state[name] == kept
        assert kept == BEGIN.get(name) or app.session_state["noted"] == kept


def test_a_name_that_is_none_of_a_widget_is_passed_over_and_the_app_checks_all(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    script = AppTest.from_function(_script).run()
    script._run(WidgetStates(widgets=[WidgetState(id="929", int_value=1)]))
    assert not script.exception
    monkeypatch.setattr(WStates, "__getitem__", WStates.__getitem__.__wrapped__)  # type: ignore[attr-defined]
    app.run()
    assert hasattr(WStates.__getitem__, "__wrapped__")


def _uploads(*files: dict[str, Any]) -> FileUploaderState:
    return FileUploaderState(uploaded_file_info=[UploadedFileInfo(**file) for file in files])


def test_a_file_that_has_not_come_is_none(app: Any) -> None:
    infos: list[dict[str, Any]] = [{}, {"file_id": "none"}, {"file_id": "none", "name": "x.png", "size": 2**40}, {"name": "../x.exe"}]
    for page in ("", "images"):
        app.open(page) if page else app.run()
        for sent in (*([info] for info in infos), infos + infos):
            uploaders = app.get("file_uploader")
            assert uploaders
            for uploader in uploaders:
                app._run(WidgetStates(widgets=[WidgetState(id=uploader.proto.id, file_uploader_state_value=_uploads(*sent))]))
                assert not app.exception


def test_fields_look_up_their_own_values_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    app = AppTest.from_function(_script)
    app.session_state["color"] = app.session_state["number"] = None
    assert {"color", "number"} == set(app.session_state)
    monkeypatch.setattr(SessionState, "filtered_state", property(lambda state: pytest.fail("all values are read")))
    assert (app.run().selectbox[0].value, app.number_input[0].value, len(app.exception)) == (None, None, 0)
