"""How near the retrieved labels are over all images: a table, and curves between chance and the best possible."""

import hashlib
from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from likeness.evaluation import FEWEST_LABELED, continuous_comparison, spread_queries
from likeness.labels import ImageLabels
from likeness.plots import continuous_curves, distance_text
from likeness.space import Space
from parts import progress
from parts.on_request import WorkRequest, jobs_on_request
from parts.sidebar import readable
from server.jobs import Job

_CHANCE, _ORACLE = "Chance", "Oracle"
_BOUNDS_HELP = (
    f"{_CHANCE} is what randomly drawn images give. {_ORACLE} ranks the images by the labels themselves: no space can do better. "
    "In a row of differences, + and − say how the second space differs from the first one."
)
_CHART_HEIGHT = 402  # of the curves, kept free while they are measured


def show(spaces: Sequence[Space], labels: ImageLabels, labels_key: object, rows: NDArray[np.int64], sentence: str) -> None:
    """Draws what was measured of spaces over the images `rows`, how far the measuring is, or the button that begins it."""
    if len(rows) < FEWEST_LABELED:
        help = f"Measuring needs at least {FEWEST_LABELED} images with a label, and there are {len(rows):,}. Change the filters or add labels."
        st.info(help, icon=":material/info:")
        return
    st.subheader("Over all images", divider="gray")
    st.caption(f"{_queries(len(rows))} {sentence}")
    help = "**How well does each space retrieve overall?** Measures how near the labels of retrieved images are, from chance to the best."
    begun = jobs_on_request("Measure all images", help, measure(spaces, labels, labels_key, rows))
    if begun is None:
        return
    (job,) = begun
    if progress.follow(job, resume="Resume"):
        names, unit = [readable(space.name) for space in spaces], labels.distances.unit
        table = summary(job.result, names, unit)
        config = {column: st.column_config.TextColumn(column, help=metric_help(column)) for column in table.columns}
        config["Retrieved by"] = st.column_config.TextColumn("Retrieved by", help=_BOUNDS_HELP)
        st.dataframe(table, column_config=config, width="content", key="continuous_table")
        figure = continuous_curves(job.result, methods=names, unit=unit)
        st.plotly_chart(figure, theme="streamlit", key="continuous_curves", config={"displayModeBar": False})
    elif not job.finished:
        st.container(height=_CHART_HEIGHT, border=False)


def measure(spaces: Sequence[Space], labels: ImageLabels, labels_key: object, rows: NDArray[np.int64]) -> WorkRequest:
    """Work whose result is a table for `likeness.plots.continuous_curves`: a row per space, with the bounds in each.

    Args:
        spaces: whose retrieval; two of different keys at most.
        labels: that judge it; equal for equal `labels_key`.
        rows: of the images that take part, all of which have a label.
    """

    def work(job: Job) -> pd.DataFrame | None:
        vectors = {readable(space.name): space.vectors[rows] for space in spaces}
        places = np.searchsorted(labels.rows, rows).astype(np.int64)
        return continuous_comparison(vectors, labels.distances, places, progress=job.report, should_stop=job.should_stop)

    names = tuple((space.key, readable(space.name)) for space in spaces)
    key = (names, labels_key, hashlib.sha256(rows.tobytes()).hexdigest())
    return WorkRequest("continuous", key, "Measuring all images", work)


def _queries(images: int) -> str:
    queries = len(spread_queries(images))
    if queries < images:
        return f"{queries:,} of the {images:,} images, evenly spread, are queries; each is compared with all others."
    return f"Each of the {images:,} images is a query and is compared with all others."


def summary(found: pd.DataFrame, names: Sequence[str], unit: str) -> pd.DataFrame:
    """Label distance at 1 and 10, nDCG at 10 and 100 or as many as there are, as text: a row for each space, for the difference of the second
    from the first, and for the bounds."""
    table = found.set_index("row")
    last = max((int(name.rpartition("_")[2]) for name in table.columns if str(name).startswith("ndcg_at_")), default=0)
    rows: dict[str, dict[str, str]] = {}
    for column in ["mean_label_distance_at_1", "mean_label_distance_at_10", *(f"ndcg_at_{k}" for k in sorted({10, last}))]:
        if column not in table:
            continue
        ndcg, k = column.startswith("ndcg"), column.rpartition("_")[2]
        values = {name: float(table.loc[name, column]) for name in names}
        first = table.iloc[0]
        bounds = {
            _CHANCE: first[f"chance_{column}"] if ndcg else first["chance_mean_label_distance"],
            _ORACLE: 1.0 if ndcg else first[f"oracle_{column}"],
        }
        title = f"nDCG at {k}" if ndcg else f"Label distance at {k}"
        cells = {name: _text(value, ndcg, unit) for name, value in values.items()}
        if len(names) == 2:
            cells[f"{names[1]} − {names[0]}"] = _difference(values[names[1]] - values[names[0]], ndcg, unit)
        for name, text in (cells | {name: _text(float(value), ndcg, unit) for name, value in bounds.items()}).items():
            rows.setdefault(name, {})[title] = text
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("Retrieved by")


def metric_help(title: str) -> str:
    """What a metric says, in one sentence."""
    name, _, k = title.rpartition(" at ")
    if name == "nDCG":
        return f"How near the labels of the {k} nearest images are, the first counting most, from 0 to 1, the best possible."
    nearest = "the label of the nearest image is" if k == "1" else f"the labels of the {k} nearest images are"
    return f"How far {nearest} from the label of the query, on average: smaller is better."


def _text(value: float, ndcg: bool, unit: str) -> str:
    return f"{value:.3f}" if ndcg else distance_text(value, unit)


def _difference(change: float, ndcg: bool, unit: str) -> str:
    """With its sign, and whether it is better."""
    text = _text(abs(change), ndcg, unit)
    if not any(digit in text for digit in "123456789"):
        return "no difference"
    return f"{'+' if change > 0 else '−'}{text} {'better' if (change > 0) == ndcg else 'worse'}"
