"""Who may read what: turns what a visitor wrote into paths before core is called, and takes paths out of what is shown.

Where the server is not shared, all of it is the identity. `confine_server` has core check the same once more, also in processes that it starts.
"""

import os
import re
from pathlib import Path

import likeness
from likeness.data import UploadLimits, plain_names, uploads_dir
from likeness.errors import InputError
from likeness.io import as_path, assets_dir, cache_dir, can_be_a_path, confine, is_inside, runs_dir, text_to_name
from server_settings import UPLOADS, server
from visitors import notions_dir, splits_dir, visitors_dir

_PAPER_SOURCE = re.compile(r"(?P<dataset>[A-Za-z0-9][\w-]+(?:/\w+)?):(?P<folder>.*)", re.DOTALL)
_MOST_GENERATED = 10_000


def confine_server() -> None:
    """Confines this process, and those that it starts, to what a shared server shows and reads itself; and switches off its downloads, if so set."""
    settings = server()
    if settings.shared:
        from likeness.language import installed_folders  # else no server needs it before its first page

        kept = [cache_dir() / each for each in ("notions", "splits")]
        confine([*_folders(), *kept, *installed_folders()], [uploads_dir(), visitors_dir()], settings.urls)
    if not settings.allows_downloads:
        os.environ["HF_HUB_OFFLINE"] = "1"


def resolve_path(given: str | Path) -> Path:
    """The path that a visitor names, before anything is looked up there.

    Where the server is not shared: the path, "~" expanded. On a shared server: "ROOT/..." below the root of that name, or "uploads/..." for
    what was uploaded; or a whole path, if it lies below a root or in what Likeness itself keeps for its visitors. Symbolic links are followed
    before the check. The same answer is given whether or not there is something, so that nobody can feel his way around.

    Raises:
        InputError: no path, or on a shared server any other path.
    """
    text = text_to_name(str(given))
    if not server().shared or not can_be_a_path(text):
        return as_path(text)
    path = _below_a_place(text)
    if path is None or not allowed(path):
        raise _refused(text)
    return path


def path_text(given: str) -> str:
    """As `resolve_path`, for what stays a text; where the server is not shared as it was given."""
    return str(resolve_path(given)) if server().shared else given


def allowed(path: Path) -> bool:
    """Whether a visitor may read a path; always true where the server is not shared."""
    if not server().shared:
        return True
    try:
        real = os.path.realpath(path)
    except (OSError, ValueError):
        return False
    uploads = uploads_dir()  # whoever knows the name of one reads it; they are not listed
    if _inside(real, uploads):
        return real != os.path.realpath(uploads)
    return any(_inside(real, base) for base in (*_folders(), notions_dir(), splits_dir()))


def resolve_source(source: str) -> str:
    """What `likeness.data.read_dataset` takes, from what a visitor wrote.

    Raises:
        InputError: a path that may not be read, or more generated images than a shared server draws.
    """
    text = source.strip()
    if not server().shared or not text or "://" in text:  # core checks addresses
        return source
    if text.partition("@")[0] in plain_names():
        count = text.partition("@")[2]
        if count.isdecimal() and int(count[:9]) > _MOST_GENERATED:
            raise InputError(f"'{text}' asks for more images than a shared server draws; take {_MOST_GENERATED:,} at most.")
        return text
    match = _PAPER_SOURCE.fullmatch(text)
    if match is None:
        return str(resolve_path(text))
    return f"{match['dataset']}:{resolve_path(match['folder'].strip())}" if match["folder"].strip() else text


def shared_name(text: str) -> str:
    """The reverse: paths in a text as a shared server's visitors write them, "ROOT/..."; elsewhere the text as it is."""
    if not server().shared:
        return text
    for name, place in _places().items():
        for written in {str(place), os.path.realpath(place)}:
            text = re.sub(rf"(?<![\w./-]){re.escape(written)}(?![\w.-])", name, text)
    return text


def resolve_encoder(name: str) -> str:
    """What `likeness.encoders.load_encoder` takes, from what a visitor wrote; raises InputError for a path that may not be read."""
    for prefix in ("local-dir:", "timm:local-dir:", "run:"):
        if name.startswith(prefix):
            return f"{prefix}{path_text(name.removeprefix(prefix))}"
    return name


def resolve_language(name: str) -> str:
    """What `likeness.language.class_similarities` takes, from what a visitor wrote; raises InputError for a path that may not be read."""
    kind, colon, target = name.partition(":")
    if not server().shared or not colon or not target:
        return name
    if kind == "clip":
        return f"clip:{resolve_encoder(target)}"
    if kind == "vectors" or (kind == "hierarchy" and target != "wordnet"):
        return f"{kind}:{path_text(target)}"
    if kind == "transformers" and _looks_like_path(target):
        folder, at, pooling = target.rpartition("@")
        return f"{kind}:{path_text(folder)}@{pooling}" if at and pooling in ("mean", "pooler") else f"{kind}:{path_text(target)}"
    return resolve_encoder(name)


def check_training() -> None:
    """Raises InputError where this server trains nothing."""
    if not server().allows_training:
        raise InputError("Training is turned off on this server; run `likeness train` on your own machine instead.")


def upload_limits() -> UploadLimits:
    """What one upload may hold here."""
    settings = server()
    total = settings.max_uploads_gb if settings.shared else None
    return UploadLimits(settings.max_upload_images, settings.max_unpacked_mb, settings.max_pixels, total)


_WHOLE = re.compile(r"""(?P<quote>['"])(?P<path>(?:/|~/|[A-Za-z]:\\)[^'"\n]*)(?P=quote)""")
# not the path of a URL, which follows a host, nor a fraction
_BARE = re.compile(r"""(?<![\w.:/~])(?:~?/(?:[^\s/'"<>|:;,()\[\]]+/)*[^\s/'"<>|:;,()\[\]]+|[A-Za-z]:\\[^\s'"]+)""")


def redact(shown: object) -> str:
    """A text or an error for people; on a shared server paths below a root as "ROOT/...", of each other absolute path only the last step.

    Every error that the app shows goes through here.
    """
    text = shared_name(str(shown))
    if not server().shared:
        return text
    bases = [*_folders(), uploads_dir(), visitors_dir(), cache_dir()]
    for place in sorted({os.path.realpath(base) for base in bases} | {str(base) for base in bases}, key=len, reverse=True):
        text = text.replace(f"{place}/", "/./")  # paths with spaces, which are not quoted, at least begin so
    text = _WHOLE.sub(lambda found: found["quote"] + _last(found["path"]) + found["quote"], text)
    return _BARE.sub(lambda found: _last(found[0]), text)


def _looks_like_path(text: str) -> bool:
    """Written as a path, in a root, or there: no id of a hub."""
    return text.startswith(("/", ".", "~")) or Path(text).parts[:1] in {(name,) for name in _places()} or os.path.exists(text)


def _last(path: str) -> str:
    return re.split(r"[/\\]", path.rstrip("/\\"))[-1] or "/"


def _places() -> dict[str, Path]:
    """What a path may begin with on a shared server."""
    return server().roots | {UPLOADS: uploads_dir()}


def _below_a_place(text: str) -> Path | None:
    """A path as it is meant on a shared server; None where it begins with nothing that it shows."""
    path = Path(text)
    if path.is_absolute():
        return path
    first, *inside = path.parts or ("",)
    place = _places().get(first)
    if place is not None:
        return place.joinpath(*inside)
    return path.absolute() if _inside(os.path.realpath(path), runs_dir()) else None  # whose place may be given relative to the server's own


def _refused(text: str) -> InputError:
    roots = server().roots
    remedy = f"give a folder or file inside {' or '.join(sorted(roots))}, as in '{min(roots)}/...'" if roots else "upload the images instead"
    return InputError(f"'{text}' cannot be reached here: this server shows no paths but its own; {remedy}.")


def _folders() -> list[Path]:
    """What every visitor of a shared server may read."""
    settings = server()
    looked_at = [runs_dir()] if settings.runs or settings.allows_training else []
    return [*settings.roots.values(), assets_dir(), Path(likeness.__file__).parent, cache_dir() / "generated", *looked_at]


def _inside(real: str, base: Path) -> bool:
    return is_inside(real, os.path.realpath(base))
