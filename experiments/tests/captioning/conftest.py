"""One thread, a few cars, tiny networks, and tiny models of both kinds."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from experiments.captioning.decoder import CAPTIONERS, Captioner
from likeness.data import CONTENT_COLUMN, read_cars
from likeness.training.config import config_from
from likeness.training.loop.train import train

Maker = Callable[..., Captioner]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def cars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 30 shipped cars; not to be changed."""
    whole, file = read_cars(), tmp_path_factory.mktemp("cars") / "cars.csv"
    frame = whole.frame.iloc[:30].drop(columns=CONTENT_COLUMN)
    frame.assign(path=[str(path) for path in whole.paths()[:30]]).to_csv(file, index=False)
    return file


@pytest.fixture(scope="session")
def run_on() -> Callable[..., str]:
    """Trains a tiny network for an epoch on these data into a folder; how features name it."""

    def trained(folder: Path, **data: Any) -> str:
        parts: dict[str, Any] = {"data": data | {"image_size": 32}, "backbone": {"name": "test_resnet", "weights": "none", "dim": 8}}
        parts |= {"objective": {"name": "margin"}, "batch": {"size": 6, "per_class": 2}, "epochs": 1, "device": "cpu"}
        train(config_from(parts), folder)
        return f"run:{folder}"

    return trained


@pytest.fixture(params=sorted(CAPTIONERS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make(kind: str) -> Maker:
    """A model without dropout, with weights large enough that it prefers some words."""

    def made(words: int = 7, features: int = 5, seed: int = 0, scale: float = 4.0) -> Captioner:
        torch.manual_seed(seed)
        captioner = CAPTIONERS[kind](words, features, hidden=6, embedding=4, attention=3, dropout=0.0).eval()
        with torch.no_grad():
            for value in captioner.parameters():
                value.mul_(scale)
        return captioner

    return made
