"""Read video frames with OpenCV and its FFmpeg.

Only in the decoder process. FFmpeg also reads playlists, which refer to other files and URLs, so content is checked before, and formats are
restricted to a list.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from likeness.io.confinement import check_readable
from likeness.io.unreadable import RefusedImageError, needed

if TYPE_CHECKING:
    from PIL import Image

# QuickTime and MP4, Matroska and WebM, AVI, MPEG and its streams
_VIDEO = re.compile(rb".{4}(?:ftyp|moov|mdat|wide|free|skip|pnot)|\x1aE\xdf\xa3|RIFF.{4}AVI |\0\0\x01[\xba\xb3]|G.{187}G|.{4}G.{191}G", re.DOTALL)
_HEAD = 256
_FORMATS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegvideo,mpegts"
_OPTIONS = f"format_whitelist;{_FORMATS}|protocol_whitelist;pipe|enable_drefs;0"


def load_opencv(name: str) -> None:
    """Raises MissingPackageError, which names the file, if OpenCV is not installed."""
    os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] = _OPTIONS
    needed("cv2", "opencv-python-headless", "videos", name).setNumThreads(1)


def count_seconds(path: Path) -> int:
    """Duration of a video in whole seconds, at least one; raises RefusedImageError if it is not a video."""
    import cv2

    with _opened(path) as video:
        frames, rate = video.get(cv2.CAP_PROP_FRAME_COUNT), video.get(cv2.CAP_PROP_FPS)
    return max(1, int(frames / rate)) if frames > 0 and rate > 0 else 1


def video_frame(path: Path, second: int, max_pixels: int) -> "Image.Image":
    """The upright RGB frame shown at a second (from 0). Raises RefusedImageError if the file is not a video, is damaged there or shorter, or has too
    many pixels.
    """
    import cv2
    from PIL import Image

    with _opened(path) as video:
        # by the header, before a frame is allocated
        width, height = (int(video.get(side)) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
        if width * height > max_pixels:
            raise RefusedImageError(path.name, f"is {width:,} x {height:,} pixels, more than the limit of {max_pixels:,}; make it smaller.")
        if second:
            video.set(cv2.CAP_PROP_POS_MSEC, second * 1000.0)
        found, pixels = video.read()
    if not found:
        raise RefusedImageError(path.name, f"has no readable frame at second {second}; it is damaged or shorter.")
    return Image.fromarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB))


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Opens a video through an open file, so that FFmpeg opens nothing by name."""
    import cv2

    with check_readable(path).open("rb") as file:
        if not _VIDEO.match(file.read(_HEAD)):
            raise RefusedImageError(path.name, "is not a video in a known format; remove it.")
        file.seek(0)
        video = cv2.VideoCapture(file, cv2.CAP_FFMPEG, [cv2.CAP_PROP_N_THREADS, 1])  # type: ignore[call-overload]
        try:
            if not video.isOpened():
                raise RefusedImageError(path.name, "is a damaged video or of an unknown format; remove it or save it again as MP4.")
            yield video
        finally:
            video.release()
