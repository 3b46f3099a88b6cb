"""Downloads of models and photos: permissions and progress."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

from likeness.data import missing_archive
from likeness.encoders import download_encoder, encoder_is_here
from likeness.errors import InputError
from likeness.language import language_is_here
from likeness.progress import Progress
from server.access import check_may, refusal, resolve_encoder, resolve_language
from server.jobs import Job, Stage, Stopped

MEGABYTE = 1e6


def check_encoder(name: str) -> None:
    """Raises InputError for an unknown encoder, or one that is missing here and that the visitor may not download."""
    if not encoder_is_here(resolve_encoder(name)):
        check_may("download")


def fetch_encoder(name: str, job: Job) -> None:
    """Downloads the encoder of a job if it is missing; raises Stopped once a stop was requested."""
    if not encoder_is_here(name):
        _fetch("Downloading the encoder (MB)", partial(download_encoder, name), job)


def fetch_images(source: str, job: Job) -> None:
    """As `fetch_encoder`, for a job that reads images."""
    if archive := missing_archive(source):
        _fetch("Downloading the photos (MB)", archive.fetch, job)


def _fetch(what: str, fetch: Callable[[Progress, Callable[[], bool]], bool], job: Job) -> None:
    def report(done: int, total: int, stage: str = "") -> None:
        job.stage = Stage(what, round(done / MEGABYTE), max(1, round(total / MEGABYTE)))

    whole = fetch(report, job.should_stop)
    job.stage = None
    if not whole:
        raise Stopped


def refused_encoders(names: Iterable[str]) -> dict[str, str]:
    """Encoders that are missing here and that the visitor may not download, each with the reason."""
    return _refused(names, lambda name: encoder_is_here(resolve_encoder(name)))


def refused_languages(names: Iterable[str]) -> dict[str, str]:
    """As `refused_encoders`, for language models."""
    return _refused(names, lambda name: language_is_here(resolve_language(name)))


def _refused(names: Iterable[str], is_here: Callable[[str], bool]) -> dict[str, str]:
    refused = {}
    if reason := refusal("download"):
        for name in names:
            with suppress(InputError):  # an unknown name is reported where it is used
                if not is_here(name):
                    refused[name] = f"'{name}' is not on this machine. {reason}"
    return refused
