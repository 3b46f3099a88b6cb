"""Text embeddings: one new prompt encodes one, whatever happens to the files."""

import logging
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from experiments import shipped_files
from experiments.shipped_files import ship_texts, ship_vocabulary
from likeness.encoders import embed_texts, vocabulary_ships
from likeness.encoders.store import texts
from likeness.errors import InputError

PROMPTS = [f"a picture of item {i}" for i in range(569)]


@pytest.fixture(autouse=True)
def forget() -> None:
    """Each test reads its own files."""
    texts._shipped.cache_clear()


def file(cache: Path, fake) -> Path:
    return cache / "texts" / f"{fake.identity}.sqlite"


def test_vectors_in_the_order_given_each_text_encoded_once(fake, monkeypatch: pytest.MonkeyPatch) -> None:
    result = embed_texts(fake, ["red", "a blue car", "red"])
    assert fake.texts == ["red", "a blue car"]
    assert result.n_encoded == 2
    np.testing.assert_allclose(result.vectors, type(fake)().encode_texts(["red", "a blue car", "red"]))
    assert embed_texts(type(fake)("fake-2"), ["red"]).n_encoded == 1
    assert embed_texts(fake, ["Red", "red ", "réd"]).n_encoded == 3
    with monkeypatch.context() as patch:
        patch.setattr(fake, "encode_texts", lambda given: np.full((len(given), 3), np.nan))
        with pytest.raises(InputError, match="no finite vector for the text 'green'"):
            embed_texts(fake, ["green"])
    assert embed_texts(fake, ["green"]).n_encoded == 1


def test_editing_one_of_569_prompts_encodes_one(fake) -> None:
    assert embed_texts(fake, PROMPTS).n_encoded == 569
    edited = [*PROMPTS[:100], "an edited prompt", *PROMPTS[101:]]
    result = embed_texts(fake, edited)
    assert result.n_encoded == 1
    assert fake.texts[569:] == ["an edited prompt"]
    np.testing.assert_array_equal(result.vectors, type(fake)().encode_texts(edited).astype(np.float32))


@pytest.mark.parametrize("spoil", ["garbage", "truncate", "empty", "another table", "flip a bit of a vector"])
def test_a_damaged_file_is_rebuilt(fake, cache: Path, spoil: str) -> None:
    embed_texts(fake, PROMPTS)
    path = file(cache, fake)
    content = path.read_bytes()
    path.write_bytes({"garbage": b"garbage " * 1000, "truncate": content[: len(content) // 2], "empty": b""}.get(spoil, content))
    if spoil == "another table":
        path.unlink()
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE texts (something INTEGER)")
        connection.close()
    if spoil == "flip a bit of a vector":
        with sqlite3.connect(path) as connection:
            (blob,) = connection.execute("SELECT vector FROM texts WHERE text = ?", (PROMPTS[0].encode(),)).fetchone()
            connection.execute("UPDATE texts SET vector = ? WHERE text = ?", (bytes([blob[0] ^ 1, *blob[1:]]), PROMPTS[0].encode()))
        connection.close()
    np.testing.assert_array_equal(embed_texts(fake, PROMPTS).vectors, type(fake)().encode_texts(PROMPTS).astype(np.float32))
    assert embed_texts(fake, PROMPTS).n_encoded == 0


def test_a_cache_that_cannot_be_written_only_warns(fake, cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache.mkdir(parents=True)
    (cache / "texts").write_text("in the way")
    with caplog.at_level(logging.WARNING):
        assert embed_texts(fake, ["red"]).n_encoded == 1
    assert "not stored" in caplog.text


def test_threads_and_processes_at_once(fake, cache: Path) -> None:
    code = """
import sys
import numpy as np
from likeness.encoders import embed_texts
class Fake:
    name, identity, dim, has_text = "fake", "fake-1", 3, True
    def encode_texts(self, texts):
        vectors = np.array([[len(text), text.count("e") + 1, ord(text[0])] for text in texts], dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
for i in range(40):
    embed_texts(Fake(), [f"{sys.argv[1]} {i}", f"both {i}"])
"""
    workers = [subprocess.Popen([sys.executable, "-c", code, name]) for name in ("one", "two")]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: embed_texts(fake, [f"thread {i}", f"both {i}"]), range(40)))
    assert [worker.wait(600) for worker in workers] == [0, 0]
    prompts = [f"{who} {i}" for who in ("one", "two", "both", "thread") for i in range(40)]
    assert embed_texts(fake, prompts).n_encoded == 0


def test_shipped_texts_need_no_encoding(fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for each in (texts, shipped_files):
        monkeypatch.setattr(each, "assets_dir", lambda: tmp_path / "assets")
    ship_texts(fake, PROMPTS)
    texts._shipped.cache_clear()
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "another cache"))
    result = embed_texts(fake, [PROMPTS[3], "new", PROMPTS[1]])
    assert result.n_encoded == 1
    np.testing.assert_array_equal(result.vectors, type(fake)().encode_texts([PROMPTS[3], "new", PROMPTS[1]]).astype(np.float32))
    assert embed_texts(type(fake)("fake-2"), PROMPTS[:1]).n_encoded == 1


def test_a_shipped_vocabulary_is_read_as_a_whole(fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "assets_dir", lambda: tmp_path / "assets")
    words = [f"a {number}" for number in range(1000)]
    file, exact = ship_vocabulary(fake, words), type(fake)().encode_texts(words)
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "another cache"))
    found = embed_texts(fake, words)
    assert vocabulary_ships(fake, words)
    assert found.n_encoded == 0
    np.testing.assert_allclose(found.vectors, exact, atol=0.004)
    np.testing.assert_array_equal(embed_texts(fake, words[:1]).vectors, exact[:1].astype(np.float32))  # a single one is exact
    others = [(type(fake)("fake-2"), words), (fake, [*words[1:], "a car"]), (fake, words[::-1])]
    assert not any(vocabulary_ships(*each) for each in others)
    assert [embed_texts(*each).n_encoded for each in others] == [1000, 1000, 0]
    file.write_bytes(file.read_bytes()[:100])
    np.testing.assert_array_equal(embed_texts(fake, words).vectors, exact.astype(np.float32))


def test_torch_stays_away_when_all_is_remembered(tiny_clip: Path) -> None:
    name = f"local-dir:{tiny_clip}"
    embed_texts(name, ["a red car", "a blue car"], device="cpu")
    code = f"""
import sys
from likeness.encoders import embed_texts, unknown_words
print(embed_texts({name!r}, ["a blue car", "a red car"]).n_encoded, unknown_words({name!r}, "a red boat"), "torch" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "0 ['boat'] False"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        *[(given, "Expected a list of at least one text") for given in ([], "red", ())],
        *[(given, "not a string of Unicode characters") for given in ([1], [None], ["\ud800"])],
    ],
)
def test_what_is_no_list_of_texts(fake, given, said: str) -> None:
    with pytest.raises(InputError, match=said):
        embed_texts(fake, given)
