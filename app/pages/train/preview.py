"""What is known of a run before it starts: who trains and who tests, how language relates the classes, which pseudolabels they get."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from access import redact
from addresses import address
from background import Job, jobs, run_in_background
from config_access import dataset_of, resolve_config
from likeness.data import DatasetEntry
from likeness.errors import InputError
from likeness.evaluation import clustered_order
from likeness.language import imagenet_names, readable_names
from likeness.plots import class_heat_maps
from likeness.training import (
    RunConfig,
    RunImages,
    class_overview,
    example_queries,
    example_rows,
    has_classifier,
    pseudolabel_config,
    run_images,
    summarize_similarities,
)
from shared import cached, permissions, progress
from shared.plain import plain

_KIND = "pseudolabels"
_MOST_SHOWN = 60  # classes in one heat map
_PICTURES = 3  # of each class
_QUERIES, _NEAREST = 6, 4  # shown where there are no classes
_CLASSES, _NAMES, _PSEUDO = "Classes", "What language says", "Pseudolabels"


def show(config: RunConfig) -> None:
    """Draws the preview of a config."""
    tabs = {_CLASSES: _classes, _NAMES: _names, _PSEUDO: _pseudolabels}
    try:
        config = resolve_config(config)
        images = _images(config.data.model_dump_json(), config.seed, config)
    except InputError as error:
        st.info(f"Nothing to show yet. {plain(redact(error))}", icon=":material/info:")
        return
    for tab, draw in zip(st.tabs(list(tabs), key="train_tabs", on_change="rerun"), tabs.values(), strict=True):
        if tab.open:
            with tab:
                try:
                    draw(config, images)
                except InputError as error:
                    st.info(plain(redact(error)), icon=":material/info:")
                    st.button("Try again", icon=":material/replay:", key="train_preview_again")  # as after a download


@st.cache_resource(max_entries=8, show_spinner="Reading the images' classes")
def _images(data: str, seed: int, _config: RunConfig) -> RunImages:
    return run_images(_config.data, seed)


def _classes(config: RunConfig, images: RunImages) -> None:
    if config.data.split == "images":
        _divided(config, images)
        return
    validate, tested = (len(set(images.labels[rows].tolist())) for rows in (images.validation, images.test))
    held = f", {len(images.validation):,} of {validate:,} classes validate" if validate else ""
    batch, steps = config.batch, max(1, len(images.train) // config.batch.size)
    drawn = ", drawn with replacement" if batch.draw == "replacement" else ""
    left_out = f"{images.left_out:,} images without a label neither train nor test. " if images.left_out else ""
    st.caption(
        f"{len(images.train):,} images of {len(images.train_classes):,} classes train{held}; {len(images.test):,} of {tested:,} other classes test. "
        f"{left_out}"
        f"An epoch has {steps:,} steps of {batch.size} images: {batch.size // batch.per_class} classes, {batch.per_class} images of each{drawn}."
    )
    if images.lone_note:
        st.warning(images.lone_note, icon=":material/warning:")
    frame = class_overview(images).rename(columns=str.capitalize)
    entry = dataset_of(config.data.source)
    columns: dict[str, Any] = {"Images": st.column_config.NumberColumn(format="localized")}
    if entry is not None and len(cached.table(entry.id)) == len(images.table):
        for place in range(_PICTURES):
            frame.insert(place, f"picture {place}", _pictures(entry, images, len(images.names), place))
            columns[f"picture {place}"] = st.column_config.ImageColumn("", width=44)
    st.dataframe(frame, hide_index=True, column_config=columns, height=520, row_height=44, width="content")


def _divided(config: RunConfig, images: RunImages) -> None:
    """Who trains and who tests, where there are no classes; some queries and their nearest by label, which is what a space should find."""
    queries, others = images.queries, images.gallery
    st.caption(
        f"{len(images.train):,} images train; of {len(images.test):,} others {len(queries):,} are queries, which search among the remaining "
        f"{len(others):,}. Beside each query are the images that are nearest by label, which a perfect space would find."
    )
    entry = dataset_of(config.data.source)
    if entry is None or images.distances is None or len(cached.table(entry.id)) != len(images.table):
        return
    shown, nearest = example_queries(images, _QUERIES, _NEAREST)
    columns = {"Query": shown} | {f"Nearest {place + 1}": nearest[:, place] for place in range(nearest.shape[1])}
    frame = pd.DataFrame({name: [address(f"/thumbnails/{entry.id}/{row}") for row in rows] for name, rows in columns.items()})
    st.dataframe(
        frame,
        hide_index=True,
        row_height=84,
        height=36 + 84 * len(frame),
        column_config={name: st.column_config.ImageColumn(width=92) for name in frame},
        width="content",
    )


def _pictures(entry: DatasetEntry, images: RunImages, classes: int, place: int) -> list[str]:
    """For the first classes, the picture of the image at this place of each; empty where a class has fewer."""
    return ["" if row is None else address(f"/thumbnails/{entry.id}/{row}") for row in example_rows(images, classes, place)]


def _names(config: RunConfig, images: RunImages) -> None:
    if config.guidance is None:
        st.info("This run does not use language. Choose class names or pseudolabels under Language guidance.", icon=":material/info:")
        return
    from likeness.training import class_names

    names = class_names(images, config.guidance.names)
    similarities = _similarities(tuple(names), config.guidance.model_dump_json(include={"language", "primer"}), config)
    order = clustered_order(similarities)
    shown = order[:_MOST_SHOWN]
    st.caption(
        "How alike the language model finds the names of the classes that train. Guidance asks the images to agree: a bright block is a group of "
        "classes that should stay near each other." + (f" {len(shown)} of {len(names):,} classes are shown." if len(shown) < len(names) else "")
    )
    st.plotly_chart(
        class_heat_maps({"Language": similarities}, names, shown), theme="streamlit", key="train_language", config={"displayModeBar": False}
    )
    st.caption(_extremes(similarities, names))


def _extremes(similarities: NDArray[np.float32], names: list[str]) -> str:
    found = summarize_similarities(similarities, names)
    near, far = ([plain(str(each)) for each in pair[:2]] for pair in (found.nearest, found.farthest))
    return (
        f"Most alike: **{near[0]}** and **{near[1]}** ({found.nearest[2]:.3g}). "
        f"Least alike: **{far[0]}** and **{far[1]}** ({found.farthest[2]:.3g}). "
        f"Between two classes, {found.mean:.3g} on average, with a spread of {found.deviation:.2g}."
    )


@st.cache_resource(max_entries=16, show_spinner="Reading the class names")
def _similarities(names: tuple[str, ...], guidance: str, _config: RunConfig) -> NDArray[np.float32]:
    from likeness.training import expert_similarities

    assert _config.guidance is not None
    return expert_similarities(_config.guidance, list(names))


def _pseudolabels(config: RunConfig, images: RunImages) -> None:
    st.caption("What an ImageNet classifier takes the classes for. With pseudolabels, language compares these names instead of the classes' own.")
    if config.guidance and config.guidance.pseudolabels:
        from likeness.training import pseudolabel_names

        used, chosen = pseudolabel_names(config, images)
        _table(config, images, [[used[each] for each in row] for row in chosen])
        return
    labeling = pseudolabel_config(config)
    guidance = labeling.guidance and labeling.guidance.model_dump_json(include={"classifier", "k", "average"})
    key = (labeling.data.model_dump_json(), labeling.backbone.model_dump_json(), guidance, config.seed)
    job = jobs().find(_KIND, key)
    if job is not None and progress.follow(job):
        called = imagenet_names()
        _table(config, images, [[called[each] for each in row] for row in job.result])
    elif job is None and has_classifier(labeling):
        st.button("Show them", icon=":material/label:", key="train_pseudolabels", on_click=_begin, args=(key, labeling, images))
        st.caption("Each training image passes the classifier once; the result is kept for the run.")
    elif job is None:
        st.info("This backbone has no ImageNet classifier. Choose another one, or name guidance.classifier in the text.", icon=":material/info:")


def _begin(key: Hashable, config: RunConfig, images: RunImages) -> None:
    if not permissions.permitted("train"):
        return

    def work(job: Job) -> NDArray[np.int64]:
        from likeness.training import pseudolabels

        return pseudolabels(config, images, job.report_or_stop)

    run_in_background(_KIND, key, "Pseudolabels", work)


def _table(config: RunConfig, images: RunImages, labels: list[list[str]]) -> None:
    entry = dataset_of(config.data.source)
    frame = pd.DataFrame({"Class": readable_names(images.train_classes), "Taken for": [", ".join(names) for names in labels]})
    columns: dict[str, Any] = {"Taken for": st.column_config.TextColumn(width="large")}
    if entry is not None and len(cached.table(entry.id)) == len(images.table):
        frame.insert(0, "picture", _pictures(entry, images, len(frame), 0))
        columns["picture"] = st.column_config.ImageColumn("", width=44)
    st.dataframe(frame, hide_index=True, column_config=columns, height=520, row_height=44)
