import math
import warnings
from typing import Any

import pytest
import torch
from torch.nn.functional import normalize

from likeness.losses import Objective, make_objective
from likeness.losses.commodity import COMMODITY
from likeness.options import defaults

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
