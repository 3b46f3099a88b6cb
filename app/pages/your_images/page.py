"""Your images: a folder, a table or an upload, embedded in the background with an encoder of choice."""

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
    store_dir,
    upload_limits,
)
from audit import record
from background import Job, jobs, run_in_background
from likeness.data import (
    SHIPPED_CARS,
    DatasetEntry,
    absolute_source,
    add_dataset,
    find_dataset,
    list_datasets,
    new_entry,
    read_dataset,
    recognized,
    remove_dataset,
    save_uploads,
    source_help,
)
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.space import Space
from pages.your_images import PAGE
from server_settings import server
from shared import cached, permissions, progress, sidebar
from shared.plain import plain
from visitor_data import remove_upload, remove_visitor
from visitors import own_dir, own_uploads_dir, shown_name, visitor

ENCODERS = {
    "cars": "Small CLIP (shipped): works offline; knows rendered cars and little else",
    "ViT-B-32/openai": "CLIP ViT-B/32 by OpenAI: photos of all kinds; downloads 605 MB on first use",
    "ViT-L-14/openai": "CLIP ViT-L/14 by OpenAI: better and slower; downloads 1.7 GB on first use",
    "other": "Another one, by its name",
}
_DOWNLOADED = ("ViT-B-32/openai", "ViT-L-14/openai")
_LONGEST_END = 10.0  # seconds
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
    _jobs()
    _datasets()


def _tabs() -> None:
    folder, table, upload = st.tabs(["Folder", "Table of paths", "Upload"])
    root = min(server().roots, default="photos")
    with folder:
        source = st.text_input(
            "Folder on this server" if server().shared else "Folder on this computer",
            key="folder",
            placeholder=f"{root}/birds",
            help=_roots_help() + f"Searched with all its subfolders; their names become classes. Also: {source_help()}",
        )
        _hint(source.strip())
        _begin_button(source, None, "folder")
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
    offered = sidebar.listed(sorted(server().roots)).replace(" and ", " or ") if server().roots else ""
    return f"Begin with {offered}, which this server offers. " if offered else ""


def _encoders() -> list[str]:
    return [name for name in ENCODERS if server().allows_downloads or name not in _DOWNLOADED]


def _encoder(where: str) -> str:
    chosen = st.selectbox("Encoder", _encoders(), format_func=ENCODERS.get, key=f"encoder_{where}", persist_state="session")
    if chosen == "other":
        return st.text_input(
            "Encoder's name", key=f"encoder_name_{where}", placeholder="hf-hub:laion/CLIP-ViT-B-32-laion2B-s34B-b79K or local-dir:models/mine"
        ).strip()
    return chosen


def _begin_button(source: str, column: str | None, where: str) -> None:
    encoder = _encoder(where)
    if st.button("Embed these images", type="primary", key=f"begin_{where}", disabled=not source.strip() or not encoder):
        _check_and_begin(source.strip(), encoder, column)


def _hint(folder: str) -> None:
    named = _recognized(folder) if folder else None
    if named:
        st.info(f"This is a dataset of the InDiReCT paper. Enter `{named}` to read it with its labels; otherwise its subfolders become classes.")


def _recognized(folder: str) -> str | None:
    """How to name the paper's dataset in a folder, if it holds one."""
    try:
        named = recognized(path_text(folder))
    except InputError:
        return None
    return shared_name(named) if named else None


def _check_and_begin(source: str, encoder: str, column: str | None, name: str | None = None) -> None:
    try:
        check_may("edit")
        table = read_dataset(resolve_source(source), path_column=column)
        shown = shared_name(absolute_source(resolve_source(source)))
        entry = new_entry(name or table.name, shown, encoder, column, owner_of(shown))
        resolve_encoder(encoder)
        _check_load()
    except InputError as error:
        st.error(redact(error), icon=":material/error:")
        return
    begin(entry, len(table))


def _check_load() -> None:
    """Raises InputError where a visitor of a shared server has enough under way."""
    if server().shared and sum(not job.finished for job in _own_jobs()) >= _MOST_AT_ONCE:
        raise InputError(f"{_MOST_AT_ONCE} of your datasets are being embedded; wait for one to finish, or stop it.")


def begin(entry: DatasetEntry, total: int) -> Job:
    """Starts embedding in the background; the dataset joins the catalog when it is done.

    Raises:
        InputError: the visitor may not add images.
    """
    check_may("edit")
    source, encoder, store = resolve_entry(entry), resolve_encoder(entry.encoder), store_dir(entry)

    def work(job: Job) -> Space:
        job.report(0, total)
        table = read_dataset(source, path_column=entry.path_column, name=entry.name)
        done = embed(table, encoder, store_dir=store, progress=job.report, should_stop=job.should_stop)
        if not job.should_stop():
            add_dataset(entry)
        return done

    job = run_in_background("embedding", entry.id, entry.name, work, anew=True)
    st.session_state.setdefault("own_jobs", []).append(entry.id)
    progress.tell_end(job)
    return job


def _upload() -> None:
    files = st.file_uploader(
        "Images, or a ZIP of images",
        type=["jpg", "jpeg", "png", "webp", "bmp", "gif", "tif", "tiff", "zip"],
        accept_multiple_files=True,
        key=f"files_{_sent()}",
    )
    name = st.text_input("Name", value="My images", key="upload_name")
    encoder = _encoder("upload")
    if st.button("Embed these images", type="primary", key="begin_upload", disabled=not files or not encoder):
        try:
            check_may("edit")
            _check_load()
            table = save_uploads(((file.name, file.getvalue()) for file in files), name, own_uploads_dir(), upload_limits())
            source = shared_name(absolute_source(str(table.root)))
            resolve_encoder(encoder)
        except InputError as error:
            st.error(redact(error), icon=":material/error:")
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
    return [job for job in jobs().all("embedding") if not server().shared or job.key in own]


def _jobs() -> None:
    running = [job for job in _own_jobs() if not job.finished]
    progress.poll(lambda: not running or any(job.finished for job in running), lambda: progress.bars(running))
    for job in _own_jobs():
        if job not in running:
            _report(job)


def _report(job: Job) -> None:
    if job.error:
        st.error(redact(job.error), icon=":material/error:")
    elif job.stopped:
        message = f"{plain(job.title)}: stopped after {job.done:,} of {job.total:,} images. Start it again to continue from there."
        st.info(message, icon=":material/pause:")
    else:
        failed = [*st.session_state.get("left_out", {}).get(job.key, ()), *job.result.table.failed]
        st.success(f"{plain(job.title)}: {len(job.result.table):,} images are ready.", icon=":material/check:")
        if failed:
            with st.expander(f"{len(failed)} could not be read and were left out"):
                st.dataframe([{"file": redact(str(failure.path)), "reason": redact(failure.reason)} for failure in failed], hide_index=True)
    with st.container(horizontal=True):
        if not job.error and not job.stopped:
            _link(str(job.key), "Explore them")
        st.button("Dismiss", key=f"dismiss_{job.key}", on_click=jobs().forget, args=(job,))


def _link(id: str, label: str) -> None:
    """To the map of a dataset; a link and no button, because Streamlit can't change a bound parameter and the page in one go."""
    st.page_link("pages/explore/page.py", label=label, icon=":material/scatter_plot:", query_params={"open": id})


def _datasets() -> None:
    st.subheader("Datasets")
    for entry in list_datasets(visitor()):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(entry.name)}**  :gray[encoder {plain(redact(entry.encoder))}]", width="stretch")
            _link(entry.id, "Explore")
            if entry.id != "cars" and (not server().shared or entry.owner == visitor()) and not refusal("edit"):
                st.button("Remove", key=f"remove_{entry.id}", on_click=_remove, args=(entry.id,), help=_removal_help())
    if server().shared and own_dir().is_dir() and not refusal("edit"):
        _offer_to_remove_all()


def _removal_help() -> str:
    if server().shared:
        return "Removes its pictures, their vectors and its place in this list. Links to it open nothing any more."
    return "Removes it from this list; the images stay."


def _offer_to_remove_all() -> None:
    with st.popover("Remove all that is mine", icon=":material/delete_forever:"):
        st.markdown("Your uploads, notions, splits and drafts are removed from this server, and nobody can bring them back.")
        st.button("Remove all of it", type="primary", key="remove_all", on_click=_remove_all)


def _remove(id: str) -> None:
    if not permissions.permitted("edit"):
        return
    try:
        if server().shared:
            _remove_own(id)
        else:
            remove_dataset(id)
    except InputError as error:
        st.toast(redact(error), icon=":material/error:", duration="long")
    if st.session_state.get("dataset") == id:
        st.session_state["dataset"] = SHIPPED_CARS.id


def _remove_own(id: str) -> None:
    check_may("edit")
    entry = find_dataset(id)
    if entry.owner != visitor():
        raise InputError("This dataset belongs to someone else; ask whoever runs this server to remove it.")
    _end([job for job in jobs().all("embedding") if job.key == id])
    remove_upload(entry, shown_name())
    cached.forget_removed()


def _end(embeddings: list[Job]) -> None:
    """Stops them, and waits until they write no more; what one that takes longer leaves is cleared away later."""
    for job in embeddings:
        job.stop()
    for job in embeddings:
        job.wait(_LONGEST_END)


def _remove_all() -> None:
    if not permissions.permitted("edit"):
        return
    _end(_own_jobs())
    try:
        remove_visitor(visitor() or "", shown_name())
    except InputError as error:
        st.toast(redact(error), icon=":material/error:", duration="long")
    cached.forget_removed()
    st.session_state.clear()


main()
