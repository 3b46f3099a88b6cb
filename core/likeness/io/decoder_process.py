"""Client side of the image decoder process (`likeness.io.decoder_worker`): requests, and validated answers."""

import json
import signal
from dataclasses import asdict, dataclass
from typing import IO, TYPE_CHECKING, Literal, TypeAlias

from likeness.errors import InputError
from likeness.io.decoder_limits import OUT_OF_MEMORY
from likeness.io.file_parts import MOST_PARTS, Part
from likeness.io.python_process import WorkerProcess
from likeness.io.text import parse_json, plain_name
from likeness.io.unreadable import MissingPackageError, RefusedImageError

if TYPE_CHECKING:
    from PIL import Image

PROGRAM = ("-m", "likeness.io.decoder_worker")
_LONGEST_LINE, _MOST_BYTES = 10_000, 1 << 26  # bytes of an answer
_LONGEST_REMARK = 500
FULL_SIZE = "likeness_full_size"  # where a picture's `info` has its size before it was reduced
PICTURE_PIXELS = 16_000_000  # that go back at most; no encoder looks at as many

# a suffix, a picture, EXIF data or a number of parts, as was wanted; None: the image is too large to be decoded beside others
Answer: TypeAlias = "str | Image.Image | bytes | int | InputError | None"


@dataclass(frozen=True)
class Request:
    """A file, by content or local path, and what to return: the suffix of its format, its pixels, its EXIF data, or its number of seconds or pages.
    `name` is used in messages; `part` is a second, page or region as in a row's path, None for the first. Images of more than `max_pixels` are
    refused; at most `picture_pixels` are returned.
    """

    name: str
    content: bytes
    max_pixels: int
    want: Literal["suffix", "picture", "exif", "parts"] = "suffix"
    path: str = ""
    part: Part | None = None
    picture_pixels: int = PICTURE_PIXELS


def ask(process: WorkerProcess, request: Request, large: bool = False) -> Answer:
    """The answer to a request, or why the image cannot be decoded: not an image, damaged, or it ended the process."""
    try:
        return process.exchange(lambda asks, answers: _exchange(asks, answers, request, large))
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return RefusedImageError(request.name, _reason(process.status, process.late))


def _exchange(asks: IO[bytes], answers: IO[bytes], request: Request, large: bool) -> Answer:
    """Sends a request and validates the answer, because a malicious image may have taken over the process."""
    asks.write(json.dumps(asdict(request) | {"content": len(request.content), "large": large}).encode() + b"\n")
    asks.write(request.content)
    asks.flush()
    line = parse_json(answers.readline(_LONGEST_LINE).decode(errors="replace"), "The answer")
    if "error" in line:
        return RefusedImageError(request.name, str(line["error"]))
    if "package" in line:
        return MissingPackageError(request.name, str(line["package"]), str(line["extra"]))
    if "large" in line and not large:
        return None
    if request.want == "picture":
        width, height, wide, high = (int(line[side]) for side in ("width", "height", "wide", "high"))
        return _picture(answers, width, height, plain_name(str(line["remark"]))[:_LONGEST_REMARK], (wide, high))
    if request.want == "exif":
        return _payload(answers, int(line["bytes"]))
    if request.want == "parts":
        return _in_range(int(line["parts"]), 1, MOST_PARTS)
    from likeness.io.image_check import FORMATS

    if line["suffix"] not in FORMATS.values():
        raise ValueError("not an image suffix")
    return str(line["suffix"])


def _picture(answers: IO[bytes], width: int, height: int, remark: str, full: tuple[int, int]) -> "Image.Image":
    from PIL import Image

    from likeness.io.rgb import REMARK

    # each factor is bounded before the product, so that a hostile answer cannot overflow or allocate
    size = _in_range(width, 1, _MOST_BYTES) * _in_range(height, 1, _MOST_BYTES) * 3
    picture = Image.frombytes("RGB", (width, height), _payload(answers, size))
    picture.info |= {FULL_SIZE: full, REMARK: remark} if remark else {FULL_SIZE: full}
    return picture


def _payload(answers: IO[bytes], size: int) -> bytes:
    content = answers.read(_in_range(size, 0, _MOST_BYTES))
    if len(content) < size:
        raise ValueError("truncated answer")
    return content


def _in_range(number: int, least: int, most: int) -> int:
    if not least <= number <= most:
        raise ValueError("number out of range")
    return number


def _reason(status: int | None, late: bool) -> str:
    """Why the decoder process ended."""
    if late or (hasattr(signal, "SIGXCPU") and status == -signal.SIGXCPU):
        return "takes too long to decode; remove it or save it again as PNG or JPEG."
    if status == OUT_OF_MEMORY:
        return "takes too much memory to decode; make it smaller."
    return "crashed its decoder; remove it or save it again as PNG or JPEG."
