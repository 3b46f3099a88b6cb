"""Reading ahead: order, errors, bounds."""

import threading
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from likeness.encoders.store.pipeline import prepared_batches


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


def test_an_error_in_prepare_is_passed_on() -> None:
    def fail(image: Image.Image) -> int:
        raise RuntimeError("a defect")

    with pytest.raises(RuntimeError, match="a defect"):
        list(prepared_batches([gray(0)], fail, 4))


def test_arrays_of_any_kind_may_be_prepared() -> None:
    (batch,) = prepared_batches([gray(7)], np.asarray, 4)
    assert batch.values[0].shape == (2, 2, 3)
