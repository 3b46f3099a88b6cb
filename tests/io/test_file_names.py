"""File names as text: back to the same file, whatever bytes its name has."""

import json
import os
import random

import pytest

from likeness.errors import InputError
from likeness.io import as_path, name_to_text, text_to_name


@pytest.mark.parametrize("name", ["a.png", "café/b c.png", "new\nline.png", "😀.png", "\u202egnp.exe.png", "שלום.png", "100%E9.png"])
def test_names_in_utf8_stay_as_they_are(name: str) -> None:
    assert name_to_text(name) == text_to_name(name) == name


def test_a_byte_that_is_not_utf8_is_written_behind_a_replacement_sign() -> None:
    name = os.fsdecode(b"caf\xe9.png")
    assert name_to_text(name) == "caf\N{REPLACEMENT CHARACTER}E9.png"
    assert text_to_name("caf\N{REPLACEMENT CHARACTER}E9.png") == name
    assert os.fsencode(as_path("photos/caf\N{REPLACEMENT CHARACTER}E9.png")) == b"photos/caf\xe9.png"
    assert str(InputError(f"There is no '{name}'.")) == "There is no 'caf\N{REPLACEMENT CHARACTER}.png'."


def test_any_bytes_come_back_and_their_text_can_be_stored() -> None:
    draw = random.Random(0)
    pieces = [b"\xe9", b"\xef", b"\xbf", b"\xbd", "\N{REPLACEMENT CHARACTER}".encode(), b"E9", "é".encode(), b"/", b"\xff"]
    names = {b"".join(draw.choices(pieces, k=draw.randrange(8))) for _ in range(5000)}
    texts = {name: name_to_text(os.fsdecode(name)) for name in names}
    assert all(os.fsencode(text_to_name(text)) == name for name, text in texts.items())
    assert len(set(texts.values())) == len(names)
    json.dumps(list(texts.values()), ensure_ascii=False).encode()
