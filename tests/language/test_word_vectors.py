from pathlib import Path

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.language import class_similarities, embed_names, language_model
from likeness.language.word_vectors import read_word_vectors

GLOVE = """the 0.1 0.2 0.3
Tern 1 2 3
tern -1 0 2
. . . 9 9 9
. 4 4 4
shiny 0.5 0.5 0.25
CowBird 2 -1 0
Cowbird 3 3 3
capped 1 1 1
black 3 1 5
müller 7 8 9
"""


@pytest.fixture
def glove(tmp_path: Path) -> Path:
    path = tmp_path / "glove.txt"
    path.write_text(GLOVE, encoding="utf-8")
    return path


@pytest.fixture
def fasttext(tmp_path: Path) -> Path:
    """The same words as FastText writes them: a first line with two numbers, blanks at the ends."""
    path = tmp_path / "wiki.vec"
    lines = [line for line in GLOVE.splitlines() if not line.startswith(". . .")]
    path.write_text(f"{len(lines)} 3\n" + "".join(f"{line} \n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["glove", "fasttext"])
@pytest.mark.parametrize(
    ("name", "vector"),
    [
        ("tern", [-1, 0, 2]),
        ("Tern", [1, 2, 3]),
        ("TERN", [-1, 0, 2]),  # the lower-case spelling before other ones
        ("shiny cowbird", [1.25, -0.25, 0.125]),  # the first spelling in the file
        ("Shiny  unheard-of\tCowbird", [1.75, 1.75, 1.625]),
        ("Black-capped tern", [1, 2 / 3, 8 / 3]),
        ("Müller", [7, 8, 9]),
        (".", [4, 4, 4]),
        ("the the Tern", [0.4, 0.8, 1.2]),
    ],
)
def test_mean_of_the_words(kind: str, name: str, vector: list[float], request: pytest.FixtureRequest) -> None:
    path = request.getfixturevalue(kind)
    np.testing.assert_allclose(embed_names([name], f"vectors:{path}"), [vector], rtol=1e-6)


@pytest.mark.parametrize(
    ("line", "names", "said"),
    [
        ("", ["tern", "zebra", "old gnu"], r"No word of 'zebra', 'old gnu' has a vector in 'glove.txt'; rename these classes or use"),
        ("", [f"x{i}" for i in range(9)], r"'x0', 'x1', 'x2', 'x3', 'x4' and 4 more has"),
        ("heron 1 2", ["heron"], r"Line 12 of 'glove.txt' gives 'heron' 2 numbers, expected 3"),
        ("heron 1 2 3 4", ["heron"], r"Line 12 of 'glove.txt' gives 'heron' 4 numbers, expected 3"),
        ("heron", ["heron"], r"Line 12 of 'glove.txt' gives 'heron' 0 numbers, expected 3"),
        ("heron nan 1 2", ["heron"], "no finite vector for the text 'heron'"),
        ("broken 1 x 3", ["broken tern"], r"Line 12 of 'glove.txt' gives 'broken' something that is no number"),
    ],
)
def test_names_and_lines_that_give_no_vector_are_named(glove: Path, line: str, names: list[str], said: str) -> None:
    glove.write_text(f"{GLOVE}{line}\n" if line else GLOVE, encoding="utf-8")
    assert embed_names(["tern"], f"vectors:{glove}").shape == (1, 3)  # only the words asked for are parsed
    with pytest.raises(InputError, match=said):
        embed_names(names, f"vectors:{glove}")


@pytest.mark.parametrize("content", [b"", b"\n", b"only words here\n", b"\x00\x01\x02", b"5 0\n", b"x" * 2_000_000])
def test_no_word_vectors(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"'file.txt' holds no word vectors; give the .txt file of GloVe or the .vec file of FastText"):
        embed_names(["tern"], f"vectors:{path}")


def test_reading_ends_with_the_last_word_needed_and_a_changed_file_is_read_anew(glove: Path) -> None:
    name = f"vectors:{glove}"
    similarities = class_similarities(["tern", "black"], name)  # of the names, without a primer
    assert similarities[0, 1] == pytest.approx((-3 + 10) / np.sqrt(5 * 35), abs=1e-6)
    identity = language_model(name).identity
    glove.write_text(GLOVE.replace("tern -1 0 2", "tern 8 8 8") + "tern 1\n", encoding="utf-8")
    assert language_model(name).identity != identity
    np.testing.assert_array_equal(embed_names(["tern"], name), [[8, 8, 8]])
    assert set(read_word_vectors(glove, {"the", "shiny"})) == {"the", "shiny"}
    with pytest.raises(InputError, match="Line 12"):
        read_word_vectors(glove, {"tern", "absent"})
    glove.write_bytes(b"the 1 2\r\n\xff\xfe 3 4\r\ntern 5 6\r\n")  # bytes that are no text, and ends of lines as of Windows
    np.testing.assert_array_equal(embed_names(["tern"], name), [[5, 6]])
