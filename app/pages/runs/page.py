"""Runs: a card for each run with its one action, and curves, figures and settings side by side while they train."""

from typing import Any

import pandas as pd
import streamlit as st

from likeness.evaluation import find_metric, metric_title
from likeness.io import runs_dir
from likeness.plots import convergence_curves
from likeness.training import CHECKPOINTS, Checkpoint, RunFolder, checkpoint_figures, difference, list_runs
from pages.runs import PAGE
from parts import cached, link, permissions, report_download, run_card
from parts.plain import plain
from parts.progress import duration
from server.access import redact
from state import State, state

_MOST = 7  # runs in one figure: as many as there are colors that can be told apart
_SECONDS = 1.0
_MOST_POINTS = 400
_BEFORE = "Epoch 0 is the network before training."
_OF_CLASSES = ("recall_at_1", "map_at_1000", "map_at_r", "nmi")
_OF_LABELS = ("mean_label_distance_at_1", "mean_label_distance_at_10", "ndcg_at_10", "ndcg_at_100")


def main() -> None:
    """Draws the page."""
    PAGE.show_head("All figures are measured on held-out classes or images. Runs continue when you leave this page or close the app.")
    if permissions.runs_hidden():
        return
    found = {run.name: run for run in list_runs(runs_dir())}
    if not found:
        _nothing()
        return
    chosen = [found[name] for name in _choose(list(found)) if name in found]
    if not chosen:
        st.info("Choose at least one run above.", icon=":material/info:")
        return
    problems = {run.name: run_card.problem(run) for run in chosen}
    for problem in filter(None, problems.values()):
        st.warning(plain(problem), icon=":material/warning:")
    chosen = [run for run in chosen if not problems[run.name]]
    if not chosen:
        return
    for run in chosen:
        run_card.show(run)
    running = any(run.status().state == "running" for run in chosen)
    metric = _metric(chosen)
    with st.container():
        st.fragment(_curves, run_every=_SECONDS if running else None)(chosen, metric)
    which = _checkpoint(chosen)
    with st.container():
        st.fragment(_table, run_every=_SECONDS if running else None)(chosen, which)
    if len(chosen) > 1:
        _differences(chosen)
    else:
        if chosen[0].best.is_file():
            report_download.offer_run(chosen[0])
        with st.expander("Settings of this run", icon=":material/tune:"):
            st.code(redact((chosen[0].path / "config.yaml").read_text(encoding="utf-8")), language="yaml")


def _nothing() -> None:
    if permissions.refused():
        return
    with st.container(border=True):
        st.markdown("**No runs yet.** Start with one on the shipped images; it takes seconds.")
        st.page_link("pages/train/page.py", label="Train a network", icon=":material/model_training:")


def _choose(names: list[str]) -> list[str]:
    target = st.query_params.get("watch")  # a link on another page
    if target is not None:
        del st.query_params["watch"]
        state.runs = [target] if target in names else []
        if target not in names:
            link.report(f"There is no run “{link.shortened(target)}” here. Choose one of the runs below.")
    running = [name for name in names if run_card.folder(name).status().state == "running"]
    return st.multiselect(
        "Runs",
        names,
        default=(running or names)[:_MOST],
        key=State.runs.key,
        bind="query-params",
        max_selections=_MOST,
        placeholder="Choose runs to compare",
    )


def _metric(runs: list[RunFolder]) -> str:
    measured = {column for run in runs for column in cached.run_metrics(run).columns}
    names = [*_figures(runs), *(name for name in run_card.LOSSES if name in measured)]
    metric = st.segmented_control(
        "Curve",
        names,
        default=names[0],
        required=True,
        format_func=lambda name: run_card.LOSSES.get(name) or metric_title(name),
        key="runs_metric",
        bind="query-params",
        label_visibility="collapsed",
    )
    return metric or names[0]


def _figures(runs: list[RunFolder]) -> tuple[str, ...]:
    """Metrics that fit the runs: of classes, of continuous labels, or both."""
    configs = [run.config() for run in runs]
    by_labels = any(config.data.labels is not None for config in configs)
    by_classes = not by_labels or any(config.data.split != "images" for config in configs)
    return (*(_OF_CLASSES if by_classes else ()), *(_OF_LABELS if by_labels else ()))


def _curves(runs: list[RunFolder], metric: str) -> None:
    st.caption(f"{run_card.metric_help(metric)} {_BEFORE if metric not in run_card.LOSSES else ''}")
    frame = pd.concat([_points(run, metric) for run in runs], ignore_index=True)
    if frame.empty:
        with st.container(height=380, border=True, vertical_alignment="center", horizontal_alignment="center"):
            st.caption("Nothing measured yet. Each evaluation adds a point.")
        return
    st.plotly_chart(
        convergence_curves(frame, metric, runs=[run.name for run in runs]), theme="streamlit", key="runs_curves", config={"displayModeBar": False}
    )


def _points(run: RunFolder, metric: str) -> pd.DataFrame:
    """What the run measured by epoch; more than 400 points are averaged in equal stretches."""
    measured = cached.run_metrics(run)
    if metric not in measured:
        return pd.DataFrame({"run": [], "seed": [], "epoch": [], metric: []})
    points = measured[["epoch", metric]].dropna().reset_index(drop=True)
    if len(points) > _MOST_POINTS:
        points = points.groupby(points.index * _MOST_POINTS // len(points)).mean()
    return points.assign(run=run.name, seed=0)


def _checkpoint(runs: list[RunFolder]) -> Checkpoint:
    """Whether the table is about the best or the last weights."""
    chosen: Any = st.segmented_control(
        "Weights",
        list(CHECKPOINTS),
        default=CHECKPOINTS[0],
        required=True,
        format_func=run_card.CHECKPOINTS.__getitem__,
        key="runs_figures",
        bind="query-params",
    )
    which: Checkpoint = chosen or CHECKPOINTS[0]
    st.caption(run_card.checkpoint_help(which, [run.config() for run in runs]))
    return which


def _table(runs: list[RunFolder], which: Checkpoint) -> None:
    figures = _figures(runs)
    st.dataframe(
        pd.DataFrame([_line(run, figures, which) for run in runs]),
        hide_index=True,
        key="runs_table",
        column_config={
            name: st.column_config.NumberColumn(metric_title(name), format=_format(name), help=run_card.metric_help(name)) for name in figures
        }
        | {
            "done": st.column_config.ProgressColumn("Done", format="percent", min_value=0.0, max_value=1.0),
            "epoch": st.column_config.NumberColumn("Epoch", format="%g", help="When these weights were reached. 0 is before training."),
        },
    )


def _format(name: str) -> str:
    """Label distances have units of their own, pixels or degrees; the other figures lie between 0 and 1."""
    return f"%{find_metric(name).format}"


def _line(run: RunFolder, names: tuple[str, ...], which: Checkpoint) -> dict[str, Any]:
    status, config = run.status(), run.config()
    figures = checkpoint_figures(cached.run_metrics(run), config.selection_metric, which)
    return {
        "Run": run.name,
        "State": run_card.STATES[status.state][0],
        "done": status.step / status.total if status.total else 0.0,
        "Objective": run_card.objective(config),
        "Guidance": run_card.guidance(config) or "none",
        "epoch": figures.get("epoch"),
        **{name: figures.get(name) for name in names},
        "Time": duration(status.seconds),
    }


def _differences(runs: list[RunFolder]) -> None:
    first, *others = runs
    rows: dict[str, dict[str, str]] = {}
    for run in others:
        for key, (ours, theirs) in difference(first.config(), run.config()).items():
            if key not in ("name", "note"):
                rows.setdefault(key, {first.name: run_card.value(ours)})[run.name] = run_card.value(theirs)
    st.subheader("Different settings")
    table = [
        {"Setting": key} | {run.name: row.get(run.name, row[first.name]) for run in runs} for key, row in rows.items() if len(set(row.values())) > 1
    ]
    if not table:
        st.caption("Nothing. The runs have the same settings.")
        return
    st.dataframe(pd.DataFrame(table), hide_index=True)


main()
