"""Videos: a frame for each second, and no other file that they name."""

import struct
from pathlib import Path

import numpy as np
import pytest

from foreign_files import write_video
from likeness.io import UnreadableImageError, count_parts, read_image


@pytest.mark.parametrize(("name", "codec"), [("a.mp4", "mp4v"), ("a.MOV", "mp4v"), ("a.avi", "MJPG"), ("a.mkv", "mp4v")])
def test_a_frame_for_each_second(tmp_path: Path, name: str, codec: str) -> None:
    write_video(tmp_path / name, shades=(0, 120, 240), codec=codec)
    assert count_parts([tmp_path / name]) == [3]
    frames = [np.asarray(read_image(tmp_path / f"{name}#t={second}")) for second in range(3)]
    assert [frame.shape for frame in frames] == [(48, 64, 3)] * 3
    assert [frame.mean() for frame in frames] == pytest.approx([0, 120, 240], abs=4)


def test_a_video_as_a_whole_is_its_first_frame_and_has_a_second_at_least(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", shades=(240, 0))
    assert np.asarray(read_image(tmp_path / "a.mp4")).mean() == pytest.approx(240, abs=4)
    write_video(tmp_path / "a.mp4", shades=(0,), rate=1)
    assert count_parts([tmp_path / "a.mp4"]) == [1]


def test_videos_of_phones_held_upright_are_turned(tmp_path: Path) -> None:
    write_video(tmp_path / "a.mp4", shades=(0,))
    content = (tmp_path / "a.mp4").read_bytes()
    place = content.index(b"tkhd") + 44  # version and flags, times, track, layer: the matrix of ISO 14496-12 follows
    whole, turned = struct.pack(">9i", 65536, 0, 0, 0, 65536, 0, 0, 0, 1 << 30), struct.pack(">9i", 0, 65536, 0, -65536, 0, 0, 0, 0, 1 << 30)
    assert content[place : place + 36] == whole
    (tmp_path / "a.mp4").write_bytes(content[:place] + turned + content[place + 36 :])
    assert read_image(tmp_path / "a.mp4#t=0").size == (48, 64)


def test_a_second_behind_its_end_and_more_pixels_than_are_allowed(tmp_path: Path) -> None:
    from likeness.io import video_frames

    write_video(tmp_path / "a.mp4")
    with pytest.raises(UnreadableImageError, match=r"'a\.mp4' is 64 x 48 pixels, more than the limit of 1,000; make it smaller"):
        video_frames.video_frame(tmp_path / "a.mp4", 0, 1_000)
    with pytest.raises(UnreadableImageError, match=r"'a\.mp4' has no readable frame at second 9; it is damaged or shorter"):
        read_image(tmp_path / "a.mp4#t=9")


def test_a_playlist_that_names_another_file_is_no_video(tmp_path: Path) -> None:
    write_video(tmp_path / "secret.mp4")
    playlists = [
        f"#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\n{tmp_path / 'secret.mp4'}\n#EXT-X-ENDLIST\n",
        f"ffconcat version 1.0\nfile {tmp_path / 'secret.mp4'}\n",
    ]
    for place, playlist in enumerate(playlists):
        (tmp_path / f"{place}.mp4").write_text(playlist)
        with pytest.raises(UnreadableImageError, match="is not a video in a known format"):
            read_image(tmp_path / f"{place}.mp4")


def test_ffmpeg_itself_opens_no_playlist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.io import video_frames

    write_video(tmp_path / "secret.mp4")
    (tmp_path / "a.mp4").write_text(f"ffconcat version 1.0\nfile {tmp_path / 'secret.mp4'}\n")
    monkeypatch.setattr(video_frames, "_VIDEO", video_frames.re.compile(b""))
    monkeypatch.setenv("OPENCV_FFMPEG_CAPTURE_OPTIONS", "")
    video_frames.load_opencv("a.mp4")
    with pytest.raises(UnreadableImageError, match="is a damaged video"):
        video_frames.count_seconds(tmp_path / "a.mp4")
    assert video_frames.count_seconds(tmp_path / "secret.mp4") == 3
