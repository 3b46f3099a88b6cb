"""Your images: a folder, a table or an upload, embedded in the background with an encoder of choice."""

from collections.abc import Callable

import streamlit as st

from access import (
    check_may,
    owner_of,
    path_text,
    redact,
    refusal,
    resolve_encoder,
    resolve_entry,
    resolve_source,
    shared_name,
    upload_limits,
)
from audit import record
from background import Job, Stage, Stopped, jobs
from likeness.data import (
    DatasetEntry,
    absolute_source,
    list_datasets,
    missing_archive,
    named_dataset,
    new_entry,
    read_dataset,
    recognized,
    save_uploads,
    source_help,
)
from likeness.defaults import PHOTOS_ENCODER
from likeness.errors import InputError
from likeness.io import size_text
from pages.your_images import PAGE, dataset_list
from pages.your_images.encoder_choice import choose_encoder, forget_failed, show_downloads
from server_settings import server
from shared import cached, growing, interrupted, permissions, problems, progress, sidebar
from shared.downloads import check_encoder, fetch_encoder
from shared.plain import plain
from visitor_data import remove_visitor
from visitors import own_dir, own_uploads_dir, shown_name, visitor

_FORMATS = (
    "Photos (JPEG, PNG, HEIC, WebP, AVIF, TIFF and more), previews in raw files, a frame for each second of a video and each page of a PDF are read. "
    "Dates and cameras become attributes."
)
_MOST_AT_ONCE = 2  # datasets that one visitor of a shared server has embedded at a time


def main() -> None:
    """Draws the page."""
    if refusal("edit"):
        PAGE.show_head()
        permissions.refused("edit")
    elif server().shared and not server().roots:
        PAGE.show_head("Uploads are kept on this server. Only you and people you share a link with can open them.")
        _upload()
    else:
        private = " Only you and people you share a link with can open your uploads." if server().shared else ""
        PAGE.show_head(f"Images stay where they are; only their embeddings are stored, and nothing is computed twice.{private}")
        _tabs()
    show_downloads()
    _jobs()
    dataset_list.show()
    if server().shared and own_dir().is_dir() and not refusal("edit"):
        _offer_to_remove_all()


def _tabs() -> None:
    folder, table, upload = st.tabs(["Folder", "Table of paths", "Upload"])
    root = min(server().roots, default="photos")
    with folder:
        source = st.text_input(
            "Folder on this server" if server().shared else "Folder on this computer",
            key="folder",
            placeholder=f"{root}/birds",
            help=_roots_help()
            + f"Searched with all its subfolders; where they tell images apart, they become classes. {_FORMATS} Also: {source_help()}",
        )
        _hint(source.strip())
        gps = st.checkbox(
            "Also read where photos were taken",
            key="gps",
            help="Latitude and longitude, from the data that cameras and phones write into photos. They are then shown like every other attribute.",
        )
        _begin_button(source, None, "folder", gps)
        _offer_examples(_begin_examples)
    with table:
        source = st.text_input(
            "CSV or Parquet file",
            key="table",
            placeholder=f"{root}/labels.csv",
            help=_roots_help() + "One row per image: a column of paths, relative to the file, and columns of labels.",
        )
        column = st.text_input("Column of paths", key="path_column", placeholder="Found automatically if named path, file, image or filename")
        _begin_button(source, column.strip() or None, "table")
    with upload:
        _upload()


def _roots_help() -> str:
    """Where a path may begin on a shared server."""
    offered = sidebar.listed([plain(name) for name in sorted(server().roots)]).replace(" and ", " or ") if server().roots else ""
    return f"Begin with {offered}, which this server offers. " if offered else ""


def _begin_button(source: str, column: str | None, where: str, gps: bool = False) -> None:
    encoder = choose_encoder(where)
    if st.button("Embed these images", type="primary", key=f"begin_{where}", disabled=not source.strip() or not encoder):
        _check_and_begin(source.strip(), encoder, column, gps)


def _hint(folder: str) -> None:
    named = _recognized(folder) if folder else None
    if named:
        st.info(f"This is a dataset of the InDiReCT paper. Enter {plain(named)} to read it with its labels; otherwise its subfolders become classes.")


def _recognized(folder: str) -> str | None:
    """How to name the paper's dataset in a folder, if it holds one."""
    try:
        named = recognized(path_text(folder))
    except InputError:
        return None
    return shared_name(named) if named else None


def _check_and_begin(source: str, encoder: str, column: str | None, gps: bool) -> None:
    _forget_failed()
    try:
        check_may("edit")
        resolved = resolve_source(source)
        name, total = (named_dataset(resolved).title, 0) if missing_archive(resolved) else _looked_at(resolved, column, gps)
        shown = shared_name(absolute_source(resolved))
        entry = new_entry(name, shown, encoder, column, owner_of(shown), gps)
        check_encoder(encoder)
        _check_load()
    except InputError as error:
        st.error(plain(redact(error)), icon=":material/error:")
        return
    begin(entry, total)


def _looked_at(source: str, column: str | None, gps: bool) -> tuple[str, int]:
    """Name and number of images."""
    table = read_dataset(source, path_column=column, gps=gps)
    return table.name, len(table)


def _begin_examples(entry: DatasetEntry) -> None:
    if not permissions.permitted("edit"):
        return
    try:
        resolve_source(entry.source)  # whoever may not download is told so
        _check_load()
        begin(entry, 0)
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")


def _forget_failed() -> None:
    """Errors of earlier attempts, of this visitor's."""
    forget_failed(_own_jobs())


def _check_load() -> None:
    """Raises InputError where a visitor of a shared server has enough under way."""
    if server().shared and sum(not job.finished for job in _own_jobs()) >= _MOST_AT_ONCE:
        raise InputError(f"{_MOST_AT_ONCE} of your datasets are being embedded; wait for one to finish, or stop it.")


def begin(entry: DatasetEntry, total: int) -> Job:
    """Starts embedding in the background; the dataset is listed as soon as its first images can be shown.

    Raises:
        InputError: the visitor may not add images.
    """
    check_may("edit")
    source, encoder = resolve_entry(entry), resolve_encoder(entry.encoder)

    def prepare(job: Job) -> None:
        fetch_images(source, job)
        fetch_encoder(encoder, job)

    job = growing.begin(entry, total, prepare)
    st.session_state.setdefault("own_jobs", []).append(entry.id)
    progress.tell_end(job)
    return job


def _upload() -> None:
    files = st.file_uploader(
        "Images, or a ZIP of images",
        type=["jpg", "jpeg", "png", "heic", "heif", "hif", "webp", "avif", "bmp", "gif", "tif", "tiff", "zip"],
        accept_multiple_files=True,
        key=f"files_{_sent()}",
        help="JPEG, PNG, HEIC, WebP, AVIF, GIF, BMP and TIFF. Videos, PDF and raw files are read from a folder. "
        "A CSV file in the ZIP that lists its images becomes their attributes.",
    )
    name = st.text_input("Name", value="My images", key="upload_name")
    encoder = choose_encoder("upload")
    if st.button("Embed these images", type="primary", key="begin_upload", disabled=not files or not encoder):
        _forget_failed()
        try:
            check_may("edit")
            check_encoder(encoder)
            _check_load()
            table = save_uploads(((file.name, file.getvalue()) for file in files), name, own_uploads_dir(), upload_limits())
            source = shared_name(absolute_source(str(table.root)))
        except InputError as error:
            st.error(plain(redact(error)), icon=":material/error:")
            return
        record("uploaded", shown_name(), f"{len(table)} images")
        entry = new_entry(name, source, encoder, owner=owner_of(source))
        st.session_state.setdefault("left_out", {})[entry.id] = table.failed
        st.session_state["uploads_sent"] = _sent() + 1  # a new field, so that what was sent leaves the memory
        begin(entry, len(table))


def _sent() -> int:
    """How many uploads this session has sent."""
    sent: int = st.session_state.get("uploads_sent", 0)
    return sent


def _own_jobs() -> list[Job]:
    """All of this server; where others use it, those that this session began."""
    own = st.session_state.get("own_jobs", [])
    return [job for job in jobs().all(growing.KIND) if not server().shared or job.key in own]


def _jobs() -> None:
    running = [job for job in _own_jobs() if not job.finished]
    shown = [len(job.found) for job in running]

    def has_changed() -> bool:
        return any(job.finished for job in running) or [len(job.found) for job in running] != shown

    progress.poll(bool(running), has_changed, lambda: progress.bars(running))
    for job in running:
        if job.found:
            dataset_list.explore_link(str(job.key), f"Explore the first {len(cached.base(job.found[-1])):,} of {plain(job.title)}")
    for job in _own_jobs():
        if job not in running:
            _report(job)
    for entry in interrupted.entries(visitor()):
        _tell_interrupted(entry)


def _tell_interrupted(entry: DatasetEntry) -> None:
    message = f"{plain(entry.name)}: the app was ended while these images were being embedded. What is done is kept; going on continues from there."
    st.info(message, icon=":material/pause:")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Go on", icon=":material/replay:", key=f"go_on_{entry.id}", on_click=_go_on, args=(entry,))
        st.button("Dismiss", key=f"dismiss_{entry.id}", on_click=interrupted.forget, args=(entry.id,))


def _report(job: Job) -> None:
    progress.no_need_to_tell(job)
    if job.error:
        if problems.is_new(redact(job.error)):
            st.error(plain(redact(job.error)), icon=":material/error:")
    elif job.stopped:
        message = f"{plain(job.title)}: stopped after {job.done:,} of {job.total:,} images. Going on continues from there."
        st.info(message, icon=":material/pause:")
    else:
        failed = [*st.session_state.get("left_out", {}).get(job.key, ()), *job.result.table.failed]
        st.success(f"{plain(job.title)}: {len(job.result.table):,} images are ready.", icon=":material/check:")
        for entry in list_datasets(visitor()):
            if entry.id == job.key and entry.warning:
                st.warning(plain(redact(entry.warning)), icon=":material/visibility_off:")
        for note in job.result.table.notes:
            st.info(plain(redact(note)), icon=":material/info:")
        if failed:
            with st.expander(f"{len(failed)} could not be read and were left out"):
                st.dataframe([{"file": redact(str(failure.path)), "reason": redact(failure.reason)} for failure in failed], hide_index=True)
    with st.container(horizontal=True, vertical_alignment="center"):
        if job.error or job.stopped:
            label = "Try again" if job.error else "Go on"
            st.button(label, icon=":material/replay:", key=f"again_{job.id}", on_click=_again, args=(job,))
        else:
            dataset_list.explore_link(str(job.key), "Explore them")
        st.button("Dismiss", key=f"dismiss_{job.key}", on_click=jobs().forget, args=(job,))


def _go_on(entry: DatasetEntry) -> None:
    try:
        _check_load()
        begin(entry, 0)
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")


def _again(job: Job) -> None:
    if permissions.permitted("edit"):
        progress.tell_end(jobs().again(job))


def _offer_to_remove_all() -> None:
    with st.popover("Remove all that is mine", icon=":material/delete_forever:"):
        st.markdown("Your uploads, notions, splits and drafts are removed from this server, and nobody can bring them back.")
        st.button("Remove all of it", type="primary", key="remove_all", on_click=_remove_all)


def _remove_all() -> None:
    if not permissions.permitted("edit"):
        return
    dataset_list.end(_own_jobs())
    try:
        remove_visitor(visitor() or "", shown_name())
        for entry in interrupted.entries(visitor()):
            if entry.owner == visitor():
                interrupted.forget(entry.id)
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")
    cached.forget_removed()
    st.session_state.clear()


_NAME = "caltech101"
_MEGABYTE = 1e6


def example_entry() -> DatasetEntry:
    """The photos with the encoder that ships for them."""
    return new_entry(named_dataset(_NAME).title, _NAME, PHOTOS_ENCODER)


def _offer_examples(begin: Callable[[DatasetEntry], None]) -> None:
    """Draws a line with a button that fetches the photos and embeds them; nothing where that is done or not allowed."""
    entry, archive = example_entry(), missing_archive(_NAME)
    if any(known.id == entry.id for known in list_datasets(visitor())) or (archive and refusal("download")):
        return
    facts = f", {size_text(archive.size)} from [CaltechDATA]({archive.page}), {archive.license}" if archive else ""
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(f"No photos at hand? **{plain(entry.name)}** has 8,677 of 101 kinds of things and animals{facts}.", width="stretch")
        st.button(
            "Fetch and embed them" if archive else "Embed them", icon=":material/photo_library:", key="example_photos", on_click=begin, args=(entry,)
        )


def fetch_images(source: str, job: Job) -> None:
    """For a job that reads images: fetches those that have to be; raises Stopped once a stop was asked for."""
    archive = missing_archive(source)
    if archive is None:
        return

    def report(done: int, total: int, stage: str = "") -> None:
        job.stage = Stage("Downloading the photos (MB)", round(done / _MEGABYTE), max(1, round(total / _MEGABYTE)))

    whole = archive.fetch(report, job.should_stop)
    job.stage = None
    if not whole:
        raise Stopped


main()
