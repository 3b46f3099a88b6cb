"""All scores in one call: they are those of the parts, on words as the tokenizer gives them."""

import pytest

from experiments.captioning.metrics import SCORES, CiderD, MeteorLike, bleu, caption_scores, document_frequencies, rouge_l

REFERENCES = [["A red car.", "There's a red sports car on a road!"], ["A dog sleeps", "The dog, asleep in the sun."], ["Two men ride horses"]]
CANDIDATES = ["a red car on the road", "A dog in the sun", "Men riding a horse."]


def test_the_parts_together() -> None:
    found = caption_scores(CANDIDATES, REFERENCES)
    said = [text.lower().rstrip(".").split() for text in CANDIDATES]
    written = [
        [["a", "red", "car"], ["there", "'s", "a", "red", "sports", "car", "on", "a", "road"]],
        [["a", "dog", "sleeps"], ["the", "dog", "asleep", "in", "the", "sun"]],
        [["two", "men", "ride", "horses"]],
    ]
    assert tuple(found) == SCORES
    assert [found[f"bleu_{n}"] for n in range(1, 5)] == pytest.approx(bleu(said, written))
    assert found["rouge_l"] == pytest.approx(rouge_l(said, written))
    assert found["cider_d"] == pytest.approx(CiderD(written).scores(said).mean())
    assert found["meteor_like"] == pytest.approx(MeteorLike().corpus(said, written))
    frequencies = document_frequencies([*written, [["a", "new", "car"]]])
    given = caption_scores(CANDIDATES, REFERENCES, frequencies)
    assert given["cider_d"] == pytest.approx(CiderD(written, frequencies).scores(said).mean())
    assert set(caption_scores(["", "...", "!"], REFERENCES).values()) == {0.0}
