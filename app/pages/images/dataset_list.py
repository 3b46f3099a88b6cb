"""The list of datasets, with links to their maps, rename and remove."""

from collections.abc import Sequence

import streamlit as st

from likeness.data import SHIPPED_CARS, DatasetEntry, find_dataset, list_datasets, remove_dataset, rename_dataset
from likeness.errors import InputError
from parts import add_images, cached, growing, interrupted
from parts.errors import toast_errors
from parts.plain import plain
from server.access import check_may, redact, refusal
from server.jobs import Job, jobs
from server.settings import UPLOADS, server
from server.visitor_data import remove_upload
from server.visitors import own_dir, shown_name, visitor
from state import state

_LONGEST_END = 10.0  # seconds


def show() -> None:
    st.subheader("Datasets")
    for entry in list_datasets(visitor()):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(entry.name)}**  \n:small[:gray[{_facts(entry)}]]", width="stretch")
            add_images.explore_link(entry.id, "Explore")
            if _is_own(entry) and not refusal("edit"):
                with st.popover("Rename", icon=":material/edit:"):
                    field = f"name_{entry.id}"
                    st.text_input("Name", value=entry.name, key=field, help="Shown in all menus. Links to these images stay valid.")
                    st.button("Save the name", type="primary", key=f"rename_{entry.id}", on_click=_rename, args=(entry.id, field))
                with st.popover("Remove", icon=":material/delete:"):
                    st.markdown(f"Remove **{plain(entry.name)}**? {_consequence()}")
                    st.button("Remove", type="primary", key=f"remove_{entry.id}", on_click=_remove, args=(entry.id,))


def end(embeddings: Sequence[Job]) -> None:
    """Stops a dataset's jobs, and waits until they stop writing; what slower ones leave is cleaned up later."""
    for job in embeddings:
        job.stop()
    for job in embeddings:
        job.wait(_LONGEST_END)


def _facts(entry: DatasetEntry) -> str:
    """Folder, number of images and encoder."""
    uploaded = entry.source.partition("/")[0] == UPLOADS or entry.source.startswith(f"{own_dir() / UPLOADS}/")
    place = "shipped" if entry == SHIPPED_CARS else "uploaded" if uploaded else redact(entry.source)
    count = len(cached.table(entry.id)) if entry == SHIPPED_CARS else entry.count
    images = [f"{count:,} images"] if count else []
    return " · ".join([plain(place), *images, f"encoder {plain(redact(entry.encoder))}"])


def _is_own(entry: DatasetEntry) -> bool:
    """Whether the visitor may rename and remove it; nobody may for shipped datasets."""
    return entry.id != SHIPPED_CARS.id and (not server().shared or entry.owner == visitor())


def _consequence() -> str:
    if server().shared:
        return "This deletes its pictures and embeddings from this server. Links to it stop working."
    return "Removes it from this list. Links to it stop working. The image files are kept; add them again to restore it."


def _check_own(id: str) -> None:
    check_may("edit")
    if not _is_own(find_dataset(id)):
        raise InputError("This dataset belongs to someone else. Ask the server's administrator to change it.")


@toast_errors("The name could not be saved")
def _rename(id: str, field: str) -> None:
    _check_own(id)
    rename_dataset(id, st.session_state[field])
    cached.forget(id)


@toast_errors("It could not be removed")
def _remove(id: str) -> None:
    _check_own(id)
    ended = [job for job in jobs().all(growing.KIND) if job.key == id]
    end(ended)
    if server().shared:
        remove_upload(find_dataset(id), shown_name())
        cached.forget_removed()
    else:
        remove_dataset(id)
    for job in ended:
        jobs().forget(job)  # nothing is left that could go on
    interrupted.forget(id)
    if state.dataset == id:
        state.dataset = SHIPPED_CARS.id
