"""A person's own images described by a trained model: its own test captions again, and everything that can be missing."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from safetensors.torch import load_file, save_file

from experiments.captioning import captioning_cells, compare_features
from experiments.captioning.caption import caption_images
from experiments.captioning.config import captioning_config_from
from experiments.captioning.folder import CaptioningFolder
from likeness.data import ImageTable, read_dataset
from likeness.errors import InputError

RunOn = Callable[..., str]
CONTENT: dict[str, Any] = {
    "data": {"each": 3, "image_size": 32, "grid": 2, "validation": 0.2, "test": 0.2},
    "backbone": {"name": "test_resnet", "weights": "none", "dim": 8},
    "decoder": {"hidden": 16, "embedding": 8, "attention": 8, "dropout": 0.0},
    "min_count": 2,
    "xe": {"epochs": 40, "batch": 6, "per_image": 3, "rate": 0.02, "every": 40},
    "rl": {"epochs": 1, "batch": 6, "samples": 2, "rate": 0.002},
    "evaluate_every": 10,
    "device": "cpu",
}


def trained(cars: Path, folder: Path, features: str = "imagenet") -> Path:
    config = captioning_config_from(CONTENT | {"data": CONTENT["data"] | {"source": str(cars)}})
    cells = captioning_cells(config, [features], [], folder)
    assert compare_features(cells)
    return next(iter(cells))


@pytest.fixture(scope="module")
def finished(cars: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIKENESS_CACHE", str(cars.parent / "cache"))
        return trained(cars, cars.parent / "models")


@pytest.fixture
def model(finished: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(finished, tmp_path / finished.name))


def test_its_test_images_get_the_captions_that_were_scored(model: Path) -> None:
    for stage in ("xe", "rl"):
        scored = CaptioningFolder(model).captions(stage)
        assert len({each["caption"] for each in scored}) > 1
        # in another order and number than in the experiment
        images = ImageTable("test images", Path(), pd.DataFrame({"path": [each["path"] for each in reversed(scored)]}))
        found = caption_images(model, images, stage=stage)
        assert found == [each["caption"] for each in reversed(scored)]
    assert caption_images(model, images) == found


def test_a_wider_beam_finds_other_sentences(model: Path, cars: Path) -> None:
    narrow, wide = (caption_images(model, cars, beam=beam, stage="xe") for beam in (1, 8))
    assert len(narrow) == len(wide) == 30
    assert narrow != wide
    for beam in (0, 101):
        with pytest.raises(InputError, match=f"The beam is {beam} sentences wide; choose a number from 1 to 100"):
            caption_images(model, cars, beam=beam)


def test_of_a_run_whose_network_must_still_be_the_same(cars: Path, run_on: RunOn, tmp_path: Path) -> None:
    run = tmp_path / "run"
    model = trained(cars, tmp_path / "models", run_on(run, source=str(cars), attribute="viewpoint"))
    scored = CaptioningFolder(model).captions("rl")
    found = caption_images(model, cars)
    paths = read_dataset(cars).frame["path"].tolist()
    assert [found[paths.index(each["path"])] for each in scored] == [each["caption"] for each in scored]
    weights = load_file(run / "best.safetensors")
    name = next(name for name in weights if name.endswith("conv1.weight"))
    save_file(weights | {name: weights[name] + 1}, run / "best.safetensors")
    with pytest.raises(InputError, match=r"The network 'run:.*' has changed since the captioning model in '.*' was trained; train"):
        caption_images(model, cars)
    run.rename(tmp_path / "away")
    with pytest.raises(InputError, match=r"The network of the captioning model in '.*' cannot be had: There is no run in '.*run'"):
        caption_images(model, cars)


def test_no_model_or_an_unfinished_one_is_told(model: Path, cars: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no captioning model in '.*absent'; train one with `python -m experiments.captioning train`"):
        caption_images(tmp_path / "absent", cars)
    with pytest.raises(InputError, match="has no stage 'best'; choose xe or rl"):
        caption_images(model, cars, stage="best")
    with pytest.raises(InputError, match=r"There is no folder|There is nothing at"):
        caption_images(model, tmp_path / "absent")
    (model / "report.json").unlink()
    with pytest.raises(
        InputError, match=r"The captioning model in '.*topdown-imagenet' is not finished; resume it with `python -m experiments.captioning train`"
    ):
        caption_images(model, cars)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("best-rl.safetensors", b"x" * 100, "best-rl.safetensors' cannot be read"),
        ("vocabulary.json", b'{"words": ["a", "b"]}', r"The weights '.*best-rl.safetensors' cannot be read"),
        ("vocabulary.json", b"{", "The vocabulary '.*' cannot be read"),
        ("features.json", b'{"name": "imagenet"}', "does not name the model's features"),
        ("features.json", b'{"name": "imagenet", "identity": "0"}', "has changed since"),
        ("features.json", b'{"name": "colors", "identity": "0"}', "cannot be had: There are no features 'colors'"),
        ("captioning.yaml", b"name: [", "is not valid YAML"),
    ],
)
def test_a_damaged_model_is_told_in_one_sentence(model: Path, cars: Path, file: str, content: bytes, message: str) -> None:
    (model / file).write_bytes(content)
    with pytest.raises(InputError, match=message) as told:
        caption_images(model, cars)
    assert "\n" not in str(told.value)


def test_damaged_numbers_and_sizes_that_its_config_boasts_of_are_told(model: Path, cars: Path) -> None:
    """A terabyte would be needed; the weights are smaller, and that is found first."""
    config, weights = model / "captioning.yaml", model / "best-rl.safetensors"
    whole, content = config.read_text(), bytearray(weights.read_bytes())
    config.write_text(whole.replace("hidden: 16", "hidden: 500000"))
    with pytest.raises(InputError, match=r"The weights '.*best-rl.safetensors' cannot be read"):
        caption_images(model, cars)
    config.write_text(whole)
    content[-5] ^= 1
    weights.write_bytes(content)
    with pytest.raises(InputError, match=r"best-rl.safetensors' cannot be read"):
        caption_images(model, cars)


def test_weights_in_half_precision_are_read(model: Path, cars: Path) -> None:
    file = model / "best-xe.safetensors"
    save_file({name: value.to(torch.bfloat16).float() for name, value in load_file(file).items()}, file)
    rounded = caption_images(model, cars, stage="xe")
    save_file({name: value.to(torch.bfloat16) for name, value in load_file(file).items()}, file)
    assert caption_images(model, cars, stage="xe") == rounded
