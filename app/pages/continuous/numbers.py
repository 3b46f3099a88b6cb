"""How near the retrieved labels are over all images: a small table, and curves between the bounds."""

import hashlib
from collections.abc import Sequence
from html import escape

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from background import Job, run_in_background
from likeness.evaluation import FEWEST_LABELED, continuous_comparison, spread_queries
from likeness.labels import ImageLabels
from likeness.plots import continuous_curves, distance_text
from likeness.space import Space
from shared import progress
from shared.sidebar import readable

_STYLE = """<style>
.continuous { overflow-x: auto; font-variant-numeric: tabular-nums; font-size: 0.9rem; --quiet: light-dark(#5d6575, #9aa3b5); }
.continuous table { border-collapse: collapse; width: 100%; max-width: 860px; margin: 0; }
.continuous th, .continuous td { padding: 0.35rem 0.5rem; border: 0; border-bottom: 1px solid var(--st-border-color, #8884); font-weight: 400; }
.continuous th, .continuous td { text-align: left; }
.continuous th.number, .continuous td.number { text-align: right; white-space: nowrap; }
.continuous thead th { font-weight: 600; color: var(--quiet); vertical-align: bottom; }
.continuous .quiet th, .continuous .quiet td { color: var(--quiet); }
.continuous td.up { color: light-dark(#0b6b3a, #5fd39a); }
.continuous td.down { color: light-dark(#b3261e, #ff9d94); }
.continuous .tip { position: relative; cursor: help; text-decoration: underline dotted; text-underline-offset: 3px; }
.continuous .help { display: none; position: absolute; z-index: 5; right: 0; top: calc(100% + 6px); width: max-content; max-width: 270px;
  padding: 0.45rem 0.6rem; white-space: normal; text-align: left; font-weight: 400; border-radius: 6px;
  color: var(--st-background-color, light-dark(#ffffff, #12151c)); background: light-dark(#1b1f2a, #e6e9f0); }
.continuous tbody .help { right: auto; left: 0; top: auto; bottom: calc(100% + 6px); }
.continuous .tip:hover > .help, .continuous .tip:focus > .help { display: block; }
.continuous .tip:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; border-radius: 2px; }
</style>"""
_CHANCE = ("Chance", "Random images: what a space finds if it is unrelated to the label.")
_ORACLE = ("Oracle", "Images ranked by the labels themselves: no space can do better.")
_CHART_HEIGHT = 402  # of the curves, kept free while they are measured


def show(spaces: Sequence[Space], labels: ImageLabels, labels_key: object, rows: NDArray[np.int64], sentence: str) -> None:
    """Draws what was measured of spaces over the images `rows`, or how far the measuring is."""
    if len(rows) < FEWEST_LABELED:
        help = f"{len(rows):,} images with a label are too few to measure retrieval; let at least {FEWEST_LABELED} match the filters."
        st.info(help, icon=":material/info:")
        return
    job = measure(spaces, labels, labels_key, rows)
    st.subheader("Over all images", divider="gray")
    st.caption(f"{_who_asks(len(rows))} {sentence}")
    if progress.follow(job, resume="Measure again"):
        names, unit = [readable(space.name) for space in spaces], labels.distances.unit
        st.html(_STYLE + table_html(job.result, names, unit))
        figure = continuous_curves(job.result, methods=names, unit=unit)
        st.plotly_chart(figure, theme="streamlit", key="continuous_curves", config={"displayModeBar": False})
    elif not job.finished:
        st.container(height=_CHART_HEIGHT, border=False)


def measure(spaces: Sequence[Space], labels: ImageLabels, labels_key: object, rows: NDArray[np.int64]) -> Job:
    """The job whose result is a table for `likeness.plots.continuous_curves`: a row per space, with the bounds in each.

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
    return run_in_background("continuous", key, "Measuring the retrieval of every image", work)


def _who_asks(images: int) -> str:
    queries = len(spread_queries(images))
    if queries < images:
        return f"{queries:,} of the {images:,} images, evenly spread, are queries; each is compared with all others."
    return f"Each of the {images:,} images is a query and is compared with all others."


def table_html(found: pd.DataFrame, names: list[str], unit: str) -> str:
    """Label distance at 1 and 10, nDCG at 10 and 100 or as many as there are: a line for each space, the difference of the second, and the bounds."""
    table = found.set_index("row")
    columns = _columns(table)
    lines = [(escape(name), [_shown(float(table.loc[name, column]), column, unit) for column in columns], "") for name in names]
    if len(names) == 2:
        lines.append((escape(f"{names[1]} against {names[0]}"), [], "difference"))
    first = table.iloc[0]
    lines.append((_tip(*_CHANCE), [_shown(_chance(first, column), column, unit) for column in columns], "quiet"))
    lines.append((_tip(*_ORACLE), [_shown(_oracle(first, column), column, unit) for column in columns], "quiet"))
    body = "".join(
        f'<tr class="{kind}"><th scope="row">{name}</th>'
        + ("".join(_difference(table, names, column, unit) for column in columns) if kind == "difference" else _cells(cells))
        + "</tr>"
        for name, cells, kind in lines
    )
    head = "".join(f'<th scope="col" class="number">{_tip(*_words(column))}</th>' for column in columns)
    return (
        f'<div class="continuous" role="region" aria-label="Numbers" tabindex="0"><table><thead><tr><th scope="col">Retrieved by</th>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def _columns(table: pd.DataFrame) -> list[str]:
    last = max((int(name.rpartition("_")[2]) for name in table.columns if str(name).startswith("ndcg_at_")), default=0)
    ndcg = [f"ndcg_at_{k}" for k in sorted({10, last}) if f"ndcg_at_{k}" in table]
    return ["mean_label_distance_at_1", "mean_label_distance_at_10", *ndcg]


def _words(column: str) -> tuple[str, str]:
    """A metric's name and what it says, in one sentence."""
    k = column.rpartition("_")[2]
    if column.startswith("ndcg"):
        help = f"How near the labels of the {k} nearest images are, the first counting most, as a share of the best that is possible: 1 is the best."
        return f"nDCG at {k}", help
    whom = "the nearest image's label lies" if k == "1" else f"the labels of the {k} nearest images lie"
    return f"Label distance at {k}", f"How far {whom} from the query's, on average: smaller is better."


def _shown(value: float, column: str, unit: str) -> str:
    return f"{value:.3f}" if column.startswith("ndcg") else distance_text(value, unit)


def _chance(row: "pd.Series[float]", column: str) -> float:
    return float(row[f"chance_{column}"] if column.startswith("ndcg") else row["chance_mean_label_distance"])


def _oracle(row: "pd.Series[float]", column: str) -> float:
    return 1.0 if column.startswith("ndcg") else float(row[f"oracle_{column}"])


def _cells(texts: list[str]) -> str:
    return "".join(f'<td class="number">{escape(text)}</td>' for text in texts)


def _difference(table: pd.DataFrame, names: list[str], column: str, unit: str) -> str:
    """With sign and symbol: the triangle says up or down, the color whether that is better."""
    change = float(table.loc[names[1], column] - table.loc[names[0], column])
    text = _shown(abs(change), column, unit)
    if not any(digit in text for digit in "123456789"):
        return '<td class="number">no difference</td>'
    better = (change > 0) == column.startswith("ndcg")
    return f'<td class="number {"up" if better else "down"}">{"▲ +" if change > 0 else "▼ −"}{escape(text)} {"better" if better else "worse"}</td>'


def _tip(text: str, help: str) -> str:
    return f'<span class="tip" tabindex="0">{escape(text)}<span class="help" role="tooltip">{escape(help)}</span></span>'
