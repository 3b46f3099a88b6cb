"""Every objective declares all about itself, and one line makes it known everywhere."""

import inspect
import subprocess
import sys

import pytest
import torch
from torch.nn.functional import normalize
from typer.testing import CliRunner

from likeness.commands.cli import command_line
from likeness.errors import InputError
from likeness.losses import OBJECTIVES, S2SD, WRAPPERS, Mined, Objective, UniformPrior, make_objective, objectives_on, wrap_objective
from likeness.losses.mined import FunctionLoss
from likeness.options import Option, defaults
from likeness.training.config import RunConfig, config_from
from pages.shifts import benchmark_methods
from pages.train import fields as train_fields

LISTED = [each for each in OBJECTIVES.values() if each.listed]


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
def test_an_objective_declares_all_about_itself(objective: Objective) -> None:
    assert OBJECTIVES[objective.name] is objective
    assert objective.title[0].isupper()
    assert objective.help.endswith(".")
    assert ". " not in objective.help
    assert objective.help[0].isupper()
    for option in objective.options.values():
        assert option.help.endswith(".")
        assert not option.problem(option.default)
    parameters = inspect.signature(objective.make).parameters.values()
    taken = [each.name for each in parameters if each.name not in ("classes", "dim") and each.kind is not each.VAR_KEYWORD]
    assert taken in ([], list(objective.options))


def test_titles_tell_objectives_apart() -> None:
    titles = [each.title for each in LISTED] + [wrapper.title for wrapper in WRAPPERS.values()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("objective", LISTED, ids=lambda each: each.name)
def test_an_objective_gives_a_scalar_on_the_labels_that_it_names(objective: Objective) -> None:
    torch.manual_seed(0)
    rows = normalize(torch.randn(12, 8), dim=1).requires_grad_()
    labels = torch.arange(12) // 3 if objective.labels == "classes" else torch.cdist(torch.randn(4, 2), torch.randn(12, 2))
    made = make_objective(objective.name, 4, 8)
    loss = made(rows, labels)
    loss.backward()
    assert loss.ndim == 0
    assert rows.grad.isfinite().all()
    assert not objective.mines or isinstance(made, Mined)


def test_which_losses_do_not_change_with_the_length_of_embeddings() -> None:
    assert {each.name for each in LISTED if not each.unit} == {"log-ratio", "log-ratio-official"}


def test_declarations_need_no_torch() -> None:
    code = "import sys, likeness.losses, likeness.samplers, likeness.training.config; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_one_line_makes_an_objective_known_to_configs_menus_and_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(classes: int, dim: int, power: float) -> torch.nn.Module:
        return FunctionLoss(lambda rows, labels: rows.abs().pow(power).mean())

    options = {"power": Option(2.0, "Of the lengths.", 1, 4)}
    monkeypatch.setitem(OBJECTIVES, "shrink", Objective("shrink", "Shrink", "Makes all embeddings short.", make, options))

    assert float(make_objective("shrink", 3, 4, power=1.0)(torch.full((2, 2), -3.0), torch.arange(2))) == 3
    assert config_from({"objective": {"name": "shrink", "options": {"power": 3}}}).objective.options == {"power": 3}
    with pytest.raises(InputError, match=r"objective\.options\.power is 9; choose a number from 1 to 4"):
        config_from({"objective": {"name": "shrink", "options": {"power": 9}}})
    with pytest.raises(InputError, match=r"There is no objective 'shrimp'; near it are .*shrink"):
        config_from({"objective": {"name": "shrimp"}})
    assert "shrink" in objectives_on("classes")
    assert "shrink" in train_fields._objectives(RunConfig())
    assert benchmark_methods.methods()["Shrink"].changes["objective.name"] == "shrink"
    for form in ("table", "markdown"):
        shown = CliRunner().invoke(command_line(), ["kinds", "objectives", "--format", form])
        assert shown.exit_code == 0
        assert "Makes all embeddings short." in shown.stdout
        assert "power 2 (1 to 4)" in shown.stdout


def test_what_stands_in_configs_only_is_in_no_menu() -> None:
    assert not {"custom", "custom-distances"} & {*objectives_on("classes"), *objectives_on("distances")}
    with pytest.raises(InputError, match=r"given as an object; pass it again: train\(config, folder, loss=\.\.\.\)"):
        make_objective("custom", 4, 8)


@pytest.mark.parametrize(
    ("default", "value", "problem"),
    [
        (1.0, 2, ""),
        (1.0, 0.5, "choose a number of at least 1"),
        (1.0, float("nan"), "choose a number of at least 1"),
        (1.0, True, "choose a number of at least 1"),
        (1.0, "1", "choose a number of at least 1"),
        (1, 1.0, "choose a whole number of at least 1"),
        (True, False, ""),
        (True, 1, "choose true or false"),
    ],
)
def test_an_option_takes_values_of_its_kind_within_its_bounds(default: bool | int | float, value: object, problem: str) -> None:
    assert Option(default, "", 1).problem(value) == problem


def test_a_wrapper_names_its_options() -> None:
    assert defaults(WRAPPERS["uniform_prior"].options or {}) == {"weight": 0.1, "hidden": 100}


def test_wrappers_go_around_each_other_in_their_order_and_share_no_parameters() -> None:
    shared = make_objective("margin", 4, 8)
    wrapped = wrap_objective(lambda dim: shared, {"uniform_prior": {"hidden": 7}, "s2sd": {"target_dims": [5]}}, 8, 6)
    assert isinstance(wrapped, UniformPrior)
    assert isinstance(wrapped.objective, S2SD)
    first, second = wrapped.objective.objectives
    assert len({id(each) for each in (shared, first, second)}) == 3
    with pytest.raises(InputError, match="S2SD does not take these options"):
        wrap_objective(lambda dim: shared, {"s2sd": {"depth": 3}}, 8, 6)
    with pytest.raises(InputError, match=r"uniform_prior\.weight is -1"):
        wrap_objective(lambda dim: shared, {"uniform_prior": {"weight": -1}}, 8, 6)
