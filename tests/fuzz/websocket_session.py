"""A visitor without a browser: speaks the app's WebSocket as a browser does, and can say what no browser says."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from google.protobuf.message import Message
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Subprotocol

_SECONDS = 300.0
# element -> the kind of value that its widget declares
_KINDS = {
    "bidi_component": "json_value",
    "button": "trigger_value",
    "button_group": "string_array_value",
    "checkbox": "bool_value",
    "dataframe": "string_value",
    "download_button": "trigger_value",
    "file_uploader": "file_uploader_state_value",
    "multiselect": "string_array_value",
    "number_input": "double_value",
    "plotly_chart": "string_value",
    "radio": "string_value",
    "selectbox": "string_value",
    "slider": "double_array_value",
    "text_area": "string_value",
    "text_input": "string_value",
}


class Session:
    """One visit.

    Attributes:
        widgets: ids of the widgets that the last runs have drawn, each with the kind of its value; None where that is not known.
        labels: ids of widgets by what stands beside them.
        pages: hashes by address.
        id: as Streamlit names the session.
        errors: tracebacks that were shown, since they were last taken.
    """

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self._address, self._headers = f"{url.replace('http', 'ws', 1)}/_stcore/stream", headers
        self.id = ""
        self.labels: dict[str, str] = {}
        self.widgets: dict[str, str | None] = {}
        self.pages: dict[str, str] = {}
        self.errors: list[str] = []

    def __enter__(self) -> "Session":
        self._connection = connect(
            self._address, subprotocols=[Subprotocol("streamlit")], additional_headers=self._headers, max_size=None, open_timeout=_SECONDS
        )
        self._socket = self._connection.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.__exit__(None, None, None)

    def send(self, message: BackMsg | bytes) -> None:
        """Sends what a browser sends, or any bytes."""
        self._socket.send(message if isinstance(message, bytes) else message.SerializeToString())

    def rerun(self, **state: Any) -> list[str]:
        """Asks for a run with this client state and waits for its end; the tracebacks that it showed."""
        message = BackMsg()
        message.rerun_script.SetInParent()
        for name, value in state.items():
            target = getattr(message.rerun_script, name)
            target.CopyFrom(value) if isinstance(target, Message) else setattr(message.rerun_script, name, value)
        self.send(message)
        self.receive()
        found, self.errors = self.errors, []
        return found

    def receive(self) -> None:
        """Takes in what comes until a run has ended; TimeoutError where none does."""
        while True:
            answer = ForwardMsg.FromString(self._socket.recv(timeout=_SECONDS))  # type: ignore[arg-type]
            kind = answer.WhichOneof("type")
            if kind == "new_session":
                self.id = answer.new_session.initialize.session_id or self.id
            elif kind == "navigation":
                self.pages = {page.url_pathname: page.page_script_hash for page in answer.navigation.app_pages}
            elif kind == "delta" and answer.delta.WhichOneof("type") == "new_element":
                self._take(answer.delta.new_element)
            elif kind == "script_finished" and answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return

    def _take(self, element: Any) -> None:
        name = element.WhichOneof("type")
        if name == "exception":
            error = element.exception
            self.errors.append(f"{error.type}: {error.message}\n" + "\n".join(error.stack_trace))
            return
        for widget in _ids(getattr(element, name)) if name else ():
            self.widgets[widget] = _KINDS.get(name)
            self.labels[getattr(getattr(element, name), "label", "")] = widget
            if name == "bidi_component":
                self.widgets[_make_trigger_id(widget, "events")] = "json_trigger_value"


def _ids(element: Message) -> Iterator[str]:
    found = getattr(element, "id", "")
    if isinstance(found, str) and re.match(r"\$\$", found):
        yield found
