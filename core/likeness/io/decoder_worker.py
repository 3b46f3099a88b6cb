"""Program started by `likeness.io.decoder_process`: checks and decodes untrusted images within limits, until its input ends.

A request is a line of JSON and the file's content, unless it names a path; the answer is a line of JSON and pixels or EXIF data, if requested.
"""

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

from likeness.errors import InputError
from likeness.io.confinement import check_readable
from likeness.io.decoder_limits import DecoderLimits
from likeness.io.file_formats import FileFormat, format_of, is_heif, register_heif
from likeness.io.file_parts import MOST_PARTS, Part
from likeness.io.image_check import check_size, image_suffix, opened_image, rgb_picture
from likeness.io.rgb import REMARK
from likeness.io.unreadable import MissingPackageError, RefusedImageError

_RANK = 19  # behind pages that people wait for
_LARGE = 12_500_000  # pixels; as many as a photo has


def main() -> None:
    """Answers requests on standard input on standard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever asks
    if hasattr(os, "nice"):
        os.nice(_RANK)
    Image.MAX_IMAGE_PIXELS = None  # `opened_image` has a limit of its own
    worker = _Worker()
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    while line := incoming.readline():
        request = json.loads(line)
        request["content"] = incoming.read(request["content"])
        request["part"] = Part(*request["part"] or ())
        payload = b""
        try:
            answer, payload = worker.answer(request)
        except MissingPackageError as error:
            answer = {"package": error.package, "extra": error.extra}
        except RefusedImageError as error:
            answer = {"error": error.reason}
        except MemoryError:
            answer = {"error": "takes too much memory to decode; make it smaller."}
        del request  # while the next one comes in
        outgoing.write(json.dumps(answer).encode() + b"\n" + payload)
        outgoing.flush()


class _Worker:
    def __init__(self) -> None:
        self._limits = DecoderLimits()
        self._loaded: set[Callable[[str], Any]] = set()

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """The answer; only "large" if an image is too large to be decoded in parallel with others."""
        name, want = request["name"], request["want"]
        if want == "parts":
            return {"parts": self._parts(request)}, b""
        image, content = self._opened(request)
        if want == "exif":
            exif = image.info.get("exif") or b""
            return {"bytes": len(exif)}, exif
        size = image.width * image.height
        if size > _LARGE and not request["large"]:
            return {"large": True}, b""
        self._limits.allow(size, content)
        if want == "suffix":
            return {"suffix": image_suffix(image, name)}, b""
        picture, (wide, high) = rgb_picture(image, name, request["picture_pixels"], request["part"])
        about = {"width": picture.width, "height": picture.height, "wide": wide, "high": high, "remark": picture.info.get(REMARK, "")}
        return about, picture.tobytes()

    def _opened(self, request: dict[str, Any]) -> tuple[Image.Image, int]:
        """The image, with only its header read if the format allows that, and the number of bytes of its file in memory."""
        name, path, most = request["name"], Path(request["path"]), request["max_pixels"]
        own = format_of(path) if request["path"] else None
        if own is not None:
            number = request["part"].number
            if number is None:
                self._parts(request)  # a file as a whole, whose parts could not be counted, tells why
            with self._ready(own, request):
                image = own.open(path, own.first if number is None else number, most)
                check_size(image, name, most)
                return image, 0
        with _refused(name):
            content = check_readable(path).read_bytes() if request["path"] else request["content"]
        if is_heif(content):
            self._load(register_heif, name)
        self._limits.allow(most // 3, len(content))  # libwebp takes this part of its memory when it opens a file
        return opened_image(content, name, most), len(content)

    def _parts(self, request: dict[str, Any]) -> int:
        """Seconds or pages of a file."""
        own = format_of(Path(request["path"]))
        if own is None or own.count is None:
            return 1
        with self._ready(own, request):
            parts = own.count(Path(request["path"]))
        if not 0 < parts <= MOST_PARTS:
            raise RefusedImageError(request["name"], f"has {parts:,} pages or seconds, but the limit is 1 to {MOST_PARTS:,}; split it.")
        return parts

    @contextmanager
    def _ready(self, own: FileFormat, request: dict[str, Any]) -> Iterator[None]:
        """Loads a format's library and allows the limits of the largest image, because such files reveal their size late."""
        self._load(own.load, request["name"])
        self._limits.allow(request["max_pixels"], 0)
        with _refused(request["name"]):
            yield

    def _load(self, load: Callable[[str], Any], name: str) -> None:
        if load not in self._loaded:
            with self._limits.lifted():
                load(name)
            self._loaded.add(load)


@contextmanager
def _refused(name: str) -> Iterator[None]:
    """Turns whatever libraries raise on damaged content into RefusedImageError."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:60] or type(error).__name__
        raise RefusedImageError(name, f"is damaged, encrypted or of another kind ({reason}); remove it.") from error


if __name__ == "__main__":
    main()
