"""How a cluster's name fits a class's name: the same word, a synonym, a kind of it, or a more general term."""

from functools import lru_cache

from likeness.words import noun_tree, singular

_STEPS = 4  # above a class, what stands further up says too little
MATCHES = ("exact", "synonym", "kind", "hypernym")


def name_match(name: str, label: str) -> str:
    """How a name fits a class, the closest of four relations, or "" if it does not.

    * exact: the name contains the class's words, in singular or plural ("tulip" of "tulip", "red car" of "car").
    * synonym: a word of the same synset of WordNet ("sofa" of "couch"), or the class's words but the last ("maple" of "maple tree").
    * kind: it stands below the class in WordNet ("sports car" of "car").
    * hypernym: it stands at most four steps above the class ("dog" of "poodle"), or is the class's last words ("tree" of "maple tree").

    A class that WordNet does not know as a whole is looked up by its last words. All meanings of both count. What stands above nearly everything
    ("animal" above animals alone) is for `too_general` to leave out.

    Example:
        >>> [name_match(name, "maple_tree") for name in ("maple trees", "maple", "tree", "car")]
        ['exact', 'synonym', 'hypernym', '']
    """
    return _match(_words(name), _words(label))


@lru_cache(maxsize=1 << 16)
def _match(name: tuple[str, ...], label: tuple[str, ...]) -> str:
    if not name or not label:
        return ""
    if _inside(label, name):
        return "exact"
    synsets = _synsets(label)
    own = set(noun_tree().senses(" ".join(name)))
    if own & set(noun_tree().senses(" ".join(label))) or (len(name) < len(label) and label[: len(name)] == name and len(label) - len(name) == 1):
        return "synonym"
    if any(each in _above(synset) for synset in own for each in noun_tree().senses(" ".join(label))):
        return "kind"
    if label[-len(name) :] == name or any(_above(synset).get(each, _STEPS + 1) <= _STEPS for synset in synsets for each in own):
        return "hypernym"
    return ""


def too_general(name: str, labels: list[str]) -> bool:
    """Whether a name is more general than over half of the classes (by their most frequent meanings), so that it fits any cluster.

    Example:
        >>> too_general("animal", ["dog", "cat", "car"]), too_general("dog", ["poodle", "cat", "car"])
        (True, False)
    """
    own = set(noun_tree().senses(" ".join(_words(name))))
    distinct = [_words(label) for label in dict.fromkeys(labels)]
    return 2 * sum(any(own & set(_above(synset)) - {synset} for synset in _synsets(label)[:1]) for label in distinct) > len(distinct)


def _words(text: str) -> tuple[str, ...]:
    return tuple(singular(word) for word in text.lower().replace("_", " ").replace("-", " ").split())


def _inside(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    return any(whole[begin : begin + len(part)] == part for begin in range(len(whole) - len(part) + 1))


@lru_cache(maxsize=1 << 14)
def _synsets(label: tuple[str, ...]) -> tuple[int, ...]:
    """Those of the whole label, or else of its last words that WordNet knows."""
    return next((tuple(found) for begin in range(len(label)) if (found := noun_tree().senses(" ".join(label[begin:])))), ())


@lru_cache(maxsize=1 << 14)
def _above(synset: int) -> dict[int, int]:
    return noun_tree().above(synset)
