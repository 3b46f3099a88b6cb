"""Where a model fails: slices of the images in which its errors concentrate."""

from collections.abc import Hashable

import streamlit as st

from likeness.data import PHOTO_COLUMNS
from likeness.io import csv_bytes
from likeness.reports import error_captions
from likeness.slices import Slices, find_slices
from pages.what_changed.changed_neighbors import TILE
from parts import cached, progress, report_download, selection
from parts.app_page import show_missing
from parts.errors import show_errors
from parts.gallery import Section, gallery
from parts.on_request import WorkRequest, jobs_on_request
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View, current_view

_SHOWN, _SLICES, _KEPT = 12, 10, 16  # pictures of a slice, slices, results in memory
_FIELDS = {
    "predicted": ("Predictions or errors", "What the model said; or, without true labels, its error or loss as a number."),
    "actual": ("True labels", "An image is an error if its prediction differs from its true label."),
    "second": ("Second model", "Finds where the first model is worse than this one. Without true labels: where their labels differ."),
}
_MISSING = (
    "These images have no column with a model's predictions. Add them as a table that has one, such as a CSV file with the columns path, "
    "predicted and label."
)


def show(view: View) -> None:
    """Draws the view: the columns, and the slices once they are asked for."""
    names = [name for name in view.base.table.attributes if name not in PHOTO_COLUMNS]
    if not names:
        show_missing(_MISSING)
        return
    if cached.is_state(view.entry.id):
        st.info("These images are still being embedded; look for slices when that is done.", icon=":material/info:")
        return
    chosen: dict[str, str | None] = {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for field, (title, help) in _FIELDS.items():
            chosen[field] = st.selectbox(
                title, names, index=None, format_func=readable, key=f"slices_{field}", bind="query-params", width=240, help=help,
                placeholder="Choose a column" if field == "predicted" else "None",
            )  # fmt: skip
    predicted, actual, second = chosen.values()
    if predicted is None:
        st.info("Choose the column with the model's predictions or errors to see where it fails.", icon=":material/info:")
        return
    if len(set(filter(None, chosen.values()))) < sum(each is not None for each in chosen.values()):
        st.warning("Choose each column once.", icon=":material/warning:")
        return
    help = (
        "**Where does the model fail?** Compares errors in clusters, in what words say of the images, in attributes and in pairs of these with the "
        "other images, and says so if there is no such place."
    )
    key = (view.base.key, predicted, actual, second, cached.content_of_table(view.base.table.frame))
    request = WorkRequest(
        "slices", key, f"Errors of {readable(predicted)}", lambda job: find_slices(view.base, predicted, actual, second), {"max_finished": _KEPT}
    )
    with show_errors():
        begun = jobs_on_request("Find slices", help, request)
        if begun and progress.follow(*begun):
            st.fragment(_draw)(begun[0].result, key, (predicted, actual, second))


def _draw(found: Slices, key: Hashable, columns: tuple[str, str | None, str | None]) -> None:
    view, (predicted, actual, _) = current_view(), columns
    st.markdown(f"**{plain(found.answer)}**")
    if not found.sentences:
        return
    for place, (sentence, rows) in enumerate(zip(found.sentences[:_SLICES], found.rows, strict=False)):
        with st.container(border=True):
            shown, name = view.visible(rows)[:_SHOWN], str(found.table["name"][place])
            note = f"{sentence} Largest errors first{', as prediction → true label' if actual else ''}."
            captions = error_captions(view.base.table.frame.iloc[shown], predicted, actual)
            section = Section(readable(name), shown.tolist(), captions=captions, note=note)
            gallery([section], thumbnails=view.thumbnails, key=f"slice_{place}", tile=TILE, on_click=selection.ask, query=view.query)
            with st.container(horizontal=True, vertical_alignment="center"):
                label = f"Select these {len(rows):,}"
                st.button(label, icon=":material/select_all:", key=f"slice_select_{place}", on_click=selection.select, args=(rows,))
                st.page_link("pages/explore/page.py", label="See the selected images on the map", icon=":material/scatter_plot:")
    if len(found.sentences) > _SLICES:
        st.caption(f"{len(found.sentences) - _SLICES:,} more slices are in the table.")
    csv = csv_bytes(found.table)
    st.download_button("Download as CSV", csv, "slices.csv", "text/csv", icon=":material/download:", on_click="ignore", key="slices_csv")
    report_download.offer_slices(view, found, key, columns)
