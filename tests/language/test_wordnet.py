from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.language import class_similarities, hierarchy_similarities, wordnet, wordnet_paths, wordnet_similarities
from likeness.language.wordnet import noun_synsets
from likeness.words import NounTree, noun_tree

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
def tree(monkeypatch: pytest.MonkeyPatch) -> NounTree:
    """The tiny tree in the place of the one that ships."""
    keys: dict[str, list[str]] = {synset: [] for synset in LEMMAS if synset in PARENTS or synset == "entity"}
    for lemma, own in LEMMAS.items():
        for number, synset in enumerate(own, start=1):
            keys[synset].append(f"{lemma}#{number}")
    found = NounTree(_lines("entity", keys, 0))
    monkeypatch.setattr(wordnet, "noun_tree", lambda: found)
    return found


def _lines(synset: str, keys: Mapping[str, list[str]], depth: int) -> list[str]:
    below = [line for child, parent in PARENTS.items() if parent == synset for line in _lines(child, keys, depth + 1)]
    return ["|".join([chr(ord("a") + depth), *keys[synset]]), *below]


@pytest.mark.usefixtures("tree")
def test_best_over_synsets_and_places_in_the_tree() -> None:
    np.testing.assert_allclose(wordnet_similarities(NAMES), EXPECTED, atol=1e-12)
    np.testing.assert_allclose(class_similarities(NAMES, "wordnet"), EXPECTED, atol=1e-7)
    # among birds crane stands for the bird, beside a car for the machine
    assert wordnet_paths(["tern", "crane"]) == ["entity#1/animal#1/bird#1/tern#1", "entity#1/animal#1/bird#1/crane_bird#1"]
    assert wordnet_paths(["sports car", "crane"])[1] == "entity#1/artifact#1/crane_machine#1"
    paths = ["e/animal/bird/cowbird", "e/animal/bird/tern", "e/artifact/car/sports car", "e/animal/bird/crane", "e/animal/bird/tern"]
    np.testing.assert_allclose(class_similarities(NAMES, "hierarchy:wordnet"), hierarchy_similarities(paths), atol=1e-7)


@pytest.mark.usefixtures("tree")
def test_equals_nltk_where_synsets_have_one_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.corpus.util import LazyCorpusLoader

    _save_wordnet(tmp_path / "corpora" / "wordnet", PARENTS, LEMMAS)
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    monkeypatch.setattr(nltk.corpus, "wordnet", LazyCorpusLoader("wordnet", WordNetCorpusReader, object()))
    nouns = [lemma for lemma in LEMMAS if not lemma.isdecimal()]
    synsets = [nltk.corpus.wordnet.synsets(noun, pos="n") for noun in nouns]
    expected = [[max(a.wup_similarity(b) for a in own for b in others) for others in synsets] for own in synsets]
    np.testing.assert_allclose(wordnet_similarities([noun.replace("_", " ") for noun in nouns]), expected, atol=1e-12)
    for file in nltk.corpus.wordnet._data_file_map.values():  # nltk leaves them open
        file.close()


def test_the_whole_name_first_then_its_last_known_word(tree: NounTree) -> None:
    names = {"Sports Car": "sports_car", "red sports car": "car", "tern car": "car", "cowbird sp": "cowbird", "car 100": "car"}
    assert {name: tree.keys[noun_synsets(name, tree)[0]][0].partition("#")[0] for name in names} == names
    with pytest.raises(InputError, match=r"no noun in 'blorp', '100'; rename these classes or use a language model such as 'minilm'"):
        wordnet_similarities(["blorp", "tern", "100"])


def test_plurals_and_spaces_are_the_same_noun() -> None:
    names = [("sports  cars", "Sports Car"), ("Brown Pelicans", "brown pelican"), ("women", "woman"), ("Geese", "goose")]
    for several, one in names:
        assert wordnet_similarities([several, one])[0, 1] == 1
    glasses = [noun_synsets(name, noun_tree()) for name in ("glass", "glasses")]
    assert set(glasses[0]) < set(glasses[1])  # spectacles, too


def test_the_nouns_that_ship() -> None:
    found = wordnet_similarities(["Shiny Cowbird", "Brewer Blackbird", "Laysan Albatross", "sports car"])
    assert found[0, 1] > found[0, 2] > found[0, 3] > 0
    # by hand: albatross#2 and cowbird#1 meet in bird#1, whatever else an albatross is
    tree = noun_tree()
    bird, albatross, cowbird = (tree.numbers[key] for key in ("bird#1", "albatross#2", "cowbird#1"))
    depth, steps = tree.above(bird)[0] + 1, tree.above(albatross)[bird] + tree.above(cowbird)[bird]
    assert found[0, 2] == pytest.approx(2 * depth / (2 * depth + steps))
    assert wordnet_paths(["Laysan Albatross", "Shiny Cowbird"])[0].split("/")[-3:] == [tree.keys[each][0] for each in _way(tree, albatross)]


def _way(tree: NounTree, synset: int) -> list[int]:
    return [tree.parents[tree.parents[synset]], tree.parents[synset], synset]
