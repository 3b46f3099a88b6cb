"""One thread, and tiny models of both kinds."""

from collections.abc import Callable, Iterator

import pytest
import torch

from experiments.captioning.decoder import CAPTIONERS, Captioner

Maker = Callable[..., Captioner]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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
