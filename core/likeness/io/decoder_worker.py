"""Run as a program by `likeness.io.decoder_process`: checks and decodes foreign images within limits, until nobody asks any more.

A request is a line of JSON and the file's content; the answer is a line of JSON and, where a picture is wanted, its pixels.
"""

import json
import os
import signal
import sys
from typing import Any

from PIL import Image

from likeness.errors import InputError
from likeness.io.decoder_limits import DecoderLimits
from likeness.io.image_check import image_suffix, opened_image, rgb_picture
from likeness.io.text import plain_name

_RANK = 19  # behind pages that people wait for
_LARGE = 12_000_000  # pixels; as many as a photo has
_PICTURE = 16_000_000  # pixels at most that go back; no encoder looks at as many


def main() -> None:
    """Answers requests on standard input on standard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever asks
    if hasattr(os, "nice"):
        os.nice(_RANK)
    Image.MAX_IMAGE_PIXELS = None  # `opened_image` has a limit of its own
    limits = DecoderLimits()
    incoming, outgoing = sys.stdin.buffer, sys.stdout.buffer
    while line := incoming.readline():
        request = json.loads(line)
        content = incoming.read(request["bytes"])
        pixels = b""
        try:
            answer, pixels = _answer(request, content, limits)
        except InputError as error:
            answer = {"error": str(error)}
        except MemoryError:
            answer = {"error": f"The image '{plain_name(request['name'])}' takes more memory to decode than is allowed; make it smaller."}
        del content  # while the next one comes in
        outgoing.write(json.dumps(answer).encode() + b"\n" + pixels)
        outgoing.flush()


def _answer(request: dict[str, Any], content: bytes, limits: DecoderLimits) -> tuple[dict[str, Any], bytes]:
    """The suffix of a sound image, or its size and pixels; "large" alone of one that is too large to be decoded beside others."""
    name = request["name"]
    limits.allow(request["max_pixels"] // 3, len(content))  # libwebp takes this part of its memory when it opens a file
    image = opened_image(content, name, request["max_pixels"])
    size = image.width * image.height
    if size > _LARGE and not request["large"]:
        return {"large": True}, b""
    limits.allow(size, len(content))
    if not request["picture"]:
        return {"suffix": image_suffix(image, name)}, b""
    picture = rgb_picture(image, name, _PICTURE)
    return {"width": picture.width, "height": picture.height}, picture.tobytes()


if __name__ == "__main__":
    main()
