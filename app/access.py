"""The one check of every path that comes in: on a shared server, only what lies below its roots, or was uploaded, is read."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from likeness.errors import InputError
from likeness.io.paths import assets_dir, cache_dir, runs_dir
from likeness.settings import UPLOADS, server
from likeness.visitors import own_dir


def named_path(given: str | Path) -> Path:
    """The path that a person, a config or a table names, before anything is looked up there.

    Where the server is not shared: the path, "~" expanded. On a shared server: "ROOT/..." below the root of that name, or "uploads/..." for
    what was uploaded; or a whole path, if it lies below a root or in what Likeness itself keeps for its visitors. Symbolic links are followed
    before the check. The same answer is given whether or not there is something, so that nobody can feel his way around.

    Raises:
        InputError: on a shared server, any other path.
    """
    text = str(given)
    if not _is_path(text):
        raise InputError(f"'{text[:60]}' is no path: it is too long or has signs that no file name has; give the path of a file or folder.")
    if not server().shared:
        return Path(text).expanduser()
    path = Path(text)
    if not path.is_absolute():
        path = _below_a_place(path)
    if not allowed(path):
        raise _refused(text)
    return path


def is_root(given: str) -> bool:
    """Whether a text begins with the name of one of this server's roots."""
    return server().shared and Path(given).parts[:1] in {(name,) for name in _places()}


def allowed(path: Path) -> bool:
    """Whether a path may be read; always true where the server is not shared."""
    if not server().shared:
        return True
    try:
        real = os.path.realpath(path)
    except (OSError, ValueError):
        return False
    return any(_inside(real, base) for base in _readable()) or _in_one_upload(real)


def check_readable(path: Path) -> Path:
    """The path of an image or another file that a table lists, as it is.

    Raises:
        PermissionError: on a shared server, a file that does not lie in a place that may be read.
    """
    if not allowed(path):
        raise PermissionError(1, "the file lies outside of what this server shows", path.name)
    return path


def check_url(url: str) -> None:
    """Raises InputError, on a shared server, for a URL that does not lie below one of its own (`ServerSettings.urls`)."""
    settings = server()
    if settings.shared and (".." in url or not any(url.startswith(f"{base.rstrip('/')}/") for base in settings.urls)):
        raise InputError(f"'{url}' cannot be reached here: this server reads no addresses but its own; upload the images instead.")


def shared_name(path: Path) -> str:
    """How a path is written where people see it: on a shared server "ROOT/...", elsewhere whole."""
    if not server().shared:
        return str(path)
    real = os.path.realpath(path)
    for name, root in _places().items():
        if _inside(real, root):
            inside = os.path.relpath(real, os.path.realpath(root))
            return name if inside == "." else f"{name}/{Path(inside).as_posix()}"
    return path.name


def check_options(options: Mapping[str, object]) -> None:
    """Raises InputError for options of a timm model that would read another file on a shared server."""
    named = sorted(set(options) & _NAME_FILES)
    if server().shared and named:
        raise InputError(f"The option '{named[0]}' of a backbone can name a file, which a shared server does not read; leave it away.")


def check_training() -> None:
    """Raises InputError where this server trains nothing."""
    if not server().allows_training:
        raise InputError("Training is switched off on this server; train with `likeness train` on a machine of your own.")


_NAME_FILES = {"checkpoint_path", "pretrained_cfg", "pretrained_cfg_overlay", "cache_dir"}
_WHOLE = re.compile(r"""(?P<quote>['"])(?P<path>(?:/|~/|[A-Za-z]:\\)[^'"\n]*)(?P=quote)""")
# not the path of a URL, which follows a host, nor a fraction
_BARE = re.compile(r"""(?<![\w.:/~])(?:~?/(?:[^\s/'"<>|:;,()\[\]]+/)*[^\s/'"<>|:;,()\[\]]+|[A-Za-z]:\\[^\s'"]+)""")


def redacted(text: str) -> str:
    """A text for people; on a shared server, of each absolute path only the last step is left."""
    if not server().shared:
        return text
    for place in sorted({os.path.realpath(base) for base in _readable()} | {str(base) for base in _readable()}, key=len, reverse=True):
        text = text.replace(f"{place}/", "/./")  # paths with spaces, which are not quoted, at least begin so
    text = _WHOLE.sub(lambda found: found["quote"] + _last(found["path"]) + found["quote"], text)
    return _BARE.sub(lambda found: _last(found[0]), text)


def _last(path: str) -> str:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] or "/"


def _is_path(text: str) -> bool:
    try:
        coded = os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return b"\0" not in coded and len(coded) < 4096 and max(map(len, coded.split(b"/"))) <= 255


def _places() -> dict[str, Path]:
    """What a path may begin with on a shared server."""
    return server().roots | {UPLOADS: _uploads()}


def _below_a_place(path: Path) -> Path:
    first, *inside = path.parts or ("",)
    place = _places().get(first)
    if place is not None:
        return place.joinpath(*inside)
    if _inside(os.path.realpath(path), runs_dir()):  # whose place may be given relative to where the server was started
        return path.absolute()
    raise _refused(str(path))


def _refused(text: str) -> InputError:
    roots = server().roots
    remedy = f"give a folder or file inside {' or '.join(sorted(roots))}, as in '{min(roots)}/...'" if roots else "upload the images instead"
    return InputError(f"'{text}' cannot be reached here: this server shows no paths but its own; {remedy}.")


def _readable() -> list[Path]:
    settings = server()
    looked_at = [runs_dir()] if settings.runs or settings.allows_training else []
    own = [own_dir() / each for each in ("notions", "splits")]
    return [*settings.roots.values(), assets_dir(), _package(), cache_dir() / "generated", *own, *looked_at]


def _package() -> Path:
    return Path(__file__).resolve().parent


def _uploads() -> Path:
    return cache_dir() / UPLOADS


def _in_one_upload(real: str) -> bool:
    """Below the folder of one upload, whose name nobody else knows; not the folder of all of them."""
    uploads = os.path.realpath(_uploads())
    return _inside(real, Path(uploads)) and real != uploads


def _inside(real: str, base: Path) -> bool:
    place = os.path.realpath(base)
    return real == place or real.startswith(place.rstrip("/") + os.sep)
