"""Uploaded files as a folder of images in the user's cache."""

import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from likeness.data.folder import is_image_name, read_folder
from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.files import write_atomic
from likeness.paths import cache_dir

MAX_FILES = 20_000
MAX_BYTES = 512 * 1024**2
MAX_IMAGE_BYTES = 100 * 1024**2
_NAME_LENGTH = 60  # characters; file systems allow 255 bytes
_DEPTH = 4


def save_uploads(files: Iterable[tuple[str, bytes]], name: str = "Uploaded images", folder: Path | None = None) -> ImageTable:
    """Saves images, and those inside ZIP files, in a folder named after their content, and returns its table.

    The same files again give the same folder. Inside a ZIP, folders are kept and become classes. Names that lead out of the folder are cut
    down to what is inside; of several files with one name, the later are numbered.

    Args:
        files: name and content of each file.
        name: shown to people.
        folder: under which the new folder is made; by default in the user's cache.

    Raises:
        InputError: if a file is no image, too large or a damaged ZIP, if there are too many, or none.
    """
    images = _unique(_limited(_unpacked(files)))
    if not images:
        raise InputError("There are no images among the uploaded files; choose image files or a ZIP of images.")
    target = (folder or cache_dir() / "uploads") / f"{_slug(name)}-{_digest(images)}"
    try:
        for path, content in images.items():
            if not (target / path).is_file():
                write_atomic(target / path, content)
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise InputError(f"The upload cannot be saved ({reason}); make room, or point at a folder instead.") from error
    return read_folder(target, name)


def _unpacked(files: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Names and contents of images, those inside ZIP files included."""
    for name, content in files:
        if name.lower().endswith(".zip"):
            yield from _unzip(name, content)
        else:
            _check_image(name, content)
            yield _inside(name).split("/")[-1], content


def _unzip(name: str, content: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir() and _is_visible_image(member.filename)]
            _check_declared(name, members)
            for member in members:
                with archive.open(member) as file:
                    # At most one byte over the limit is ever unpacked, whatever size the archive declares.
                    image = file.read(MAX_IMAGE_BYTES + 1)
                _check_image(member.filename, image)
                yield _inside(member.filename), image
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"The ZIP file '{name}' is damaged, encrypted or packed in an unknown way ({error}); pack it again.") from error


def _check_declared(name: str, members: list[zipfile.ZipInfo]) -> None:
    if not members:
        raise InputError(f"The ZIP file '{name}' holds no images; choose another.")
    if len(members) > MAX_FILES:
        raise InputError(f"The ZIP file '{name}' holds {len(members):,} images, more than {MAX_FILES:,}; unpack it and point at the folder instead.")
    total = sum(member.file_size for member in members)
    if total > MAX_BYTES:
        raise InputError(
            f"The ZIP file '{name}' unpacks to {total / 1e6:,.0f} MB, more than {MAX_BYTES / 1e6:,.0f} MB; unpack it and point at the folder instead."
        )


def _check_image(name: str, content: bytes) -> None:
    from PIL import Image

    if len(content) > MAX_IMAGE_BYTES:
        raise InputError(
            f"The file '{name}' has more than {MAX_IMAGE_BYTES // 1024**2} MB, the limit for one image; shrink it or point at a folder instead."
        )
    if not is_image_name(PurePosixPath(name.replace("\\", "/")).name):
        raise InputError(f"The file '{name}' is not an image by its name; choose image files or a ZIP of images.")
    try:
        with Image.open(io.BytesIO(content)):
            pass
    except Exception as error:  # Pillow's parsers raise anything on foreign content
        raise InputError(f"The file '{name}' is not an image that can be read; leave it out or save it again as PNG or JPEG.") from error


def _limited(images: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    total = 0
    for count, (name, content) in enumerate(images, 1):
        total += len(content)
        if count > MAX_FILES or total > MAX_BYTES:
            raise InputError(
                f"The upload has more than {MAX_FILES:,} images or {MAX_BYTES / 1e6:,.0f} MB; put them in a folder and point at that instead."
            )
        yield name, content


def _unique(images: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    """Contents by path; a second "a.png" becomes "a (2).png". Names are compared without case, as some file systems do."""
    taken: dict[str, bytes] = {}
    lower: set[str] = set()
    for name, content in images:
        path = PurePosixPath(name)
        number = 1
        while str(path).lower() in lower:
            number += 1
            path = PurePosixPath(name).with_stem(f"{PurePosixPath(name).stem} ({number})")
        lower.add(str(path).lower())
        taken[str(path)] = content
    return taken


def _is_visible_image(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    hidden = any((part.startswith(".") and part not in (".", "..")) or part == "__MACOSX" for part in parts[:-1])
    return is_image_name(parts[-1]) and not hidden


def _inside(name: str) -> str:
    """A relative path that any file system takes: without root, drive, steps upwards, odd characters, long names or deep nesting."""
    parts = [part for part in re.sub(r"^[A-Za-z]:", "", name.replace("\\", "/")).split("/") if part not in ("", ".", "..")]
    return "/".join(re.sub(r'[\x00-\x1f<>:"|?*]', "_", part)[-_NAME_LENGTH:] for part in parts[-_DEPTH:])


def _digest(images: dict[str, bytes]) -> str:
    digest = hashlib.sha256()
    for path, content in sorted(images.items()):
        digest.update(path.encode("utf-8", "surrogateescape") + b"\0" + hashlib.sha256(content).digest())
    return digest.hexdigest()[:12]


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:40] or "images"
