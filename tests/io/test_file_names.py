"""File names as text: back to the same file, whatever bytes its name has."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

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


_ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
_LISTING = """
import os, sys
from likeness.io import as_path, name_to_text, text_to_name
names = os.listdir(sys.argv[1])
texts = sorted(map(name_to_text, names))
assert sorted(map(text_to_name, texts)) == sorted(names)
assert all(as_path(f"{sys.argv[1]}/{text}").is_file() for text in texts)
sys.stdout.buffer.write("|".join(texts).encode())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="names that are not UTF-8")
def test_where_python_takes_names_for_ascii_they_are_the_same_text(tmp_path: Path) -> None:
    names = [b"caf\xe9.png", "写真 é.png".encode(), b"plain.png"]
    for name in names:
        (tmp_path / os.fsdecode(name)).touch()
    found = subprocess.run([sys.executable, "-c", _LISTING, str(tmp_path)], env=os.environ | _ASCII, capture_output=True, check=True)
    assert found.stdout.decode().split("|") == sorted(name_to_text(os.fsdecode(name)) for name in names)
