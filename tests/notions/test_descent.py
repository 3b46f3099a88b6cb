from collections.abc import Callable, Sequence

import numpy as np
import pytest
import torch

from likeness.errors import InputError
from likeness.notions.descent import descend

Objective = Callable[[Sequence[torch.Tensor], Sequence[torch.Tensor]], torch.Tensor]


def scripted(losses: Sequence[float]) -> Objective:
    """An objective with the given losses in turn, the last one for ever; each step moves the parameter by the rate."""
    remaining = list(losses)

    def objective(parameters: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor]) -> torch.Tensor:
        gradients[0].fill_(1.0)
        return torch.tensor(remaining.pop(0) if len(remaining) > 1 else remaining[0])

    return objective


def rosenbrock(parameters: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor]) -> torch.Tensor:
    """In two parameters of different shapes, with the gradient by hand."""
    x, y = parameters[0][0, 0], parameters[1][0]
    gradients[0].fill_(-2 * (1 - x) - 400 * x * (y - x**2))
    gradients[1].fill_(200 * (y - x**2))
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


@pytest.mark.parametrize("weight_decay", [0.0, 0.01])
def test_steps_are_those_of_torchs_adam(weight_decay: float) -> None:
    start = [torch.tensor([[-1.2]], dtype=torch.float64), torch.tensor([1.0], dtype=torch.float64)]
    found: list[float] = []
    descend(start, rosenbrock, weight_decay=weight_decay, max_iter=200, on_step=lambda _, value: found.append(value))
    x, y = (value.clone().requires_grad_() for value in start)
    optimizer = torch.optim.Adam([x, y], lr=0.01, weight_decay=weight_decay)
    expected = []
    for _ in range(200):
        optimizer.zero_grad()
        loss = (1 - x[0, 0]) ** 2 + 100 * (y[0] - x[0, 0] ** 2) ** 2
        expected.append(loss.item())
        loss.backward()
        optimizer.step()
    assert found == pytest.approx(expected, rel=1e-12)


def test_ends_after_so_many_iterations_without_a_new_best() -> None:
    fit = descend([torch.zeros(1)], scripted([5.0, 3.0, 4.0, 2.0, 2.0, 2.0, 2.0, 2.0]), patience=3)
    assert (fit.n_iter, fit.loss) == (7, 2.0)


def test_returns_the_parameters_of_the_best_iteration() -> None:
    start = [torch.zeros(2, 1)]
    fit = descend(start, scripted([5.0, 3.0, 1.0, 9.0]), patience=4)
    # Under a constant gradient each step of Adam has the length of the rate, and two steps led to the best.
    assert fit.best[0].flatten().tolist() == pytest.approx([-0.02, -0.02], rel=1e-4)
    assert fit.best[0].shape == (2, 1)
    assert start[0].tolist() == [[0.0], [0.0]]


def test_iterations_can_be_bounded_and_watched() -> None:
    seen: list[tuple[int, float]] = []
    fit = descend([torch.zeros(1)], scripted([3.0, 2.0, 1.0]), max_iter=2, on_step=lambda step, loss: seen.append((step, loss)))
    assert fit.n_iter == 2
    assert seen == [(1, 3.0), (2, 2.0)]


def test_a_loss_that_explodes_leaves_the_best_before() -> None:
    fit = descend([torch.zeros(1)], scripted([2.0, 1.0, np.nan, np.inf]), patience=5)
    assert (fit.loss, fit.n_iter) == (1.0, 7)
    assert fit.best[0].item() == pytest.approx(-0.01, rel=1e-4)


def test_a_loss_that_is_never_finite_is_refused() -> None:
    with pytest.raises(InputError, match="not finite in any iteration"):
        descend([torch.zeros(1)], scripted([np.nan]), patience=3)
