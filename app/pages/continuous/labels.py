"""Which continuous labels a page looks at: those that the images have, or numbers that a person picks; read in the background where it takes long."""

import json
from collections.abc import Mapping
from urllib.parse import urlencode

import streamlit as st

from addresses import address
from background import Job, run_in_background
from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.io import parse_json
from likeness.labels import ImageLabels, LabelsConfig, known_labels, labels_named, numeric_columns, read_image_labels
from shared import selection
from shared.plain import plain
from shared.sidebar import readable
from shared.view import View

NUMBERS, ANGLES = "Numbers", "Angles"
_KEPT = 8  # labels in memory
_OWN = {NUMBERS: "numbers", ANGLES: "angles"}
_HELP = {
    "pose": "Label distance: the distances between the same joints of two people, added up, in pixels.",
    "layout": "Label distance: how little the same surfaces of two rooms overlap (1 - mIoU); 0 is the same layout.",
    "angles": "Label distance: how many degrees lie between two places of the camera, sideways and upward taken together.",
    "numbers": "Label distance: how far the numbers differ.",
    "mpii": "Label distance: the distances between the same joints of two people, added up, in pixels.",
    "captions": "Label distance: how far the words of one image's captions have to travel to become those of the other's (word mover's distance).",
}


def offered(table: ImageTable) -> list[str]:
    """Names of the labels to choose from, for people."""
    return [*known_labels(table), *(_OWN if numeric_columns(table) else ())]


def choose(view: View) -> LabelsConfig:
    """Draws the chooser; call it with what `offered` offers.

    Raises:
        InputError: nothing is chosen yet.
    """
    table, options = view.base.table, offered(view.base.table)
    _forget_others("continuous_label", options)
    label = st.selectbox(
        "Label",
        options,
        key="continuous_label",
        bind="query-params",
        width=200,
        help="The label that places an image on a scale. Numbers and Angles take columns of your table; as angles, 359 and 1 degrees are close.",
    )
    if label not in _OWN:
        return known_labels(table)[str(label)]
    columns = numeric_columns(table)
    chosen = st.multiselect(
        "Columns",
        columns,
        default=columns[:1],
        format_func=readable,
        key="continuous_columns",
        bind="query-params",
        max_selections=4,
        placeholder="Choose up to four",
        width=320,
        help="Of several, the distance is the straight line between two points, so pick columns that count in the same unit.",
    )
    if not chosen:
        raise InputError("Choose a column of numbers: it is the label by which images are near or far.")
    return LabelsConfig(kind="angles" if label == ANGLES else "numbers", columns=tuple(chosen))


def _forget_others(key: str, options: list[str]) -> None:
    """Another dataset may lack what was chosen."""
    if st.session_state.get(key) not in (None, *options):
        del st.session_state[key]


def key_of(view: View, config: LabelsConfig) -> tuple[str, str]:
    """Equal for equal labels."""
    return view.entry.id, config.model_dump_json()


def read(view: View, config: LabelsConfig) -> Job:
    """The job whose result is the `ImageLabels` of the dataset."""

    def work(job: Job) -> ImageLabels:
        return read_image_labels(view.base.table, config, job.report_or_stop)

    return run_in_background("label distances", key_of(view, config), "Comparing the labels", work, unit="pairs of images", kept=_KEPT)


def distance_help(config: LabelsConfig) -> str:
    """What two labels' distance is, in one sentence."""
    if config.kind == "numbers" and len(config.columns) == 1:
        return f"Label distance: how far two images differ in {plain(readable(config.columns[0]).lower())}."
    if config.kind == "angles" and set(config.columns) != {"yaw", "elevation"}:
        return "Label distance: the angle between two images, the shorter way round, in degrees."
    return _HELP.get(config.kind, "")


def drawing_help(config: LabelsConfig) -> str:
    """What is drawn on a picture, in one sentence."""
    if config.kind == "angles" and set(config.columns) == {"yaw", "elevation"}:
        return (
            "The arrow points to where the camera stands, seen from above; up, at the notch, is in front. The tick beside it is the camera's height."
        )
    return {
        "pose": "Blue is the person's left side, orange the right.",
        "layout": "One color for each surface.",
        "angles": "The arrow shows the angle; up, at the notch, is 0, and it grows to the left.",
        "numbers": "The mark shows where the number lies between the smallest and the largest.",
        "captions": "The first caption is shown under each picture.",
    }.get(config.kind, "")


def pictures(view: View, config: LabelsConfig) -> str:
    """URL of the picture of image {row} with its label drawn; `config_of` reads it."""
    query = urlencode({"kind": config.kind, "columns": json.dumps(config.columns)})
    return address(f"/labeled/{view.entry.id}/{{row}}?{query}")


def config_of(table: ImageTable, query: Mapping[str, str]) -> LabelsConfig:
    """The labels that a picture's URL names.

    Raises:
        InputError: labels that the table does not have.
    """
    try:
        columns = parse_json(query.get("columns", "[]"), "The columns")
        if not isinstance(columns, list) or not all(isinstance(column, str) for column in columns):
            raise TypeError("a column name is not text")
    except (ValueError, TypeError) as error:
        raise InputError("The columns of the label are no JSON list; open the page again.") from error
    return labels_named(table, query.get("kind", ""), columns)


def query_of(view: View, labels: ImageLabels, default: int) -> int:
    """The image that asks: the query, or the first selected image, where it has a label; else `default`."""
    wanted = [view.query, *view.selected[:1].tolist()]
    return next((row for row in wanted if row is not None and labels.place(row) is not None), default)


def ask(row: int) -> None:
    """Image `row` becomes the query of all pages."""
    st.session_state["text"] = ""
    selection.ask(row)
