"""A notion from one sentence, without a language model: lists that ship, WordNet's kinds of things, and what occurs in the images."""

from likeness.sentences.hyponyms import Hyponym, hypernyms, hyponyms, is_kind_of, noun_senses, plural, singular
from likeness.sentences.notion_from_sentence import Pruned, SentenceNotion, notion_from_sentence, word_list_notions
from likeness.sentences.noun_tree import NounTree, NounWord, noun_tree
from likeness.sentences.occurring import Occurrence, occurring
from likeness.sentences.reading import Reading, read_sentence
from likeness.sentences.word_lists import WordList, word_lists

__all__ = [
    "Hyponym",
    "NounTree",
    "NounWord",
    "Occurrence",
    "Pruned",
    "Reading",
    "SentenceNotion",
    "WordList",
    "hypernyms",
    "hyponyms",
    "is_kind_of",
    "notion_from_sentence",
    "noun_senses",
    "noun_tree",
    "occurring",
    "plural",
    "read_sentence",
    "singular",
    "word_list_notions",
    "word_lists",
]
