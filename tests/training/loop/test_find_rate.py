"""The search for a learning rate: a case by hand, a problem whose best rate is known, and runs."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from likeness.errors import InputError
from likeness.training.config import RunConfig, with_changes
from likeness.training.loop.find_rate import find_rate, rate_search, smoothed
from likeness.training.loop.given_objects import GivenObjects
from likeness.training.loop.train import train


def test_the_mean_that_moves_along_is_that_of_pandas() -> None:
    losses = np.random.default_rng(0).random(40)
    np.testing.assert_allclose(smoothed(losses), pd.Series(losses).ewm(alpha=0.1, adjust=True).mean(), rtol=1e-9)


def test_the_steepest_fall_before_the_lowest_loss_is_suggested(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = np.geomspace(1e-6, 1, 120)
    place = np.log10(rates)
    losses = 1 / (1 + np.exp(4 * (place + 3))) + np.where(place > -1.5, (place + 1.5) * 5, 0)  # falls around 1e-3, rises from .03 on
    found = rate_search(rates, losses)
    # the mean that moves along is some ten steps, half a power of ten, behind
    assert 10**-3.1 < found.suggestion < 10**-2.2
    monkeypatch.setattr("likeness.training.loop.find_rate._KEPT", 0.0)
    assert rate_search(rates, losses).suggestion == rates[np.abs(place + 3).argmin()]  # the turning point itself


def test_losses_after_one_that_is_not_finite_do_not_count() -> None:
    rates, losses = np.geomspace(1e-3, 1, 30), np.linspace(1, 0, 30)
    losses[20], losses[21] = np.nan, -100
    assert len(rate_search(rates, losses).rates) == 20
    with pytest.raises(InputError, match=r"The loss diverges at a rate of 0.00\d+ already; begin lower than 0.001"):
        rate_search(rates, np.where(np.arange(30) < 5, losses, np.nan))


class Bowl(nn.Module):
    """A loss whose gradient descent diverges from a rate of 2 / curvature on."""

    def __init__(self, curvature: float) -> None:
        super().__init__()
        self.curvature, self.place = curvature, nn.Parameter(torch.ones(3))

    def forward(self, embeddings: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return self.curvature * self.place.square().sum() / 2 + 0 * embeddings.sum()


def test_the_search_ends_beyond_the_rate_at_which_a_bowl_diverges(config: RunConfig) -> None:
    made = with_changes(config, {"optimizer.kind": "sgd", "optimizer.momentum": 0.0, "optimizer.weight_decay": 0.0})
    for curvature in (10.0, 1000.0):
        found = find_rate(made, 1e-6, 10.0, 120, given=GivenObjects(loss=Bowl(curvature)))
        assert len(found.rates) < 120
        assert 2 / curvature < found.rates[-1] < 40 / curvature
        assert 0.01 / curvature < found.suggestion < 2 / curvature


def test_a_run_is_searched_without_a_trace_and_learns_at_the_rate_it_suggests(config: RunConfig, tmp_path: Path, cache: Path) -> None:
    made = with_changes(config, {"objective.name": "contrastive", "batch.accumulate": 2})
    told: list[tuple[Any, ...]] = []
    cache.mkdir(exist_ok=True)
    before = set(tmp_path.rglob("*")) - set(cache.rglob("*"))
    found, again = find_rate(made, steps=40, progress=lambda *each: told.append(each)), find_rate(made, steps=40)
    np.testing.assert_array_equal(found.losses, again.losses)
    assert set(tmp_path.rglob("*")) - set(cache.rglob("*")) == before
    assert told[-1][2] == "Looking for a rate"
    losses = train(with_changes(config, {"objective.name": "contrastive", "optimizer.rate": found.suggestion}), tmp_path / "run").metrics()["loss"]
    assert losses.dropna().tail(3).mean() < losses.dropna().head(2).mean()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"low": 0.1, "high": 0.01}, "The rates rise from 0.1 to 0.01"),
        ({"low": 0.0}, "the first one must be above 0"),
        ({"steps": 5}, "5 steps say too little"),
    ],
)
def test_a_range_that_is_none_is_refused(config: RunConfig, options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        find_rate(config, **options)
