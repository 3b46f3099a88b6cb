"""Continuous labels: those of the dataset, or columns of numbers."""

from urllib.parse import urlencode

import streamlit as st

from likeness.data import ImageTable
from likeness.labels import LabelsConfig, known_labels, numeric_columns, read_image_labels
from parts.on_request import WorkRequest
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View
from server.addresses import address

_OWN = {"Numbers": "numbers", "Angles": "angles"}
# what two labels' distance is, and what is drawn on a picture
_DISTANCES = {
    "pose": "the sum of the distances between corresponding joints of two people, in pixels.",
    "layout": "how little the surfaces of two rooms overlap (1 - mIoU); 0 means the same layout.",
    "viewpoint": "the angle between two camera positions, in degrees.",
    "angles": "the smaller angle between two images, in degrees.",
    "numbers": "how far the numbers differ.",
    "captions": "how different the words of two captions are (word mover's distance); 0 means the same words.",
}
_DRAWINGS = {
    "pose": "Blue is the person's left side, orange the right.",
    "layout": "One color for each surface.",
    "viewpoint": "The arrow points to the camera, seen from above; the notch is in front of the car. The tick shows the height of the camera.",
    "angles": "The arrow shows the angle, counterclockwise from the notch at the top.",
    "numbers": "The mark shows the number's place between the smallest and the largest.",
    "captions": "The first caption is shown under each picture.",
}
_LABEL_HELP = "A label on a scale. Numbers and Angles use columns of your table; as angles, 359 and 1 degrees are close."
_COLUMNS_HELP = "With several columns, the label distance is the Euclidean distance, so choose columns of the same unit."


def offered(table: ImageTable) -> list[str]:
    """Display names of the labels to choose from."""
    return [*known_labels(table), *(_OWN if numeric_columns(table) else ())]


def choose(view: View) -> LabelsConfig | None:
    """Draws the choice of labels for images with the labels `offered`; None until a column is chosen."""
    table, options = view.base.table, offered(view.base.table)
    linked = {"bind": "query-params"}
    label = st.selectbox("Label", options, key="continuous_label", width=200, help=_LABEL_HELP, **linked)
    if label not in _OWN:
        return known_labels(table)[str(label)]
    columns, own = numeric_columns(table), {"max_selections": 4, "placeholder": "Choose up to four", "width": 320} | linked
    chosen = st.multiselect("Columns", columns, columns[:1], format_func=readable, key="continuous_columns", help=_COLUMNS_HELP, **own)
    return LabelsConfig(kind=_OWN[str(label)], columns=tuple(chosen)) if chosen else None


def key_of(view: View, config: LabelsConfig) -> tuple[str, str]:
    """A key of the labels."""
    return view.entry.id, config.model_dump_json()


def read(view: View, config: LabelsConfig) -> WorkRequest:
    """A request for the `ImageLabels` of the dataset."""
    table, options = view.base.table, {"unit": "pairs of images", "max_finished": 8}
    return WorkRequest(
        "label distances", key_of(view, config), "Comparing labels", lambda job: read_image_labels(table, config, job.report_or_stop), options
    )


def distance_help(config: LabelsConfig) -> str:
    """One sentence on what the label distance is."""
    if config.kind == "numbers" and len(config.columns) == 1:
        return f"Label distance: how far two images differ in {plain(readable(config.columns[0]).lower())}."
    said = _DISTANCES.get("pose" if config.kind == "mpii" else _drawn_as(config), "")
    return f"Label distance: {said}" if said else ""


def drawing_help(config: LabelsConfig) -> str:
    """One sentence on what is drawn on the pictures."""
    return _DRAWINGS.get(_drawn_as(config), "")


def _drawn_as(config: LabelsConfig) -> str:
    return "viewpoint" if config.kind == "angles" and set(config.columns) == {"yaw", "elevation"} else config.kind


def pictures(view: View, config: LabelsConfig) -> str:
    query = urlencode({"kind": config.kind, "column": config.columns}, doseq=True)
    return address(f"/labeled/{view.entry.id}/{{row}}?{query}")
