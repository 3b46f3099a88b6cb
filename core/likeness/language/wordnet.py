"""Class names in WordNet: Wu-Palmer similarities and paths in its tree."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.language.family import SimilaritySource

_GET_CORPUS = "python -m nltk.downloader wordnet (needs the network), or copy the folder nltk_data from another machine"


def wordnet_similarities(names: Sequence[str]) -> NDArray[np.float64]:
    """Wu-Palmer similarities of n names as nouns, (n, n) float64 in [0, 1]: section (c) of Table 3, "PLG+WordNet" of Table S3.

    2 depth(c) / (depth(a) + depth(b)), with c the deepest common ancestor of the synsets a and b; of all pairs of synsets of two names the best
    counts. A name is looked up as a whole ("sports car"), or else by its last known word ("Shiny Cowbird": "cowbird"); numbers are skipped. nltk is
    called for each pair of synsets: 1,000 names are half a million pairs, so pass only used ones (`names_in_use`).

    Raises:
        InputError: nltk or its WordNet is not installed, or a name has no noun known to WordNet.
    """
    synsets = _synsets_of(names)
    distinct = list(synsets)
    best = np.eye(len(distinct))
    for i, name in enumerate(distinct):
        for j in range(i):
            best[i, j] = best[j, i] = _best(synsets[name], synsets[distinct[j]])
    rows = [distinct.index(name) for name in names]
    return best[np.ix_(rows, rows)]


def wordnet_paths(names: Sequence[str]) -> list[str]:
    """Names as paths from WordNet's root, "entity.n.01/.../bird.n.01", for `hierarchy_similarities`: HierMatch on a tree from WordNet. The paper
    derives its trees "from WordNet" and does not say how. Here a name means its first, most frequent synset, and the shortest of several paths from
    the root is used, so that the result is a tree. Lookup and errors are as in `wordnet_similarities`.
    """
    synsets = _synsets_of(names)
    ways = {name: min(found[0].hypernym_paths(), key=len) for name, found in synsets.items()}
    return ["/".join(synset.name().replace("/", "-") for synset in ways[name]) for name in names]


def noun_synsets(name: str, corpus: Any) -> list[Any]:
    """The noun synsets of the whole name, or of its last word that has some; none if no word has."""
    words = name.split()
    for lemma in ("_".join(words), *reversed(words)):
        if not lemma.isdecimal() and (found := list(corpus.synsets(lemma.lower(), pos="n"))):
            return found
    return []


def nltk_wordnet() -> Any:
    """nltk's WordNet, loaded; raises InputError if nltk or the corpus is missing."""
    try:
        from nltk.corpus import wordnet
    except ImportError as error:
        raise InputError(f"'wordnet' needs nltk; run: pip install nltk (or 'likeness[language]'), then: {_GET_CORPUS}.") from error
    try:
        wordnet.ensure_loaded()
    except LookupError as error:
        raise InputError(f"nltk's WordNet is not on this machine; run: {_GET_CORPUS}.") from error
    return wordnet


def _synsets_of(names: Sequence[str]) -> dict[str, list[Any]]:
    """The noun synsets of each different name."""
    corpus = nltk_wordnet()
    synsets = {name: noun_synsets(name, corpus) for name in dict.fromkeys(names)}
    unknown = [name for name, found in synsets.items() if not found]
    if unknown:
        shown = ", ".join(f"'{name}'" for name in unknown[:5]) + (f" and {len(unknown) - 5} more" if len(unknown) > 5 else "")
        raise InputError(f"WordNet knows no noun in {shown}; rename these classes or use a language model such as 'minilm'.")
    return synsets


def _best(first: list[Any], second: list[Any]) -> float:
    """The largest similarity over all pairs of synsets; 0 if none are connected."""
    return max(float(a.wup_similarity(b) or 0.0) for a, b in product(first, second))


WORDNET = SimilaritySource(
    "wordnet", "WordNet", "Wu-Palmer similarities of names as nouns of WordNet.", lambda target, names: wordnet_similarities(names)
)
