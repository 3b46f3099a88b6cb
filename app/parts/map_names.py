"""Names on the maps of Explore: of clusters, found in the background, or of the groups that the colors show."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from likeness.plots.linked_map import Coloring, MapNames, cache_by_identity
from likeness.space import Space
from parts import cached, link, progress
from server.jobs import Job, Stage, jobs
from state import state

if TYPE_CHECKING:
    from likeness.clusters import ClusterNames, Clusters

KIND = "cluster_names"
_KEPT = 12  # named spaces in memory
_OPTIONS = {"none": "None", "clusters": "Clusters", "groups": "Colors"}
_HELP = (
    "**Clusters**: groups of nearby images, each named by the word that distinguishes it. Zoom in for finer groups."
    "  \n**Colors**: the values that color the map, each where most of its images lie.  \nClick a name to select its images."
)
_MOST_WORDS, _LONGEST_WORD = 500, 60
_APART = re.compile(r"[,;\n]")


@dataclass(frozen=True, eq=False)
class Named:
    """The clusters of a space and their names."""

    clusters: "Clusters"
    names: "ClusterNames"


def kind() -> str:
    """The chosen names: "none", "clusters" or "groups"."""
    return str(state.map_settings.get("names", "none"))


def own_words() -> tuple[str, ...]:
    """The words that name clusters; none: nouns."""
    words = (" ".join(word.split())[:_LONGEST_WORD] for word in _APART.split(str(state.map_settings.get("words", ""))))
    return tuple(dict.fromkeys(word for word in words if word))[:_MOST_WORDS]


def choose(key: str) -> None:
    """Draws the choice of names and words; `key` distinguishes the widgets."""
    settings = state.map_settings
    with st.popover("Names", icon=":material/label:"):
        options = {"default": kind(), "required": True, "format_func": _OPTIONS.__getitem__, "key": f"names-{key}", "help": _HELP}
        settings["names"] = st.segmented_control("Names on the map", list(_OPTIONS), **options) or kind()
        settings["words"] = st.text_input(
            "Words of your own",
            str(settings.get("words", "")),
            key=f"words-{key}",
            placeholder="beach, forest, street at night",
            disabled=kind() != "clusters",
            help="Names clusters by these words, separated by commas, instead of thousands of common nouns.",
        )
        if kind() == "clusters" and len(own_words()) == 1:
            st.caption("Enter at least two words. Until then, nouns are used.")
    link.write({"names": [] if kind() == "none" else [kind()], "words": [str(settings["words"])] if own_words() else []})


def read_link() -> None:
    """Applies the choice of the address, if the controls allow it."""
    asked = st.query_params.get("names")
    if asked in _OPTIONS:
        state.map_settings["names"] = asked
    elif asked is not None:
        link.report_missing("the map names", asked, "The map is shown without names. Choose them under Names.")
    if "words" in st.query_params:
        state.map_settings["words"] = st.query_params["words"]


def of_maps(spaces: Sequence[Space], positions: Sequence[NDArray[np.float32]], coloring: Coloring) -> tuple[list[MapNames | None], list[Job]]:
    """The names on each map, None until they are ready, and the jobs that find them."""
    if kind() == "groups":
        return [_of_groups(each, coloring) for each in positions], []
    if kind() != "clusters":
        return [None] * len(spaces), []
    jobs = [_job(space, own_words() if space.embed_texts is not None and len(own_words()) > 1 else ()) for space in spaces]
    if running := [job for job in jobs if not job.finished]:  # checked before the placeholder is drawn
        progress.redraw_when(lambda: any(job.finished for job in running))
    return [_of_clusters(each, job.result) if job.succeeded else None for each, job in zip(positions, jobs, strict=True)], jobs


def follow(jobs: Sequence[Job], coloring: Coloring) -> None:
    """Draws the naming's progress or a caption below the maps; called in each run."""
    progress.follow(*dict.fromkeys(jobs), wait=0, place="names", stopped="Naming was stopped, so the clusters have no names.")
    if jobs and all(job.succeeded for job in jobs):
        st.caption(_summary([job.result for job in jobs]))
    elif kind() == "groups" and coloring.codes is not None:
        st.caption("Each color's name is placed where most of its images are. Click it to select them.")
    elif kind() == "groups":
        st.caption("These colors have no names. Choose an attribute with classes under Color by, or Clusters under Names.")


def _summary(found: Sequence[Named]) -> str:
    if not any(name.name for each in found for depth in each.names.depths for name in depth):
        return "No word distinguishes these clusters. Try words of your own under Names."
    source = "from the attributes and file names" if all(each.names.source == "attributes" for each in found) else "as the encoder sees them: guesses"
    return f"Names of clusters, {source}. Zoom in for finer ones, click one to select its images. Clusters without a fitting word have no name."


def _job(space: Space, words: tuple[str, ...]) -> Job:
    def work(job: Job) -> Named:
        from likeness.clusters import name_clusters

        job.stage = Stage("Finding clusters", 0, 0)
        clusters = _clusters(space.key, space)
        job.stage = Stage("Reading the words", 0, 0)

        def report(done: int, total: int, stage: str = "") -> None:
            job.stage = None
            job.report_or_stop(done, total)

        return Named(clusters, name_clusters(space, clusters, words or None, progress=report))

    # of a space that reads no text the names come from the table, which differs between datasets of equal vectors, and when people label
    said = cached.content_of_table(space.table.frame) if space.embed_texts is None else ""
    return jobs().run(KIND, (space.key, words, said), "Names of clusters", work, unit="words", max_finished=_KEPT)


@st.cache_resource(max_entries=_KEPT, show_spinner=False)
def _clusters(key: str, _space: Space) -> "Clusters":
    from likeness.clusters import cluster

    return cluster(_space)


@cache_by_identity
def _of_clusters(positions: NDArray[np.float32], named: Named) -> MapNames:
    from likeness.clusters import cluster_table

    return MapNames(cluster_table(named.clusters, named.names, positions), named.clusters.labels)


@cache_by_identity
def _of_groups(positions: NDArray[np.float32], coloring: Coloring) -> MapNames | None:
    from likeness.clusters import group_table

    return None if coloring.codes is None else MapNames(group_table(coloring.codes, coloring.names, positions))
