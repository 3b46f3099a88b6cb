"""Foreign images are decoded in other processes: what is hostile ends there, after little time, and harms nothing else."""

import io
import json
import struct
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
import pytest
from PIL import Image

from hostile_images import chunk, decoder_of_13, zeros_png
from likeness.errors import InputError
from likeness.io import foreign_images
from likeness.io.decoder_pool import Client, DecoderPool, _Turn
from likeness.io.decoder_process import Request
from likeness.io.foreign_images import check_images, foreign_image

_WAIT_S = 120


def png(size: tuple[int, int] = (8, 8), kind: str = "PNG", mode: str = "RGB", **options) -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, size).save(buffer, kind, **options)
    return buffer.getvalue()


def with_chunks(*chunks: bytes) -> bytes:
    """A small PNG with more chunks behind its header."""
    content = png()
    return content[:33] + b"".join(chunks) + content[33:]


def pages(count: int) -> bytes:
    """A TIFF of many pages."""
    buffer = io.BytesIO()
    first, *others = [Image.new("L", (8, 8), shade % 256) for shade in range(count)]
    first.save(buffer, "TIFF", save_all=True, append_images=others)
    return buffer.getvalue()


def endless_tiff() -> bytes:
    """A TIFF whose second page is its first, forever."""
    content = bytearray(png(kind="TIFF"))
    begin = struct.unpack_from("<I", content, 4)[0]
    entries = struct.unpack_from("<H", content, begin)[0]
    struct.pack_into("<I", content, begin + 2 + 12 * entries, begin)
    return bytes(content)


def animation(kind: str) -> bytes:
    buffer = io.BytesIO()
    frames = [Image.new("RGB", (64, 64), (shade, 0, 0)) for shade in range(200)]
    frames[0].save(buffer, kind, save_all=True, append_images=frames[1:], duration=1)
    return buffer.getvalue()


def suffixes(*contents: bytes, max_pixels: int = foreign_images.MAX_PIXELS) -> list[str | InputError]:
    return [suffix for _, _, suffix in check_images([(f"{number}.png", content) for number, content in enumerate(contents)], max_pixels)]


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Lets uploads use other processes: `pool("time.sleep(1000)", size=2, seconds=1)`."""
    made = []

    def make(instead: str, size: int = 2, **options) -> DecoderPool:
        made.append(DecoderPool(size, decoder_of_13(tmp_path, instead), **options))
        monkeypatch.setattr(foreign_images, "_uploads", made[-1])
        return made[-1]

    yield make
    for each in made:
        each.close()


def processes(pool: DecoderPool) -> list[subprocess.Popen[bytes]]:
    return [process._process for _, process in pool._idle if process._process is not None]


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + _WAIT_S
    while not condition():
        assert time.monotonic() < end, "did not happen"
        time.sleep(0.01)


class TestSound:
    def test_files_come_back_in_order_with_the_suffix_of_their_format(self) -> None:
        kinds = ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"] * 20
        contents = [png((8 + place, 8), kind) for place, kind in enumerate(kinds)]
        files = [(str(place), content) for place, content in enumerate(contents)]
        found = list(check_images(files))
        assert [(name, content) for name, content, _ in found] == files
        assert [suffix for *_, suffix in found] == [".jpg", ".png", ".webp", ".gif", ".bmp", ".tif"] * 20

    def test_a_picture_is_the_one_in_the_file_upright_and_a_large_one_made_smaller_by_a_whole_number(self, photo) -> None:
        buffer, exif = io.BytesIO(), Image.Exif()
        photo(40, 30).save(buffer, "PNG")
        np.testing.assert_array_equal(np.asarray(foreign_image(buffer.getvalue(), "a.png")), np.asarray(photo(40, 30)))
        exif[0x0112] = 6
        picture = foreign_image(png((40, 30), "TIFF", mode="I;16", exif=exif), "a")
        assert (picture.mode, picture.size) == ("RGB", (30, 40))
        assert foreign_image(png((4_000, 4_000), mode="L"), "a").size == (4_000, 4_000)
        assert foreign_image(png((4_200, 4_000), mode="L"), "a").size == (2_100, 2_000)
        assert foreign_image(png((20_000, 900), mode="1"), "a").size == (10_000, 450)

    def test_large_ones_of_an_upload_and_what_takes_its_memory_when_it_is_opened_are_decoded_too(self) -> None:
        large = png((4_000, 4_000), mode="1")
        assert suffixes(png(), large, large, png((5_900, 5_900), "WEBP", method=0), png()) == [".png"] * 3 + [".webp", ".png"]

    @pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
    def test_the_first_frame_of_an_animation_counts(self, kind: str) -> None:
        assert suffixes(animation(kind)) == [f".{kind.lower()}"]
        assert np.asarray(foreign_image(animation(kind), "a")).max() < 10

    def test_of_pages_without_end_the_first_is_read_and_of_many_strips_and_tags_all(self) -> None:
        strips = png((8, 20_000), "TIFF", strip_size=8)
        tags = png(kind="TIFF", tiffinfo=dict.fromkeys(range(40_000, 45_000), 1))
        assert suffixes(pages(300), endless_tiff(), strips, tags) == [".tif"] * 4


class TestRefused:
    def test_scans_and_fewer_of_more_pixels(self, progressive_jpeg) -> None:
        sound, refused = suffixes(progressive_jpeg(64, 64, 100), progressive_jpeg(64, 64, 101))
        assert sound == ".jpg"
        assert str(refused) == ("The image '1.png' is a JPEG of more than 100 scans, which takes too long to decode; save it again as PNG or JPEG.")
        # the file of the review: a few hundred kilobytes, 23 seconds
        content = progressive_jpeg(8_000, 8_000, 256)
        assert len(content) < 300_000
        (refused,) = suffixes(content)
        assert "is a JPEG of more than 31 scans, which takes too long to decode" in str(refused)
        with pytest.raises(InputError, match="more than 31 scans"):
            foreign_image(content, "a.jpg")

    def test_pixels_and_a_file_that_is_too_large(self) -> None:
        (refused,) = suffixes(png((200, 100)), max_pixels=10_000)
        assert "is 200 x 100 pixels, more than the limit of 10,000; make it smaller" in str(refused)
        small, large = (suffix for *_, suffix in check_images([("a", png()), ("b", png() + bytes(3 << 20))], max_bytes=2 << 20))
        assert small == ".png"
        assert str(large) == "The image 'b' has more than 2 MB, the limit for one image; shrink it and upload it again."

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"no image",
            zeros_png(500)[:-400],
            with_chunks(*[chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(30 << 20)))] * 4),
            with_chunks(*[chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(1_000_000)))] * 100),
            with_chunks(chunk(b"iCCP", b"a\0\0" + zlib.compress(bytes(30 << 20)))),
        ],
        ids=["empty", "text", "cut off", "text that unpacks to a lot", "many texts", "color profile that unpacks to a lot"],
    )
    def test_damage_and_bombs_of_metadata(self, content: bytes) -> None:
        sound, refused, after = suffixes(png(), content, png())
        assert "its content is not a valid JPEG, PNG" in str(refused)
        assert [sound, after] == [".png", ".png"]


class TestEnded:
    """What ends a process is answered in a sentence, and the other images find another."""

    @pytest.mark.parametrize(
        ("instead", "reason"),
        [
            ("os.kill(os.getpid(), signal.SIGSEGV)", "crashed its decoder; remove it"),
            ("os._exit(0)", "crashed its decoder; remove it"),
            ("os._exit(86)", "takes too much memory to decode; make it smaller"),
            ("kept = bytearray(400 << 20)", "takes too much memory to decode; make it smaller"),  # than its header announces
            ("os.kill(os.getpid(), signal.SIGXCPU)", "takes too long to decode; remove it"),
            ("os.write(1, b'no answer\\n')", "crashed its decoder; remove it"),
            ("""os.write(1, b'{"suffix": ".exe"}\\n')""", "crashed its decoder; remove it"),
            ("""os.write(1, b'[1]\\n')""", "crashed its decoder; remove it"),
            ("os.write(1, b'[' * 100_000)", "crashed its decoder; remove it"),
        ],
    )
    def test_by_its_decoder(self, pool, instead: str, reason: str) -> None:
        pool(instead)
        hostile = png((13, 13))
        found = suffixes(png(), hostile, png(), hostile, hostile, png())
        assert [each for each in found if isinstance(each, str)] == [".png"] * 3
        assert [place for place, each in enumerate(found) if isinstance(each, InputError)] == [1, 3, 4]
        assert str(found[1]).startswith(f"The image '1.png' {reason}")

    def test_by_the_system_after_too_many_seconds_of_processor(self, pool, monkeypatch: pytest.MonkeyPatch) -> None:
        pool("from likeness.io import decoder_limits as limits; limits._SECONDS = 0; limits.DecoderLimits().allow(0, 0)\n        while True: pass")
        found = suffixes(png(), png((13, 13)), png())
        assert [found[0], found[2]] == [".png", ".png"]
        assert str(found[1]) == "The image '1.png' takes too long to decode; remove it or save it again as PNG or JPEG."

    def test_by_the_watch_when_it_sleeps(self, pool) -> None:
        pool("time.sleep(1_000_000)", seconds=5)  # in which a process starts on a busy machine, too
        found = suffixes(png((13, 13)), png())
        assert "takes too long to decode" in str(found[0])
        assert found[1] == ".png"

    @pytest.mark.parametrize("answer", [{"width": -1, "height": 5}, {"width": 100_000, "height": 100_000}, {"width": "x"}, {"large": True}])
    def test_by_a_picture_that_was_not_asked_for(self, tmp_path: Path, answer: dict) -> None:
        line = json.dumps(answer).encode() + b"\n"
        pool = DecoderPool(1, decoder_of_13(tmp_path, f"os.write(1, {line!r}); os._exit(0)"))
        (found,) = pool.ask([Request("a", png((13, 13)), 1000, "picture")], Client())
        pool.close()
        assert isinstance(found, InputError)

    def test_it_inherits_no_secrets(self, pool, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "PGPASSWORD"):
            monkeypatch.setenv(name, "secret")
        pool("""os.write(1, b'{"error": "sees %d"}\\n' % list(os.environ.values()).count("secret")); os._exit(0)""")
        assert str(suffixes(png((13, 13)))[0]).endswith("sees 0")

    def test_none_is_there_before_it_is_needed_or_after_a_while(self, pool) -> None:
        own = pool("pass", idle_s=0.2)
        assert not processes(own)  # none starts before it is needed
        assert suffixes(*[png()] * 40) == [".png"] * 40
        until(lambda: not own._idle and own._watch is None)
        assert suffixes(png()) == [".png"]
        (process,) = processes(own)
        until(lambda: process.poll() is not None)


class TestShared:
    def test_no_more_at_once_than_there_are_processes_and_one_large(self, pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        own = pool("while not Path(os.environ['RELEASE']).exists(): time.sleep(0.01)", size=3)
        monkeypatch.setenv("RELEASE", str(tmp_path / "release"))
        uploads = [threading.Thread(target=suffixes, args=[png((13, 13))] * 5) for _ in range(4)]
        for upload in uploads:
            upload.start()
        until(lambda: len(own._lent) == 3 and len(own._waiting) >= 1)
        assert len(own._lent) == 3
        (tmp_path / "release").touch()
        for upload in uploads:
            upload.join()
        assert len(processes(own)) <= 3

    def test_one_large_image_at_a_time(self) -> None:
        pool = DecoderPool(4)
        most = []
        lent = pool._next
        pool._next = lambda: most.append(sum(turn.large for turn in pool._lent)) or lent()
        large = Request("a", png((4_000, 4_000), mode="1"), 10**8)
        threads = [threading.Thread(target=pool.ask, args=([large, large], Client())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        pool.close()
        assert max(most) == 1

    def test_who_used_them_least_comes_next(self) -> None:
        pool = DecoderPool(1)
        order: list[str] = []
        clients = {"long": Client(100.0), "short": Client(1.0), "new": Client()}

        def ask(name: str) -> None:
            pool.ask([Request(name, png(), 1000)], clients[name])
            order.append(name)

        threads = [threading.Thread(target=ask, args=(name,)) for name in clients]
        with pool._process(_Turn(Client(), large=False)):
            for thread in threads:
                thread.start()
            until(lambda: len(pool._waiting) == len(threads))
        for thread in threads:
            thread.join()
        pool.close()
        assert order == ["new", "short", "long"]
        assert clients["long"].seconds > 100  # what was used since is added

    @pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="says how much memory a process has held")
    def test_the_servers_memory_does_not_grow_by_the_image(self) -> None:
        code = f"""
import re, sys
from pathlib import Path
sys.path[:0] = {[str(folder) for folder in Path(__file__).parents[:2]]!r}
from test_foreign_images import suffixes, zeros_png, png
peak = lambda: 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
content = [zeros_png(6_000)] * 2
suffixes(png())
before = peak()
assert suffixes(*content) == [".png"] * 2
print((peak() - before) / (2 * 6_000**2))
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert float(done.stdout) < 0.25  # of the image's 16-bit pixels

    def test_nothing_is_left_when_the_program_ends(self) -> None:
        code = f"""
import sys
sys.path[:0] = {[str(folder) for folder in Path(__file__).parents[:2]]!r}
from test_foreign_images import foreign_images, processes, suffixes, png
suffixes(*[png()] * 40)
print(*[process.pid for process in processes(foreign_images._uploads)])
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        pids = [int(pid) for pid in done.stdout.split()]
        assert pids
        assert not any(psutil.pid_exists(pid) for pid in pids)


def test_what_watches_memory_where_the_system_does_not() -> None:
    code = """
import time
from likeness.io import decoder_limits
decoder_limits._address_space = lambda: None
limits = decoder_limits.DecoderLimits()
kept = bytearray(100 << 20)
kept[::4096] = bytes(len(kept) // 4096)
time.sleep(0.2)
print("so far")
kept = bytearray(400 << 20)
kept[::4096] = b"x" * (len(kept) // 4096)
time.sleep(1000)
"""
    # behind a shell, since on Linux the peak of a program begins with the memory of what started it
    command = ["sh", "-c", '"$0" -u -c "$1"; exit $?', sys.executable, code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_WAIT_S, check=False)
    assert (done.returncode, done.stdout) == (86, "so far\n")
