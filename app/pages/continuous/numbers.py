"""How near the retrieved labels are over all images: a small table, and curves between the bounds."""

from html import escape

import pandas as pd
import streamlit as st

import progress
from access import redact
from likeness.jobs import Job
from likeness.plots import continuous_curves, distance_text
from pages.continuous import job as continuous_job
from pages.continuous.job import Asked
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
.continuous .told { display: none; position: absolute; z-index: 5; right: 0; top: calc(100% + 6px); width: max-content; max-width: 270px;
  padding: 0.45rem 0.6rem; white-space: normal; text-align: left; font-weight: 400; border-radius: 6px;
  color: var(--st-background-color, light-dark(#ffffff, #12151c)); background: light-dark(#1b1f2a, #e6e9f0); }
.continuous tbody .told { right: auto; left: 0; top: auto; bottom: calc(100% + 6px); }
.continuous .tip:hover > .told, .continuous .tip:focus > .told { display: block; }
.continuous .tip:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; border-radius: 2px; }
</style>"""
_CHANCE = ("Chance", "Images drawn at random: what a space finds that knows nothing of the label.")
_ORACLE = ("Oracle", "What the labels themselves find nearest: no space can do better.")
_CHART_HEIGHT = 402  # of the curves, kept free while they are measured


def show(asked: Asked, job: Job, unit: str, sentence: str) -> None:
    """Draws what was measured, or how far the measuring is."""
    st.subheader("Over all images", divider="gray")
    st.caption(f"{_who_asks(asked)} {sentence}")
    with st.container():  # at the same place in every run, so that a late rerun of the fragment finds it
        st.fragment(_follow, run_every=None if job.finished else 0.5)(asked, job)
    if job.finished and job.result is not None:
        st.html(_STYLE + table_html(job.result, [readable(space.name) for space in asked.spaces], unit))
        figure = continuous_curves(job.result, methods=[readable(space.name) for space in asked.spaces], unit=unit)
        st.plotly_chart(figure, theme="streamlit", key="continuous_curves", config={"displayModeBar": False})
    elif not job.finished:
        st.container(height=_CHART_HEIGHT, border=False)


def _who_asks(asked: Asked) -> str:
    images, queries = len(asked.places), len(asked.queries)
    if queries < images:
        return f"{queries:,} images, evenly spread over the {images:,}, each ask all others."
    return f"Each of the {images:,} images asks all others."


def _follow(asked: Asked, job: Job) -> None:
    with st.container():
        if not job.finished:
            progress.bar(job, "images", key=f"continuous_{asked.key}")
            st.session_state["continuous_follows"] = asked.key
        elif st.session_state.pop("continuous_follows", None) == asked.key:
            st.rerun()
        elif job.error:
            st.error(redact(job.error), icon=":material/error:")
        elif job.stopped and job.result is None:
            st.info("Stopped before every image had asked.", icon=":material/pause:")
            st.button("Measure again", icon=":material/play_arrow:", on_click=continuous_job.again, args=(asked,))


def table_html(found: pd.DataFrame, names: list[str], unit: str) -> str:
    """Label distance at 1 and 10, nDCG at 10 and 100 or as many as there are: a line for each space, the difference of the second, and the bounds."""
    table = found.set_index("row")
    columns = _columns(table)
    lines = [(escape(name), [_told(float(table.loc[name, column]), column, unit) for column in columns], "") for name in names]
    if len(names) == 2:
        lines.append((escape(f"{names[1]} against {names[0]}"), [], "difference"))
    first = table.iloc[0]
    lines.append((_tip(*_CHANCE), [_told(_chance(first, column), column, unit) for column in columns], "quiet"))
    lines.append((_tip(*_ORACLE), [_told(_oracle(first, column), column, unit) for column in columns], "quiet"))
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
        told = f"How near the labels of the {k} nearest images are, the first counting most, as a share of the best that is possible: 1 is the best."
        return f"nDCG at {k}", told
    whom = "the nearest image's label lies" if k == "1" else f"the labels of the {k} nearest images lie"
    return f"Label distance at {k}", f"How far {whom} from the query's, on average: smaller is better."


def _told(value: float, column: str, unit: str) -> str:
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
    text = _told(abs(change), column, unit)
    if not any(digit in text for digit in "123456789"):
        return '<td class="number">no difference</td>'
    better = (change > 0) == column.startswith("ndcg")
    return f'<td class="number {"up" if better else "down"}">{"▲ +" if change > 0 else "▼ −"}{escape(text)} {"better" if better else "worse"}</td>'


def _tip(text: str, told: str) -> str:
    return f'<span class="tip" tabindex="0">{escape(text)}<span class="told" role="tooltip">{escape(told)}</span></span>'
