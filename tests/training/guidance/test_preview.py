"""What guidance will say, before the run."""

import numpy as np
import pytest

from likeness.training.config import read_config, with_changes
from likeness.training.guidance.preview import has_classifier, pseudolabel_config, summarize_similarities


def test_the_summary_against_all_pairs() -> None:
    names = list("abcde")
    similarities = np.random.default_rng(0).uniform(size=(5, 5))
    similarities = (similarities + similarities.T) / 2
    pairs = {(names[i], names[j]): similarities[i, j] for i in range(5) for j in range(i + 1, 5)}
    found = summarize_similarities(similarities, names)
    assert found.nearest == (*max(pairs, key=lambda pair: pairs[pair]), pytest.approx(max(pairs.values())))
    assert found.farthest == (*min(pairs, key=lambda pair: pairs[pair]), pytest.approx(min(pairs.values())))
    assert (found.mean, found.deviation) == (pytest.approx(np.mean(list(pairs.values()))), pytest.approx(np.std(list(pairs.values()))))


@pytest.mark.parametrize("guided", [True, False])
def test_pseudolabels_of_classes_whatever_guidance_the_config_has(guided: bool) -> None:
    config = read_config("shipped-cars-elg")
    guidance = pseudolabel_config(config if guided else with_changes(config, {"guidance": None})).guidance
    assert guidance is not None
    assert guidance.kind == "plg"


def test_clip_has_no_classifier_but_one_can_be_named() -> None:
    config = pseudolabel_config(read_config("shipped-cars-elg"))
    assert not has_classifier(config)
    assert has_classifier(with_changes(config, {"guidance.classifier": {"name": "resnet18"}}))
    assert has_classifier(with_changes(config, {"backbone.name": "resnet18"}))
