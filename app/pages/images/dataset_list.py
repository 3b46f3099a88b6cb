"""The list of datasets: what each is, the way to its map, another name, and its removal after a question."""

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
    """Draws the list."""
    st.subheader("Datasets")
    for entry in list_datasets(visitor()):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(entry.name)}**  \n:small[:gray[{_facts(entry)}]]", width="stretch")
            add_images.explore_link(entry.id, "Explore")
            if _is_own(entry) and not refusal("edit"):
                with st.popover("Rename", icon=":material/edit:"):
                    field = f"name_{entry.id}"
                    st.text_input("Name", value=entry.name, key=field, help="Shown in all menus; links to these images stay as they are.")
                    st.button("Save the name", type="primary", key=f"rename_{entry.id}", on_click=_rename, args=(entry.id, field))
                with st.popover("Remove", icon=":material/delete:"):
                    st.markdown(f"Remove **{plain(entry.name)}**? {_consequence()}")
                    st.button("Remove", type="primary", key=f"remove_{entry.id}", on_click=_remove, args=(entry.id,))


def end(embeddings: Sequence[Job]) -> None:
    """Stops them, and waits until they write no more; what one that takes longer leaves is cleared away later."""
    for job in embeddings:
        job.stop()
    for job in embeddings:
        job.wait(_LONGEST_END)


def _facts(entry: DatasetEntry) -> str:
    """Where the images lie, how many there are, and their encoder."""
    uploaded = entry.source.partition("/")[0] == UPLOADS or entry.source.startswith(f"{own_dir() / UPLOADS}/")
    place = "shipped" if entry == SHIPPED_CARS else "uploaded" if uploaded else redact(entry.source)
    count = len(cached.table(entry.id)) if entry == SHIPPED_CARS else entry.count
    images = [f"{count:,} images"] if count else []
    return " · ".join([plain(place), *images, f"encoder {plain(redact(entry.encoder))}"])


def _is_own(entry: DatasetEntry) -> bool:
    """Whether the visitor may rename and remove it: what ships belongs to nobody, and on a shared server visitors have their own."""
    return entry.id != SHIPPED_CARS.id and (not server().shared or entry.owner == visitor())


def _consequence() -> str:
    if server().shared:
        return "Its pictures and embeddings are deleted from this server, and links to it stop working."
    return "It leaves this list, and links to it stop working. The images stay where they are; add them again to bring it back."


def _check_own(id: str) -> None:
    check_may("edit")
    if not _is_own(find_dataset(id)):
        raise InputError("This dataset belongs to someone else; ask whoever runs this server to change it.")


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
