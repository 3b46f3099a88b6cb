import math
import warnings
from typing import Any

import pytest
import torch
from pytorch_metric_learning import losses, miners
from torch.nn.functional import normalize

from likeness.errors import InputError
from likeness.losses import Objective, check_objective, make_objective
from likeness.losses.commodity import COMMODITY
from likeness.options import defaults
from likeness.training import config_from

NAMED = [each for each in COMMODITY if not each.name.endswith("-official")]
CLASSES, DIM = 4, 16
# as they are called there, where that differs
CALLED = {"delta": "margin"}
RADIANS = {"arcface", "subcenter-arcface"}
OF_CLASSES = {"p2sgrad": {"descriptors_dim": DIM, "num_classes": CLASSES}}


def batch(dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, torch.Tensor]:
    rows = normalize(torch.randn(16, DIM, generator=torch.Generator().manual_seed(1)), dim=1)
    return rows.to(dtype).requires_grad_(), torch.arange(CLASSES).repeat_interleave(4)


def made(objective: Objective, **options: Any) -> Any:
    torch.manual_seed(0)
    return make_objective(objective.name, CLASSES, DIM, **options)


def plain(objective: Objective, cls: type) -> Any:
    options = {CALLED.get(name, name): value for name, value in defaults(objective.options).items()}
    if objective.name in RADIANS:
        options["margin"] = math.degrees(options["margin"])
    if not objective.mines and objective.name not in ("fastap", "smooth-ap", "pnp", "ranked-list"):
        options |= OF_CLASSES.get(objective.name, {"num_classes": CLASSES, "embedding_size": DIM})
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return cls(**options)


@pytest.mark.parametrize("objective", [each for each in NAMED if each.name not in ("contrastive", "triplet")], ids=lambda each: each.name)
def test_each_is_its_class_with_its_options(objective: Objective) -> None:
    assert len({type(made(each).loss) for each in NAMED}) == len(NAMED) == 27  # nearly all of them are offered
    (rows, labels), (again, _) = batch(), batch()
    module = made(objective)
    value, expected = module(rows, labels), plain(objective, type(module.loss))(again, labels)
    assert float(value.detach()) == float(expected.detach()) != 0
    value.backward()
    expected.backward()
    torch.testing.assert_close(rows.grad, again.grad, rtol=0, atol=0)


@pytest.mark.parametrize(
    ("objective", "option"), [(each, name) for each in NAMED for name in each.options], ids=lambda value: getattr(value, "name", value)
)
def test_each_option_changes_the_loss(objective: Objective, option: str) -> None:
    given = objective.options[option].default
    rows, labels = batch()
    other = max(objective.options[option].least, min(objective.options[option].most, given * 2 if given else 0.5))
    before, after = (made(objective, **chosen)(rows, labels).detach() for chosen in ({}, {option: type(given)(other)}))
    assert float(before) != float(after)


@pytest.mark.parametrize("objective", COMMODITY, ids=lambda each: each.name)
def test_halves_give_the_loss_of_the_rounded_rows(objective: Objective) -> None:
    rows, labels = batch(torch.bfloat16)
    exact = rows.detach().float().requires_grad_()
    module = made(objective)
    torch.manual_seed(0)  # of what is drawn
    value = module(rows, labels)
    torch.manual_seed(0)
    expected = module(exact, labels)
    torch.testing.assert_close(value.float(), expected, rtol=2e-2, atol=1e-2)
    value.backward()
    assert rows.grad.dtype == torch.bfloat16
    assert rows.grad.isfinite().all()


def test_all_losses_and_miners_of_the_library_have_a_name() -> None:
    (rows, labels), (again, _) = batch(), batch()
    circle = make_objective("pml:CircleLoss", CLASSES, DIM, m=0.3, miner="pml:AngularMiner")
    assert (circle.loss.m, circle.loss.gamma, circle.miner.angle) == (0.3, 80, math.radians(20))
    expected = losses.CircleLoss(m=0.3)(again, labels, miners.AngularMiner()(again, labels))
    assert float(circle(rows, labels).detach()) == float(expected.detach()) != 0
    assert make_objective("pml:ArcFaceLoss", CLASSES, DIM, margin=20.0).loss.W.shape == (DIM, CLASSES)
    named, refused = [], []
    for name, each in vars(losses).items():
        if isinstance(each, type) and issubclass(each, losses.BaseMetricLossFunction) and each is not losses.BaseMetricLossFunction:
            (refused if check_objective(f"pml:{name}", {}) else named).append(name)
    assert refused == ["GenericPairLoss", "ManifoldLoss", "RankedListLoss"]
    assert len(named) > 30
    config = config_from({"objective": {"name": "pml:TupletMarginLoss", "options": {"margin": 6}, "miner": "pml:HDCMiner"}})
    assert config_from(config.model_dump(mode="json")) == config
    for objective, message in (
        ({"name": "pml:Circle"}, "pytorch-metric-learning has no Circle among its losses; choose from AngularLoss"),
        ({"name": "pml:GenericPairLoss"}, "has no defaults for mat_based_loss; pass it itself"),
        ({"name": "pml:CircleLoss", "options": {"n": 1}}, "has no option 'n'; it has .*gamma"),
        ({"name": "pml:CircleLoss", "options": {"m": "much"}}, "choose a number"),
        ({"name": "pml:ArcFaceLoss", "miner": "pml:HDCMiner"}, "takes no miner"),
        ({"miner": "pml:os"}, "has no os among its miners"),
    ):
        with pytest.raises(InputError, match=message):
            config_from({"objective": objective})
