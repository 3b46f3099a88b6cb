"""The hub files that a model needs, and their places in the hub's cache. Needs no network."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from likeness.encoders.models.config_keys import check_hub_id
from likeness.errors import InputError

_REVISION = re.compile(r"\w[\w./-]*")
_USUAL_HUB = "https://huggingface.co"
_LONGEST_TEXT = 4096  # bytes of a reference


@dataclass(frozen=True)
class HubFiles:
    """Files of one repository of the hub.

    Attributes:
        hub_id: "ORG/NAME", or "ORG/NAME@REVISION".
        one_of: groups of patterns; the first one that the repository has is required.
        also: patterns of optional files.
    """

    hub_id: str
    one_of: tuple[tuple[str, ...], ...]
    also: tuple[str, ...] = ()

    @property
    def repository(self) -> str:
        """ "ORG/NAME"; InputError: anything else, such as a path."""
        return check_hub_id(self.hub_id.partition("@")[0], "The model's name")

    @property
    def revision(self) -> str:
        """A branch, a tag or a commit. InputError: anything else."""
        given = self.hub_id.partition("@")[2] or "main"
        if not _REVISION.fullmatch(given) or ".." in given:
            raise InputError(f"'{given}' is not a revision of the model '{self.repository}'; write a branch, a tag or a commit after '@'.")
        return given

    @property
    def storage(self) -> Path:
        """Folder of the repository in the hub's cache, which may not exist."""
        return repository_storage(self.repository)

    def chosen(self, names: Iterable[str]) -> list[str]:
        """The needed files among a repository's; empty if it has none of the groups."""
        own = sorted(name for name in names if "/" not in name)
        group = next((group for group in self.one_of if any(fnmatch(name, group[0]) for name in own)), ())
        return [name for name in own if any(fnmatch(name, pattern) for pattern in (*group, *self.also))] if group else []

    def folder(self) -> Path | None:
        """Folder of the cache that holds the files, or None."""
        reference = self.storage / "refs" / self.revision
        commit = reference.read_text()[:_LONGEST_TEXT].strip() if reference.is_file() else self.revision
        folder = self.storage / "snapshots" / commit
        if not commit or "/" in commit or not folder.is_dir():
            return None
        return folder if self.chosen(file.name for file in folder.iterdir() if file.is_file()) else None


def hub_folder(files: HubFiles) -> Path:
    """The folder of the hub's cache that holds the files; raises huggingface_hub's LocalEntryNotFoundError if they are missing."""
    from huggingface_hub.errors import LocalEntryNotFoundError

    folder = files.folder()
    if folder is None:
        raise LocalEntryNotFoundError(f"{' and '.join(files.one_of[0])} of '{files.repository}' is not here")
    return folder


def hub_revision(hub_id: str) -> str:
    """Revision of a model in the hub's cache; empty before its download."""
    reference = repository_storage(hub_id) / "refs" / "main"
    return reference.read_text().strip() if reference.is_file() else ""


def missing_files(wanted: Iterable[HubFiles]) -> list[HubFiles]:
    """Those that are not in the hub's cache."""
    return [files for files in wanted if files.folder() is None]


def missing_text(missing: Sequence[HubFiles]) -> str:
    """The missing files with their repositories and expected folders, as part of a sentence."""
    repositories = {files.storage: files.repository for files in missing}
    names = {place: [name for files in missing if files.storage == place for name in _named(files)] for place in repositories}
    return ", and ".join(
        f"{' and '.join(names[place])} of '{repository}' {'is' if len(names[place]) == 1 else 'are'} missing in {place}"
        for place, repository in repositories.items()
    )


def hub_name() -> str:
    """Name of the hub for messages, with its address only if that was changed."""
    from huggingface_hub.constants import ENDPOINT

    return "the hub" if ENDPOINT == _USUAL_HUB else f"the hub {ENDPOINT}"


def _named(files: HubFiles) -> list[str]:
    """The required files, and in one phrase the optional ones."""
    first = files.one_of[0]
    further = [name for name in files.also if name not in first]
    return [*first, *(further if len(further) < 2 else ["its configuration and tokenizer"])]


def repository_storage(repository: str) -> Path:
    """Folder of a repository in the hub's cache, which may not exist."""
    from huggingface_hub.constants import HF_HUB_CACHE

    return Path(HF_HUB_CACHE) / f"models--{repository.replace('/', '--')}"
