"""The splits that the page Shifts looks at: built from a space's classes, or read from a file; and where each class lies on the map."""

from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from background import Job, run_in_background
from likeness.data import ImageClasses
from likeness.projection import LayoutFailed, LayoutJob, pca_map
from likeness.shifts import (
    RANDOM_CLASSES,
    SAME_CLASSES,
    SplitFile,
    SplitOptions,
    build_splits,
    class_mean_features,
    divisible_classes,
    reference_distances,
)
from likeness.space import Space
from shared import cached

_FEW = 15  # classes: UMAP keeps neighborhoods of as many
_DRAWS = 5


@dataclass(frozen=True, eq=False)
class Progression:
    """Splits from easy to hard, and the images that they divide.

    Attributes:
        splits: all of them.
        dataset: the catalog's id of the images.
        space: whose vectors they are shown by.
        classes: of the images; None where the images are not those of the splits, as `problem` says.
        built: from this very space, so that its references can be compared with the distances.
    """

    splits: SplitFile
    dataset: str
    space: Space
    classes: ImageClasses | None
    built: bool
    problem: str = ""

    @property
    def attributes(self) -> tuple[str, ...]:
        """What the class of an image is."""
        own = self.splits.attribute
        return (own,) if isinstance(own, str) else tuple(own)


@st.cache_resource(max_entries=32, show_spinner=False)
def classes_by(dataset: str, attributes: tuple[str, ...]) -> ImageClasses:
    """The classes of a dataset's images.

    Raises:
        InputError: as `divisible_classes`.
    """
    return divisible_classes(cached.table(dataset), attributes)


def build(dataset: str, space: Space, attributes: tuple[str, ...], encoder: str, options: SplitOptions) -> Job:
    """The job that builds the splits; its result is a `SplitFile`.

    Raises:
        InputError: as `classes_by`.
    """
    classes = classes_by(dataset, attributes)

    def work(job: Job) -> SplitFile:
        attribute = attributes[0] if len(attributes) == 1 else attributes
        means = class_means(dataset, space, attributes)
        return build_splits(means, classes.names, options, dataset=space.table.name, attribute=attribute, encoder=encoder)

    key = (dataset, space.key, attributes, options)
    return run_in_background("splits", key, "Exchanging classes between train and test", work, stoppable=False)


def class_means(dataset: str, space: Space, attributes: tuple[str, ...]) -> NDArray[np.float64]:
    """The mean vector (c, d) of each class."""
    return _means(dataset, space.key, attributes, space)


@st.cache_resource(max_entries=32, show_spinner=False)
def _means(dataset: str, key: str, attributes: tuple[str, ...], _space: Space) -> NDArray[np.float64]:
    classes = classes_by(dataset, attributes)
    return class_mean_features(_space.vectors, classes.labels, len(classes.names))


def references(shown: Progression) -> Job:
    """The job that measures what the start's distance is to be compared with; its result is name -> distance."""
    assert shown.classes is not None
    classes, start = shown.classes, shown.splits.named("start")
    place = {name: number for number, name in enumerate(classes.names)}
    train, test = ([place[name] for name in side] for side in (start.train, start.test))

    def work(job: Job) -> dict[str, float]:
        table = reference_distances(shown.space.vectors, classes.labels, train, test, _DRAWS, progress=job.report, images=False)
        of_means = table.set_index("reference")["distance"]
        return {"Classes drawn at random": float(of_means[RANDOM_CLASSES]), "Same classes on both sides": float(of_means[SAME_CLASSES])}

    return run_in_background("shift references", (shown.dataset, shown.space.key, shown.attributes, start.train), "References", work)


def layout(shown: Progression) -> LayoutJob | None:
    """The map of the class means on its way; None where there are so few that they have their PCA."""
    assert shown.classes is not None
    return None if len(shown.classes.names) < _FEW else _layout(shown.dataset, shown.space.key, shown.attributes, shown.space)


@st.cache_resource(max_entries=32, show_spinner=False)
def _layout(dataset: str, key: str, attributes: tuple[str, ...], _space: Space) -> LayoutJob:
    return LayoutJob(class_means(dataset, _space, attributes))


def positions(shown: Progression) -> NDArray[np.float32]:
    """Where the classes lie (c, 2): UMAP where it is ready, else the PCA of their means."""
    job = layout(shown)
    flat = _flat(shown.dataset, shown.space.key, shown.attributes, shown.space)
    if job is None or not job.done:
        return flat
    try:
        return job.result()
    except LayoutFailed:  # the PCA shows the same classes, if less clearly
        return flat


@st.cache_resource(max_entries=32, show_spinner=False)
def _flat(dataset: str, key: str, attributes: tuple[str, ...], _space: Space) -> NDArray[np.float32]:
    return pca_map(class_means(dataset, _space, attributes))
