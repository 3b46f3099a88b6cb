import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.language import class_similarities, hierarchy_similarities, wordnet, wordnet_paths, wordnet_similarities
from likeness.language.wordnet import noun_synsets

PARENTS = {"animal": "entity", "bird": "animal", "cowbird": "bird", "tern": "bird", "artifact": "entity", "car": "artifact"}
PARENTS |= {"sports_car": "car", "crane_bird": "bird", "crane_machine": "artifact", "hundred": "entity"}
LEMMAS = {synset: [synset] for synset in PARENTS} | {"crane": ["crane_machine", "crane_bird"], "entity": ["entity"], "100": ["hundred"]}
NAMES = ["Shiny Cowbird", "tern", "sports car", "crane", "tern"]
# depth (entity 1): cowbird, tern, crane the bird 4; sports car 4; crane the machine 3; bird 3; artifact 2
EXPECTED = np.array([[8, 6, 2, 6, 6], [6, 8, 2, 6, 8], [2, 2, 8, 32 / 7, 2], [6, 6, 32 / 7, 8, 6], [6, 8, 2, 6, 8]]) / 8


def _save_wordnet(folder: Path, parents: Mapping[str, str], lemmas: Mapping[str, list[str]]) -> Path:
    """A WordNet in the format of Princeton's files: `parents` by synset, `lemmas` -> their synsets."""
    folder.mkdir(parents=True)
    for name in ("cntlist.rev", "index.sense", *(f"{kind}.{part}" for kind in ("index", "data") for part in ("adj", "adv", "verb"))):
        (folder / name).write_text("")
    for part in ("adj", "adv", "noun", "verb"):
        (folder / f"{part}.exc").write_text("")
    (folder / "lexnames").write_text("00\tadj.all\t3\n")
    synsets = list(dict.fromkeys([*parents, *parents.values()]))
    offsets = {synset: 200 * number for number, synset in enumerate(synsets)}
    lines = []
    for synset in synsets:
        hypernym = f"001 @ {offsets[parents[synset]]:08d} n 0000" if synset in parents else "000"
        lines.append(f"{offsets[synset]:08d} 00 n 01 {synset} 0 {hypernym} | made up".ljust(199) + "\n")
    (folder / "data.noun").write_text("".join(lines))
    index = [f"{lemma} n {len(own)} 0 {len(own)} 0 {' '.join(f'{offsets[synset]:08d}' for synset in own)}\n" for lemma, own in lemmas.items()]
    (folder / "index.noun").write_text("".join(index))
    return folder


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """nltk's own reader of the tiny files, in the place of its WordNet."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.corpus.util import LazyCorpusLoader

    _save_wordnet(tmp_path / "corpora" / "wordnet", PARENTS, LEMMAS)
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setattr(nltk.corpus, "wordnet", LazyCorpusLoader("wordnet", WordNetCorpusReader, object()))
    yield nltk.corpus.wordnet
    for file in nltk.corpus.wordnet._data_file_map.values():  # nltk leaves them open
        file.close()


def test_best_over_synsets_and_places_in_the_tree(corpus: Any) -> None:
    np.testing.assert_allclose(wordnet_similarities(NAMES), EXPECTED, atol=1e-12)
    np.testing.assert_allclose(class_similarities(NAMES, "wordnet"), EXPECTED, atol=1e-7)
    assert wordnet_paths(["tern", "crane"])[0] == "entity.n.01/animal.n.01/bird.n.01/tern.n.01"
    # crane stands for its first synset, the machine; of the tree entity has height 4, bird 1, artifact 2
    paths = ["e/animal/bird/cowbird", "e/animal/bird/tern", "e/artifact/car/sports car", "e/artifact/crane", "e/animal/bird/tern"]
    np.testing.assert_allclose(class_similarities(NAMES, "hierarchy:wordnet"), hierarchy_similarities(paths), atol=1e-7)


def test_the_whole_name_first_then_its_last_known_word(corpus: Any) -> None:
    names = {"Sports Car": "sports_car", "red sports car": "car", "tern car": "car", "cowbird sp": "cowbird", "car 100": "car"}
    assert {name: noun_synsets(name, corpus)[0].name().partition(".")[0] for name in names} == names
    with pytest.raises(InputError, match=r"no noun in 'blorp', '100'; rename these classes or use a language model such as 'minilm'"):
        wordnet_similarities(["blorp", "tern", "100"])


def test_what_is_not_here_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import nltk

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    with pytest.raises(InputError, match=r"WordNet is not on this machine; run: python -m nltk.downloader wordnet \(needs the network\), or copy"):
        wordnet_similarities(["tern"])
    monkeypatch.setitem(sys.modules, "nltk.corpus", None)
    with pytest.raises(InputError, match="'wordnet' needs nltk; run: pip install nltk"):
        wordnet_similarities(["tern"])


def test_synsets_that_nothing_connects(monkeypatch: pytest.MonkeyPatch) -> None:
    lone = SimpleNamespace(wup_similarity=lambda other: None)  # as nltk answers it
    monkeypatch.setattr(wordnet, "nltk_wordnet", lambda: SimpleNamespace(synsets=lambda lemma, pos: [lone]))
    np.testing.assert_array_equal(wordnet_similarities(["a", "b"]), np.eye(2))
