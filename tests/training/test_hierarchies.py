"""WordNet and trees as the language of a run: section (c) of Table 3, and the hierarchies of Table S3."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from likeness.language import hierarchy_similarities, imagenet_names, wordnet
from likeness.training.config import config_from
from likeness.training.data.run_images import run_images
from likeness.training.guidance.guidance import build_guidance, pseudolabels
from likeness.training.guidance.guided_loss import ClassTargets, LanguageGuidance


class Synset(NamedTuple):
    """A synset of a tree in which every name hangs below its first letter."""

    steps: tuple[str, ...]

    def name(self) -> str:
        return self.steps[-1]

    def hypernym_paths(self) -> list[list["Synset"]]:
        ways = [Synset((step,)) for step in self.steps]
        return [[ways[0], *ways], ways]  # a longer way first

    def wup_similarity(self, other: "Synset") -> float:
        return 2 * (1 + (self.steps[1] == other.steps[1])) / 6


@pytest.fixture(autouse=True)
def corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """WordNet knows every name as it is written."""
    known = SimpleNamespace(synsets=lambda lemma, pos: [Synset(("entity", lemma[0], lemma))])
    monkeypatch.setattr(wordnet, "nltk_wordnet", lambda: known)


def table(content: dict[str, Any], guidance: dict[str, Any]) -> np.ndarray:
    config = config_from(content | {"guidance": guidance})
    torch.manual_seed(0)
    built = build_guidance(config, run_images(config.data, 0))
    assert isinstance(built, LanguageGuidance)
    assert isinstance(built.targets, ClassTargets)
    return built.targets.table.numpy()[0]


def chosen(content: dict[str, Any], guidance: dict[str, Any]) -> list[list[str]]:
    """The pseudolabels of each class."""
    config = config_from(content | {"guidance": guidance})
    torch.manual_seed(0)
    return [[imagenet_names()[each] for each in row] for row in pseudolabels(config, run_images(config.data, 0))]


@pytest.mark.parametrize(("language", "between"), [("wordnet", 2 / 3), ("hierarchy:wordnet", 1 / 2)])
def test_names_and_pseudolabels_on_wordnet(content: dict[str, Any], language: str, between: float) -> None:
    """All names of classes begin with "c": Wu-Palmer 2 * 2 / (3 + 3); one of two levels shared."""
    np.testing.assert_allclose(table(content, {"language": language}), np.eye(3) * (1 - between) + between, rtol=1e-6)
    guidance = {"kind": "plg", "k": 3, "language": language, "classifier": {"name": "test_resnet", "weights": "none"}}
    names, least = [[name.lower() for name in row] for row in chosen(content, guidance)], 2 * between - 1 if language == "wordnet" else 0

    def pair(a: str, b: str) -> float:
        return 1 if a == b else between if a[0] == b[0] else least

    loop = [[np.mean([pair(a, b) for a, b in zip(ours, theirs, strict=True)]) for theirs in names] for ours in names]
    np.testing.assert_allclose(table(content, guidance), loop, rtol=1e-5)


def test_names_and_pseudolabels_in_a_tree(content: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "tree.csv"
    file.write_text("child,parent\nclass 0,warm\nclass 1,warm\nclass 2,cold\nwarm,color\ncold,color\n", encoding="utf-8")
    np.testing.assert_allclose(table(content, {"language": f"hierarchy:{file}"}), [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])
    paths = {name: f"all/{name[0]}/{name.replace('/', '-')}" for name in imagenet_names()}
    file.write_text("".join(f'"{path}"\n' for path in paths.values()), encoding="utf-8")
    guidance = {"kind": "plg", "k": 1, "language": f"hierarchy:{file}", "classifier": {"name": "test_resnet", "weights": "none"}}
    own = [paths[name] for [name] in chosen(content, guidance)]
    np.testing.assert_allclose(table(content, guidance), hierarchy_similarities(own, list(paths.values())))
