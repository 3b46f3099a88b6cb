"""A notion from one sentence, without a language model: lists that ship, WordNet's kinds of things, and what occurs in the images."""

from likeness.sentences.hyponyms import (
    Hyponym as Hyponym,
    hypernyms as hypernyms,
    hyponyms as hyponyms,
    is_kind_of as is_kind_of,
    noun_senses as noun_senses,
    plural as plural,
    singular as singular,
)
from likeness.sentences.notion_from_sentence import (
    Pruned as Pruned,
    SentenceNotion as SentenceNotion,
    notion_from_sentence as notion_from_sentence,
    word_list_notions as word_list_notions,
)
from likeness.sentences.noun_tree import NounTree as NounTree, NounWord as NounWord, noun_tree as noun_tree
from likeness.sentences.occurring import Occurrence as Occurrence, occurring as occurring
from likeness.sentences.reading import Reading as Reading, read_sentence as read_sentence
from likeness.sentences.word_lists import WordList as WordList, word_lists as word_lists
