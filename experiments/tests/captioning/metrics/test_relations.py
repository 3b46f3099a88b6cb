"""Which words match: stems, synonyms of a fake WordNet, a missing nltk."""

import sys
from pathlib import Path

import pytest

from experiments.captioning.metrics.relations import EXACT, FUNCTION_WORDS, STEM, SYNONYM, Relations, nltk_wordnet
from likeness.errors import InputError


class FakeWordNet:
    """Two synsets."""

    def synsets(self, word: str) -> list["FakeSynset"]:
        return [FakeSynset(name) for name, words in {"car.n.01": ("car", "automobile"), "bus.n.01": ("bus", "automobile")}.items() if word in words]


class FakeSynset:
    def __init__(self, own: str) -> None:
        self.own = own

    def name(self) -> str:
        return self.own


def test_modules_in_their_order() -> None:
    relation = Relations(FakeWordNet())
    assert relation("car", "car") == EXACT
    assert relation("cars", "car") == STEM
    assert relation("riding", "rides") == STEM
    assert relation("car", "automobile") == SYNONYM
    assert relation("car", "bus") is None
    assert Relations()("car", "automobile") is None


def test_function_words_are_words_of_the_tokenizer() -> None:
    from experiments.captioning.tokenizer import tokenize

    assert all(tokenize(word) == [word] for word in FUNCTION_WORDS)


def test_a_missing_nltk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", None)
    with pytest.raises(InputError, match=r"needs nltk's stemmer; run: pip install nltk"):
        Relations()


def test_a_missing_wordnet_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import nltk

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    with pytest.raises(InputError, match=r"WordNet is not on this machine; run: python -m nltk.downloader wordnet \(needs the network\), or copy"):
        nltk_wordnet()
    monkeypatch.setitem(sys.modules, "nltk.corpus", None)
    with pytest.raises(InputError, match="Synonyms need nltk; run: pip install nltk"):
        nltk_wordnet()
