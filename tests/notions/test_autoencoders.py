import numpy as np
import pytest

from likeness.errors import InputError
from likeness.notions import PCA, Autoencoder, LinearAutoencoder
from likeness.notions.autoencoders import Affine
from made_rows import unit


def reconstruct(fit: LinearAutoencoder, images: np.ndarray) -> np.ndarray:
    """Encoder and decoder by hand, in float64."""
    rows = unit(images)
    for layers in (fit.encoder_, fit.decoder_):
        for number, (weight, bias) in enumerate(layers):
            if number:
                rows = np.maximum(rows, 0) + 0.01 * np.minimum(rows, 0)
            rows = rows @ weight.T + bias
    return rows


@pytest.fixture(scope="module")
def images() -> np.ndarray:
    return 3 * np.random.default_rng(9).standard_normal((12, 24))


@pytest.fixture(scope="module")
def fits(text: np.ndarray) -> dict[str, LinearAutoencoder]:
    return {"lae": LinearAutoencoder(3).fit(text), "ae": Autoencoder(3).fit(text)}


@pytest.mark.parametrize(("kind", "make"), [("lae", LinearAutoencoder), ("ae", Autoencoder)])
def test_codes_equal_the_authors(baselines: dict, kind: str, make: type[LinearAutoencoder]) -> None:
    estimator = make(16)
    layers = ["encoder0"] if kind == "lae" else ["encoder0", "encoder1"]
    estimator.encoder_ = tuple(Affine(baselines[f"{kind}_{layer}_weight"], baselines[f"{kind}_{layer}_bias"]) for layer in layers)
    assert estimator.transform(baselines["inputs"]) == pytest.approx(baselines[f"{kind}_code"], abs=1e-6)


@pytest.mark.parametrize("kind", ["lae", "ae"])
def test_reports_what_its_layers_do(fits: dict[str, LinearAutoencoder], text: np.ndarray, kind: str) -> None:
    fit = fits[kind]
    assert fit.loss_ == pytest.approx(((reconstruct(fit, text) - unit(text)) ** 2).sum(), rel=1e-4)
    assert fit.n_iter_ > 100


def test_the_papers_shapes(fits: dict[str, LinearAutoencoder]) -> None:
    shapes = {kind: [weight.shape for weight, _ in (*fit.encoder_, *fit.decoder_)] for kind, fit in fits.items()}
    assert shapes == {"lae": [(3, 24), (24, 3)], "ae": [(512, 24), (3, 512), (512, 3), (24, 512)]}


def test_the_linear_one_finds_the_subspace_of_pca(fits: dict[str, LinearAutoencoder], text: np.ndarray) -> None:
    """Plaut, From Principal Subspaces to Principal Components with Linear Autoencoders, 2018: the optimum spans the same subspace."""
    components = PCA(3).fit(text)
    centred = unit(text) - components.mean_
    least = ((centred - centred @ components.U @ components.U.T) ** 2).sum()
    lae = fits["lae"]
    assert least <= lae.loss_ < 1.02 * least
    decoder = np.linalg.qr(lae.decoder_[0].weight)[0]
    assert np.linalg.svd(decoder.T @ components.U, compute_uv=False).min() > 0.99


def test_the_linear_transform_is_the_papers_formula(fits: dict[str, LinearAutoencoder], images: np.ndarray) -> None:
    (weight, bias), rows = fits["lae"].encoder_[0], fits["lae"].transform(images)
    for image, row in zip(images, rows, strict=True):
        assert row == pytest.approx([sum(weight[k, j] * image[j] / np.sqrt(sum(image**2)) for j in range(24)) + bias[k] for k in range(3)], abs=1e-9)
    assert np.ptp(np.linalg.norm(rows, axis=1)) > 0.01


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


def test_a_decay_drops_the_directions_in_which_the_prompts_hardly_vary() -> None:
    """Three strong directions and three a hundred times as faint; how many are left shows in the codes' singular values."""
    rng = np.random.default_rng(0)
    text = 1 + rng.standard_normal((40, 6)) @ np.diag([1, 1, 1, 0.01, 0.01, 0.01])
    plain, decayed = LinearAutoencoder(6).fit(text), LinearAutoencoder(6, weight_decay=0.01).fit(text)
    faint = [np.linalg.svd(fit.encoder_[0].weight, compute_uv=False)[-1] for fit in (plain, decayed)]
    assert 10 * faint[1] < faint[0]
    assert decayed.loss_ > plain.loss_
    assert (Autoencoder().weight_decay, LinearAutoencoder().weight_decay) == (0.01, 0.0)
    with pytest.raises(InputError, match="weight_decay is -1"):
        LinearAutoencoder(2, weight_decay=-1).fit(text)
