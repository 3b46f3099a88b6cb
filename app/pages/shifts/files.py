"""Files of splits on the page Shifts: those that ship, those that people keep, and those that they open or download."""

import json
import re
from pathlib import Path

import streamlit as st

from access import check_may, redact, refusal
from likeness.errors import InputError
from likeness.io import decoded, parse_json
from likeness.shifts import SplitFile, list_splits, read_splits, shipped_splits, splits_from, write_splits
from quotas import check_count
from shared.plain import plain
from visitors import splits_dir

BUILT, OPENED = "built", "opened"
_SHIPPED, _KEPT = "shipped:", "kept:"
_LONGEST = 100


def choices() -> dict[str, str]:
    """What splits can be looked at -> what people call it."""
    kept = {f"{_KEPT}{name}": f"{name} (yours)" for name in _kept()}
    shipped = {f"{_SHIPPED}{name}": f"{name} (shipped)" for name in shipped_splits()}
    return {BUILT: "Built from this space"} | kept | shipped | {OPENED: "From a file"}


def read(choice: str) -> SplitFile | None:
    """The splits of a choice but BUILT; None while no file was opened.

    Raises:
        InputError: a file that does not fit.
    """
    if choice == OPENED:
        return _opened()
    name = choice.removeprefix(_SHIPPED).removeprefix(_KEPT)
    return read_splits(name if choice.startswith(_SHIPPED) else _kept()[name])


def _opened() -> SplitFile | None:
    reason = refusal("edit")
    help = reason or "As `likeness splits build` writes it, or the download below."
    given = st.file_uploader("A file of splits", "json", key="shift_file", help=help, disabled=bool(reason))
    if given is not None:
        st.session_state["shift_opened"] = (given.name, given.getvalue())
    if "shift_opened" not in st.session_state:
        return None
    name, content = st.session_state["shift_opened"]
    if given is None:
        st.caption(f"Opened: {plain(name)}")
    return splits_from(parse_json(decoded(content, f"'{name}'"), f"'{name}'"), f"'{name}'")


def save(splits: SplitFile) -> None:
    """The row that downloads splits, or keeps them on this server."""
    most = len(splits.splits)
    if most < 2:
        st.caption("There is a single split, so there is nothing to choose.")
        return
    st.session_state["shift_count"] = min(max(st.session_state.get("shift_count", 4), 2), most)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        count = st.number_input(
            "Splits to take",
            2,
            most,
            key="shift_count",
            width=130,
            persist_state="session",
            help="How many splits to choose. Their distances cover the range evenly, and the start is always among them.",
        )
        chosen = splits.evenly(int(count))
        name = st.text_input("Name", _suggested(splits), key=f"shift_name_{_suggested(splits)}", width=260)
        content = (json.dumps(chosen.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n").encode()
        wrong = _wrong(name)
        st.download_button(
            "Download",
            content,
            f"{name if not wrong else 'splits'}.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
            key="shift_download",
        )
        reason = refusal("edit")
        st.button(
            "Keep it here",
            icon=":material/bookmark_add:",
            key="shift_keep",
            disabled=bool(wrong or reason),
            help=reason or None,
            on_click=_keep,
            args=(name, chosen),
        )
    message = ", ".join(f"{plain(split.name)} ({split.distance:.3g})" for split in chosen)
    st.caption(plain(wrong) or f"{message}. Kept splits appear under Splits above, and in benchmarks.")


def _keep(name: str, splits: SplitFile) -> None:
    try:
        check_may("edit")
        check_count(splits_dir(), "splits")
        write_splits(splits_dir() / f"{name}.json", splits)
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")
    except OSError as error:
        message = f"The splits could not be kept ({error.strerror or redact(error)}); make room, or download them."
        st.toast(plain(message), icon=":material/error:", duration="long")
    else:
        st.toast(f"Kept as {plain(name)}", icon=":material/check:")


def _wrong(name: str) -> str:
    if not name.strip() or any(sign in name for sign in "/\\\0:") or name.startswith(".") or len(name.encode()) > _LONGEST:
        return f"Give the splits a name without slashes and colons, without a dot at its beginning and below {_LONGEST} letters: it becomes a file."
    return f"You keep splits called {name} already; choose another name." if name in _kept() else ""


def _suggested(splits: SplitFile) -> str:
    attributes = [splits.attribute] if isinstance(splits.attribute, str) else list(splits.attribute)
    stem = re.sub(r"[^a-z0-9]+", "-", " ".join([splits.dataset, *attributes]).lower()).strip("-")[: _LONGEST - 10]
    return next(name for name in (stem, *(f"{stem}-{number}" for number in range(2, 10_000))) if name not in _kept())


def _kept() -> dict[str, Path]:
    return list_splits(splits_dir())
