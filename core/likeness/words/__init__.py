"""English words that ship: WordNet's nouns, and lists of values of properties."""

from likeness.words.nouns import (
    Hyponym as Hyponym,
    NounTree as NounTree,
    hypernyms as hypernyms,
    hyponyms as hyponyms,
    noun_senses as noun_senses,
    noun_tree as noun_tree,
    plural as plural,
    singular as singular,
)
from likeness.words.word_lists import WordList as WordList, word_lists as word_lists
