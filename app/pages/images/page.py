"""Page Images: embeds a folder, a table or an upload in the background, with an encoder of choice that is downloaded if needed."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from likeness.data import absolute_source, list_datasets, missing_archive, named_dataset, new_entry, recognized, save_uploads, source_help
from likeness.defaults import PHOTOS_ENCODER
from likeness.encoders import PUBLISHED, PublishedEncoder, free_space, remembered_speeds
from likeness.errors import InputError
from likeness.io import size_text
from pages.images import PAGE, dataset_list
from parts import add_images, cached, interrupted, permissions, sidebar
from parts.downloads import MEGABYTE, check_encoder
from parts.errors import toast_errors
from parts.plain import plain, prose
from server.access import check_may, owner_of, path_text, redact, refusal, shared_name, upload_limits
from server.audit import record
from server.jobs import jobs
from server.settings import UPLOADS, server
from server.visitor_data import remove_visitor
from server.visitors import own_dir, shown_name, visitor
from state import Item

_FORMATS = (
    "Reads photos (JPEG, PNG, HEIC, WebP, AVIF, TIFF and more), previews in raw files, one frame per second of a video, and each page of a PDF. "
    "Dates and cameras become attributes."
)
_TABLES = (".csv", ".tsv", ".parquet")
_TYPES = ["jpg", "jpeg", "png", "heic", "heif", "hif", "webp", "avif", "bmp", "gif", "tif", "tiff", "zip"]
_EXAMPLES = "caltech101"
_SHIPPED = {
    "photos": "Photos (shipped): works offline; animals, people, things and places of everyday photos",
    "cars": "Small CLIP (shipped): works offline; knows rendered cars and little else",
}
_ENCODER_HELP = "You can also type the name of another one, such as hf-hub:laion/CLIP-ViT-B-32-laion2B-s34B-b79K or local-dir:models/mine."
_sent = Item(0, key="uploads_sent")  # number of uploads; each has its own field, so that its memory is freed


def main() -> None:
    private = " Only you and people you share a link with can open your uploads." if server().shared else ""
    if refusal("edit"):
        PAGE.show_head()
        permissions.refused("edit")
    elif server().shared and not server().roots:
        PAGE.show_head(f"Uploads are kept on this server.{private}")
        _upload()
    else:
        PAGE.show_head(f"Images stay where they are; Likeness stores only what the encoder computes from them.{private}")
        folder, upload = st.tabs(["Folder or table", "Upload"])
        with folder:
            _folder()
        with upload:
            _upload()
    add_images.show_jobs()
    dataset_list.show()
    if server().shared and own_dir().is_dir() and not refusal("edit"):
        with st.popover("Remove all my data", icon=":material/delete_forever:"):
            st.markdown("Your uploads, notions, splits and drafts are deleted from this server. This cannot be undone.")
            st.button("Remove everything", type="primary", key="remove_all", on_click=_remove_all)


def _folder() -> None:
    """Draws the form for a folder or for a table of paths, which has one more field."""
    roots = [plain(name) for name in sorted(server().roots)]
    start = f"Begin the path with {sidebar.listed(roots).replace(' and ', ' or ')}. " if roots else ""
    source = st.text_input(
        "Folder on this server" if server().shared else "Folder on this computer",
        key="folder",
        placeholder="{0}/birds, or a table such as {0}/labels.csv".format(min(server().roots, default="photos")),
        help=f"{start}Subfolders are included; if they divide the images, they become classes. {_FORMATS} A CSV or Parquet file works too: one row "
        f"per image, with a column of paths, relative to the file, and columns of labels. Also: {source_help()}",
    ).strip()
    problem = st.container()
    _hint(source)
    column, gps = "", False
    if source.lower().endswith(_TABLES):
        column = st.text_input("Column of paths", key="path_column", placeholder="Found automatically if named path, file, image or filename").strip()
    else:
        gps = st.checkbox(
            "Also read where photos were taken",
            key="gps",
            help="Adds latitude and longitude, which cameras and phones write into photos, as attributes.",
        )
    _add_button("folder", bool(source), problem, lambda encoder: add_images.check_and_begin(source, encoder, column or None, gps))
    _offer_examples()


def _add_button(where: str, ready: bool, problem: DeltaGenerator, add: Callable[[str], object]) -> None:
    """Draws the encoders and the button; errors in the images go to `problem`, beside their field."""
    encoder = _choose_encoder(where)
    if st.button("Add these images", type="primary", key=f"begin_{where}", disabled=not ready or not encoder):
        for job in add_images.own_jobs():
            if job.error and job.finished:  # it goes with the next action
                jobs().forget(job)
        is_new = encoder in PUBLISHED and not PUBLISHED[encoder].is_here
        try:
            add(encoder)
        except InputError as error:
            problem.error(prose(redact(error)), icon=":material/error:")
        else:
            if is_new:
                record("downloads an encoder", shown_name(), encoder)


def _choose_encoder(where: str) -> str:
    """Draws the choice of encoder and its details; returns its name, known or not.

    Args:
        where: part of the page, for the widgets' keys.
    """
    published = {name: _encoder_label(each) for name, each in PUBLISHED.items() if not refusal("download") or each.is_here}
    labels = _SHIPPED | published
    options: dict[str, Any] = {"accept_new_options": True, "key": f"encoder_{where}", "persist_state": "session", "help": _ENCODER_HELP}
    chosen: str = st.selectbox("Encoder", list(labels), format_func=lambda name: labels.get(name, name), **options)
    if chosen in published:
        _encoder_facts(PUBLISHED[chosen])
    return chosen.strip()


def _encoder_label(encoder: PublishedEncoder) -> str:
    # a changing label would lose the choice, so the download state is shown elsewhere
    return f"{encoder.title}: {encoder.help[0].lower()}{encoder.help[1:].rstrip('.')} ({size_text(encoder.megabytes * MEGABYTE)})"


def _encoder_facts(encoder: PublishedEncoder) -> None:
    """Draws license, input, speed and downloads in quiet lines."""
    speed = remembered_speeds().get(encoder.name, 0.0)
    facts = [
        f"License: {encoder.license}",
        f"{encoder.pixels} x {encoder.pixels} pixels",
        "finds images by words" if encoder.has_text else "no search by words",
        *([f"{speed:,.1f} images a second on this machine"] if speed else []),
    ]
    st.caption(" · ".join(facts))
    if not encoder.is_here:
        folder, free = free_space()
        place = "" if server().shared else f" into {plain(str(folder))}"
        size, hub = size_text(encoder.megabytes * MEGABYTE), plain(encoder.repository)
        st.info(f"Not on this machine yet. {size} are downloaded first, from {hub} on the hub{place}; {size_text(free)} are free.")


def _hint(folder: str) -> None:
    """How to enter the path of a folder that holds one of the paper's datasets."""
    try:
        named = recognized(path_text(folder)) if folder else None
    except InputError:
        return
    if named:
        name = plain(shared_name(named))
        st.info(f"This is a dataset of the InDiReCT paper. Enter {name} to read it with its labels; otherwise its subfolders become classes.")


def _upload() -> None:
    files = st.file_uploader(
        "Images, or a ZIP of images",
        type=_TYPES,
        accept_multiple_files=True,
        key=f"files_{_sent.get()}",
        help="JPEG, PNG, HEIC, WebP, AVIF, GIF, BMP and TIFF. To add videos, PDF and raw files, put them in a folder. "
        "A CSV file in the ZIP that lists its images becomes their attributes.",
    )
    problem = st.container()
    name = st.text_input("Name", value="My images", key="upload_name")
    _add_button("upload", bool(files), problem, partial(_take_upload, files, name))


def _take_upload(files: list[Any], name: str, encoder: str) -> None:
    check_may("edit")
    check_encoder(encoder)
    add_images.check_load()
    table = save_uploads(((file.name, file.getvalue()) for file in files), name, own_dir() / UPLOADS, upload_limits())
    source = shared_name(absolute_source(str(table.root)))
    record("uploaded", shown_name(), f"{len(table)} images")
    entry = new_entry(name, source, encoder, owner=owner_of(source))
    add_images.failed_uploads.get()[entry.id] = list(table.failed)
    _sent.set(_sent.get() + 1)
    add_images.begin(entry, len(table))


@toast_errors("Not everything could be removed")
def _remove_all() -> None:
    check_may("edit")
    dataset_list.end(add_images.own_jobs())
    with toast_errors("Not everything could be removed"):
        remove_visitor(visitor() or "", shown_name())
        for entry in interrupted.entries(visitor()):
            if entry.owner == visitor():
                interrupted.forget(entry.id)
    cached.forget_removed()
    st.session_state.clear()


def _offer_examples() -> None:
    """Draws a button that downloads sample photos and adds them; nothing if they are added or not allowed."""
    entry, archive = new_entry(named_dataset(_EXAMPLES).title, _EXAMPLES, PHOTOS_ENCODER), missing_archive(_EXAMPLES)
    if any(known.id == entry.id for known in list_datasets(visitor())) or (archive and refusal("download")):
        return
    facts = f", {size_text(archive.size)} from [CaltechDATA]({archive.page}), {archive.license}" if archive else ""
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(f"No photos at hand? **{plain(entry.name)}** has 8,677 of 101 kinds of things and animals{facts}.", width="stretch")
        label = "Download and add them" if archive else "Add them"
        st.button(label, icon=":material/photo_library:", key="example_photos", on_click=add_images.begin_or_toast, args=(entry,))


main()
