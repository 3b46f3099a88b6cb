"""Notions from one sentence, without a language model: shipped word lists, WordNet, and occurrence in the images."""

from likeness.sentences.notion_from_sentence import (
    Pruned as Pruned,
    SentenceNotion as SentenceNotion,
    notion_from_sentence as notion_from_sentence,
    unknown_in as unknown_in,
    word_list_notions as word_list_notions,
)
from likeness.sentences.occurring import occurring as occurring
from likeness.sentences.reading import read_sentence as read_sentence
