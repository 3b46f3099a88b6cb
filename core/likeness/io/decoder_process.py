"""One process that decodes foreign images (`likeness.io.decoder_worker`): begun when it is first needed, and again when an image ended it."""

import json
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal

from likeness.errors import InputError
from likeness.io.decoder_limits import OUT_OF_MEMORY
from likeness.io.file_parts import MOST_PARTS
from likeness.io.text import parse_json, plain_name
from likeness.io.unreadable import MissingPackageError, RefusedImageError
from likeness.io.worker_process import WorkerProcess

PROGRAM = ("-m", "likeness.io.decoder_worker")
_LONGEST_LINE, _MOST_BYTES = 10_000, 1 << 26  # bytes of an answer
_LONGEST_REMARK = 500
PICTURE_PIXELS = 16_000_000  # that go back at most; no encoder looks at as many


@dataclass(frozen=True)
class Request:
    """A file, and what is wanted of it.

    Attributes:
        name: of the file; stands in messages.
        content: of the file; empty where it is read from `path`.
        max_pixels: of the image, by its header.
        want: the suffix of a sound image's format, its pixels, its EXIF data, or how many seconds or pages the file has.
        path: of a file on this machine.
        part: second or page, as in a row's path; None for the first.
        picture_pixels: that go back at most.
    """

    name: str
    content: bytes
    max_pixels: int
    want: Literal["suffix", "picture", "exif", "parts"] = "suffix"
    path: str = ""
    part: int | None = None
    picture_pixels: int = PICTURE_PIXELS


@dataclass(frozen=True)
class Answer:
    """What was wanted (suffix; size and pixels, RGB, and a remark on them; EXIF data; parts), or that the image is too large to be decoded beside
    others.
    """

    suffix: str = ""
    width: int = 0
    height: int = 0
    pixels: bytes = b""
    exif: bytes = b""
    parts: int = 0
    large: bool = False
    remark: str = ""


class DecoderProcess(WorkerProcess):
    """The process, as a `WorkerProcess` that decodes an image for each request."""

    def __init__(self, program: Sequence[str], seconds: float) -> None:
        super().__init__(program, seconds, {"OPENBLAS_NUM_THREADS": "1"})

    def ask(self, request: Request, large: bool = False) -> Answer | InputError:
        """The answer to a request; or why the image cannot be decoded: it is none, is not sound, or ended the process."""
        try:
            return self.exchange(lambda process: _exchange(process, request, large))
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return RefusedImageError(request.name, _reason(self.status, self.late))


def _exchange(process: "subprocess.Popen[bytes]", request: Request, large: bool) -> Answer | InputError:
    """Sends a request and reads the answer, of which nothing is taken on trust: whatever was decoded may have taken over its process."""
    assert process.stdin is not None
    assert process.stdout is not None
    head = {field.name: getattr(request, field.name) for field in fields(request)} | {"content": len(request.content), "large": large}
    process.stdin.write(json.dumps(head).encode() + b"\n")
    process.stdin.write(request.content)
    process.stdin.flush()
    line = parse_json(process.stdout.readline(_LONGEST_LINE).decode(errors="replace"), "The answer")
    if "error" in line:
        return RefusedImageError(request.name, str(line["error"]))
    if "package" in line:
        return MissingPackageError(request.name, str(line["package"]), str(line["extra"]))
    if "large" in line and not large:
        return Answer(large=True)
    if request.want == "picture":
        return _picture(process, int(line["width"]), int(line["height"]), plain_name(str(line["remark"]))[:_LONGEST_REMARK])
    if request.want == "exif":
        return Answer(exif=_payload(process, int(line["bytes"])))
    if request.want == "parts":
        return Answer(parts=_in_range(int(line["parts"]), 1, MOST_PARTS))
    return Answer(suffix=_known_suffix(line["suffix"]))


def _picture(process: "subprocess.Popen[bytes]", width: int, height: int, remark: str) -> Answer:
    size = _in_range(width, 1, _MOST_BYTES) * _in_range(height, 1, _MOST_BYTES) * 3
    return Answer(width=width, height=height, pixels=_payload(process, size), remark=remark)


def _payload(process: "subprocess.Popen[bytes]", size: int) -> bytes:
    assert process.stdout is not None
    content = process.stdout.read(_in_range(size, 0, _MOST_BYTES))
    if len(content) < size:
        raise ValueError("the answer broke off")
    return content


def _in_range(number: int, least: int, most: int) -> int:
    if not least <= number <= most:
        raise ValueError("more than was asked for")
    return number


def _known_suffix(suffix: str) -> str:
    from likeness.io.image_check import FORMATS

    if suffix not in FORMATS.values():
        raise ValueError("no suffix of an image")
    return suffix


def _reason(status: int | None, late: bool) -> str:
    """Why a process ended by which an image was to be decoded."""
    if late or (hasattr(signal, "SIGXCPU") and status == -signal.SIGXCPU):
        return "takes too long to decode; leave it out or save it again as PNG or JPEG."
    if status == OUT_OF_MEMORY:
        return "takes more memory to decode than is allowed; make it smaller."
    return "brought its decoder down; leave it out or save it again as PNG or JPEG."
