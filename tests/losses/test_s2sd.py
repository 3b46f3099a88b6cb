from typing import Any

import numpy as np
import pytest
import torch

from likeness.losses import S2SD, multisimilarity

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


def test_maps_and_their_mean_are_the_same() -> None:
    torch.manual_seed(0)
    loss = S2SD([official] * 2, 6, [5])
    rows, maps = torch.nn.functional.normalize(torch.randn(4, 3), dim=1), torch.randn(4, 6, 2, 2)
    labels = torch.tensor([0, 0, 1, 1])
    assert loss(rows, labels, maps).item() == pytest.approx(loss(rows, labels, maps.mean(dim=(2, 3))).item())


def test_the_teachers_are_not_taught() -> None:
    """Nothing flows from the distillation to the branches or the features."""
    loss = S2SD([lambda rows, labels: 0 * rows.sum()] * 2, 6, [5])
    rows = torch.nn.functional.normalize(torch.randn(4, 3), dim=1).requires_grad_()
    features = torch.randn(4, 6, requires_grad=True)
    loss(rows, torch.tensor([0, 0, 1, 1]), features).backward()
    assert rows.grad.abs().sum() > 0
    assert features.grad.abs().sum() == 0
    assert all(parameter.grad.abs().sum() == 0 for parameter in loss.branches.parameters())
