"""The errors that all metrics share."""

from collections.abc import Callable
from typing import Any

import pytest

from experiments.captioning.metrics import MeteorLike, bleu, caption_scores, rouge_l
from likeness.errors import InputError

SCORERS: list[Callable[[Any, Any], Any]] = [
    bleu,
    rouge_l,
    lambda candidates, references: MeteorLike().corpus(candidates, references),
    lambda candidates, references: caption_scores([" ".join(each) for each in candidates], [[" ".join(one) for one in own] for own in references]),
]


@pytest.mark.parametrize("score", SCORERS)
@pytest.mark.parametrize(
    ("candidates", "references", "message"),
    [
        ([["a"]], [], "There are 1 captions and references of 0 images; pass one caption per image."),
        ([], [], "There are no captions to score"),
        ([["a"], ["b"]], [[["a"]], []], "Image 1 has no reference caption"),
        ([["a"]], [[["a"], []]], "A reference caption of image 0 has no words"),
    ],
)
def test_wrong_input_is_told(score: Callable[[Any, Any], Any], candidates: Any, references: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        score(candidates, references)
