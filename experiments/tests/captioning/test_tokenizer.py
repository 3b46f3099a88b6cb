"""Words of sentences: hand-made cases after the Penn Treebank rules."""

import pytest

from experiments.captioning.tokenizer import tokenize


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A man's two-door car isn't red.", ["a", "man", "'s", "two-door", "car", "is", "n't", "red"]),
        ("They can't, I'm told -- \"no\"!", ["they", "ca", "n't", "i", "'m", "told", "no"]),
        ("3.5 miles; 1,000 people (approx)...", ["3.5", "miles", "1,000", "people", "approx"]),
        ("It’s five o'clock", ["it", "'s", "five", "o'clock"]),
        ("Ein Café, zwei Stühle", ["ein", "café", "zwei", "stühle"]),
        ("end.Then", ["end", "then"]),
        (" ... ", []),
        ("", []),
    ],
)
def test_sentences_as_words(text: str, words: list[str]) -> None:
    assert tokenize(text) == words
