"""When METEOR matches two words: equal, same stem, synonyms."""

from typing import Any

from likeness.errors import InputError

EXACT, STEM, SYNONYM = 0, 1, 2
# Words that carry grammar more than meaning. METEOR's own list holds the words above a frequency in a corpus; this one is by word class.
_FUNCTION_WORDS = (
    "a an the this that these those some any each every no and or but nor so yet if than as while when where which who whom whose what "
    "of in on at by for from to into onto over under with without about above across after against along among around before behind "
    "below beneath beside between beyond down during inside near off out outside through toward towards up upon within "
    "i you he she it we they me him her us them my your his its our their mine yours hers ours theirs "
    "am is are was were be been being has have had having do does did will would can could may might shall should must "
    "not n't 's 're 've 'll 'd 'm there here then too very also just"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())


class Relations:
    """Modules of METEOR as a relation of two words: 0 the same, 1 of the same stem, 2 synonyms; None otherwise.

    Stems are Porter's (METEOR 1.5 takes the newer Snowball ones); synonyms, words that share a synset, are looked up where a WordNet is given.

    Args:
        wordnet: what nltk calls the corpus reader, of `nltk_wordnet`; None: no synonyms.

    Raises:
        InputError: if nltk, whose stemmer this is, is not here.
    """

    def __init__(self, wordnet: Any = None) -> None:
        self._stemmer, self._wordnet = porter_stemmer(), wordnet
        self._stems: dict[str, str] = {}
        self._synsets: dict[str, frozenset[str]] = {}

    def __call__(self, a: str, b: str) -> int | None:
        """Number of the first module that matches the words."""
        if a == b:
            return EXACT
        if self._stem(a) == self._stem(b):
            return STEM
        if self._wordnet is not None and self._meanings(a) & self._meanings(b):
            return SYNONYM
        return None

    def _stem(self, word: str) -> str:
        if word not in self._stems:
            self._stems[word] = str(self._stemmer.stem(word))
        return self._stems[word]

    def _meanings(self, word: str) -> frozenset[str]:
        if word not in self._synsets:
            self._synsets[word] = frozenset(str(synset.name()) for synset in self._wordnet.synsets(word))
        return self._synsets[word]


def porter_stemmer() -> Any:
    """nltk's stemmer, which needs no data.

    Raises:
        InputError: if nltk is not here.
    """
    try:
        from nltk.stem.porter import PorterStemmer
    except ImportError as error:
        raise InputError("The METEOR-like score needs nltk's stemmer; run: pip install nltk.") from error
    return PorterStemmer()


def nltk_wordnet() -> Any:
    """nltk's WordNet, loaded, which has the synonyms of all parts of speech.

    Raises:
        InputError: nltk or the corpus is not here.
    """
    get = "python -m nltk.downloader wordnet (needs the network), or copy the folder nltk_data from another machine"
    try:
        from nltk.corpus import wordnet
    except ImportError as error:
        raise InputError(f"Synonyms need nltk; run: pip install nltk, then: {get}.") from error
    try:
        wordnet.ensure_loaded()
    except LookupError as error:
        raise InputError(f"nltk's WordNet is not on this machine; run: {get}.") from error
    return wordnet
