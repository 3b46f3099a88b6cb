"""Words and numbers, there and back, and on disk."""

from pathlib import Path

import numpy as np
import pytest

from experiments.captioning.vocabulary import BEGIN, END, PAD, UNKNOWN, Vocabulary, build_vocabulary, read_vocabulary
from likeness.errors import InputError

SENTENCES = [["a", "red", "car"], ["a", "blue", "car"], ["the", "car"], ["a", "<end>"]]


def test_words_seen_often_enough_the_most_frequent_first() -> None:
    assert build_vocabulary(SENTENCES, 2).words == ("a", "car")
    assert build_vocabulary(SENTENCES, 1).words == ("a", "car", "blue", "red", "the")
    with pytest.raises(InputError, match="No word of the 4 captions occurs 4 times; lower min_count"):
        build_vocabulary(SENTENCES, 4)


def test_there_and_back_also_on_disk(tmp_path: Path) -> None:
    words = build_vocabulary(SENTENCES, 1)
    rows = words.encode_all([["a", "red", "car"], ["green", "car"], ["a", "red", "car", "a", "car"]], longest=4)
    assert rows.tolist() == [[4, 7, 5, END, PAD], [UNKNOWN, 5, END, PAD, PAD], [4, 7, 5, 4, END]]
    assert [words.decode(row) for row in rows] == ["a red car", "<unknown> car", "a red car a"]
    assert words.decode([BEGIN, 4, 5]) == "a car"
    assert words.decode([]) == ""
    assert len(words) == 9
    with pytest.raises(InputError, match="There is no word 9; this vocabulary has 9"):
        words.decode(np.array([4, 9]))
    words = Vocabulary(("café", "car", "'s"))
    words.save(tmp_path / "a" / "vocabulary.json")
    assert read_vocabulary(tmp_path / "a" / "vocabulary.json") == words


@pytest.mark.parametrize(
    "content", [None, "", "[]", '{"word": []}', '{"words": 3}', '{"words": []}', '{"words": ["a", "a"]}', '{"words": ["<pad>"]}']
)
def test_a_damaged_file_is_told(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "vocabulary.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(InputError, match=r"cannot be read|needs words"):
        read_vocabulary(file)
