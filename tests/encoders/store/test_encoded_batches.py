"""Batches read ahead (order, errors, bounds), and through an encoder that works on a device ahead of the program."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from likeness.encoders import embed_images, load_encoder
from likeness.encoders.store.encoded_batches import encoded_batches
from likeness.encoders.store.pipeline import prepared_batches
from likeness.errors import InputError


class Ahead:
    """Gives gray values as vectors, once they are fetched, and notes what it is asked in which order."""

    name, identity, has_text = "ahead", "ahead-1", False

    def __init__(self, batches_ahead: int, fault: Exception | None = None) -> None:
        self.batches_ahead, self.fault, self.notes = batches_ahead, fault, list[str]()

    def prepare(self, image: Image.Image) -> int:
        return int(np.asarray(image)[0, 0, 0])

    def encode_later(self, prepared: list[Any]) -> Callable[[], np.ndarray]:
        number = sum("begin" in note for note in self.notes)
        self.notes.append(f"begin {number}")

        def fetch() -> np.ndarray:
            self.notes.append(f"fetch {number}")
            if self.fault:
                raise self.fault
            return np.array(prepared, np.float32)[:, None] + 1

        return fetch

    def encode_prepared(self, prepared: list[Any]) -> np.ndarray:
        return self.encode_later(prepared)()

    def encode_images(self, images: Any) -> Any:
        raise NotImplementedError

    def encode_texts(self, texts: Any) -> Any:
        raise NotImplementedError

    def unknown_words(self, text: str) -> list[str]:
        return []


@pytest.mark.parametrize(
    ("ahead", "order"),
    [
        (0, "begin 0, fetch 0, begin 1, fetch 1, begin 2, fetch 2"),
        (1, "begin 0, begin 1, fetch 0, begin 2, fetch 1, fetch 2"),
        (9, "begin 0, begin 1, begin 2, fetch 0, fetch 1, fetch 2"),
    ],
)
def test_the_next_batch_begins_before_the_last_is_fetched(ahead: int, order: str) -> None:
    encoder = Ahead(ahead)
    batches = list(encoded_batches([gray(value) for value in range(10)], encoder, 4))
    assert ", ".join(encoder.notes) == order
    assert [batch.n for batch in batches] == [4, 4, 2]
    assert np.concatenate([batch.vectors for batch in batches]).ravel().tolist() == list(range(1, 11))
    assert [batch.positions.tolist() for batch in batches] == [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1]]


def test_a_device_that_runs_out_of_memory_later_is_one_sentence() -> None:
    with pytest.raises(InputError, match="not enough memory to encode 4 images at once; choose a smaller batch size"):
        list(encoded_batches([gray(0)] * 8, Ahead(1, RuntimeError("CUDA out of memory. Tried to allocate")), 4))
    with pytest.raises(RuntimeError, match="a defect"):
        list(encoded_batches([gray(0)] * 8, Ahead(1, RuntimeError("a defect")), 4))


def test_the_store_has_the_same_vectors_and_images_that_cannot_be_read(write_images, tmp_path) -> None:
    table = write_images(tmp_path / "colors", 20)
    (tmp_path / "colors" / "0007.png").write_bytes(b"no image")
    found = [embed_images(table, Ahead(ahead), batch_size=6, store_dir=tmp_path / str(ahead)) for ahead in (0, 1)]
    np.testing.assert_array_equal(found[0].vectors, found[1].vectors)
    assert [failure.path for failure in found[1].failed] == ["0007.png"]
    assert found[1].n_encoded == 19
    asked = iter([False, False, True])  # a stop keeps what was fetched
    part = embed_images(table, Ahead(1), batch_size=4, store_dir=tmp_path / "store", should_stop=lambda: next(asked))
    assert (len(part.rows), len(part.failed), part.complete) == (7, 1, False)


def test_a_tower_is_ahead_on_devices_only(tiny_clip, photo, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    encoder: Any = load_encoder(f"local-dir:{tiny_clip}", "cpu")
    assert encoder.batches_ahead == 0
    prepared = [encoder.prepare(photo(40, 50))]
    np.testing.assert_array_equal(encoder.encode_later(prepared)(), encoder.encode_prepared(prepared))
    monkeypatch.setattr(encoder.tower, "device", torch.device("cuda"))
    assert encoder.batches_ahead == 1


def number(image: Image.Image) -> int:
    return image.getpixel((0, 0))[0]


def gray(value: int) -> Image.Image:
    return Image.new("RGB", (2, 2), (value,) * 3)


@pytest.mark.parametrize(("n", "size", "threads"), [(1, 4, 2), (10, 4, 1), (50, 3, 4), (12, 4, 8)])
def test_order_and_completeness(n: int, size: int, threads: int) -> None:
    def slow(image: Image.Image) -> int:
        time.sleep(0.001 * (number(image) % 3))
        return number(image)

    batches = list(prepared_batches([gray(i) for i in range(n)], slow, size, threads))
    assert [len(batch.values) for batch in batches] == [size] * (n // size) + [n % size] * (n % size > 0)
    assert [value for batch in batches for value in batch.values] == list(range(n))
    assert [position for batch in batches for position in batch.positions] == list(range(n))


def test_errors_carry_their_position(tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"bad")
    batches = list(prepared_batches([gray(0), tmp_path / "bad.png", gray(2), tmp_path / "missing.png"], number, 3))
    assert [batch.positions for batch in batches] == [[0, 2], []]
    errors = [(position, type(error).__name__) for batch in batches for position, error in batch.errors]
    assert errors == [(1, "UnreadableImageError"), (3, "FileNotFoundError")]
    with pytest.raises(ZeroDivisionError):  # a defect of `prepare`
        list(prepared_batches([gray(0)], lambda image: 1 // number(image), 4))


def test_no_more_than_the_promised_batches_are_ahead() -> None:
    started, lock = [], threading.Lock()

    def note(image: Image.Image) -> int:
        with lock:
            started.append(number(image))
        return 0

    batches = prepared_batches([gray(i) for i in range(200)], note, 5, threads=2)
    next(batches)
    time.sleep(0.1)
    assert len(started) <= (1 + 3) * 5
    batches.close()
    seen = len(started)
    time.sleep(0.05)
    assert len(started) <= seen + 2 * 5  # closing lets at most the batches in work finish
