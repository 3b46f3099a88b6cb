import numpy as np
import pytest
import torch

from likeness.notions.adam import PATIENCE, fit_adam, loss, random_start, safe_arccos


@pytest.mark.parametrize(("n", "k"), [(40, 2), (40, 16), (40, 64), (100, 2), (100, 16)])
def test_follows_the_authors_trajectory(reference: dict, n: int, k: int) -> None:
    losses: list[float] = []

    class EnoughError(Exception):
        pass

    def stop_after_60(step: int, value: float) -> None:
        losses.append(value)
        if step == 60:
            raise EnoughError

    with pytest.raises(EnoughError):
        fit_adam(reference[f"n{n}_text_embeddings"], reference[f"n{n}_k{k}_U0"].T, on_step=stop_after_60)
    assert np.array(losses) == pytest.approx(reference[f"n{n}_k{k}_adam_from_U0_losses_first60"], abs=1e-3)


def test_ends_where_the_authors_code_ends(reference: dict) -> None:
    losses: list[float] = []
    fit = fit_adam(reference["n40_text_embeddings"], reference["n40_k2_U0"].T, on_step=lambda step, value: losses.append(value))
    assert fit.loss == pytest.approx(float(reference["n40_k2_adam_from_U0_best_loss"]), abs=1e-6)
    # how many iterations it takes to the last new best, rounding decides at the end (286 on one machine, 355 on theirs); what stops it does not
    assert fit.n_iter == len(losses) == int(np.argmin(losses)) + 1 + PATIENCE
    bests = [step for step, value in enumerate(losses) if value < min(losses[:step], default=np.inf)]
    assert max(np.diff(bests)) <= PATIENCE
    rows = torch.as_tensor(reference["n40_text_embeddings"])
    assert float(loss(torch.nn.functional.normalize(rows), fit.U)) == pytest.approx(fit.loss, abs=1e-7)


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
