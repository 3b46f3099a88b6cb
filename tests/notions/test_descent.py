from collections.abc import Callable, Sequence

import numpy as np
import pytest
import torch

from likeness.errors import InputError
from likeness.notions import descent, indirect
from likeness.notions.descent import descend
from likeness.notions.indirect import fit_adam, loss, random_start, safe_arccos

Objective = Callable[[Sequence[torch.Tensor], Sequence[torch.Tensor]], torch.Tensor]


def scripted(losses: Sequence[float]) -> Objective:
    """An objective with the given losses in turn, the last one for ever; each step moves the parameter by the rate."""
    remaining = list(losses)

    def objective(parameters: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor]) -> torch.Tensor:
        gradients[0].fill_(1.0)
        return torch.tensor(remaining.pop(0) if len(remaining) > 1 else remaining[0])

    return objective


def rosenbrock(parameters: Sequence[torch.Tensor], gradients: Sequence[torch.Tensor] = ()) -> torch.Tensor:
    """In two parameters of different shapes, with the gradient by hand."""
    x, y = parameters[0][0, 0], parameters[1][0]
    for gradient, value in zip(gradients, (-2 * (1 - x) - 400 * x * (y - x**2), 200 * (y - x**2)), strict=False):
        gradient.fill_(value)
    return (1 - x) ** 2 + 100 * (y - x**2) ** 2


@pytest.mark.parametrize("weight_decay", [0.0, 0.01])
def test_steps_are_those_of_torchs_adam(weight_decay: float, monkeypatch: pytest.MonkeyPatch) -> None:
    start = [torch.tensor([[-1.2]], dtype=torch.float64), torch.tensor([1.0], dtype=torch.float64)]
    found: list[torch.Tensor] = []
    monkeypatch.setattr(descent, "_MOST", 200)
    descend(start, lambda *given: found.append(rosenbrock(*given)) or found[-1], weight_decay=weight_decay)  # type: ignore[func-returns-value]
    x, y = (value.clone().requires_grad_() for value in start)
    optimizer = torch.optim.Adam([x, y], lr=0.01, weight_decay=weight_decay)
    expected = []
    for _ in range(200):
        optimizer.zero_grad()
        loss = rosenbrock([x, y])
        expected.append(loss.item())
        loss.backward()
        optimizer.step()
    assert [value.item() for value in found] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("losses", "patience", "most", "best", "n_iter", "steps"),
    [
        ([5.0, 3.0, 4.0, 2.0, 2.0], 3, 99, 2.0, 7, 3),
        ([5.0, 3.0, 1.0, 9.0], 4, 99, 1.0, 7, 2),
        ([3.0, 2.0, 1.0], 4, 2, 2.0, 2, 1),
        ([2.0, 1.0, np.nan, np.inf], 5, 99, 1.0, 7, 1),  # one that explodes leaves the best before
    ],
)
def test_it_ends_after_so_many_iterations_without_a_new_best_and_gives_the_best(
    losses: list[float], patience: int, most: int, best: float, n_iter: int, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(descent, "PATIENCE", patience)
    monkeypatch.setattr(descent, "_MOST", most)
    start = [torch.zeros(2, 1)]
    fit = descend(start, scripted(losses))
    assert (fit.loss, fit.n_iter, fit.best[0].shape) == (best, n_iter, (2, 1))
    # under a constant gradient each step of Adam has the length of the rate
    assert fit.best[0].flatten().tolist() == pytest.approx([-0.01 * steps] * 2, rel=1e-4)
    assert start[0].tolist() == [[0.0], [0.0]]
    with pytest.raises(InputError, match="not finite in any iteration"):
        descend(start, scripted([np.nan]))


@pytest.fixture
def losses(monkeypatch: pytest.MonkeyPatch) -> list[torch.Tensor]:
    """Those of a fit, iteration by iteration."""
    found: list[torch.Tensor] = []
    monkeypatch.setattr(indirect, "loss", lambda rows, U: found.append(loss(rows, U)) or found[-1])  # type: ignore[func-returns-value]
    return found


@pytest.mark.parametrize(("n", "k"), [(40, 2), (40, 16), (40, 64), (100, 2), (100, 16)])
def test_follows_the_authors_trajectory(reference: dict, losses: list[torch.Tensor], n: int, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descent, "_MOST", 60)
    fit_adam(reference[f"n{n}_text_embeddings"], reference[f"n{n}_k{k}_U0"].T)
    assert [value.item() for value in losses] == pytest.approx(reference[f"n{n}_k{k}_adam_from_U0_losses_first60"].tolist(), abs=1e-3)


def test_ends_where_the_authors_code_ends(reference: dict, losses: list[torch.Tensor]) -> None:
    fit = fit_adam(reference["n40_text_embeddings"], reference["n40_k2_U0"].T)
    assert fit.loss == pytest.approx(float(reference["n40_k2_adam_from_U0_best_loss"]), abs=1e-6)
    # how many iterations it takes to the last new best, rounding decides at the end (286 on one machine, 355 on theirs); what stops it does not
    values = [value.item() for value in losses]
    assert fit.n_iter == len(values) == int(np.argmin(values)) + 1 + 100
    bests = [step for step, value in enumerate(values) if value < min(values[:step], default=np.inf)]
    assert max(np.diff(bests)) <= 100
    rows = torch.as_tensor(reference["n40_text_embeddings"])
    assert float(loss(torch.nn.functional.normalize(rows), fit.best[0])) == pytest.approx(fit.loss, abs=1e-7)


@pytest.mark.parametrize("n", [40, 100])
def test_gradient_equals_the_authors_in_float64(reference: dict, n: int) -> None:
    rows = torch.nn.functional.normalize(torch.as_tensor(reference[f"n{n}_text_embeddings"]).double())
    U = torch.as_tensor(reference[f"n{n}_k16_U0"].T.astype(np.float64)).requires_grad_()
    loss(rows, U).backward()
    assert U.grad is not None
    expected = reference[f"n{n}_k16_grad_U0"].T
    assert U.grad.numpy() == pytest.approx(expected, abs=1e-6 * float(np.abs(expected).max()))


def test_arccos_is_exact_inside_and_finite_and_continuous_at_its_ends() -> None:
    x = torch.tensor([-1.0, -0.5, 0.0, 0.3, 1.0], dtype=torch.float64, requires_grad=True)
    values = safe_arccos(x)
    assert values.tolist() == pytest.approx([np.pi, np.arccos(-0.5), np.pi / 2, np.arccos(0.3), 0], abs=1e-15)
    values.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == pytest.approx([-4472.1, -1 / np.sqrt(0.75), -1, -1 / np.sqrt(0.91), -4472.1], rel=1e-4)
    for edge in (1 - 1e-7, -1 + 1e-7):
        around = torch.tensor([edge - 1e-12, edge + 1e-12], dtype=torch.float64)
        below, above = safe_arccos(around).tolist()
        assert below == pytest.approx(above, abs=1e-7)


def test_start_has_the_papers_deviation_and_follows_the_seed() -> None:
    start = random_start(400, 50, seed=3)
    assert float(start.std()) == pytest.approx(0.1, rel=0.02)
    assert abs(float(start.mean())) < 0.003
    assert torch.equal(start, random_start(400, 50, seed=3))
    assert not torch.equal(start, random_start(400, 50, seed=4))
