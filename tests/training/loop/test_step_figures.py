"""What is fetched of training steps, and when."""

import math
from typing import Any

import pytest
import torch

from likeness.training.loop import step_figures
from likeness.training.loop.step_figures import PendingSteps, StepFigures


def figures(loss: float, embeddings: torch.Tensor | None = None) -> StepFigures:
    rows = torch.eye(3) if embeddings is None else embeddings
    return StepFigures.of(rows, {"loss": torch.tensor(loss), "loss_objective": torch.tensor(2 * loss)})


def row(step: int) -> dict[str, Any]:
    return {"step": step, "rate": 0.1}


def test_rows_come_in_order_with_their_losses_and_are_taken_once() -> None:
    pending = PendingSteps()
    assert pending.add(row(1), figures(0.5))  # on a processor at once
    pending.add(row(2), figures(0.25))
    rows, wrong = pending.take()
    assert rows == [{"step": 1, "rate": 0.1, "loss": 0.5, "loss_objective": 1.0}, {"step": 2, "rate": 0.1, "loss": 0.25, "loss_objective": 0.5}]
    assert wrong == ""
    assert pending.take() == ([], "")


def test_on_a_device_that_computes_meanwhile_rows_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_figures, "is_asynchronous", lambda device: True)
    now = [0.0]
    monkeypatch.setattr(step_figures.time, "perf_counter", lambda: now[0])
    alone, together = PendingSteps(), PendingSteps(together=True)
    assert [alone.add(row(step), figures(1)) for step in range(50)] == [False] * 49 + [True]
    assert len(alone.take()[0]) == 50
    now[0] = 10.0
    assert alone.add(row(51), figures(1))  # so that a page that watches shows it
    # several processes have other clocks, and must fetch after the same steps
    assert [together.add(row(step), figures(1)) for step in range(50)] == [False] * 49 + [True]


@pytest.mark.parametrize("loss", [math.nan, math.inf])
def test_the_first_step_that_went_wrong_is_named_and_those_before_it_are_kept(loss: float) -> None:
    pending = PendingSteps()
    for step, value in enumerate((0.5, loss, 0.5), start=1):
        pending.add(row(step), figures(value))
    rows, wrong = pending.take()
    assert [each["step"] for each in rows] == [1]
    assert wrong == f"The loss is {loss} at step 2; choose a smaller learning rate than 0.1. The last checkpoint is from before."


def test_embeddings_that_are_not_finite_or_all_equal_are_named() -> None:
    for rows, words in ((torch.full((3, 2), math.nan), "The loss is nan at step 7"), (torch.ones(3, 2), "same embedding at step 7")):
        pending = PendingSteps()
        pending.add(row(7), figures(0.5, rows))
        found, wrong = pending.take()
        assert not found
        assert words in wrong
    pending.add(row(8), figures(0.5, torch.ones(1, 2)))  # a batch of one has nothing to differ from
    assert pending.take()[1] == ""
