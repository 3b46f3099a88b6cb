"""Wu-Palmer similarities: hand-computed, with a fake corpus, and with nltk's own reader on tiny files."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.language import class_similarities, hierarchy_similarities, wordnet_paths, wordnet_similarities
from likeness.language.wordnet import noun_synsets

PARENTS = {
    "animal": "entity",
    "bird": "animal",
    "cowbird": "bird",
    "tern": "bird",
    "artifact": "entity",
    "car": "artifact",
    "sports_car": "car",
    "crane_bird": "bird",
    "crane_machine": "artifact",
    "hundred": "entity",
}
LEMMAS = {synset: [synset] for synset in PARENTS} | {"crane": ["crane_machine", "crane_bird"], "entity": ["entity"], "100": ["hundred"]}
NAMES = ["Shiny Cowbird", "tern", "sports car", "crane", "tern"]
# depth (entity 1): cowbird, tern, crane the bird 4; sports car 4; crane the machine 3; bird 3; artifact 2
EXPECTED = np.array(
    [
        [1, 6 / 8, 2 / 8, 6 / 8, 6 / 8],
        [6 / 8, 1, 2 / 8, 6 / 8, 1],
        [2 / 8, 2 / 8, 1, 4 / 7, 2 / 8],
        [6 / 8, 6 / 8, 4 / 7, 1, 6 / 8],
        [6 / 8, 1, 2 / 8, 6 / 8, 1],
    ]
)


class FakeSynset:
    """A node of PARENTS that compares paths to the root."""

    def __init__(self, name: str) -> None:
        self.path = [name]
        while self.path[-1] in PARENTS:
            self.path.append(PARENTS[self.path[-1]])

    def wup_similarity(self, other: "FakeSynset") -> float:
        shared = len(set(self.path) & set(other.path))
        return 2 * shared / (len(self.path) + len(other.path))


class FakeCorpus:
    """Remembers what is looked up."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def synsets(self, lemma: str, pos: str) -> list[FakeSynset]:
        self.asked.append((lemma, pos))
        return [FakeSynset(synset) for synset in LEMMAS.get(lemma, [])]


def test_best_over_synsets() -> None:
    np.testing.assert_allclose(wordnet_similarities(NAMES, FakeCorpus()), EXPECTED, atol=1e-12)


def test_nltk_agrees(tmp_path: Path, save_wordnet: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.corpus.util import LazyCorpusLoader

    save_wordnet(tmp_path / "corpora" / "wordnet", PARENTS, LEMMAS)
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setattr(nltk.corpus, "wordnet", LazyCorpusLoader("wordnet", WordNetCorpusReader, object()))
    np.testing.assert_allclose(class_similarities(NAMES, "wordnet"), EXPECTED, atol=1e-7)
    assert wordnet_paths(["tern", "crane"])[0] == "entity.n.01/animal.n.01/bird.n.01/tern.n.01"
    # crane stands for its first synset, the machine; of the tree entity has height 4, bird 1, artifact 2
    paths = ["e/animal/bird/cowbird", "e/animal/bird/tern", "e/artifact/car/sports car", "e/artifact/crane", "e/animal/bird/tern"]
    np.testing.assert_allclose(class_similarities(NAMES, "hierarchy:wordnet"), hierarchy_similarities(paths), atol=1e-7)
    for file in nltk.corpus.wordnet._data_file_map.values():  # nltk leaves them open
        file.close()


def test_without_nltks_corpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import nltk

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    with pytest.raises(InputError, match=r"WordNet is not on this machine; run: python -m nltk.downloader wordnet \(needs the network\), or copy"):
        wordnet_similarities(["tern"])


def test_without_nltk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "nltk.corpus", None)
    with pytest.raises(InputError, match="'wordnet' needs nltk; run: pip install nltk"):
        wordnet_similarities(["tern"])


@pytest.mark.parametrize(
    ("name", "asked", "found"),
    [
        ("Sports Car", ["sports_car"], "sports_car"),
        ("red sports car", ["red_sports_car", "car"], "car"),
        ("cowbird sp", ["cowbird_sp", "sp", "cowbird"], "cowbird"),
        ("car 100", ["car_100", "car"], "car"),
    ],
)
def test_the_whole_name_first_then_its_last_known_word(name: str, asked: list[str], found: str) -> None:
    corpus = FakeCorpus()
    assert [synset.path[0] for synset in noun_synsets(name, corpus)] == [found]
    assert corpus.asked == [(lemma, "n") for lemma in asked]


def test_unknown_names_are_named() -> None:
    with pytest.raises(InputError, match=r"no noun in 'blorp', '100'; rename these classes or use a language model such as 'minilm'"):
        wordnet_similarities(["blorp", "tern", "100"], FakeCorpus())


def test_synsets_that_nothing_connects() -> None:
    corpus = FakeCorpus()
    corpus.synsets = lambda lemma, pos: [Lone()]  # type: ignore[method-assign]
    np.testing.assert_array_equal(wordnet_similarities(["a", "b"], corpus), np.eye(2))


class Lone:
    """A synset without connection, as nltk answers it."""

    def wup_similarity(self, other: object) -> None:
        return None
