"""The choice of an encoder: what each is good for and costs, a download of those that are not on this machine, and their speed here."""

from collections.abc import Iterable

import streamlit as st

from likeness.encoders import (
    PUBLISHED,
    PublishedEncoder,
    download_encoder,
    free_space,
    measure_speed,
    remembered_speeds,
)
from likeness.errors import InputError
from likeness.io import size_text
from parts import permissions, progress
from parts.downloads import MEGABYTE
from parts.plain import plain
from server.access import redact, refusal
from server.audit import record
from server.jobs import Job, Stopped, jobs, run_in_background
from server.settings import server
from server.visitors import shown_name

SHIPPED = {
    "photos": "Photos (shipped): works offline; animals, people, things and places of everyday photos",
    "cars": "Small CLIP (shipped): works offline; knows rendered cars and little else",
}
_OTHER = "other"


def choose_encoder(where: str) -> str:
    """Draws the choice; the encoder's name, or nothing while it is not on this machine.

    Args:
        where: the part of the page, for the widgets' keys.
    """
    offered = [*SHIPPED, *(name for name, each in PUBLISHED.items() if not refusal("download") or each.is_here), _OTHER]
    chosen = st.selectbox("Encoder", offered, format_func=_label, key=f"encoder_{where}", persist_state="session")
    if chosen == _OTHER:
        return st.text_input(
            "Encoder's name", key=f"encoder_name_{where}", placeholder="hf-hub:laion/CLIP-ViT-B-32-laion2B-s34B-b79K or local-dir:models/mine"
        ).strip()
    if chosen not in PUBLISHED:
        return chosen
    encoder = PUBLISHED[chosen]
    _facts(encoder, where)
    if encoder.is_here:
        return chosen
    _offer_download(encoder, where)
    return ""


def forget_failed(earlier: Iterable[Job]) -> None:
    """An error of the last action goes with the next one."""
    for job in earlier:
        if job.finished and job.error:
            jobs().forget(job)


def show_downloads() -> None:
    """Downloads and measurements under way, and how they ended."""
    if refusal("download"):
        return
    known = [*jobs().all("download"), *jobs().all("speed")]
    running = [job for job in known if not job.finished]
    progress.poll(bool(running), lambda: any(job.finished for job in running), lambda: progress.bars(running))
    for job in known:
        if job not in running:
            _show_end(job)


def _label(name: str) -> str:
    if name not in PUBLISHED:
        return SHIPPED.get(name, "Another one, by its name")
    encoder = PUBLISHED[name]
    # a label that changes while it is chosen would lose the choice, so that whether it is here stands elsewhere
    return f"{encoder.title}: {encoder.help[0].lower()}{encoder.help[1:].rstrip('.')} ({size_text(encoder.megabytes * MEGABYTE)})"


def _facts(encoder: PublishedEncoder, where: str) -> None:
    """License, input and speed in one quiet line."""
    speed = remembered_speeds().get(encoder.name)
    texts = "finds images by words" if encoder.has_text else "no search by words"
    here = ["On this machine"] if encoder.is_here else []
    facts = [*here, f"License: {encoder.license}", f"{encoder.pixels} x {encoder.pixels} pixels", texts]
    if speed:
        facts.append(f"embeds {_speed_text(speed)} on this machine")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(" · ".join(facts), width="stretch")
        if not server().shared:
            label, key = "Measure again" if speed else "Measure its speed", f"speed_{where}"
            help = "Takes a few seconds and needs no download. Other work on this machine slows it down."
            st.button(label, type="tertiary", icon=":material/speed:", key=key, help=help, on_click=_measure, args=(encoder,))


def _speed_text(speed: float) -> str:
    return f"{speed:,.0f} images a second" if speed >= 1.5 else f"an image in {1 / speed:.0f} s" if speed < 0.7 else "an image a second"


def _offer_download(encoder: PublishedEncoder, where: str) -> None:
    job = jobs().find("download", encoder.name)
    progress.redraw_after(job)
    under_way = job is not None and not job.finished
    size = size_text(encoder.megabytes * MEGABYTE)
    folder, free = free_space()
    place = "" if server().shared else f" into {plain(str(folder))}"
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(
            f"Not on this machine yet: {size} from the repository {plain(encoder.repository)} of the hub{place}, where {size_text(free)} are free.",
            width="stretch",
        )
        label = "Downloading" if under_way else f"Download {size}"
        st.button(label, icon=":material/download:", key=f"download_{where}", disabled=under_way, on_click=_download, args=(encoder,))


def _download(encoder: PublishedEncoder) -> None:
    if not permissions.permitted("download"):
        return

    def work(job: Job) -> None:
        def report(done: int, total: int, stage: str = "") -> None:
            job.report(round(done / MEGABYTE), max(1, round(total / MEGABYTE)))

        if not download_encoder(encoder.name, report, job.should_stop):
            raise Stopped

    forget_failed([] if server().shared else jobs().all("download"))
    try:
        progress.notify_when_done(run_in_background("download", encoder.name, encoder.title, work, unit="MB", restart=True))
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")
        return
    record("downloaded an encoder", shown_name(), encoder.name)


def _measure(encoder: PublishedEncoder) -> None:
    run_in_background("speed", encoder.name, f"Measuring {encoder.title}", lambda job: measure_speed(encoder), stoppable=False, restart=True)


def _show_end(job: Job) -> None:
    if job.kind == "speed" and not job.error:
        jobs().forget(job)  # its speed is shown with the encoder
        return
    progress.cancel_notification(job)
    if job.error:
        st.error(plain(redact(job.error)), icon=":material/error:")
    elif job.stopped:
        st.info(f"{plain(job.title)}: stopped after {job.done:,} of {job.total:,} MB, which are kept.", icon=":material/pause:")
    else:
        st.success(f"{plain(job.title)} is on this machine.", icon=":material/check:")
    with st.container(horizontal=True):
        if job.error or job.stopped:
            label = "Try again" if job.error else "Resume"
            st.button(label, icon=":material/replay:", key=f"again_{job.id}", on_click=jobs().again, args=(job,))
        st.button("Dismiss", key=f"dismiss_{job.id}", on_click=jobs().forget, args=(job,))
