"""Frames of videos as images, by OpenCV and the FFmpeg in it.

Only in the process that decodes foreign images. FFmpeg also reads playlists, which name other files and addresses: content that is not that of a
video is refused before, and the formats that it may find are listed.
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
    """Raises MissingPackageError where OpenCV is not installed; `name` stands in the message."""
    os.environ["OPENCV_FFMPEG_CAPTURE_OPTIONS"] = _OPTIONS
    needed("cv2", "opencv-python-headless", "videos", name).setNumThreads(1)


def count_seconds(path: Path) -> int:
    """Whole seconds of a video, at least one; raises RefusedImageError where it is none."""
    import cv2

    with _opened(path) as video:
        frames, rate = video.get(cv2.CAP_PROP_FRAME_COUNT), video.get(cv2.CAP_PROP_FPS)
    return max(1, int(frames / rate)) if frames > 0 and rate > 0 else 1


def video_frame(path: Path, second: int, max_pixels: int) -> "Image.Image":
    """The frame that is shown at a second, counted from 0, upright, RGB. Raises RefusedImageError where it is no video, is damaged there or shorter,
    or has more pixels than are allowed.
    """
    import cv2
    from PIL import Image

    with _opened(path) as video:
        width, height = (int(video.get(side)) for side in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT))
        if width * height > max_pixels:
            raise RefusedImageError(path.name, f"is {width:,} x {height:,} pixels, and {max_pixels:,} are allowed; make it smaller.")
        if second:
            video.set(cv2.CAP_PROP_POS_MSEC, second * 1000.0)
        found, pixels = video.read()
    if not found:
        raise RefusedImageError(path.name, f"has no frame at second {second} that can be read; it is damaged or shorter.")
    return Image.fromarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB))


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """The video in a file that is open already, so that FFmpeg opens none by its name."""
    import cv2

    with check_readable(path).open("rb") as file:
        if not _VIDEO.match(file.read(_HEAD)):
            raise RefusedImageError(path.name, "is no video in a known format by its content; leave it out.")
        file.seek(0)
        video = cv2.VideoCapture(file, cv2.CAP_FFMPEG, [cv2.CAP_PROP_N_THREADS, 1])  # type: ignore[call-overload]
        try:
            if not video.isOpened():
                raise RefusedImageError(path.name, "is a damaged video, or of an unknown format; leave it out or save it again as MP4.")
            yield video
        finally:
            video.release()
