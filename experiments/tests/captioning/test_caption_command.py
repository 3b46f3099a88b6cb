"""`python -m experiments.captioning caption` as a person meets it; what it says of damaged models is tested with `caption_images`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from PIL import Image
from typer.testing import CliRunner, Result

from experiments.captioning import captioning_cells, compare_features
from experiments.captioning.captioned import read_captioned
from experiments.captioning.command import caption
from experiments.captioning.config import captioning_config_from
from likeness.errors import InputError

Call = Callable[..., Result]


@pytest.fixture
def call() -> Call:
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(caption)
    return lambda *arguments: CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    """Ten squares of one color."""
    folder, rng = tmp_path / "photos", np.random.default_rng(0)
    folder.mkdir()
    for number in range(10):
        Image.new("RGB", (24, 24), tuple(rng.integers(0, 256, 3).tolist())).save(folder / f"{number}.png")
    lines = [f"photos/{number}.png,a square of {color} color" for number in range(10) for color in ("one", "this")]
    (tmp_path / "captions.csv").write_text("\n".join(["path,caption", *lines]))
    return folder


@pytest.fixture
def model(photos: Path, tmp_path: Path) -> Path:
    content: dict[str, Any] = {
        "data": {"source": str(tmp_path / "captions.csv"), "image_size": 32, "grid": 1, "split": "last"},
        "backbone": {"name": "test_resnet", "weights": "none", "dim": 8},
        "decoder": {"hidden": 16, "embedding": 8, "attention": 4, "dropout": 0.0},
        "xe": {"epochs": 20, "batch": 7, "per_image": 2, "rate": 0.05, "every": 20},
        "rl": {"epochs": 0},
        "evaluate_every": 20,
        "device": "cpu",
    }
    cells = captioning_cells(captioning_config_from(content), ["imagenet"], [], tmp_path / "models")
    compare_features(cells)
    return next(iter(cells))


def test_a_folder_and_files_are_described(call: Call, model: Path, photos: Path, tmp_path: Path) -> None:
    shown = call(model, photos, "--format", "csv")
    assert shown.exit_code == 0, shown.output
    head, *lines = shown.stdout.strip().splitlines()
    assert head == "path,caption"
    assert [line.split(",")[0] for line in lines] == [f"{number}.png" for number in range(10)]
    assert all("a square of" in line for line in lines)
    two = call(model, photos / "7.png", photos / "2.png", "--format", "csv", "--beam", "2", "--stage", "xe")
    assert two.stdout.strip().splitlines()[1:] == [f"{photos}/{lines[7]}", f"{photos}/{lines[2]}"]
    assert call(model, photos / "2.png", "--format", "csv").stdout.strip().splitlines()[1:] == [f"{photos}/{lines[2]}"]
    # the file is a source in turn, from wherever it lies
    (tmp_path / "elsewhere").mkdir()
    file = tmp_path / "elsewhere" / "own.csv"
    written = call(model, photos, "-o", file)
    assert (written.exit_code, written.stdout) == (0, f"wrote {file}\n")
    again = read_captioned(str(file))
    assert [path.name for path in again.table.paths()] == [f"{number}.png" for number in range(10)]
    assert [own[0] for own in again.captions] == [line.split(",")[1] for line in lines]
    assert all(path.is_file() for path in again.table.paths())


def test_wrong_input_is_told(call: Call, model: Path, photos: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.png").write_text("no picture")
    for arguments, message in (
        ((tmp_path, photos), "There is no captioning model in"),
        ((model, tmp_path / "absent.png"), "There is nothing at"),
        ((model, tmp_path / "empty"), "holds no images"),
        ((model, photos / "1.png", tmp_path / "absent.png"), "is not there; give image files, or one folder or other source alone"),
        ((model, photos / "1.png", photos), "is a folder; give image files, or one folder or other source alone"),
        ((model, tmp_path / "text.png"), "text.png"),
        ((model, photos, "--stage", "rl"), "has no stage 'rl'; choose xe"),
        ((model, photos, "--format", "html"), "There is no format 'html'"),
    ):
        result = call(*arguments)
        assert isinstance(result.exception, InputError), (arguments, result.output)
        assert message in str(result.exception)
        assert "\n" not in str(result.exception)
    assert "Invalid value for '--beam'" in call(model, photos, "--beam", "0").output
    status = json.loads((model / "status.json").read_text())
    assert status["state"] == "finished"  # a reader changes nothing
