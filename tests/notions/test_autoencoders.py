from collections.abc import Sequence

import numpy as np
import pytest
import torch

from likeness.errors import InputError
from likeness.notions import Autoencoder, LinearAutoencoder, descent, reconstruction_loss as module
from likeness.notions.autoencoders import Affine
from likeness.notions.reconstruction_loss import fit_autoencoder, random_weights, reconstruction_loss
from made_rows import unit

LAYERS = {"lae": ("encoder0", "decoder0"), "ae": ("encoder0", "encoder1", "decoder0", "decoder1")}
DECAY = {"lae": 0.0, "ae": 0.01}


def weights_of(baselines: dict, kind: str) -> list[torch.Tensor]:
    return [torch.as_tensor(baselines[f"{kind}_{layer}_{part}"]) for layer in LAYERS[kind] for part in ("weight", "bias")]


def loss_of(rows: torch.Tensor, weights: Sequence[torch.Tensor]) -> float:
    return reconstruction_loss(rows, weights, [torch.zeros_like(value) for value in weights]).item()


def by_torch(rows: torch.Tensor, weights: Sequence[torch.Tensor]) -> torch.Tensor:
    """The same network of torch's own parts."""
    outputs = rows
    for layer in range(len(weights) // 2):
        outputs = torch.nn.functional.linear(outputs, weights[2 * layer], weights[2 * layer + 1])
        if len(weights) == 8 and layer in (0, 2):
            outputs = torch.nn.functional.leaky_relu(outputs, 0.01)
    return torch.nn.functional.mse_loss(outputs, rows, reduction="sum")


@pytest.mark.parametrize(("kind", "make"), [("lae", LinearAutoencoder), ("ae", Autoencoder)])
def test_codes_and_loss_equal_the_authors_and_the_gradient_torchs(baselines: dict, kind: str, make: type[LinearAutoencoder]) -> None:
    rows, weights = torch.as_tensor(baselines["inputs"]), weights_of(baselines, kind)
    estimator = make(16)
    estimator.encoder_ = tuple(Affine(*(value.numpy() for value in weights[start : start + 2])) for start in range(0, len(weights) // 2, 2))
    assert estimator.transform(baselines["inputs"]) == pytest.approx(baselines[f"{kind}_code"], abs=1e-6)
    assert loss_of(rows, weights) == pytest.approx(float(baselines[f"{kind}_loss_float32"]), rel=1e-6)
    rows, weights = rows.double(), [value.double().requires_grad_() for value in weights]
    by_torch(rows, weights).backward()
    gradients = [torch.full_like(value, torch.nan) for value in weights]
    with torch.no_grad():
        assert float(reconstruction_loss(rows, weights, gradients)) == pytest.approx(float(baselines[f"{kind}_loss"]), rel=1e-9)
    for found, value in zip(gradients, weights, strict=True):
        assert value.grad is not None
        assert found.numpy() == pytest.approx(value.grad.numpy(), abs=1e-10)


@pytest.fixture(scope="module")
def fits(text: np.ndarray) -> dict[str, LinearAutoencoder]:
    return {"lae": LinearAutoencoder(3).fit(text), "ae": Autoencoder(3).fit(text)}


def test_they_report_what_layers_of_the_papers_shapes_do(fits: dict[str, LinearAutoencoder], text: np.ndarray) -> None:
    for fit in fits.values():
        weights = [torch.as_tensor(value).double() for layer in (*fit.encoder_, *fit.decoder_) for value in layer]
        assert fit.loss_ == pytest.approx(float(by_torch(torch.as_tensor(unit(text)), weights)), rel=1e-4)
        assert fit.n_iter_ > 100
    shapes = {kind: [weight.shape for weight, _ in (*fit.encoder_, *fit.decoder_)] for kind, fit in fits.items()}
    assert shapes == {"lae": [(3, 24), (24, 3)], "ae": [(512, 24), (3, 512), (512, 3), (24, 512)]}


def test_lengths_do_not_matter_to_the_paper_and_do_to_the_code(text: np.ndarray, images: np.ndarray) -> None:
    short, long = unit(text)[:6], 2 * unit(text)[:6]
    paper = [LinearAutoencoder(2).fit(rows) for rows in (short, long)]
    assert paper[0].transform(images) == pytest.approx(paper[1].transform(5 * images), abs=1e-6)
    code = [LinearAutoencoder(2, normalize=False).fit(rows) for rows in (short, long)]
    assert code[1].loss_ > 2 * code[0].loss_
    assert code[0].loss_ == pytest.approx(paper[0].loss_, rel=1e-3)
    # taken as given: an affine map, not one of the direction alone
    middle = code[0].transform((images[:1] + images[1:2]) / 2)
    assert middle == pytest.approx(code[0].transform(images[:2]).mean(axis=0, keepdims=True), abs=1e-5)


def test_the_nonlinear_one_alone_decays_and_no_decay_is_negative(text: np.ndarray) -> None:
    assert (Autoencoder().weight_decay, LinearAutoencoder().weight_decay) == (0.01, 0.0)
    with pytest.raises(InputError, match="weight_decay is -1"):
        LinearAutoencoder(2, weight_decay=-1).fit(text)


@pytest.mark.parametrize("kind", LAYERS)
def test_training_follows_the_authors_and_ends_where_theirs_ends(baselines: dict, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    losses: list[torch.Tensor] = []
    watched = lambda *given: losses.append(reconstruction_loss(*given)) or losses[-1]  # type: ignore[func-returns-value]  # noqa: E731
    monkeypatch.setattr(module, "reconstruction_loss", watched)
    fit = fit_autoencoder(baselines["inputs"], weights_of(baselines, kind), weight_decay=DECAY[kind])
    assert [value.item() for value in losses[:40]] == pytest.approx(baselines[f"{kind}_losses_first40"].tolist(), abs=1e-3)
    # Rounding decides where it ends. From twenty starts changed by 1e-7: linear 0.4221 to 0.4227 in 2348 to 3070 iterations, nonlinear 0.143
    # to 0.307 in 1594 to 3094.
    assert fit.loss == pytest.approx(float(baselines[f"{kind}_fit_best_loss"]), rel={"lae": 0.005, "ae": 0.9}[kind])
    assert fit.n_iter == pytest.approx(int(baselines[f"{kind}_fit_iterations"]), rel={"lae": 0.3, "ae": 0.6}[kind])
    assert loss_of(torch.as_tensor(baselines["inputs"]), fit.best) == pytest.approx(fit.loss, rel=1e-5)


def test_weights_begin_as_in_torchs_layers() -> None:
    weights = random_weights((400, 50, 400), seed=3)
    assert [tuple(value.shape) for value in weights] == [(50, 400), (50,), (400, 50), (400,)]
    for value, inputs in zip(weights, (400, 400, 50, 50), strict=True):
        # uniform: the deviation is the bound over the square root of 3
        assert float(value.abs().max()) <= inputs**-0.5 * (1 + 1e-6)
        assert float(value.std()) == pytest.approx((inputs * 3) ** -0.5, rel=0.25)
    layer = torch.nn.Linear(400, 50)
    assert float(weights[0].std()) == pytest.approx(float(layer.weight.detach().std()), rel=0.03)
    assert all(torch.equal(one, other) for one, other in zip(weights, random_weights((400, 50, 400), seed=3), strict=True))
    assert not torch.equal(weights[0], random_weights((400, 50, 400), seed=4)[0])


def test_rows_of_either_kind_give_the_same(baselines: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descent, "PATIENCE", 3)
    rows, start = baselines["inputs"], random_weights((64, 3, 64), seed=0)
    one, other = (fit_autoencoder(given, start) for given in (rows, torch.as_tensor(rows)))
    assert (one.loss, one.n_iter) == (other.loss, other.n_iter)
    assert np.array_equal(one.best[0].numpy(), other.best[0].numpy())
