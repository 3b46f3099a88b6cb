"""Page What changed: images that moved, better or worse searches, another version of the images, and where a model fails."""

import numpy as np
import streamlit as st

from likeness.comparisons import NeighborhoodChanges, neighborhood_changes
from likeness.space import Space
from pages.what_changed import PAGE, model_errors, query_changes, version_changes
from pages.what_changed.changed_neighbors import TILE, K, show_neighbors
from parts import progress, selection
from parts.app_page import show_missing
from parts.gallery import Section, gallery
from parts.neighbors import compared_by
from parts.on_request import WorkRequest, jobs_on_request
from parts.plain import plain
from parts.sidebar import readable
from parts.view import current_view

_LISTED, _KEPT = 24, 16  # images, comparisons in memory
_NEED_TWO = "In the sidebar, choose two different spaces for the left and the right map, such as the raw encoder and a notion."


def main() -> None:
    view = current_view()
    PAGE.show_head()
    names = ["Images that moved", "Searches", "Another version", "Errors of a model"]
    chosen = st.segmented_control("Show", names, default=names[0], required=True, key="changes", label_visibility="collapsed", bind="query-params")
    is_search = chosen == names[1]
    labels = query_changes.labels_of(view) if is_search else []
    if chosen == names[2]:
        version_changes.show(view)
    elif chosen == names[3]:
        model_errors.show(view)
    elif is_search and not labels:
        words = "These images have no labels that say which results are right. Label or tag some images first."
        show_missing(words, "label", "Label images", "label")
    elif view.b is None or view.b.key == view.a.key:
        st.info(_NEED_TWO + ("" if is_search else " No labels are needed."), icon=":material/info:")
    elif len(view.a) <= K:
        st.info(f"This view needs more than {K} images, and there are {len(view.a)}. Add some under Images.", icon=":material/info:")
    elif is_search:
        query_changes.show(view, view.b, labels)
    else:
        _show_moved(view.a, view.b)


def _show_moved(a: Space, b: Space) -> None:
    help = f"**Which images have other neighbors?** Counts how many of each image's {K} nearest images on the left map are also nearest on the right."
    title, options = f"Neighbors in {readable(a.name)} and {readable(b.name)}", {"unit": "searches", "max_finished": _KEPT}
    request = WorkRequest(
        "neighborhood changes", (a.key, b.key, K), title, lambda job: neighborhood_changes(a, b, K, progress=job.report_or_stop), options
    )
    begun = jobs_on_request("Compare neighbors", help, request)
    if begun and progress.follow(*begun):
        st.fragment(_draw_moved)(begun[0].result, a, b)


def _draw_moved(found: NeighborhoodChanges, a: Space, b: Space) -> None:
    view = current_view()
    st.markdown(_sentence(found, a, b))
    order = found.most_moved()
    listed = order[np.isin(found.rows[order], view.rows)][:_LISTED]
    if not len(listed):
        st.info("No image matches the filters.", icon=":material/info:")
        return
    rows, kept = found.rows[listed], np.round(found.kept[listed] * K).astype(int)
    captions = [f"keeps {share} of {K}" for share in kept]
    gallery(
        [Section("Moved most", rows.tolist(), captions=captions, ranked=True, note="Click an image to see its neighbors on both maps.")],
        thumbnails=view.thumbnails, key="changes_moved", query=view.query, tile=TILE, on_click=selection.ask,
    )  # fmt: skip
    show_neighbors(view, b, rows, compared_by(view, b))


def _sentence(found: NeighborhoodChanges, a: Space, b: Space) -> str:
    """How many neighbors stay, and how many would by chance, in Markdown."""
    first, second = plain(readable(a.name)), plain(readable(b.name))
    dim = min(a.vectors.shape[1], b.vectors.shape[1])
    wide = second if b.vectors.shape[1] > a.vectors.shape[1] else first
    seeds, beyond = found.noise.shape[1], found.beyond_noise.mean()
    by_chance = 1 / (seeds + 1)
    verdict = "The two spaces really differ" if beyond > by_chance else "Having fewer dimensions is enough to explain the difference"
    lines = [
        f"On average, **{found.kept.mean() * K:.1f} of the {K}** nearest images in **{first}** are also among the {K} nearest in **{second}**.",
        f"For comparison: a random projection of {wide} to {dim} dimensions keeps {found.noise.mean() * K:.1f}, "
        f"and two unrelated spaces share {found.expected * K:.1f}.",
        f"{verdict}: {beyond:.0%} of the images keep fewer than in any of {seeds} random projections, and {by_chance:.0%} would by chance.",
    ]
    if len(found.rows) < found.images:
        lines.append(f"Measured on {len(found.rows):,} of {found.images:,} images, drawn at random.")
    return " ".join([*lines, *([found.message] if found.message else [])])


main()
