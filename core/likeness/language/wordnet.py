"""Class names among the nouns of WordNet that ship: Wu-Palmer similarities and paths in its tree."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.language.family import SimilaritySource
from likeness.words import NounTree, noun_tree, singular


def wordnet_similarities(names: Sequence[str]) -> NDArray[np.float64]:
    """Wu-Palmer similarities of n names as nouns, (n, n) float64 in [0, 1]: section (c) of Table 3, "PLG+WordNet" of Table S3.

    2 depth(c) / (depth(a) + depth(b)), with c the deepest common ancestor of the synsets a and b, and depths of a and b by way of c; of all pairs of
    synsets of two names the best counts. The depth of c is that of its shortest way from the root (nltk takes the longest). A name is looked up as a
    whole ("sports car"), or else by its last known word ("Shiny Cowbird": "cowbird"), as a plural, too; numbers are skipped. InputError: no noun is
    known in a name.
    """
    compared = _Compared(names)
    distinct = list(compared.synsets)
    best = np.eye(len(distinct))
    for i, name in enumerate(distinct):
        for j in range(i):
            best[i, j] = best[j, i] = max(compared.similarity(synset, distinct[j]) for synset in compared.synsets[name])
    rows = [distinct.index(name) for name in names]
    return best[np.ix_(rows, rows)]


def wordnet_paths(names: Sequence[str]) -> list[str]:
    """Names as paths from WordNet's root, "entity#1/.../bird#1", for `hierarchy_similarities`: HierMatch on a tree from WordNet.

    The paper derives its trees "from WordNet" and does not say how. Here a name means, of its synsets, the one with the largest mean similarity to
    the other names (not the millstone for an albatross among birds), below its first parent, so that the result is a tree. Lookup and errors are as
    in `wordnet_similarities`.
    """
    compared = _Compared(names)
    meant = {
        name: max(own, key=lambda synset: sum(compared.similarity(synset, other) for other in compared.synsets if other != name))
        for name, own in compared.synsets.items()
    }
    return ["/".join(reversed(_way_up(compared.tree, meant[name]))) for name in names]


class _Compared:
    """Synsets of names, with the ancestors of each and the steps to them, and the depths of these (the root's is 1)."""

    def __init__(self, names: Sequence[str]) -> None:
        self.tree = noun_tree()
        self.synsets = _synsets_of(names, self.tree)
        self.ancestors = {synset: self.tree.above(synset) for own in self.synsets.values() for synset in own}
        above = {each for found in self.ancestors.values() for each in found}
        self.depths = {synset: self.tree.above(synset)[0] + 1 for synset in above}

    def similarity(self, synset: int, name: str) -> float:
        """Of a synset and the most similar synset of a name."""
        return max(self._wu_palmer(self.ancestors[synset], self.ancestors[other]) for other in self.synsets[name])

    def _wu_palmer(self, first: dict[int, int], second: dict[int, int]) -> float:
        common = max(first.keys() & second.keys(), key=lambda each: (self.depths[each], -first[each] - second[each]))
        return 2 * self.depths[common] / (2 * self.depths[common] + first[common] + second[common])


def _way_up(tree: NounTree, synset: int) -> list[str]:
    way = []
    while synset >= 0:
        way.append(tree.keys[synset][0].replace("/", "-"))
        synset = tree.parents[synset]
    return way


def noun_synsets(name: str, tree: NounTree) -> list[int]:
    """The synsets of the whole name, the most frequent first, or of its last word that has some, also as a plural; none if no word has."""
    words = name.lower().split()
    for *before, last in (words, *([word] for word in reversed(words))):
        forms = () if not before and last.isdecimal() else dict.fromkeys((last, singular(last)))
        if found := [synset for form in forms for synset in tree.senses(" ".join((*before, form)))]:
            return list(dict.fromkeys(found))
    return []


def _synsets_of(names: Sequence[str], tree: NounTree) -> dict[str, list[int]]:
    """The synsets of each different name."""
    synsets = {name: noun_synsets(name, tree) for name in dict.fromkeys(names)}
    unknown = [name for name, found in synsets.items() if not found]
    if unknown:
        shown = ", ".join(f"'{name}'" for name in unknown[:5]) + (f" and {len(unknown) - 5} more" if len(unknown) > 5 else "")
        raise InputError(f"WordNet knows no noun in {shown}; rename these classes or use a language model such as 'minilm'.")
    return synsets


WORDNET = SimilaritySource("wordnet", "WordNet", "Wu-Palmer similarities of nouns of WordNet.", lambda target, names: wordnet_similarities(names))
