"""The vocabulary covers the captions, and the saved tokenizer is the built one."""

import re
from pathlib import Path

import numpy as np

from experiments.clip.captions import ATTRIBUTES, CaptionWriter, Codes
from experiments.clip.car_names import car_names
from experiments.clip.tokenizer import CONTEXT_LENGTH, END, PAD, SPECIAL, START, UNKNOWN, build_tokenizer, save_tokenizer, vocabulary
from experiments.clip.zero_shot import first_prompts, unseen_pairings, unseen_sentences

NAMES = [name for names in car_names().values() for name in names]


def test_vocabulary_holds_every_word_once() -> None:
    words = vocabulary(NAMES)
    assert words[:4] == list(SPECIAL)
    assert len(set(words)) == len(words)
    assert {"sedan", "fuchsia", "backlit", "volvo", "s60", "f", "150"} <= set(words)


def test_no_caption_and_no_test_prompt_has_an_unknown_word(codes: Codes) -> None:
    writer, rng = CaptionWriter(car_names()), np.random.default_rng(0)
    texts = [*writer.describe(np.tile(codes, (20, 1)), rng).texts, *writer.loose(rng, 100).texts]
    for name in ATTRIBUTES:
        texts += writer.prompts_of_all_values(name, rng).texts
        texts += [*first_prompts(name), *unseen_sentences(name), *(prompt for prompts in unseen_pairings(name) for prompt in prompts)]
    known = set(vocabulary(NAMES))
    assert {word for text in texts for word in re.findall(r"\w+", text.lower())} <= known
    assert max(len(re.findall(r"\w+", text)) for text in texts) <= CONTEXT_LENGTH - 2


def test_words_are_lower_cased_and_long_texts_cut_before_the_end_mark() -> None:
    words = vocabulary(NAMES)
    tokenizer = build_tokenizer(words)
    ids = tokenizer("A Blue-Green CAR, seen: zebra!").input_ids
    assert ids == [START, *(words.index(word) for word in ("a", "blue", "green", "car", "seen")), UNKNOWN, END]
    ids = build_tokenizer(vocabulary())(["car " * 99], truncation=True, max_length=CONTEXT_LENGTH).input_ids[0]
    assert len(ids) == CONTEXT_LENGTH
    assert ids[-1] == END


def test_open_clip_loads_the_saved_tokenizer(tmp_path: Path) -> None:
    from open_clip.tokenizer import HFTokenizer

    words = vocabulary()
    save_tokenizer(words, tmp_path)
    loaded = HFTokenizer(str(tmp_path), context_length=CONTEXT_LENGTH)(["a red car"])
    expected = [START, words.index("a"), words.index("red"), words.index("car"), END]
    assert loaded[0].tolist() == expected + [PAD] * (CONTEXT_LENGTH - len(expected))
