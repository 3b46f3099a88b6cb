"""A notion from one sentence, without a language model: lists that ship, WordNet's kinds of things, and what occurs in the images."""

from likeness.sentences.hyponyms import Hyponym, hyponyms, noun_senses
from likeness.sentences.notion_from_sentence import Pruned, SentenceNotion, notion_from_sentence
from likeness.sentences.occurring import Occurrence, occurring
from likeness.sentences.reading import Reading, read_sentence
from likeness.sentences.word_lists import WordList, word_lists

__all__ = [
    "Hyponym",
    "Occurrence",
    "Pruned",
    "Reading",
    "SentenceNotion",
    "WordList",
    "hyponyms",
    "notion_from_sentence",
    "noun_senses",
    "occurring",
    "read_sentence",
    "word_lists",
]
