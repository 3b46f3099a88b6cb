"""Which continuous labels a page looks at: those that the images have, or numbers that a person picks; read in the background where it takes long."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

import progress
from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.io.text import parse_json
from likeness.jobs import Job
from likeness.labels import LabelDistances, LabelsConfig, PartLabels, joints_of, known_labels, label_distances
from shared import cached, selection
from shared.sidebar import readable
from shared.view import View

NUMBERS, ANGLES = "Numbers", "Angles"
_KEPT = 8  # labels in memory
_OWN = {NUMBERS: "numbers", ANGLES: "angles"}
_TOLD = {
    "pose": "Label distance: the distances between the same joints of two people, added up, in pixels.",
    "layout": "Label distance: 1 less how far the same surfaces of two rooms overlap (1 - mIoU); 0 is the same layout.",
    "angles": "Label distance: how many degrees lie between two places of the camera, sideways and upward taken together.",
    "numbers": "Label distance: how far the numbers differ.",
    "mpii": "Label distance: the distances between the same joints of two people, added up, in pixels.",
    "captions": "Label distance: how far the words of one image's captions have to travel to become those of the other's (word mover's distance).",
}


@dataclass(frozen=True)
class Labels:
    """The labels of a dataset's images.

    Attributes:
        config: which labels.
        rows: (m,) the images that have one, as rows of the dataset.
        distances: of these m images, in this order.
        key: equal for what has equal distances.
        note: which images are left out, in one sentence; empty where none is.
    """

    config: LabelsConfig
    rows: NDArray[np.int64]
    distances: LabelDistances
    key: str
    note: str = ""

    def place(self, row: int) -> int | None:
        """Where image `row` stands among those that have a label."""
        found = int(np.searchsorted(self.rows, row))
        return found if found < len(self.rows) and self.rows[found] == row else None


@dataclass(frozen=True)
class _Some:
    """Label distances of some of the images: row i is image `at[i]`."""

    distances: LabelDistances
    at: NDArray[np.int64]

    @property
    def unit(self) -> str:
        return self.distances.unit

    def __len__(self) -> int:
        return len(self.at)

    def between(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float32]:
        return self.distances.between(self.at[rows], self.at[columns])


def numeric_columns(table: ImageTable) -> list[str]:
    """Columns of numbers that an image can have as its label; those of joints belong to poses."""
    joints = {f"{name}_{axis}" for name in joints_of(table.frame) for axis in "xy"}
    columns = [name for name in table.attributes if name not in joints]
    return [name for name in columns if pd.api.types.is_numeric_dtype(table.frame[name]) and table.frame[name].nunique() > 2]


def offered(table: ImageTable) -> list[str]:
    """Names of the labels to choose from, for people."""
    return [*known_labels(table), *(_OWN if numeric_columns(table) else ())]


def choose(seen: View) -> LabelsConfig:
    """Draws the chooser; call it with what `offered` offers.

    Raises:
        InputError: nothing is chosen yet.
    """
    table, options = seen.base.table, offered(seen.base.table)
    _forget_others("continuous_label", options)
    label = st.selectbox(
        "Label",
        options,
        key="continuous_label",
        bind="query-params",
        width=200,
        help="What places an image on a scale. Numbers and Angles let you pick columns of your table; 359 and 1 degrees are near as angles.",
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


def begin(seen: View, config: LabelsConfig) -> Job:
    """The job whose result is `Labels`: under way, ended, or begun now. A stopped one stays stopped until `again`."""
    return cached.jobs("label distances").get(_key(seen, config)) or again(seen, config)


def again(seen: View, config: LabelsConfig) -> Job:
    """Starts anew what was stopped or went wrong."""
    table, key = seen.base.table, _key(seen, config)

    def work(report: progress.Report, should_stop: progress.ShouldStop) -> Labels:
        def report_on(done: int, total: int) -> None:
            report(done, total)
            if should_stop():
                raise InputError("Stopped before the last pair of images; nothing was kept.")

        rows = labelled_rows(table, config)
        part = table if len(rows) == len(table) else ImageTable(table.name, table.root, table.frame.iloc[rows])
        note = f"{len(table) - len(rows):,} images without this label are left out." if len(rows) < len(table) else ""
        return _of_one_part(Labels(config, rows, label_distances(part, config, report_on), key, note))

    jobs = cached.jobs("label distances")
    ended = [each for each, job in jobs.all() if job.finished]
    for each in ended[: max(0, len(ended) - _KEPT)]:
        jobs.forget(each)
    return jobs.begin(key, "Comparing the labels", work)


def _of_one_part(labels: Labels) -> Labels:
    """Where distances are known within parts only, those of the test images."""
    distances = labels.distances
    if not isinstance(distances, PartLabels) or len(distances.matrices) == 1:
        return labels
    names = list(distances.matrices)
    kept = "test" if "test" in names else names[-1]
    at = np.flatnonzero(distances.part == names.index(kept))
    note = f"Distances are known within parts of these images only: these are the {len(at):,} of {kept}."
    return Labels(labels.config, labels.rows[at], _Some(distances, at), labels.key, note)


def labelled_rows(table: ImageTable, config: LabelsConfig) -> NDArray[np.int64]:
    """Images that have all that the label needs.

    Raises:
        InputError: none has.
    """
    columns = {
        "pose": [f"{name}_{axis}" for name in config.columns or joints_of(table.frame) for axis in "xy"],
        "layout": [(*config.columns, "layout")[0]],
        "captions": ["captions"],
    }.get(config.kind, list(config.columns))
    rows = np.flatnonzero(table.frame[columns].replace([np.inf, -np.inf], np.nan).notna().all(axis=1).to_numpy())
    if not len(rows):
        raise InputError(f"No image has a label: {readable(columns[0])} is empty everywhere. Choose another label.")
    return rows


def _key(seen: View, config: LabelsConfig) -> str:
    return hashlib.sha256(f"{seen.entry.id}\n{config.model_dump_json()}".encode()).hexdigest()[:24]


def told(config: LabelsConfig) -> str:
    """What two labels' distance is, in one sentence."""
    if config.kind == "numbers" and len(config.columns) == 1:
        return f"Label distance: how far two images differ in {readable(config.columns[0]).lower()}."
    if config.kind == "angles" and set(config.columns) != {"yaw", "elevation"}:
        return "Label distance: the angle between two images, the shorter way round, in degrees."
    return _TOLD.get(config.kind, "")


def told_drawing(config: LabelsConfig) -> str:
    """What is drawn on a picture, in one sentence."""
    if config.kind == "angles" and set(config.columns) == {"yaw", "elevation"}:
        return (
            "The arrow points to where the camera stands, seen from above; up, at the notch, is in front. The tick beside it is the camera's height."
        )
    return {
        "pose": "Blue is the person's left side, orange the right.",
        "layout": "One color for each surface.",
        "angles": "The arrow shows the angle; up, at the notch, is 0, and it grows to the left.",
        "numbers": "The mark shows where the number lies between the least and the largest.",
        "captions": "The first caption stands under each picture.",
    }.get(config.kind, "")


def pictures(seen: View, config: LabelsConfig) -> str:
    """URL of the picture of image {row} with its label drawn; `config_of` reads it."""
    asked = urlencode({"kind": config.kind, "columns": json.dumps(config.columns)})
    return f"/labelled/{seen.entry.id}/{{row}}?{asked}"


def config_of(table: ImageTable, asked: Mapping[str, str]) -> LabelsConfig:
    """The labels that a picture's URL names.

    Raises:
        InputError: labels that the table does not have.
    """
    try:
        kind, columns = asked.get("kind", ""), tuple(parse_json(asked.get("columns", "[]"), "The columns"))
        if not all(isinstance(column, str) for column in columns):
            raise TypeError("a column's name is no text")
    except (ValueError, TypeError) as error:
        raise InputError("The columns of the label are no JSON list; open the page again.") from error
    known = next((config for config in known_labels(table).values() if (config.kind, config.columns) == (kind, columns)), None)
    if known is not None:
        return known
    if kind not in _OWN.values() or not columns or not set(columns) <= set(numeric_columns(table)):
        raise InputError(f"These images have no label of kind '{kind}' with the columns {columns}; choose one that is offered.")
    return LabelsConfig(kind="angles" if kind == "angles" else "numbers", columns=columns)


def query_of(seen: View, labels: Labels, default: int) -> int:
    """The image that asks: the query, or the first selected image, where it has a label; else `default`."""
    wanted = [seen.query, *seen.selected[:1].tolist()]
    return next((row for row in wanted if row is not None and labels.place(row) is not None), default)


def ask(row: int) -> None:
    """Image `row` becomes the query of all pages."""
    st.session_state["text"] = ""
    selection.ask(row)
