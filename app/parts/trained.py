"""Trained runs as spaces: a run's best weights embed the images of a dataset, once, in the background."""

from likeness.data import DatasetEntry
from likeness.embedding import embed
from likeness.encoders import encoder_identity
from likeness.errors import InputError
from likeness.io import runs_dir
from likeness.space import Space
from likeness.training import RunFolder, trained_folders
from parts import cached
from parts.progress import NotEmbeddedYet
from server.access import store_dir
from server.jobs import Job, jobs
from server.settings import server

PREFIX = "run "
_KEPT = 16  # spaces in memory


def names() -> list[str]:
    """Names of the spaces of all runs with weights, newest first. Called on every page, so it reads file names only."""
    if not server().runs:
        return []
    return [PREFIX + folder.relative_to(runs_dir()).as_posix() for folder in trained_folders(runs_dir())]


def trained_on(name: str) -> DatasetEntry | None:
    """The dataset that a run was trained on; None if it is not listed or cannot be read."""
    from parts.config_access import dataset_of  # with all that a config may name, which takes half a second

    try:
        return dataset_of(RunFolder(runs_dir() / name.removeprefix(PREFIX)).config().data.source)
    except InputError:
        return None


def space(dataset_id: str, name: str) -> Space:
    """The space of a run on a dataset.

    Raises:
        NotEmbeddedYet: the images are being embedded, or this was stopped or failed.
        InputError: there is no such run.
    """
    if name not in names():  # a link may name any
        raise InputError(f"The run '{name.removeprefix(PREFIX)}' has no weights yet. Choose it again after its first evaluation.")
    job = _embed(dataset_id, name)
    job.wait(0.4)
    if not job.succeeded:
        raise NotEmbeddedYet(job)
    found: Space = job.result
    return cached.with_table_of(cached.base(dataset_id), found)


def _embed(dataset_id: str, name: str) -> Job:
    run = runs_dir() / name.removeprefix(PREFIX)
    table, encoder, store = cached.table(dataset_id), f"run:{run.resolve()}", store_dir(cached.entry_of(dataset_id))

    def work(job: Job) -> Space:
        found = embed(table, encoder, store_dir=store, progress=job.report, should_stop=job.should_stop)
        if len(found.table) < len(table) and not job.should_stop():
            raise InputError(f"The run '{run.name}' cannot read {len(table) - len(found.table)} of the images. Remove them from the dataset.")
        return found.replace(name=name)

    return jobs().run("run spaces", (dataset_id, encoder_identity(encoder)), f"Images as the run {run.name} sees them", work, max_finished=_KEPT)
