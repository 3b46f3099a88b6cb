"""Page Runs: a card for each run, and curves, metrics and settings side by side during training."""

from typing import Any

import pandas as pd
import streamlit as st

from likeness.evaluation import find_metric, metric_title
from likeness.io import runs_dir
from likeness.plots import convergence_curves
from likeness.training import CHECKPOINTS, Checkpoint, RunFolder, checkpoint_figures, difference, list_runs
from pages.runs import PAGE
from parts import cached, link, permissions, report_download, run_card
from parts.errors import show_errors
from parts.plain import plain
from parts.progress import duration
from server.access import redact
from state import State, state

_MOST = 7  # runs in one figure: as many as there are distinguishable colors
_SECONDS = 1.0
_MOST_POINTS = 400
_BEFORE = "Epoch 0 is the network before training."
_OF_CLASSES = ("recall_at_1", "map_at_1000", "map_at_r", "nmi")
_OF_CAPTIONS = ("text_to_image_recall_at_1", "image_to_text_recall_at_1")
_OF_LABELS = ("mean_label_distance_at_1", "mean_label_distance_at_10", "ndcg_at_10", "ndcg_at_100")


def main() -> None:
    PAGE.show_head("All metrics are measured on held-out classes or images. Runs continue when you leave this page or close the app.")
    if permissions.runs_hidden():
        return
    found = {run.name: run for run in list_runs(runs_dir())}
    if not found:
        if not permissions.refused():
            with st.container(border=True):
                st.markdown("**No runs yet.** Start with one on the shipped images; it takes seconds.")
                st.page_link("pages/train/page.py", label="Train a network", icon=":material/model_training:")
        return
    names = [name for name in _choose(list(found)) if name in found]
    if not names:
        st.info("Choose at least one run above.", icon=":material/info:")
    problems = {name: run_card.problem(found[name]) for name in names}
    for problem in filter(None, problems.values()):
        st.warning(plain(problem), icon=":material/warning:")
    chosen = [found[name] for name in names if not problems[name]]
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
        _intervals(chosen[0], which)
        if chosen[0].best.is_file():
            report_download.offer_run(chosen[0])
        _by_class(chosen[0])
        with st.expander("Settings of this run", icon=":material/tune:"):
            st.code(redact((chosen[0].path / "config.yaml").read_text(encoding="utf-8")), language=None)


def _choose(names: list[str]) -> list[str]:
    target = st.query_params.pop("watch", None)  # a link on another page
    if target is not None:
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
    return st.segmented_control(
        "Curve",
        names,
        default=names[0],
        required=True,
        format_func=lambda name: run_card.LOSSES.get(name) or metric_title(name),
        key="runs_metric",
        bind="query-params",
        label_visibility="collapsed",
    )


def _figures(runs: list[RunFolder]) -> tuple[str, ...]:
    """Metrics that apply to the runs: for classes, captions, continuous labels, or several of these."""
    configs = [run.config() for run in runs]
    parts = (
        (_OF_CLASSES, any(config.data.split != "images" for config in configs)),
        (_OF_CAPTIONS, any(config.objective.on_captions for config in configs)),
        (_OF_LABELS, any(config.data.labels is not None for config in configs)),
    )
    return tuple(name for names, apply in parts if apply for name in names)


def _curves(runs: list[RunFolder], metric: str) -> None:
    st.caption(f"{run_card.metric_help(metric)} {_BEFORE if metric not in run_card.LOSSES else ''}")
    frame = pd.concat([_points(run, metric) for run in runs], ignore_index=True)
    if frame.empty:
        st.caption("Nothing measured yet. Each evaluation adds a point.")
        return
    chart = convergence_curves(frame, metric, runs=[run.name for run in runs])
    st.plotly_chart(chart, theme="streamlit", key="runs_curves", config={"displayModeBar": False})


def _points(run: RunFolder, metric: str) -> pd.DataFrame:
    """The run's measurements by epoch; more than 400 points are averaged in equal intervals."""
    measured = cached.run_metrics(run)
    if metric not in measured:
        return pd.DataFrame({"run": [], "seed": [], "epoch": [], metric: []})
    points = measured[["epoch", metric]].dropna().reset_index(drop=True)
    if len(points) > _MOST_POINTS:
        points = points.groupby(points.index * _MOST_POINTS // len(points)).mean()
    return points.assign(run=run.name, seed=0)


def _checkpoint(runs: list[RunFolder]) -> Checkpoint:
    """Draws the choice between best and last weights."""
    which = st.segmented_control(
        "Weights",
        list(CHECKPOINTS),
        default=CHECKPOINTS[0],
        required=True,
        format_func=run_card.CHECKPOINTS.__getitem__,
        key="runs_figures",
        bind="query-params",
    )
    st.caption(run_card.checkpoint_help(which, [run.config() for run in runs]))
    return which


def _table(runs: list[RunFolder], which: Checkpoint) -> None:
    figures = _figures(runs)
    st.dataframe(
        pd.DataFrame([_line(run, figures, which) for run in runs]),
        hide_index=True,
        key="runs_table",
        column_config={
            # label distances have units of their own, pixels or degrees; the other figures lie between 0 and 1
            name: st.column_config.NumberColumn(metric_title(name), format=f"%{find_metric(name).format}", help=run_card.metric_help(name))
            for name in figures
        }
        | {
            "done": st.column_config.ProgressColumn("Done", format="percent", min_value=0.0, max_value=1.0),
            "epoch": st.column_config.NumberColumn("Epoch", format="%g", help="When these weights were reached. 0 is before training."),
        },
    )


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


def _intervals(run: RunFolder, which: Checkpoint) -> None:
    between: dict[str, Any] = {}
    with show_errors():
        between = (run.report() or {}).get("intervals", {}).get(which, {})
    texts = [f"{metric_title(name)} {low:.3f} to {high:.3f}" for name in _figures([run]) if name in between for low, high in [between[name]]]
    if texts:
        st.caption(f"95 % intervals over the test classes, or over the queries where there are none: {', '.join(texts)}.")


def _by_class(run: RunFolder) -> None:
    """The figures of each test class before and after training."""
    if run.config().data.split == "images":
        return
    part = st.expander("By class", icon=":material/category:", key="runs_by_class", on_change="rerun")
    if not part.open:  # nothing is computed
        return
    with part, show_errors():
        found = cached.run_classes(run)
        st.caption("R@1 of the images of each held-out class; the classes that lost come first. Low and high are the 95 % interval of the gain.")
        titles = {"class": "Class", "queries": "Images", "untrained": "Before", "best": "Best weights", "gain": "Gain", "low": "Low", "high": "High"}
        formats = {titles[name]: st.column_config.NumberColumn(format="%.3f") for name in ("untrained", "best", "gain", "low", "high")}
        st.dataframe(found.rename(columns=titles), hide_index=True, key="runs_classes", column_config=formats)


def _differences(runs: list[RunFolder]) -> None:
    """The settings in which runs differ from the first, with their values."""
    first, *others = runs
    changes = {run.name: difference(first.config(), run.config()) for run in others}
    own = {key: run_card.value(value) for each in changes.values() for key, (value, _) in each.items() if key not in ("name", "note")}
    rows = [
        {"Setting": key, first.name: value} | {name: run_card.value(each[key][1]) if key in each else value for name, each in changes.items()}
        for key, value in own.items()
    ]
    rows = [row for row in rows if len(set(row.values())) > 2]  # some differ only before they are put into words
    st.subheader("Different settings")
    if rows:
        st.dataframe(pd.DataFrame(rows), hide_index=True)
    else:
        st.caption("None. The runs have the same settings.")


main()
