"""Semantics: whether a space agrees with what words say of its classes, and what it finds by mistake."""

import hashlib
from typing import Literal

import numpy as np
import pandas as pd
import streamlit as st

from access import redact, resolve_language
from background import Job, run_in_background
from components.gallery import Section, gallery
from likeness.errors import InputError
from likeness.evaluation import Semantics, clustered_order, most_changed, retrieved_classes, semantics, semantics_table
from likeness.language import short_names
from likeness.plots import class_heat_maps, retrieved_bars
from likeness.space import Space
from likeness.studies import SemanticClasses, classes_of, unseen_classes
from likeness.training import RunFolder
from pages.semantics import PAGE
from shared import aspect_labels, cached, downloads, progress, run_card, trained
from shared.plain import plain
from shared.sidebar import listed, readable
from shared.view import View, current_view

_NEIGHBORS = 20  # of the paper
_TOP = 5
_PICTURES = 8
_FEW = 2  # images that a class needs at least
_MOST_CLASSES = 200  # in a heat map on a page
_UNSEEN = "Only classes unseen in training"


def main() -> None:
    """Draws the page."""
    view = current_view()
    PAGE.show_head("If it does, images that are retrieved by mistake at least belong to related classes.")
    if not view.base.table.attributes:
        aspect_labels.offer(view, "This page compares classes by their names, and these images have no labels that would be classes.")
        return
    try:
        classes, language = _settings(view)
    except InputError as error:
        st.info(plain(redact(error)), icon=":material/info:")
        return
    aspect_labels.caution(st.session_state["semantic_classes"])
    nearest = min(_NEIGHBORS, len(classes.rows) - 1)
    jobs = {readable(space.name): measure(space, classes, language, nearest) for space in view.spaces}
    if progress.follow(*dict.fromkeys(jobs.values())):
        _show(view, classes, {name: job.result for name, job in jobs.items()})


def _settings(view: View) -> tuple[SemanticClasses, tuple[str, ...]]:
    attributes = view.base.table.attributes
    runs = [run_card.folder(space.name.removeprefix(trained.PREFIX)) for space in view.spaces if space.name.startswith(trained.PREFIX)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect(
            "Class of an image",
            attributes,
            default=_default(attributes),
            format_func=readable,
            key="semantic_classes",
            bind="query-params",
            placeholder="Choose what makes a class",
            help="Several are combined: car color and body type give classes such as red pickup.",
        )
        models = st.multiselect(
            "Language models",
            list(short_names()),
            default=["minilm"],
            key="semantic_language",
            bind="query-params",
            accept_new_options=True,
            help="With several, their mean is used. minilm comes with the package language; others are downloaded on first use.",
        )
        unseen = bool(runs) and st.toggle(
            _UNSEEN,
            True,
            key="semantic_unseen",
            help="A run was trained on its training classes; only the other classes show how well it generalizes.",
        )
    if not chosen or not models:
        raise InputError("Choose what makes a class, and a language model.")
    if refused := downloads.refused_languages(models):
        raise InputError(next(iter(refused.values())))
    return _classes(view.entry.id, tuple(chosen), _tested(runs, chosen) if unseen else None), tuple(models)


def _tested(runs: list[RunFolder], chosen: list[str]) -> tuple[str, ...]:
    """Classes that all the runs test on."""
    for run in runs:
        own = run.config().data.attribute
        names = [own] if isinstance(own, str) else list(own)
        if names != chosen:
            trained_on = listed([readable(name) for name in names])
            raise InputError(f"Run {run.name} was trained on the classes of {trained_on}. Choose these, in this order, or switch off '{_UNSEEN}'.")
    return _unseen(tuple(f"run:{run.path}" for run in runs), tuple(run.config().model_dump_json() for run in runs), chosen)


@st.cache_resource(max_entries=32, show_spinner=False)
def _unseen(encoders: tuple[str, ...], configs: tuple[str, ...], chosen: list[str]) -> tuple[str, ...]:
    return tuple(sorted(unseen_classes(list(encoders), chosen)))


def _default(attributes: list[str]) -> list[str]:
    shipped = [name for name in ("car_color", "body_type") if name in attributes]
    return shipped if len(shipped) == 2 else ["class"] if "class" in attributes else attributes[:1]


@st.cache_resource(max_entries=32, show_spinner=False)
def _classes(dataset: str, chosen: tuple[str, ...], kept: tuple[str, ...] | None) -> SemanticClasses:
    return classes_of(cached.table(dataset), list(chosen), None if kept is None else set(kept), _FEW)


def _show(view: View, classes: SemanticClasses, found: dict[str, Semantics]) -> None:
    _summary(found)
    if view.b is None:
        st.caption(":material/info: Choose a space B in the sidebar, for example a trained run, to see what differs.")
    tabs = {"What is found": _found, "Similarities": _similarities, "Every class": _every}
    for tab, draw in zip(st.tabs(list(tabs), key="semantics", on_change="rerun", bind="query-params"), tabs.values(), strict=True):
        if tab.open:
            with tab:
                draw(view, classes, found)


def _summary(found: dict[str, Semantics]) -> None:
    table, nearest = semantics_table(found).set_index("space"), next(iter(found.values())).retrieval.neighbors
    figures = {
        "rank_correlation": (
            "Order of the classes",
            "Rank correlation, over all pairs of classes: 1 if the space orders them as language does, 0 if the two orders are unrelated.",
        ),
        "relatedness": (
            "Relatedness of errors",
            "For retrieved images of another class: how similar language rates the two class names, on average.",
        ),
        "own_share": ("Of the same class", f"Share of the {nearest} nearest images that are of the image's own class."),
        "image_divergence": (
            "Divergence",
            "Kullback-Leibler divergence of the images' similarities from those of their names, as guidance lowers it. "
            "It depends on how widely similarities are spread, so compare it between spaces of one kind only.",
        ),
    }
    a, b = table.index[0], table.index[-1] if len(table) > 1 else None
    with st.container(border=True):
        for (name, (label, help)), place in zip(figures.items(), st.columns(len(figures)), strict=True):
            place.metric(label, _shown(table.loc[a, name]), _difference(table, name, a, b), delta_color=_good(name), help=help)
        beside = f"Figures for {plain(a)}, and the difference from {plain(b)}. " if b else f"Figures for {plain(a)}. "
        st.caption(f"{beside}For random images, the relatedness would be {table.loc[a, 'random_relatedness']:.3f}.")


def _shown(value: float) -> str:
    return "none" if value != value else f"{value:.3f}"


def _difference(table: pd.DataFrame, name: str, a: str, b: str | None) -> str | None:
    difference = float(table.loc[a, name] - table.loc[b, name]) if b else float("nan")
    return None if difference != difference else f"{difference:+.3f}"


def _good(name: str) -> Literal["normal", "inverse"]:
    return "inverse" if name == "image_divergence" else "normal"


def _found(view: View, classes: SemanticClasses, found: dict[str, Semantics]) -> None:
    query = _query(classes, found)
    retrievals = {name: each.retrieval for name, each in found.items()}
    table = retrieved_classes(retrievals, query, _TOP)
    retrieval = next(iter(retrievals.values()))
    st.caption(
        f"The {retrieval.neighbors} nearest neighbors of all images of **{plain(query)}**. Shown are the {_TOP} other classes among them whose names "
        "are most similar, with that similarity and the number of images found."
    )
    if table.empty:
        st.info(f"Only {plain(query)} is found: this class is never confused with another one.", icon=":material/check:")
        return
    st.plotly_chart(retrieved_bars({query: table}), theme="streamlit", key="semantics_bars", config={"displayModeBar": False})
    sections = [
        Section(name, _some(classes, name), captions=[""] * len(_some(classes, name))) for name in [query, *table["class"]] if name in classes.names
    ]
    gallery(sections, thumbnails=view.thumbnails, key="semantic_gallery", tile=84)


def _query(classes: SemanticClasses, found: dict[str, Semantics]) -> str:
    names, suggested = classes.names, []
    if len(found) > 1:
        a, b = (each.retrieval for each in found.values())
        suggested = list(most_changed(a, b, 8)["class"])
    else:
        errors = next(iter(found.values())).retrieval.per_class.sort_values("errors", ascending=False, kind="stable")
        suggested = list(errors["class"].head(8))
    st.session_state.setdefault("semantic_query", suggested[0] if suggested else names[0])
    if st.session_state["semantic_query"] not in names:
        st.session_state["semantic_query"] = suggested[0] if suggested else names[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        query = st.selectbox("Query class", names, key="semantic_query", width=300)
        if suggested:
            st.pills(
                "Where the spaces differ most" if len(found) > 1 else "Most often confused",
                suggested,
                format_func=plain,
                key="semantic_suggested",
                on_change=_take_suggestion,
            )
    return str(query)


def _take_suggestion() -> None:
    if st.session_state["semantic_suggested"]:
        st.session_state["semantic_query"] = st.session_state["semantic_suggested"]


def _some(classes: SemanticClasses, name: str) -> list[int]:
    return [int(row) for row in classes.rows[np.flatnonzero(classes.labels == classes.names.index(name))][:_PICTURES]]


def _similarities(view: View, classes: SemanticClasses, found: dict[str, Semantics]) -> None:
    first = next(iter(found.values())).retrieval
    if len(first.names) > _MOST_CLASSES:
        message = f"There are {len(first.names):,} classes; a picture shows {_MOST_CLASSES} at most. Choose another class of an image."
        st.info(message, icon=":material/info:")
        return
    st.caption(
        "Each square is a pair of classes, in one order for all panels, found by clustering the names. A bright block in language should be one in "
        "the space too. Each panel has its own scale: only the pattern can be compared."
    )
    matrices = {"Language": first.language} | {name: each.similarities for name, each in found.items()}
    figure = class_heat_maps(matrices, first.names, clustered_order(first.language))
    st.plotly_chart(figure, theme="streamlit", key="semantics_heat", config={"displayModeBar": False})


def _every(view: View, classes: SemanticClasses, found: dict[str, Semantics]) -> None:
    st.caption("A row per class. Click a column's name to sort by it.")
    parts = {name: each.per_class.set_index("class") for name, each in found.items()}
    first = next(iter(parts.values()))
    frame = first[["images"]].rename(columns={"images": "Images"})
    for name, part in parts.items():
        frame[f"Same class, {name}"] = part["own"]
        frame[f"Relatedness of errors, {name}"] = part["relatedness"]
    st.dataframe(
        frame.reset_index(names="Class"),
        hide_index=True,
        column_config={column: st.column_config.NumberColumn(format="%.3f") for column in frame if column != "Images"},
        height=520,
    )


def measure(space: Space, classes: SemanticClasses, language: tuple[str, ...], neighbors: int) -> Job:
    """The job whose result is the `Semantics` of a space.

    Args:
        space: whose agreement.
        classes: the images that take part, and what they are.
        language: language models.
        neighbors: retrieved for each image.
    """

    def work(job: Job) -> Semantics:
        from likeness.language import class_similarities

        similarities = class_similarities(classes.names, [resolve_language(name) for name in language])
        return semantics(space.vectors[classes.rows], classes.labels, similarities, classes.names, neighbors=neighbors, progress=job.report_or_stop)

    digest = hashlib.sha256(classes.rows.tobytes() + classes.labels.tobytes()).hexdigest()
    key = (space.key, digest, tuple(classes.names), language, neighbors)
    return run_in_background("semantics", key, f"Comparing {space.name} with language", work)


main()
