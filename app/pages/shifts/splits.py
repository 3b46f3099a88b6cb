"""The splits that the page Shifts looks at: built from a space's classes, or read from a file; and where each class lies on the map."""

import hashlib
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import progress
from likeness.data import ImageClasses, image_classes
from likeness.errors import InputError
from likeness.jobs import Job
from likeness.projection import LayoutFailed, LayoutJob, pca_map
from likeness.shifts import SplitFile, class_mean_features, reference_distances, split_file, split_steps, start_halves
from likeness.shifts.references import RANDOM, SAME
from likeness.space import Space
from shared import cached

_FEW = 15  # classes: UMAP keeps neighborhoods of as many
_DRAWS = 5
FEWEST_CLASSES = 4


@dataclass(frozen=True)
class Way:
    """How splits are built: classes that each side gives in a step, the rules, whether easier splits come first, and from random halves."""

    per_step: int = 1
    rule: str = "paper"
    removal: str = "paper"
    easier: bool = False
    random: bool = False


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


def classes_by(dataset: str, attributes: tuple[str, ...]) -> ImageClasses:
    """The classes of a dataset's images.

    Raises:
        InputError: an attribute with gaps, too few classes to divide, or hardly two images in a class.
    """
    found = _classes(dataset, attributes)
    what = " and ".join(name.replace("_", " ") for name in attributes)
    if len(found.names) < FEWEST_CLASSES:
        raise InputError(f"By {what} there are {len(found.names)} classes, but two must train and two must test; choose another class of an image.")
    if 2 * len(found.names) > len(found.labels):
        raise InputError(
            f"By {what} there are {len(found.names):,} classes for {len(found.labels):,} images, hardly any with two images; choose another class of "
            "an image."
        )
    return found


@st.cache_resource(max_entries=32, show_spinner=False)
def _classes(dataset: str, attributes: tuple[str, ...]) -> ImageClasses:
    return image_classes(cached.table(dataset), list(attributes))


def build(dataset: str, space: Space, attributes: tuple[str, ...], encoder: str, way: Way) -> Job:
    """The job that builds the splits; its result is a `SplitFile`.

    Raises:
        InputError: as `classes_by`.
    """
    classes = classes_by(dataset, attributes)
    key = _digest(dataset, space.key, attributes, way)

    def work(report: progress.Report, should_stop: progress.ShouldStop) -> SplitFile:
        means = class_means(dataset, space, attributes)
        train, test = start_halves(len(classes.names), way.random)
        steps = split_steps(means, train, test, way.per_step, way.rule, way.removal, way.easier)  # type: ignore[arg-type]
        attribute = attributes[0] if len(attributes) == 1 else attributes
        return split_file(
            steps,
            classes.names,
            dataset=space.table.name,
            attribute=attribute,
            encoder=encoder,
            rule=way.rule,
            removal=way.removal,
            per_step=way.per_step,
        )

    found = cached.jobs("splits").get(key)
    return found if found is not None and not found.error else cached.jobs("splits").begin(key, "Splits", work)


def class_means(dataset: str, space: Space, attributes: tuple[str, ...]) -> NDArray[np.float64]:
    """The mean vector (c, d) of each class."""
    return _means(dataset, space.key, attributes, space)


@st.cache_resource(max_entries=32, show_spinner=False)
def _means(dataset: str, key: str, attributes: tuple[str, ...], _space: Space) -> NDArray[np.float64]:
    classes = _classes(dataset, attributes)
    return class_mean_features(_space.vectors, classes.labels, len(classes.names))


def references(shown: Progression) -> Job:
    """The job that measures what the start's distance is to be compared with; its result is name -> distance."""
    assert shown.classes is not None
    classes, start = shown.classes, shown.splits.named("start")
    key = _digest(shown.dataset, shown.space.key, shown.attributes, start.train)
    place = {name: number for number, name in enumerate(classes.names)}
    train, test = ([place[name] for name in side] for side in (start.train, start.test))

    def work(report: progress.Report, should_stop: progress.ShouldStop) -> dict[str, float]:
        with _one_thread():
            table = reference_distances(shown.space.vectors, classes.labels, train, test, _DRAWS, report=report, images=False)
        of_means = table.set_index("reference")["distance"]
        return {"Classes drawn at random": float(of_means[RANDOM]), "Same classes on both sides": float(of_means[SAME])}

    found = cached.jobs("shift references").get(key)
    return found if found is not None else cached.jobs("shift references").begin(key, "References", work)


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


def _one_thread() -> AbstractContextManager[object]:
    """On small matrices a second thread gives little, and where a training uses the cores, waiting for it makes them a hundred times slower."""
    from threadpoolctl import threadpool_limits

    context: AbstractContextManager[object] = threadpool_limits(limits=1, user_api="blas")
    return context


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:24]
