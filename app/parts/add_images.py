"""Adding images: checks a source, embeds it in the background and reports the result, on the page Images and beside other images' maps."""

import streamlit as st

from likeness.data import DatasetEntry, absolute_source, list_datasets, missing_archive, named_dataset, new_entry, read_dataset
from likeness.defaults import PHOTOS_ENCODER
from likeness.errors import InputError
from parts import cached, errors, growing, interrupted, progress
from parts.downloads import check_encoder, fetch_encoder, fetch_images
from parts.errors import toast_errors
from parts.plain import plain, prose
from server.access import check_may, owner_of, redact, refusal, resolve_encoder, resolve_entry, resolve_source, shared_name
from server.jobs import Job, jobs
from server.settings import server
from server.visitors import visitor
from state import Item

_MOST_AT_ONCE = 2  # datasets that one visitor of a shared server has embedded at a time
_ids = Item[list[str]](make=list, key="added_ids")  # of datasets that this session has added, in order
failed_uploads = Item[dict[str, list[object]]](make=dict, key="added_failed")  # files that could not be read, by dataset
_problem = Item("", key="added_problem")  # why the folder of the form cannot be added
_count = Item(0, key="added_count")  # folders that the form has added; each has a field of its own, so that it is empty again


def button() -> None:
    """Draws a form for a folder, which the shipped photo encoder embeds in the background; nothing if the visitor may not add images."""
    if refusal("edit"):
        return
    if server().shared and not server().roots:
        st.page_link("pages/images/page.py", label="Add your images", icon=":material/add_photo_alternate:")
        return
    with st.popover("Add your images", icon=":material/add_photo_alternate:", key="add_images"):
        field = f"add_folder_{_count.get()}"
        name = "Folder on this server" if server().shared else "Folder on this computer"
        st.text_input(name, key=field, placeholder=f"{min(server().roots, default='photos')}/birds", on_change=_add, args=(field,))
        if _problem.get():
            st.error(_problem.get(), icon=":material/error:")
        st.button("Add these images", key="add_begin", type="primary", on_click=_add, args=(field,))
        st.caption("You can keep exploring while they are added.")
        st.page_link("pages/images/page.py", label="Uploads, tables and other encoders", icon=":material/tune:")


def _add(field: str) -> None:
    source = str(st.session_state.get(field) or "").strip()
    _problem.set("" if source else "Enter the path of a folder.")
    if not source:
        return
    try:
        check_and_begin(source, PHOTOS_ENCODER)
    except InputError as error:
        _problem.set(prose(redact(error)))
        return
    _count.set(_count.get() + 1)


def check_and_begin(source: str, encoder: str, column: str | None = None, gps: bool = False) -> Job:
    """Starts embedding the images of a source that the visitor entered.

    Raises:
        InputError: the images cannot be read, or the visitor may not add images.
    """
    check_may("edit")
    resolved = resolve_source(source)
    if missing_archive(resolved):
        name, total = named_dataset(resolved).title, 0
    else:
        table = read_dataset(resolved, path_column=column, gps=gps)
        name, total = table.name, len(table)
    shown = shared_name(absolute_source(resolved))
    return begin(new_entry(name, shown, encoder, column, owner_of(shown), gps), total)


def check_load() -> None:
    """Raises InputError if a visitor of a shared server has too many embeddings running."""
    if server().shared and sum(not job.finished for job in own_jobs()) >= _MOST_AT_ONCE:
        raise InputError(f"{_MOST_AT_ONCE} of your datasets are being embedded. Wait for one to finish, or stop it.")


def begin(entry: DatasetEntry, total: int) -> Job:
    """Starts embedding in the background; the dataset is listed as soon as its first images can be shown.

    Raises:
        InputError: the visitor may not add images or download the encoder, or has too many embeddings running.
    """
    check_may("edit")
    check_encoder(entry.encoder)
    check_load()
    source, encoder = resolve_entry(entry), resolve_encoder(entry.encoder)

    def prepare(job: Job) -> None:
        fetch_images(source, job)
        fetch_encoder(encoder, job)

    job = growing.begin(entry, total, prepare)
    _ids.get().append(entry.id)
    progress.notify_when_done(job)
    return job


def own_jobs() -> list[Job]:
    """All jobs of this server; on a shared server, only those of this session."""
    return [job for job in jobs().all(growing.KIND) if not server().shared or job.key in _ids.get()]


def show_jobs(dataset: str = "") -> None:
    """Draws embedding jobs with links to their first images, how jobs ended, and embeddings that a server stop interrupted.

    Args:
        dataset: the page's dataset: leaves out its own jobs, and those of other sessions.
    """
    shown = [job for job in own_jobs() if not dataset or (job.key in _ids.get() and job.key != dataset)]
    running = [job for job in shown if not job.finished]
    found = [len(job.found) for job in running]

    def has_changed() -> bool:
        return any(job.finished for job in running) or [len(job.found) for job in running] != found

    progress.poll(bool(running), has_changed, (lambda: progress.bars(running)) if running else None)
    for job in running:
        if job.found:
            explore_link(str(job.key), f"Explore the first {len(cached.base(job.found[-1])):,} of {plain(job.title)}")
    for job in shown:
        if job not in running:
            _report(job)
    for entry in [] if dataset else interrupted.entries(visitor()):
        _report_interrupted(entry)


def explore_link(id: str, label: str) -> None:
    """A link to the map of a dataset, not a button: Streamlit can't change a bound parameter and the page in one go."""
    st.page_link("pages/explore/page.py", label=label, icon=":material/scatter_plot:", query_params={"open": id})


def _report_interrupted(entry: DatasetEntry) -> None:
    message = f"{plain(entry.name)}: the app was closed while these images were being embedded. What is done is kept."
    st.info(message, icon=":material/pause:")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Resume", icon=":material/replay:", key=f"go_on_{entry.id}", on_click=begin_or_toast, args=(entry,))
        st.button("Dismiss", key=f"dismiss_{entry.id}", on_click=interrupted.forget, args=(entry.id,))


def _report(job: Job) -> None:
    progress.cancel_notification(job)
    if job.error:
        if errors.is_new(redact(job.error)):
            st.error(prose(redact(job.error)), icon=":material/error:")
    elif job.stopped:
        message = f"{plain(job.title)}: stopped after {job.done:,} of {job.total:,} images. What is done is kept."
        st.info(message, icon=":material/pause:")
    else:
        _report_success(job)
    with st.container(horizontal=True, vertical_alignment="center"):
        if job.error or job.stopped:
            label = "Try again" if job.error else "Resume"
            st.button(label, icon=":material/replay:", key=f"again_{job.id}", on_click=_again, args=(job,))
        else:
            explore_link(str(job.key), "Explore them")
        st.button("Dismiss", key=f"dismiss_{job.key}", on_click=jobs().forget, args=(job,))


def _report_success(job: Job) -> None:
    failed = [*failed_uploads.get().get(str(job.key), ()), *job.result.table.failed]
    st.success(f"{plain(job.title)}: {len(job.result.table):,} images are ready.", icon=":material/check:")
    for entry in list_datasets(visitor()):
        if entry.id == job.key and entry.warning:
            st.warning(prose(redact(entry.warning)), icon=":material/visibility_off:")
    for note in job.result.table.notes:
        st.info(prose(redact(note)), icon=":material/info:")
    if failed:
        with st.expander(f"{len(failed)} could not be read and were left out"):
            st.dataframe([{"file": redact(str(failure.path)), "reason": redact(failure.reason)} for failure in failed], hide_index=True)


@toast_errors()
def begin_or_toast(entry: DatasetEntry) -> None:
    """`begin` for callbacks; a toast shows why it fails."""
    check_may("edit")
    resolve_source(entry.source)  # reports missing permission to download
    begin(entry, 0)


@toast_errors()
def _again(job: Job) -> None:
    check_may("edit")
    progress.notify_when_done(jobs().again(job))
