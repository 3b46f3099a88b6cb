"""Batches through an encoder that works on a device ahead of the program."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

from likeness.encoders import embed_images, load_encoder
from likeness.encoders.store.encoded_batches import encoded_batches
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


def gray(count: int) -> list[Image.Image]:
    return [Image.new("RGB", (2, 2), (value,) * 3) for value in range(count)]


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
    batches = list(encoded_batches(gray(10), encoder, 4))
    assert ", ".join(encoder.notes) == order
    assert [batch.n for batch in batches] == [4, 4, 2]
    assert np.concatenate([batch.vectors for batch in batches]).ravel().tolist() == list(range(1, 11))
    assert [batch.positions.tolist() for batch in batches] == [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1]]


def test_a_device_that_runs_out_of_memory_later_is_one_sentence() -> None:
    with pytest.raises(InputError, match="not enough memory now to encode 4 images at once; choose a smaller batch size"):
        list(encoded_batches(gray(8), Ahead(1, RuntimeError("CUDA out of memory. Tried to allocate")), 4))
    with pytest.raises(RuntimeError, match="a defect"):
        list(encoded_batches(gray(8), Ahead(1, RuntimeError("a defect")), 4))


def test_the_store_has_the_same_vectors_and_images_that_cannot_be_read(write_images, tmp_path) -> None:
    table = write_images(tmp_path / "colors", 20)
    (tmp_path / "colors" / "0007.png").write_bytes(b"no image")
    found = [embed_images(table, Ahead(ahead), batch_size=6, store_dir=tmp_path / str(ahead)) for ahead in (0, 1)]
    np.testing.assert_array_equal(found[0].vectors, found[1].vectors)
    assert [failure.path for failure in found[1].failed] == ["0007.png"]
    assert found[1].n_encoded == 19


def test_a_stop_keeps_what_was_fetched(write_images, tmp_path) -> None:
    table, asked = write_images(tmp_path / "colors", 20), iter([False, False, True])
    found = embed_images(table, Ahead(1), batch_size=4, store_dir=tmp_path / "store", should_stop=lambda: next(asked))
    assert (len(found.rows), found.complete) == (8, False)


def test_a_tower_is_ahead_on_devices_only(tiny_clip, photo, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    encoder: Any = load_encoder(f"local-dir:{tiny_clip}", "cpu")
    assert encoder.batches_ahead == 0
    prepared = [encoder.prepare(photo(40, 50))]
    np.testing.assert_array_equal(encoder.encode_later(prepared)(), encoder.encode_prepared(prepared))
    monkeypatch.setattr(encoder.tower, "device", torch.device("cuda"))
    assert encoder.batches_ahead == 1
