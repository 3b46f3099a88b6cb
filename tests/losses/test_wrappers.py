from copy import deepcopy
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import normalize

from likeness.errors import InputError
from likeness.losses import S2SD, OfficialUniformPrior, UniformPrior, make_objective, multisimilarity, wrap_objective, wrapper_parameters


class Sum(nn.Module):
    def forward(self, rows: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return (rows[:, 0] * labels).sum()


def discriminator(loss: UniformPrior, rows: np.ndarray) -> np.ndarray:
    for number in (0, 2, 4):
        layer: Any = loss.discriminator[number]
        rows = rows @ layer.weight.detach().numpy().T + layer.bias.detach().numpy()
        rows = rows if number == 4 else np.maximum(rows, 0)
    return 1 / (1 + np.exp(-rows[:, 0]))


def test_equals_the_formula_and_turns_the_gradient_of_the_embeddings_alone(gradient: Any) -> None:
    torch.manual_seed(0)
    loss, labels = UniformPrior(Sum(), 5, weight=0.3, hidden=6).double(), torch.arange(8.0, dtype=torch.float64)
    rows = normalize(torch.randn(8, 5, dtype=torch.float64), dim=1)
    torch.manual_seed(1)
    value, slope = gradient(lambda free: loss(free, labels), rows.numpy())
    learned = [parameter.grad.clone() for parameter in loss.discriminator.parameters()]
    torch.manual_seed(1)
    draws = loss.draws(rows)
    adversarial = -np.log(discriminator(loss, draws.numpy())).mean() - np.log(1 - discriminator(loss, rows.numpy())).mean()
    assert value == pytest.approx(float((rows[:, 0] * labels).sum()) + 0.3 * adversarial, rel=1e-12)

    step, expected = 1e-6, np.zeros((8, 5))
    for place in np.ndindex(8, 5):  # finite differences of log(1 - D), which the embeddings maximize
        moved = np.zeros((8, 5))
        moved[place] = step
        ends = [-np.log(1 - discriminator(loss, rows.numpy() + sign * moved)).mean() for sign in (1, -1)]
        expected[place] = -0.3 * (ends[0] - ends[1]) / (2 * step)
    expected[:, 0] += labels.numpy()
    np.testing.assert_allclose(slope, expected, atol=1e-8)

    def plain(free: torch.Tensor) -> torch.Tensor:
        return -0.3 * (loss.discriminator(draws).sigmoid().log().mean() + (1 - loss.discriminator(free).sigmoid()).log().mean())

    loss.zero_grad()
    plain(rows).backward()
    for found, parameter in zip(learned, loss.discriminator.parameters(), strict=True):
        torch.testing.assert_close(found, parameter.grad)


def plain_steps(start: UniformPrior, features: list[torch.Tensor], every: int, rate: float) -> tuple[list[torch.Tensor], list[float], nn.Module]:
    """As the code of ooDML, written out: slopes of each batch's features, values of the added term, and the discriminator at the end."""
    judge = nn.Sequential(*deepcopy(start.discriminator), nn.Sigmoid()).requires_grad_(True)
    adam = torch.optim.Adam(judge.parameters(), lr=rate, betas=(0.5, 0.999))
    slopes, values = [], []
    for step, batch in enumerate(features):
        torch.manual_seed(step)
        pieces = batch.view(-1, 4)
        if step % every == 0:
            even = torch.rand(len(pieces), 4, dtype=batch.dtype) * 2 - 1
            adam.zero_grad()
            (-judge(even).log().mean() - (1 - judge(pieces)).log().mean()).backward()
            adam.step()
        free = batch.clone().requires_grad_()
        added = -0.3 * judge(free.view(-1, 4)).log().mean()
        slopes.append(torch.autograd.grad(added, free)[0])
        values.append(added.item())
    return slopes, values, judge


def test_the_authors_prior_takes_their_steps_also_from_where_it_was_stopped(tmp_path: Path) -> None:
    torch.manual_seed(0)
    features = [2 * torch.randn(6, 12, dtype=torch.float64) for _ in range(8)]
    rows, labels = torch.zeros(6, 5, dtype=torch.float64), torch.arange(6.0)
    loss = OfficialUniformPrior(Sum(), 12, weight=0.3, hidden=7, every=3, piece=4, rate=0.01).double()
    slopes, values, judge = plain_steps(loss, features, 3, 0.01)
    for step, batch in enumerate(features):
        if step == 5:  # a checkpoint between two steps of the discriminator
            torch.save(loss.state_dict(), tmp_path / "state.pt")
            loss = OfficialUniformPrior(Sum(), 12, weight=0.3, hidden=7, every=3, piece=4, rate=0.01).double()
            loss.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
        torch.manual_seed(step)
        free = batch.clone().requires_grad_()
        value = loss(rows, labels, free)
        value.backward()
        assert value.item() == pytest.approx(values[step], rel=1e-12)
        torch.testing.assert_close(free.grad, slopes[step], rtol=1e-10, atol=1e-14)
        before = [each.clone() for each in loss.discriminator.parameters()]
        loss.eval()(rows, labels, batch)  # evaluation is no step
        loss.train()
        assert all(map(torch.equal, before, loss.discriminator.parameters()))
    for ours, theirs in zip(loss.discriminator.parameters(), judge.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs.detach(), rtol=1e-10, atol=1e-12)


def test_the_authors_prior_is_chosen_by_name_and_trained_by_no_other_optimizer() -> None:
    options = {"official": True, "weight": 0.2, "piece": 4, "every": 200}
    loss = wrap_objective(lambda dim: Sum(), {"uniform_prior": options}, dim=5, feature_dim=8)
    assert isinstance(loss, OfficialUniformPrior)
    assert (loss.reads, loss.every, loss.discriminator[0].in_features) == (("features",), 200, 4)
    assert wrapper_parameters(loss) == []
    assert not [each for each in loss.parameters() if each.requires_grad]
    assert len(wrapper_parameters(wrap_objective(lambda dim: Sum(), {"uniform_prior": {}}, dim=5, feature_dim=8))) == 6
    with pytest.raises(InputError, match="8 features do not divide into pieces of 128"):
        wrap_objective(lambda dim: Sum(), {"uniform_prior": {"official": True}}, dim=5, feature_dim=8)
    draws = OfficialUniformPrior(Sum(), 8, piece=4).draws(torch.zeros(5000, 4))
    assert draws.abs().max() <= 1
    assert draws.std(dim=0).numpy() == pytest.approx(3**-0.5, abs=0.02)  # of the even distribution from -1 to 1


def test_draws_are_even_on_the_sphere_and_the_seed_decides() -> None:
    loss = UniformPrior(Sum(), 3)
    torch.manual_seed(0)
    points = loss.draws(torch.zeros(20000, 3, dtype=torch.float64))
    assert points.norm(dim=1).numpy() == pytest.approx(1)
    assert points.mean(dim=0).abs().max() < 0.02
    torch.testing.assert_close(points.T @ points / 20000, torch.eye(3, dtype=torch.float64) / 3, atol=0.01, rtol=0)
    assert (points[:, 0] < 0.5).double().mean().item() == pytest.approx(0.75, abs=0.01)  # Archimedes: even along an axis of the 2-sphere
    torch.manual_seed(0)
    assert torch.equal(points, loss.draws(points))


CONFIGURATIONS = {
    "T1": {"temperature": 1.0, "feature_weight": 0.0},
    "T0p5": {"temperature": 0.5, "feature_weight": 0.0},
    "T1_feat": {"temperature": 1.0, "feature_weight": 50.0},
    "T1_pool_feat": {"temperature": 1.0, "feature_weight": 50.0, "pooling": "average+max"},
}


def official(rows: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return multisimilarity(rows @ rows.T, labels, variant="official")


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_equals_the_authors_code(reference: Any, gradient: Any, configuration: str) -> None:
    arrays = reference("s2sd")
    loss = S2SD([official] * 3, 20, arrays["target_dims"].tolist(), distill_weight=50.0, **CONFIGURATIONS[configuration])
    for i, branch in enumerate(loss.branches):
        for layer, number in ((branch[0], 1), (branch[2], 2)):
            layer.weight.data, layer.bias.data = (torch.tensor(arrays[f"target{i}_{kind}{number}"], dtype=torch.float64) for kind in "wb")
    labels = torch.tensor(arrays["labels"])
    place = "feature_maps" if "pool" in configuration else "avg_features"
    embeddings, features = torch.tensor(arrays["embeddings"]), torch.tensor(arrays[place])
    value, slope = gradient(lambda rows: loss(rows, labels, features), arrays["embeddings"])
    assert value == pytest.approx(float(arrays[f"{configuration}_loss"]), rel=1e-9)
    np.testing.assert_allclose(slope, arrays[f"{configuration}_grad_embeddings"], atol=1e-9)
    loss.zero_grad()
    np.testing.assert_allclose(
        gradient(lambda each: loss(embeddings, labels, each), arrays[place])[1], arrays[f"{configuration}_grad_{place}"], atol=1e-9
    )
    assert loss.branches[0][0].weight.grad.numpy() == pytest.approx(arrays[f"{configuration}_grad_target0_w1"], abs=1e-9)
    distances = [loss.distance(embeddings, torch.nn.functional.normalize(branch(loss.pooled(features)), dim=1)) for branch in loss.branches]
    assert [each.item() for each in distances] == pytest.approx(arrays[f"{configuration}_distill_kl"].tolist(), rel=1e-9)


def test_the_features_term_begins_after_its_delay_and_goes_on_where_it_was() -> None:
    torch.manual_seed(0)
    rows, labels, features = torch.randn(6, 4), torch.arange(6) // 2, torch.randn(6, 5)
    both = S2SD([official] * 2, 5, [6], feature_delay=2)
    plain, late = (S2SD([official] * 2, 5, [6], feature_weight=weight) for weight in (0.0, 50.0))
    weights = {name: each for name, each in both.state_dict().items() if name != "steps"}
    for other in (plain, late):
        other.load_state_dict(weights)
    assert both.eval()(rows, labels, features).item() == plain(rows, labels, features).item()  # evaluation is no step
    both.train()
    found = [both(rows, labels, features).item() for _ in range(2)]
    resumed = S2SD([official] * 2, 5, [6], feature_delay=2)
    resumed.load_state_dict(both.state_dict())
    found += [each(rows, labels, features).item() for each in (both, resumed)]
    assert found == [plain(rows, labels, features).item()] * 2 + [late(rows, labels, features).item()] * 2
    assert "steps" not in late.state_dict()


def test_maps_and_their_mean_are_the_same_and_the_teachers_are_not_taught() -> None:
    """Nothing flows from the distillation to the branches or the features."""
    torch.manual_seed(0)
    rows, maps = torch.nn.functional.normalize(torch.randn(4, 3), dim=1).requires_grad_(), torch.randn(4, 6, 2, 2, requires_grad=True)
    loss, labels = S2SD([official] * 2, 6, [5]), torch.tensor([0, 0, 1, 1])
    assert loss(rows, labels, maps).item() == pytest.approx(loss(rows, labels, maps.mean(dim=(2, 3))).item())
    loss = S2SD([lambda rows, labels: 0 * rows.sum()] * 2, 6, [5])
    loss(rows, labels, maps).backward()
    assert rows.grad.abs().sum() > 0
    assert maps.grad.abs().sum() == 0
    assert all(parameter.grad.abs().sum() == 0 for parameter in loss.branches.parameters())


def test_a_memory_compares_with_earlier_batches_as_one_big_batch_does_and_goes_on_after_a_checkpoint() -> None:
    torch.manual_seed(0)
    batches = [(normalize(torch.randn(6, 4), dim=1), torch.arange(3).repeat(2)) for _ in range(5)]

    def fresh(miner: str | None = None) -> nn.Module:
        return wrap_objective(lambda dim: make_objective("contrastive", 3, dim, miner=miner), {"memory": {"size": 12}}, 4, 4)

    def expected(number: int) -> float:
        """Every pair of a row of the batch with another row of the last two batches."""
        (rows, labels), earlier = batches[number], batches[max(0, number - 1) : number]
        others, theirs = (torch.cat([rows, *(each[0] for each in earlier)]), torch.cat([labels, *(each[1] for each in earlier)]))
        near, far = [], []
        for place in range(6):
            for other in range(len(others)):
                if other != place:
                    distance = float((rows[place] - others[other]).norm())
                    same = bool(labels[place] == theirs[other])
                    (near if same else far).append(distance if same else max(0.0, 1 - distance))
        return sum(float(np.mean([each for each in part if each > 0] or [0.0])) for part in (near, far))

    memory, found = fresh(), []
    for rows, labels in batches[:3]:
        found.append(float(memory(rows, labels)))
    resumed = fresh()
    resumed.load_state_dict(torch_saved(memory.state_dict()))
    for rows, labels in batches[3:]:
        found.append(float(resumed(rows, labels)))
        assert float(memory(rows, labels)) == found[-1]
    assert found == pytest.approx([expected(number) for number in range(5)], rel=1e-5)
    assert float(fresh("batch-hard")(*batches[0])) > 0
    with pytest.raises(InputError, match="A memory takes a loss of pairs or triplets"):
        wrap_objective(lambda dim: make_objective("arcface", 3, dim), {"memory": {}}, 4, 4)


def torch_saved(state: dict[str, Any]) -> Any:
    content = BytesIO()
    torch.save(state, content)
    content.seek(0)
    return torch.load(content, weights_only=True)


def test_of_a_matryoshka_every_part_is_an_embedding() -> None:
    torch.manual_seed(0)
    rows, labels = normalize(torch.randn(8, 12), dim=1), torch.arange(4).repeat(2)
    plain = make_objective("triplet", 4, 12, miner="batch-hard")
    made = wrap_objective(lambda dim: make_objective("triplet", 4, dim, miner="batch-hard"), {"matryoshka": {"dims": [6, 3]}}, 12, 12)
    expected = np.mean([float(plain(normalize(rows[:, :dim], dim=1), labels)) for dim in (3, 6, 12)])
    assert float(made(rows, labels)) == pytest.approx(expected)
    proxies = wrap_objective(lambda dim: make_objective("arcface", 4, dim), {"matryoshka": {"dims": [3]}}, 12, 12)
    assert {tuple(each.shape) for each in proxies.parameters()} == {(3, 4), (12, 4)}
    for dims in ([], [1], [12], [3, 40]):
        with pytest.raises(InputError, match="do not fit an embedding of 12; choose some from 2 to 11"):
            wrap_objective(lambda dim: Sum(), {"matryoshka": {"dims": dims}}, 12, 12)
    with pytest.raises(InputError, match="does not take these options"):
        wrap_objective(lambda dim: Sum(), {"matryoshka": {"sizes": [3]}}, 12, 12)
