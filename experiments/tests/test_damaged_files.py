"""What the experiments read, damaged: answered in one sentence, as everything that Likeness reads."""

import contextlib
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "fuzz"))

from cases import picture
from fuzzing import Case, attack

from experiments.captioning.config import captioning_configs, read_captioning_config
from experiments.captioning.folder import CaptioningFolder
from experiments.captioning.vocabulary import read_vocabulary
from experiments.tests.public_benchmarks.conftest import write_clevr4, write_genecis, write_icir, write_stanford40
from likeness.data import read_dataset
from likeness.errors import InputError


def _answered(read: Callable[[], Any]) -> None:
    with contextlib.suppress(InputError):
        read()


def _config(folder: Path) -> None:
    (folder / "c.yaml").write_bytes(min(captioning_configs().values(), key=lambda file: file.stat().st_size).read_bytes())


def _captioning(folder: Path) -> None:
    (folder / "features.json").write_text('{"name": "cars", "identity": "abc"}')
    (folder / "captions-xe.json").write_text('[{"path": "a.png", "caption": "a", "references": ["b"]}]')
    (folder / "words.json").write_text('{"words": ["<pad>", "<begin>", "<end>", "<unknown>", "a", "red"]}')


def _read_captioning(folder: Path) -> None:
    kept = CaptioningFolder(folder)
    for read in (kept.features, lambda: kept.captions("xe"), lambda: read_vocabulary(folder / "words.json"), kept.report):
        _answered(read)


def _captioner(folder: Path) -> None:
    """A finished model, untrained."""
    import torch

    from experiments.captioning.config import captioning_config_from
    from experiments.captioning.decoder import CAPTIONERS
    from experiments.captioning.features import seeded_network
    from experiments.captioning.vocabulary import Vocabulary

    torch.manual_seed(0)
    content = {"backbone": {"name": "test_resnet", "weights": "none"}, "data": {"image_size": 16, "grid": 1}, "rl": {"epochs": 0}}
    config = captioning_config_from(content | {"decoder": {"hidden": 4, "embedding": 4, "attention": 4}, "longest": 4})
    kept, network = CaptioningFolder(folder / "model"), seeded_network("imagenet", config.backbone, config.seed)
    kept.create(config, {"name": "imagenet", "identity": network.identity})
    Vocabulary(("a", "red", "car")).save(kept.vocabulary)
    kept.save_best("xe", CAPTIONERS["topdown"](7, network.network.map_shape(16)[0], 4, 4, 4))
    kept.standing.write_report({"model": "topdown"})
    (folder / "a.png").write_bytes(picture("PNG"))


def _caption(folder: Path) -> None:
    from experiments.captioning import caption_images
    from likeness.data import ImageTable

    assert len(caption_images(folder / "model", ImageTable("a", folder, pd.DataFrame({"path": ["a.png"]})))) == 1


def _checkpoint(folder: Path) -> None:
    import torch

    from experiments.clip import ClipRecipe

    torch.save({"state": {"a": torch.zeros(3)}, "step": 3, "words": ["a"], "recipe": ClipRecipe().model_dump_json()}, folder / "checkpoint.ckpt")


def _read_checkpoint(folder: Path) -> None:
    from experiments.clip import ClipRecipe
    from experiments.clip.checkpoint import load_checkpoint
    from likeness.io import CheckpointFile

    _answered(lambda: load_checkpoint(CheckpointFile(folder / "checkpoint.ckpt"), ClipRecipe(), ["a"]))


def _dataset(source: str, write: Callable[[Path], Any], damage: str) -> Case:
    return Case(source, write, lambda folder: read_dataset(f"{source}:{folder}"), (damage,), ())


CASES = [
    _dataset("clevr4", write_clevr4, "*.json"),
    _dataset("genecis", write_genecis, "genecis/*.json"),
    _dataset("icir", write_icir, "*.csv"),
    _dataset("stanford40", write_stanford40, "ImageSplits/*.txt"),
    Case("captioning config", _config, lambda folder: read_captioning_config(folder / "c.yaml"), ("*.yaml",), ()),
    Case("captioning folder", _captioning, _read_captioning, ("*",), ()),
    Case("captioning model", _captioner, _caption, ("model/*.*",), ()),
    Case("checkpoint", _checkpoint, _read_checkpoint, ("*",), ()),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_damaged_files_are_answered_in_one_sentence(case: Case, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, logger="likeness")
    found = attack(case, tmp_path / "f", range(40))
    assert not found, "\n\n".join(f"{each.case}, seed {each.seed}: {each.what}" for each in found)
