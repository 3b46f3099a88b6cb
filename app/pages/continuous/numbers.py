"""How near the retrieved labels are over all images: a table, and curves between random and ideal retrieval."""

import hashlib
from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from likeness.evaluation import FEWEST_LABELED, continuous_comparison, find_metric, metric_title, spread_queries, with_bounds
from likeness.labels import ImageLabels
from likeness.plots import continuous_curves, distance_text
from likeness.space import Space
from parts import progress
from parts.on_request import WorkRequest, jobs_on_request
from parts.sidebar import readable
from server.jobs import Job

_CHANCE, _ORACLE = "Chance", "Oracle"
_BOUNDS_HELP = (
    f"{_CHANCE} is the result for randomly drawn images. {_ORACLE} ranks the images by the labels themselves: no space can do better. "
    "In the row of differences, + and − show how the second space differs from the first."
)


def show(spaces: Sequence[Space], labels: ImageLabels, labels_key: object, rows: NDArray[np.int64], sentence: str) -> None:
    """Draws the scores of spaces over the images `rows`, their progress, or the button that starts the measurement."""
    if len(rows) < FEWEST_LABELED:
        help = f"Measuring needs at least {FEWEST_LABELED} images with a label, and there are {len(rows):,}. Change the filters or add labels."
        st.info(help, icon=":material/info:")
        return
    st.subheader("Over all images", divider="gray")
    queries = len(spread_queries(len(rows)))
    said = f"{queries:,} of the {len(rows):,} images, evenly spread, are queries; each is compared with all others."
    st.caption(f"{said if queries < len(rows) else f'Each of the {len(rows):,} images is a query and is compared with all others.'} {sentence}")
    help = "**How well does each space retrieve overall?** Measures how near the labels of retrieved images are, from chance to the best possible."
    begun = jobs_on_request("Measure all images", help, measure(spaces, labels, labels_key, rows))
    if begun and progress.follow(*begun, resume="Resume"):
        names, unit = [readable(space.name) for space in spaces], labels.distances.unit
        table = summary(begun[0].result, names, unit)
        config = {metric_title(name): st.column_config.TextColumn(help=find_metric(name).help) for name in table}
        config["Retrieved by"] = st.column_config.TextColumn(help=_BOUNDS_HELP)
        st.dataframe(table.rename(columns=metric_title), column_config=config, width="content", key="continuous_table")
        figure = continuous_curves(begun[0].result, methods=names, unit=unit)
        st.plotly_chart(figure, theme="streamlit", key="continuous_curves", config={"displayModeBar": False})
    elif begun and not begun[0].finished:
        st.container(height=402, border=False)  # of the curves


def measure(spaces: Sequence[Space], labels: ImageLabels, labels_key: object, rows: NDArray[np.int64]) -> WorkRequest:
    """A request for the table of `likeness.plots.continuous_curves`: one row per space, with both bounds. Each of the images `rows` has a label;
    equal labels have equal `labels_key`."""

    def work(job: Job) -> pd.DataFrame | None:
        vectors = {readable(space.name): space.vectors[rows] for space in spaces}
        places = np.searchsorted(labels.rows, rows).astype(np.int64)
        return continuous_comparison(vectors, labels.distances, places, progress=job.report, should_stop=job.should_stop)

    names = tuple((space.key, readable(space.name)) for space in spaces)
    key = (names, labels_key, hashlib.sha256(rows.tobytes()).hexdigest())
    return WorkRequest("continuous", key, "Measuring all images", work)


def summary(found: pd.DataFrame, names: Sequence[str], unit: str) -> pd.DataFrame:
    """The results of `with_bounds` as text, with a row for the second space's difference from the first."""
    table = with_bounds(found).rename({"chance": _CHANCE, "oracle": _ORACLE})
    texts = pd.DataFrame({name: [_text(value, name, unit) for value in table[name]] for name in table}, table.index)
    if len(names) == 2:
        change, against = table.loc[names[1]] - table.loc[names[0]], f"{names[1]} − {names[0]}"
        texts.loc[against] = [_difference(change[name], name, unit) for name in table]
        texts = texts.loc[[*names, against, _CHANCE, _ORACLE]]
    return texts.rename_axis("Retrieved by")


def _text(value: float, column: str, unit: str) -> str:
    return f"{value:.3f}" if column.startswith("ndcg") else distance_text(value, unit)


def _difference(change: float, column: str, unit: str) -> str:
    """A difference with its sign, and whether it is better."""
    text = _text(abs(change), column, unit)
    if not any(digit in text for digit in "123456789"):
        return "no difference"
    return f"{'+' if change > 0 else '−'}{text} {'better' if (change > 0) == column.startswith('ndcg') else 'worse'}"
