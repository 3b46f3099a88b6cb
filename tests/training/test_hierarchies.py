"""WordNet and trees as the language of a run: section (c) of Table 3, and the hierarchies of Table S3."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from likeness.language import hierarchy_similarities, imagenet_names, wordnet
from likeness.training.config import config_from
from likeness.training.data.run_images import run_images
from likeness.training.guidance.guidance import build_guidance, pseudolabels
from likeness.training.guidance.guided_loss import ClassTargets, LanguageGuidance


class Synset:
    """A synset of a tree in which every name hangs below its first letter."""

    def __init__(self, lemma: str) -> None:
        self.steps = ["entity", lemma[0], lemma]

    def name(self) -> str:
        return self.steps[-1]

    def hypernym_paths(self) -> list[list["Synset"]]:
        ways = [Synset.named(step) for step in self.steps]
        return [[ways[0], *ways], ways]  # a longer way first

    @staticmethod
    def named(step: str) -> "Synset":
        found = Synset(step)
        found.steps = [step]
        return found

    def wup_similarity(self, other: "Synset") -> float:
        return 2 * (1 + (self.steps[1] == other.steps[1])) / 6


class Corpus:
    """Knows every name as it is written."""

    def synsets(self, lemma: str, pos: str) -> list[Synset]:
        return [Synset(lemma)]


@pytest.fixture(autouse=True)
def corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordnet, "nltk_wordnet", Corpus)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    file = tmp_path / "tree.csv"
    file.write_text("child,parent\nclass 0,warm\nclass 1,warm\nclass 2,cold\nwarm,color\ncold,color\n", encoding="utf-8")
    return file


def table(content: dict[str, Any], guidance: dict[str, Any]) -> np.ndarray:
    config = config_from(content | {"guidance": guidance})
    built = build_guidance(config, run_images(config.data, 0))
    assert isinstance(built, LanguageGuidance)
    assert isinstance(built.targets, ClassTargets)
    return built.targets.table.numpy()


def test_class_names_in_a_tree(content: dict[str, Any], tree: Path) -> None:
    expected = [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]
    np.testing.assert_allclose(table(content, {"language": f"hierarchy:{tree}"})[0], expected)


@pytest.mark.parametrize(("language", "between"), [("wordnet", 2 / 3), ("hierarchy:wordnet", 1 / 2)])
def test_class_names_on_wordnet(content: dict[str, Any], language: str, between: float) -> None:
    """All begin with "c": Wu-Palmer 2 * 2 / (3 + 3); one of two levels shared."""
    np.testing.assert_allclose(table(content, {"language": language})[0], np.eye(3) * (1 - between) + between, rtol=1e-6)


@pytest.mark.parametrize("language", ["wordnet", "hierarchy:wordnet"])
def test_pseudolabels_on_wordnet(content: dict[str, Any], language: str) -> None:
    guidance = {"kind": "plg", "k": 3, "language": language, "classifier": {"name": "test_resnet", "weights": "none"}}
    config = config_from(content | {"guidance": guidance})
    images = run_images(config.data, 0)
    import torch

    torch.manual_seed(0)
    chosen = pseudolabels(config, images)
    torch.manual_seed(0)
    found = table(content, guidance)
    names = [[imagenet_names()[each].lower() for each in row] for row in chosen]
    if language == "wordnet":
        loop = [
            [np.mean([1 if a == b else 2 * (1 + (a[0] == b[0])) / 6 for a, b in zip(ours, theirs, strict=True)]) for theirs in names]
            for ours in names
        ]
    else:
        loop = [[np.mean([1 if a == b else 0.5 * (a[0] == b[0]) for a, b in zip(ours, theirs, strict=True)]) for theirs in names] for ours in names]
    np.testing.assert_allclose(found[0], loop, rtol=1e-5)


def test_pseudolabels_in_a_tree(content: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "imagenet.csv"
    paths = {name: f"all/{name[0]}/{name.replace('/', '-')}" for name in imagenet_names()}
    file.write_text("".join(f'"{path}"\n' for path in paths.values()), encoding="utf-8")
    guidance = {"kind": "plg", "k": 1, "language": f"hierarchy:{file}", "classifier": {"name": "test_resnet", "weights": "none"}}
    import torch

    torch.manual_seed(0)
    config = config_from(content | {"guidance": guidance})
    chosen = [imagenet_names()[each] for each in pseudolabels(config, run_images(config.data, 0))[:, 0]]
    torch.manual_seed(0)
    np.testing.assert_allclose(table(content, guidance)[0], hierarchy_similarities([paths[name] for name in chosen], list(paths.values())))
