"""Labels on a scale: those that the images have, or columns of numbers."""

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
    "pose": "the sum of the distances between the same joints of two people, in pixels.",
    "layout": "how little the surfaces of two rooms overlap (1 - mIoU); 0 means the same layout.",
    "viewpoint": "the angle between two camera positions, in degrees.",
    "angles": "the angle between two images, the shorter way round, in degrees.",
    "numbers": "how far the numbers differ.",
    "captions": "how different the words of two captions are (word mover's distance); 0 means the same words.",
}
_DRAWINGS = {
    "pose": "Blue is the person's left side, orange the right.",
    "layout": "One color for each surface.",
    "viewpoint": "The arrow points to the camera, seen from above; the notch is in front of the car. The tick shows the height of the camera.",
    "angles": "The arrow shows the angle, counterclockwise from the notch at the top.",
    "numbers": "The mark shows where the number lies between the smallest and the largest.",
    "captions": "The first caption is shown under each picture.",
}
_LABEL_HELP = "The label that places each image on a scale. Numbers and Angles use columns of your table; as angles, 359 and 1 degrees are close."
_COLUMNS_HELP = "With several columns, the label distance is the straight line between two points, so choose columns of the same unit."


def offered(table: ImageTable) -> list[str]:
    """Names of the labels to choose from, for people."""
    return [*known_labels(table), *(_OWN if numeric_columns(table) else ())]


def choose(view: View) -> LabelsConfig | None:
    """Draws the chooser for images that `offered` offers labels of; None while no column is chosen."""
    table, options = view.base.table, offered(view.base.table)
    linked = {"bind": "query-params"}
    label = st.selectbox("Label", options, key="continuous_label", width=200, help=_LABEL_HELP, **linked)
    if label not in _OWN:
        return known_labels(table)[str(label)]
    columns, own = numeric_columns(table), {"max_selections": 4, "placeholder": "Choose up to four", "width": 320} | linked
    chosen = st.multiselect("Columns", columns, columns[:1], format_func=readable, key="continuous_columns", help=_COLUMNS_HELP, **own)
    return LabelsConfig(kind=_OWN[str(label)], columns=tuple(chosen)) if chosen else None


def key_of(view: View, config: LabelsConfig) -> tuple[str, str]:
    """Equal for equal labels."""
    return view.entry.id, config.model_dump_json()


def read(view: View, config: LabelsConfig) -> WorkRequest:
    """Work whose result is the `ImageLabels` of the dataset."""
    table, options = view.base.table, {"unit": "pairs of images", "max_finished": 8}
    return WorkRequest(
        "label distances", key_of(view, config), "Comparing labels", lambda job: read_image_labels(table, config, job.report_or_stop), options
    )


def distance_help(config: LabelsConfig) -> str:
    """What two labels' distance is, in one sentence."""
    if config.kind == "numbers" and len(config.columns) == 1:
        return f"Label distance: how far two images differ in {plain(readable(config.columns[0]).lower())}."
    said = _DISTANCES.get("pose" if config.kind == "mpii" else _drawn_as(config), "")
    return f"Label distance: {said}" if said else ""


def drawing_help(config: LabelsConfig) -> str:
    """What is drawn on a picture, in one sentence."""
    return _DRAWINGS.get(_drawn_as(config), "")


def _drawn_as(config: LabelsConfig) -> str:
    return "viewpoint" if config.kind == "angles" and set(config.columns) == {"yaw", "elevation"} else config.kind


def pictures(view: View, config: LabelsConfig) -> str:
    """URL of the picture of image {row} with its label drawn."""
    query = urlencode({"kind": config.kind, "column": config.columns}, doseq=True)
    return address(f"/labeled/{view.entry.id}/{{row}}?{query}")
