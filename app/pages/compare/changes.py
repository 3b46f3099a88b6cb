"""What changed from space A to space B: images that moved, searches that got better or worse, and what another version of the images has."""

import numpy as np
import streamlit as st

from background import Job, run_in_background
from components.gallery import Section, gallery
from likeness.comparisons import NeighborhoodChanges, neighborhood_changes
from likeness.space import Space
from pages.compare import query_changes, version_changes
from pages.compare.changed_neighbors import TILE, K, neighbors_of, to_explore
from shared import progress, selection
from shared.neighbors import compared_by
from shared.plain import plain
from shared.sidebar import readable
from shared.view import View, current_view

_LISTED = 24
_KEPT = 16  # comparisons in memory
_NEED_TWO = "Choose a space B in the sidebar that is another one than space A: the encoder, a notion or a trained run."
MOVED, QUERIES, VERSIONS = "Images that moved", "Searches", "Another version"


def show(view: View) -> None:
    """Draws the view."""
    st.caption("Which images have other neighbors in space B than in space A, which searches got better or worse, and what a new version changed.")
    names = [MOVED, QUERIES, VERSIONS]
    chosen = st.segmented_control("Show", names, default=MOVED, required=True, key="changes", label_visibility="collapsed", bind="query-params")
    if chosen == VERSIONS:
        version_changes.show(view)
    elif view.b is None or view.b.key == view.a.key:
        st.info(_NEED_TWO, icon=":material/info:")
    elif len(view.a) <= K:
        st.info(f"There are {len(view.a)} images; add some, so that each has more than {K} neighbors.", icon=":material/info:")
    elif chosen == QUERIES:
        query_changes.show(view, view.b)
    else:
        _show_moved(view, view.b)


def _show_moved(view: View, b: Space) -> None:
    job = _neighborhoods(view.a, b)
    if progress.follow(job):
        st.fragment(_draw_moved)(job.result, view.a, b)


def _neighborhoods(a: Space, b: Space) -> Job:
    def work(job: Job) -> NeighborhoodChanges:
        return neighborhood_changes(a, b, K, progress=job.report_or_stop)

    title = f"Neighbors in {readable(a.name)} and {readable(b.name)}"
    return run_in_background("neighborhood changes", (a.key, b.key, K), title, work, unit="searches", kept=_KEPT)


def _draw_moved(found: NeighborhoodChanges, a: Space, b: Space) -> None:
    view = current_view()
    st.markdown(_sentence(found, a, b))
    order = found.most_moved()
    shown = order if view.hidden is None else order[~view.hidden[found.rows[order]]]
    if not len(shown):
        st.info("No image matches the filters.", icon=":material/info:")
        return
    listed = shown[:_LISTED]
    rows, kept = found.rows[listed], np.round(found.kept[listed] * K).astype(int)
    captions = [f"{share} of {K} stay" for share in kept]
    gallery(
        [Section("Moved most", rows.tolist(), captions=captions, ranked=True, note="Click an image to see its neighbors in both spaces.")],
        thumbnails=view.thumbnails, key="changes_moved", query=view.query, tile=TILE, on_click=selection.ask,
    )  # fmt: skip
    neighbors_of(view, b, int(rows[0]), compared_by(view, b))
    to_explore(rows)


def _sentence(found: NeighborhoodChanges, a: Space, b: Space) -> str:
    """What changed in the whole, beside what is noise, in Markdown."""
    first, second = plain(readable(a.name)), plain(readable(b.name))
    dim = min(a.vectors.shape[1], b.vectors.shape[1])
    wide = second if b.vectors.shape[1] > a.vectors.shape[1] else first
    noise, seeds = found.noise.mean(), found.noise.shape[1]
    beyond = found.beyond_noise.mean()
    sample = f" Looked at: {len(found.rows):,} images drawn at random from {found.images:,}." if len(found.rows) < found.images else ""
    by_chance = 1 / (seeds + 1)
    verdict = "the two spaces differ by more than that" if beyond > by_chance else "no more than the loss of dimensions explains"
    return (
        f"Of its {K} nearest images in **{first}**, an image keeps **{found.kept.mean() * K:.1f}** in **{second}** on average. "
        f"A random projection of {wide} to {dim} dimensions keeps {noise * K:.1f}, spaces without anything in common {found.expected * K:.1f}: "
        f"{verdict}. {beyond:.0%} of the images keep fewer than in each of {seeds} such projections; by chance at most {by_chance:.0%} would.{sample}"
        + (f" {found.message}" if found.message else "")
    )
