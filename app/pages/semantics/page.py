"""Page Semantics: whether a space arranges classes as a language model arranges their names, and what it retrieves by mistake."""

import hashlib

import pandas as pd
import streamlit as st

from likeness.errors import InputError
from likeness.evaluation import Semantics, clustered_order, most_changed, retrieved_classes, semantics, semantics_table
from likeness.language import short_names
from likeness.plots import class_heat_maps, retrieved_bars
from likeness.space import Space
from likeness.studies import SemanticClasses, classes_of, unseen_classes
from likeness.training import RunFolder
from pages.semantics import PAGE
from parts import aspect_labels, cached, downloads, progress, run_card, trained
from parts.app_page import show_tabs
from parts.class_choice import choose_classes
from parts.gallery import Section, gallery
from parts.on_request import WorkRequest, jobs_on_request
from parts.plain import plain, prose
from parts.sidebar import listed, readable
from parts.view import View, current_view
from server.access import redact, resolve_language
from server.jobs import Job
from state import Item

_NEIGHBORS = 20  # of the paper
_TOP = 5
_PICTURES = 8
_FEW = 2  # images that a class needs at least
_MOST_CLASSES = 200  # in a heat map on a page
_UNSEEN = "Only classes unseen in training"
_QUIET = {"displayModeBar": False}
_RELATEDNESS = "How similar, from 0 to 1, the language model rates the class names of a query and of the images retrieved by mistake, on average."
# column of `semantics_table` -> title and help
_FIGURES = {
    "rank_correlation": (
        "Agreement with language",
        "Rank correlation over all pairs of classes: 1 if the space ranks them as the language model does, 0 if there is no relation.",
    ),
    "relatedness": ("Relatedness of errors", _RELATEDNESS),
    "own_share": ("Same class", "The share of the nearest images that have the class of the query."),
    "image_divergence": (
        "Divergence",
        "How much the similarities of images differ from those of their names (Kullback-Leibler divergence, the loss of language guidance); "
        "0 means equal. Compare it only between spaces of the same kind, since it depends on the spread of the similarities.",
    ),
}
_MODELS_HELP = "Rates how similar two class names are; several are averaged. minilm comes with Likeness, others are downloaded on first use."
_UNSEEN_HELP = "The run was trained on the other classes, so only unseen ones show how well it generalizes."


_class = Item[str | None](key="semantic_query")  # whose neighbors are shown
_suggested = Item[str | None](key="semantic_suggested")  # the one that is offered in its place


def main() -> None:
    view = current_view()
    PAGE.show_head("If they do, images that are retrieved by mistake at least belong to related classes.")
    if not PAGE.suits(view.base.table):
        aspect_labels.offer(view, "This page compares classes by their names, and these images have no classes yet.")
        return
    try:
        classes, language, attributes = _settings(view)
    except InputError as error:
        st.info(prose(redact(error)), icon=":material/info:")
        return
    aspect_labels.caution(attributes)
    nearest = min(_NEIGHBORS, len(classes.rows) - 1)
    requests = {readable(space.name): measure(space, classes, language, nearest) for space in view.spaces}
    help = f"**Does the space agree with language?** Compares {len(classes.names)} classes by their images in the space and by their names."
    begun = jobs_on_request("Compare with language", help, *requests.values())
    if begun and progress.follow(*dict.fromkeys(begun)):
        _show(view, classes, {name: job.result for name, job in zip(requests, begun, strict=True)})


def _settings(view: View) -> tuple[SemanticClasses, tuple[str, ...], list[str]]:
    """Draws the settings; returns classes, language models, and the attributes that define the classes."""
    runs = [run_card.folder(space.name.removeprefix(trained.PREFIX)) for space in view.spaces if space.name.startswith(trained.PREFIX)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = choose_classes(view.base.table.attributes, "semantic_classes")
        own = {"key": "semantic_language", "accept_new_options": True, "help": _MODELS_HELP}
        models = st.multiselect("Language models", list(short_names()), ["minilm"], bind="query-params", **own)
        unseen = bool(runs) and st.toggle(_UNSEEN, True, key="semantic_unseen", help=_UNSEEN_HELP)
    if not chosen or not models:
        raise InputError("Choose at least one label that defines the classes, and a language model.")
    if refused := downloads.refused_languages(models):
        raise InputError(next(iter(refused.values())))
    return _classes(view.entry.id, tuple(chosen), _tested(runs, chosen) if unseen else None), tuple(models), chosen


def _tested(runs: list[RunFolder], chosen: list[str]) -> tuple[str, ...]:
    """The classes that all runs are tested on."""
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


@st.cache_resource(max_entries=32, show_spinner=False)
def _classes(dataset: str, chosen: tuple[str, ...], kept: tuple[str, ...] | None) -> SemanticClasses:
    return classes_of(cached.table(dataset), list(chosen), None if kept is None else set(kept), _FEW)


def _show(view: View, classes: SemanticClasses, found: dict[str, Semantics]) -> None:
    _summary(found)
    if view.b is None:
        st.caption(":material/info: Choose a space for the right map in the sidebar, for example a trained run, to compare two.")
    show_tabs("semantics", {"What is found": _found, "Similarities": _similarities, "Every class": _every}, view, classes, found)


def _summary(found: dict[str, Semantics]) -> None:
    table = semantics_table(found).set_index("space")
    a, b = table.index[0], table.index[-1] if len(table) > 1 else None
    with st.container(border=True):
        for (name, (label, help)), place in zip(_FIGURES.items(), st.columns(len(_FIGURES)), strict=True):
            value, change = table.loc[a, name], table.loc[a, name] - table.loc[b, name] if b else None
            delta = None if change is None or pd.isna(change) else f"{change:+.3f}"
            color = "inverse" if name == "image_divergence" else "normal"
            place.metric(label, "none" if pd.isna(value) else f"{value:.3f}", delta, delta_color=color, help=help)
        subject = f"{plain(a)}, and its difference from {plain(b)}. " if b else f"{plain(a)}. "
        st.caption(f"{subject}Randomly drawn images would have a relatedness of {table.loc[a, 'random_relatedness']:.3f}.")


def _found(view: View, classes: SemanticClasses, found: dict[str, Semantics]) -> None:
    query = _query(classes, found)
    retrievals = {name: each.retrieval for name, each in found.items()}
    table = retrieved_classes(retrievals, query, _TOP)
    retrieval = next(iter(retrievals.values()))
    st.caption(
        f"The {retrieval.neighbors} nearest neighbors of every image of **{plain(query)}**: how many belong to the {_TOP} other "
        "classes with the most similar names. The number in brackets is the similarity of the names."
    )
    if table.empty:
        st.info(f"Only {plain(query)} is found: this class is not confused with any other.", icon=":material/check:")
        return
    st.plotly_chart(retrieved_bars({query: table}), theme="streamlit", key="semantics_bars", config=_QUIET)
    shown = [name for name in [query, *table["class"]] if name in classes.names]
    rows = [classes.rows[classes.labels == classes.names.index(name)][:_PICTURES].tolist() for name in shown]
    sections = [Section(name, own, captions=[""] * len(own)) for name, own in zip(shown, rows, strict=True)]
    gallery(sections, thumbnails=view.thumbnails, key="semantic_gallery", tile=84)


def _query(classes: SemanticClasses, found: dict[str, Semantics]) -> str:
    names, retrievals = classes.names, [each.retrieval for each in found.values()]
    if len(retrievals) > 1:
        title, suggested = "Where the spaces differ most", list(most_changed(*retrievals, 8)["class"])
    else:
        errors = retrievals[0].per_class.sort_values("errors", ascending=False, kind="stable")
        title, suggested = "Most often confused", list(errors["class"].head(8))
    first = names.index(suggested[0]) if suggested else 0
    with st.container(horizontal=True, vertical_alignment="bottom"):
        query = st.selectbox("Query class", names, first, key=_class.key, width=300)
        if suggested:
            st.pills(title, suggested, format_func=plain, key=_suggested.key, on_change=lambda: _class.set(_suggested.get() or query))
    return query


def _similarities(view: View, classes: SemanticClasses, found: dict[str, Semantics]) -> None:
    first = next(iter(found.values())).retrieval
    if len(first.names) > _MOST_CLASSES:
        many = f"There are {len(first.names):,} classes, and the chart shows at most {_MOST_CLASSES}."
        st.info(f"{many} Choose labels with fewer values.", icon=":material/info:")
        return
    st.caption(
        "Each square is a pair of classes; brighter means more similar. Classes are sorted so that related names are neighbors. A space that "
        "agrees with language shows the same bright blocks. Each panel has its own color scale, so compare patterns, not colors."
    )
    matrices = {"Language": first.language} | {name: each.similarities for name, each in found.items()}
    figure = class_heat_maps(matrices, first.names, clustered_order(first.language))
    st.plotly_chart(figure, theme="streamlit", key="semantics_heat", config=_QUIET)


def _every(view: View, classes: SemanticClasses, found: dict[str, Semantics]) -> None:
    st.caption("One row per class. Click a column to sort by it.")
    parts = {name: each.per_class.set_index("class") for name, each in found.items()}
    columns, config = {"Images": next(iter(parts.values()))["images"]}, {}
    for name, part in parts.items():
        for figure, column in (("own_share", "own"), ("relatedness", "relatedness")):
            title, help = _FIGURES[figure]
            columns[f"{title}, {name}"] = part[column]
            config[f"{title}, {name}"] = st.column_config.ProgressColumn(format="%.3f", min_value=0, max_value=1, help=help)
    st.dataframe(pd.DataFrame(columns).rename_axis("Class"), column_config=config, height=520)


def measure(space: Space, classes: SemanticClasses, language: tuple[str, ...], neighbors: int) -> WorkRequest:
    """A request for the `Semantics` of a space; `neighbors` are retrieved for each image."""

    def work(job: Job) -> Semantics:
        from likeness.language import class_similarities

        similarities = class_similarities(classes.names, [resolve_language(name) for name in language])
        return semantics(space.vectors[classes.rows], classes.labels, similarities, classes.names, neighbors=neighbors, progress=job.report_or_stop)

    digest = hashlib.sha256(classes.rows.tobytes() + classes.labels.tobytes()).hexdigest()
    key = (space.key, digest, tuple(classes.names), language, neighbors)
    return WorkRequest("semantics", key, f"Comparing {readable(space.name)} with language", work)


main()
