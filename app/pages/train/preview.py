"""What is known before a run starts: training and test classes, their similarity in language, and their pseudolabels."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from likeness.data import read_captions
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
from parts import cached, permissions
from parts.config_access import dataset_of
from parts.on_request import WorkRequest, job_button
from parts.plain import plain, prose
from server.access import redact
from server.addresses import address
from server.jobs import Job

_MOST_SHOWN = 60  # classes in one heat map
_PICTURES = 3  # of each class
_QUERIES, _NEAREST = 6, 4  # shown where there are no classes
_CAPTIONED = 8  # images whose captions are shown
_KEPT = 5  # pseudolabels of so many configs


@st.cache_resource(
    max_entries=8, show_spinner="Reading the images' classes", hash_funcs={RunConfig: lambda config: (config.data.model_dump_json(), config.seed)}
)
def read_images(config: RunConfig) -> RunImages:
    """The images of a config with resolved paths; raises InputError if a run on them could not start."""
    return run_images(config.data, config.seed)


def show(config: RunConfig, images: RunImages) -> None:
    """Draws the preview of a config with these images."""
    tabs = {"Classes": _queries if config.data.split == "images" else _classes, "Class names": _names, "Pseudolabels": _pseudolabels}
    if config.objective.on_captions and config.data.split == "images":
        tabs = {"Captions": _captions}
    for tab, draw in zip(st.tabs(list(tabs), key="train_tabs", on_change="rerun"), tabs.values(), strict=True):
        if tab.open:
            with tab:
                try:
                    draw(config, images)
                except InputError as error:
                    st.info(prose(redact(error)), icon=":material/info:")
                    st.button("Try again", icon=":material/replay:", key="train_preview_again")  # as after a download


def _classes(config: RunConfig, images: RunImages) -> None:
    validate, tested = (len(set(images.labels[rows].tolist())) for rows in (images.validation, images.test))
    held = f", {len(images.validation):,} of {validate:,} classes for validation" if validate else ""
    batch, steps = config.batch, max(1, len(images.train) // config.batch.size)
    drawn = ", drawn with replacement" if batch.draw == "replacement" else ""
    left_out = f"{images.left_out:,} images without a label are left out. " if images.left_out else ""
    st.caption(
        f"{len(images.train):,} images of {len(images.train_classes):,} classes for training{held}, "
        f"{len(images.test):,} of {tested:,} other classes for testing. {left_out}"
        f"One epoch is {steps:,} steps of {batch.size} images: {batch.size // batch.per_class} classes with {batch.per_class} images each{drawn}."
    )
    if images.lone_note:
        st.warning(images.lone_note, icon=":material/warning:")
    _show_classes(config, images, class_overview(images).rename(columns=str.capitalize), _PICTURES)


def _queries(config: RunConfig, images: RunImages) -> None:
    """Draws the split without classes, and some queries with their nearest images by label."""
    queries, others = images.queries, images.gallery
    searched = "all others" if len(others) == len(images.test) else f"the other {len(others):,}"
    st.caption(
        f"{len(images.train):,} images for training. Of the {len(images.test):,} for testing, {len(queries):,} are queries that search {searched}. "
        "Beside each query are the nearest images by label: the results of a perfect space."
    )
    if images.distances is not None:
        shown, nearest = example_queries(images, _QUERIES, _NEAREST)
        pictures = {"Query": shown} | {f"Nearest {place + 1}": nearest[:, place] for place in range(nearest.shape[1])}
        _show_table(config, images, pd.DataFrame(index=range(len(shown))), {name: rows.tolist() for name, rows in pictures.items()}, 84)


def _captions(config: RunConfig, images: RunImages) -> None:
    """Draws the split, and the sentences of some images."""
    sentences = read_captions(images.table)
    st.caption(f"{len(images.train):,} images with their captions for training, {len(images.test):,} for testing.")
    rows: list[int | None] = images.train[:_CAPTIONED].tolist()
    _show_table(config, images, pd.DataFrame({"Captions": [" / ".join(sentences[row or 0]) for row in rows]}), {"picture": rows}, 84)


def _show_classes(config: RunConfig, images: RunImages, frame: pd.DataFrame, count: int) -> None:
    """A table of the first classes, with pictures of each."""
    _show_table(config, images, frame, {f"picture {place}": example_rows(images, len(frame), place) for place in range(count)}, 44)


def _show_table(config: RunConfig, images: RunImages, frame: pd.DataFrame, pictures: dict[str, list[int | None]], side: int) -> None:
    """A table with columns of pictures by row, None for no picture, if the app shows the images of the run."""
    entry = dataset_of(config.data.source)
    columns: dict[str, Any] = {
        "Images": st.column_config.NumberColumn(format="localized"),
        "Pseudolabels": st.column_config.TextColumn(width="large"),
    }
    if entry is not None and len(cached.table(entry.id)) == len(images.table):
        for place, (name, rows) in enumerate(pictures.items()):
            frame.insert(place, name, ["" if row is None else address(f"/thumbnails/{entry.id}/{row}") for row in rows])
            columns[name] = st.column_config.ImageColumn("" if name.startswith("picture") else None, width=side)
    if len(frame.columns):
        height = min(520, 38 + side * len(frame))
        st.dataframe(frame, hide_index=True, column_config=columns, height=height, row_height=side, width="content")


def _names(config: RunConfig, images: RunImages) -> None:
    if config.guidance is None:
        st.info("This run does not use language. Choose class names or pseudolabels under More settings, Language guidance.", icon=":material/info:")
        return
    from likeness.training import class_names

    names = class_names(images, config.guidance.names)
    similarities = _similarities(tuple(names), config.guidance.model_dump_json(include={"language", "primer"}), config)
    shown = clustered_order(similarities)[:_MOST_SHOWN]
    some = f" {len(shown)} of {len(names):,} classes are shown." if len(shown) < len(names) else ""
    st.caption(
        "How similar the language model rates the names of the training classes. Guidance pulls images of similar classes together: a bright block "
        f"is a group of such classes.{some}"
    )
    chart = class_heat_maps({"Language": similarities}, names, shown)
    st.plotly_chart(chart, theme="streamlit", key="train_language", config={"displayModeBar": False})
    found = summarize_similarities(similarities, names)
    near, far = ([plain(str(each)) for each in pair[:2]] for pair in (found.nearest, found.farthest))
    st.caption(
        f"Most similar: **{near[0]}** and **{near[1]}** ({found.nearest[2]:.3g}). "
        f"Least similar: **{far[0]}** and **{far[1]}** ({found.farthest[2]:.3g}). "
        f"Average over all pairs: {found.mean:.3g} ± {found.deviation:.2g}."
    )


@st.cache_resource(max_entries=16, show_spinner="Reading the class names")
def _similarities(names: tuple[str, ...], guidance: str, _config: RunConfig) -> NDArray[np.float32]:
    from likeness.training import expert_similarities

    assert _config.guidance is not None
    return expert_similarities(_config.guidance, list(names))


def _pseudolabels(config: RunConfig, images: RunImages) -> None:
    st.caption("The ImageNet classes that a classifier sees in each class. With pseudolabels, the language model compares these names instead.")
    if config.guidance and config.guidance.pseudolabels:
        from likeness.training import pseudolabel_names

        names, found = pseudolabel_names(config, images)
    else:
        labeling = pseudolabel_config(config)
        if not has_classifier(labeling):
            st.info("This network has no ImageNet classifier. Choose another one, or set guidance.classifier in the text.", icon=":material/info:")
            return
        if permissions.refused("train"):
            return

        def work(job: Job) -> NDArray[np.int64]:
            from likeness.training import pseudolabels

            return pseudolabels(labeling, images, job.report_or_stop)

        guidance = labeling.guidance and labeling.guidance.model_dump_json(include={"classifier", "k", "average"})
        key = (labeling.data.model_dump_json(), labeling.backbone.model_dump_json(), guidance, config.seed)
        looks = {"icon": ":material/label:", "help": "Classifies every training image once. The run reuses the result."}
        request = WorkRequest("pseudolabels", key, "Pseudolabels", work, {"max_finished": _KEPT})
        job = job_button("Compute pseudolabels", "pseudolabels", request, **looks)
        if job is None:
            return
        names, found = imagenet_names(), job.result
    texts = [", ".join(names[each] for each in row) for row in found]
    _show_classes(config, images, pd.DataFrame({"Class": readable_names(images.train_classes), "Pseudolabels": texts}), 1)
