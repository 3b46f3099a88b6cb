"""The values that spread, kept as an attribute of their own: what a person said stays apart from what followed."""

import numpy as np
import pandas as pd
import streamlit as st

from likeness.io import csv_bytes
from likeness.spreading import LabelSpread
from likeness.tagging import NewColumn
from pages.label.spread import SpreadRequest
from shared.label_edits import try_edit
from shared.plain import plain
from shared.view import View

_SPREAD = "{} (spread)"


def show(view: View, request: SpreadRequest, found: LabelSpread) -> None:
    """Draws how many images are how sure, and the button that keeps them."""
    at_least = st.slider("At least so probable", 0.0, 1.0, 0.9, 0.01, key="label_threshold", format="percent", width=420)
    more = (found.given < 0) & (found.confidence >= at_least)
    kept = (found.given >= 0) | more
    name = _SPREAD.format(request.name)
    sentence = f"**{kept.sum():,}** of {len(found):,} images: {(found.given >= 0).sum():,} that people labeled and {more.sum():,} more"
    st.markdown(sentence + (f", of which some {1 - found.confidence[more].mean():.0%} are expected to be wrong." if more.any() else "."))
    counts = _counts(found, kept)
    most = int(counts["images"].max()) or 1
    bars = {"images": st.column_config.ProgressColumn("Images", format="localized", min_value=0, max_value=most)}
    st.dataframe(counts, column_config=bars, hide_index=True, height="auto" if len(counts) <= 10 else 400, width=420)
    with st.container(horizontal=True):
        st.button(
            plain(f"Keep them as “{name}”"),
            key="label_keep",
            type="primary",
            icon=":material/label:",
            on_click=_keep,
            args=(view, found, kept, name),
            help="A further attribute, which colors, filters and judges like any other; what people labeled stays as it is.",
        )
        st.download_button("Download CSV", lambda: _csv(found), "labels.csv", "text/csv", icon=":material/download:", on_click="ignore")


def _counts(found: LabelSpread, kept: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame({"Value": [str(name) for name in found.classes], "images": np.bincount(found.numbers[kept], minlength=len(found.classes))})


def _csv(found: LabelSpread) -> bytes:
    return csv_bytes(found.table())


def _keep(view: View, found: LabelSpread, kept: np.ndarray, name: str) -> None:
    paths = [str(path) for path in view.base.table.frame["path"]]
    values = [str(label) if keep else "" for label, keep in zip(found.labels, kept, strict=True)]
    new = NewColumn(name, "attribute", values)
    edit = try_edit(view, lambda store, who: store.set_columns(paths, [new], who, "spread"))
    if edit is None:
        return
    st.session_state["next_color"] = name
    st.toast(f"{edit.images:,} images have it now; Explore is colored by it." if edit.id else "They have it already.", icon=":material/label:")
