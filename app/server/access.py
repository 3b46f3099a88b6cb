"""Access control on a shared server: resolves the paths that visitors enter, and removes server paths from what they see.

On a server that is not shared, these functions change nothing. `confine_server` makes core check the same again, also in child processes.
"""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import likeness
from likeness.errors import InputError
from likeness.io import as_path, assets_dir, cache_dir, can_be_a_path, confine, is_inside, runs_dir, text_to_name
from server.accounts import account, has_role
from server.quotas import room_for
from server.settings import UPLOADS, server
from server.visitors import EMBEDDINGS, SPLITS, notions_dir, own_dir, visitor, visitors_dir

if TYPE_CHECKING:
    from likeness.data import DatasetEntry, UploadLimits

_PAPER_SOURCE = re.compile(r"(?P<dataset>[A-Za-z0-9][\w-]+(?:/\w+)?):(?P<folder>.*)", re.DOTALL)
_HUB_ID = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")
_MOST_GENERATED = 10_000
_PRIVATE = "(another visitor's)"


def confine_server() -> None:
    """Confines this process, and those that it starts, to what a shared server shows and reads itself; and switches off its downloads, if so set."""
    settings = server()
    if settings.shared:
        from likeness.encoders import installed_folders  # else no server needs it before its first page

        confine([*_folders(), *installed_folders()], [visitors_dir()])
    if not settings.allows_downloads:
        os.environ["HF_HUB_OFFLINE"] = "1"


def resolve_path(given: str | Path) -> Path:
    """The path that a visitor entered, checked before anything is looked up there.

    On a server that is not shared: the path, "~" expanded. On a shared server: "ROOT/..." below the root of that name, "uploads/..." for the
    visitor's uploads, or an absolute path below a root or in Likeness's own storage for visitors. Symbolic links are followed before the check. The
    answer does not depend on whether the path exists, so that nobody can probe for files.

    Raises:
        InputError: no path, or on a shared server any other path.
    """
    text = text_to_name(str(given))
    if not server().shared or not can_be_a_path(text):
        return as_path(text)
    path = _below_a_place(text)
    if path is None or not allowed(path):
        roots = server().roots
        remedy = f"enter a folder or file inside {' or '.join(sorted(roots))}, as in '{min(roots)}/...'" if roots else "upload the images instead"
        raise InputError(f"'{text}' cannot be reached here: this server only shows its own folders; {remedy}.")
    return path


def path_text(given: str) -> str:
    """Like `resolve_path`, but returns text; unchanged on a server that is not shared."""
    return str(resolve_path(given)) if server().shared else given


def allowed(path: Path) -> bool:
    """Whether a visitor may read a path; always true where the server is not shared."""
    if not server().shared:
        return True
    try:
        real = os.path.realpath(path)
    except (OSError, ValueError):
        return False
    uploads = own_dir() / UPLOADS
    if _inside(real, uploads):
        return real != os.path.realpath(uploads)
    return any(_inside(real, base) for base in (*_folders(), notions_dir(), own_dir() / SPLITS))


def resolve_entry(entry: "DatasetEntry") -> str:
    """The source of a listed dataset, as `likeness.data.read_dataset` takes it; whoever knows its id may open it. Raises InputError: its place may
    not be read any more."""
    first, _, rest = entry.source.partition("/")
    if server().shared and entry.owner and first == UPLOADS:
        return str(as_path(visitors_dir() / entry.owner / UPLOADS / rest))
    return resolve_source(entry.source)


def store_dir(entry: "DatasetEntry") -> Path | None:
    """Folder of a dataset's vectors: the owner's folder for uploads; None: the cache."""
    return visitors_dir() / entry.owner / EMBEDDINGS if server().shared and entry.owner else None


def owner_of(source: str) -> str:
    """Owner of a dataset with this source: the visitor for their own uploads, else "" (everyone)."""
    return visitor() or "" if server().shared and source.partition("/")[0] == UPLOADS else ""


def resolve_source(source: str) -> str:
    """What `likeness.data.read_dataset` takes, from what a visitor entered. Raises InputError: a path that may not be read, more generated images
    than a shared server draws, or photos that would have to be fetched where the visitor may not download."""
    from likeness.data import missing_archive, plain_names

    text = source.strip()
    if not server().shared or not text or "://" in text:  # core checks addresses
        return source
    if text.partition("@")[0] in plain_names():
        count = text.partition("@")[2]
        if count.isdecimal() and int(count[:9]) > _MOST_GENERATED:
            raise InputError(f"'{text}' would generate too many images for a shared server; use at most {_MOST_GENERATED:,}.")
        if missing_archive(text) and refusal("download"):
            raise InputError(
                f"'{text}' must be downloaded, and you are not allowed to; ask the server's administrator to run `likeness embed {text}`."
            )
        return text
    match = _PAPER_SOURCE.fullmatch(text)
    if match is None:
        return str(resolve_path(text))
    return f"{match['dataset']}:{resolve_path(match['folder'].strip())}" if match["folder"].strip() else text


def shared_name(text: str) -> str:
    """Replaces paths in a text by "ROOT/..." on a shared server, and hides what belongs to other visitors; elsewhere returns the text as it is."""
    if not server().shared:
        return text
    for name, place in _places().items():
        for written in {str(place), os.path.realpath(place)}:
            text = re.sub(rf"(?<![\w./-]){re.escape(written)}(?![\w.-])", name, text)
    for place in {str(visitors_dir()), os.path.realpath(visitors_dir())}:
        text = re.sub(rf"{re.escape(place)}/[^\s'\"]*", _PRIVATE, text)
    return text


def resolve_encoder(name: str) -> str:
    """What `likeness.encoders.load_encoder` takes, from what a visitor entered; raises InputError for a path that may not be read."""
    from likeness.encoders import map_path

    return map_path(name, path_text) if server().shared else name


def resolve_language(name: str) -> str:
    """What `likeness.language.class_similarities` takes, from what a visitor entered; raises InputError for a path that may not be read."""
    from likeness.language import map_language_path

    return map_language_path(name, _unless_id) if server().shared else name


Act = Literal["edit", "train", "download"]


def refusal(what: Act) -> str:
    """Why the visitor may not do this, in a sentence; empty if allowed.

    Args:
        what: "edit" for all that uploads, saves or removes; "train" for all that starts, stops or resumes a run; "download" for bringing an
            encoder to the server, which among accounts needs the highest role.
    """
    if what == "download" and not server().allows_downloads:
        return "Downloads are turned off on this server; ask its administrator to run `likeness encoders get NAME`."
    if what == "train" and not server().allows_training:
        return "Training is turned off on this server; run `likeness train` on your own machine instead."
    name = account()
    if name is None or has_role(name, "train" if what == "download" else what):
        return ""
    if what == "download":
        return "Your account cannot download encoders; ask the server's administrator for the role train or for the encoder."
    if what == "train":
        return "Your account cannot start or stop trainings; ask the server's administrator for the role train."
    return "Your account can only view; ask the server's administrator for the role edit."


def check_may(what: Act) -> None:
    """Raises InputError with the reason of `refusal`, if any; called wherever something is written or started."""
    raise_reason(refusal(what))


def raise_reason(reason: str) -> None:
    """Raises InputError with this reason unless it is empty."""
    if reason:
        raise InputError(reason)


def upload_limits() -> "UploadLimits":
    """Size limit of one upload here."""
    from likeness.data import UploadLimits

    settings = server()
    return UploadLimits(settings.max_upload_images, settings.max_unpacked_mb, settings.max_pixels, room_for(own_dir() / UPLOADS))


_WHOLE = re.compile(r"""(?P<quote>['"])(?P<path>(?:/|~/|[A-Za-z]:\\)[^'"\n]*)(?P=quote)""")
# not the path of a URL, which follows a host, nor a fraction
_BARE = re.compile(r"""(?<![\w.:/~])(?:~?/(?:[^\s/'"<>|:;,()\[\]]+/)*[^\s/'"<>|:;,()\[\]]+|[A-Za-z]:\\[^\s'"]+)""")


def redact(shown: object) -> str:
    """A text or an error for people; on a shared server paths below a root as "ROOT/...", of each other absolute path only the last step.

    Every error that the app shows goes through here.
    """
    text = shared_name(str(shown))
    return without_paths(text) if server().shared else text


def without_paths(text: str) -> str:
    """Shortens each absolute path in a text to its last step, on every kind of server; used in answers to programs."""
    bases = [*_folders(), visitors_dir(), cache_dir()]
    for place in sorted({os.path.realpath(base) for base in bases} | {str(base) for base in bases}, key=len, reverse=True):
        text = text.replace(f"{place}/", "/./")  # paths with spaces, which are not quoted, at least begin so
    text = _WHOLE.sub(lambda found: found["quote"] + _last(found["path"]) + found["quote"], text)
    return _BARE.sub(lambda found: _last(found[0]), text)


def _unless_id(text: str) -> str:
    """A path as `path_text`; an id of a hub unchanged, since it names no path."""
    named = Path(text).parts[:1] in {(name,) for name in _places()}
    return text if _HUB_ID.fullmatch(text) and not named and not os.path.exists(text) else path_text(text)


def _last(path: str) -> str:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] or "/"


def _places() -> dict[str, Path]:
    """The first steps that paths on a shared server may have."""
    return server().roots | {UPLOADS: own_dir() / UPLOADS}


def _below_a_place(text: str) -> Path | None:
    """Resolves "ROOT/..." and "uploads/..." on a shared server; None for any other beginning."""
    path = Path(text)
    if path.is_absolute():
        return path
    first, *inside = path.parts or ("",)
    place = _places().get(first)
    if place is not None:
        return place.joinpath(*inside)
    return path.absolute() if _inside(os.path.realpath(path), runs_dir()) else None  # whose path may be relative to the server's folder


def _folders() -> list[Path]:
    """What every visitor of a shared server may read."""
    settings = server()
    looked_at = [runs_dir()] if settings.runs or settings.allows_training else []
    computed = [cache_dir() / name for name in ("generated", "downloads")]
    return [*settings.roots.values(), assets_dir(), Path(likeness.__file__).parent, *computed, *looked_at]


def _inside(real: str, base: Path) -> bool:
    return is_inside(real, os.path.realpath(base))
