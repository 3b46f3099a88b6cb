import inspect
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from likeness.commands.cli import command_line
from likeness.errors import InputError
from likeness.losses import (
    OBJECTIVES,
    S2SD,
    WRAPPERS,
    DiVA,
    Mined,
    Objective,
    UniformPrior,
    binary_triplet,
    dense_triplet,
    language_match,
    log_ratio,
    make_objective,
    multisimilarity,
    objectives_on,
    wrap_objective,
)
from likeness.losses.mined import FunctionLoss
from likeness.options import Option
from likeness.studies import shift_methods
from likeness.training.config import config_from

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
    assert not (objective.mines and objective.listed) or isinstance(make_objective(objective.name, 4, 8), Mined)


def test_titles_tell_objectives_apart_and_what_stands_in_configs_only_is_in_no_menu() -> None:
    titles = [each.title for each in LISTED] + [wrapper.title for wrapper in WRAPPERS.values()]
    assert len(set(titles)) == len(titles)
    assert {each.name for each in LISTED if not each.unit} == {"log-ratio", "log-ratio-official", "rank-n-contrast"}
    assert not {"custom", "custom-distances"} & {*objectives_on("classes"), *objectives_on("distances")}
    with pytest.raises(InputError, match=r"loss object, which configs cannot hold; pass it again: train\(config, folder, loss=\.\.\.\)"):
        make_objective("custom", 4, 8)


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
    assert shift_methods()["Shrink"].changes["objective.name"] == "shrink"
    for form in ("table", "markdown"):
        shown = CliRunner().invoke(command_line(), ["kinds", "objectives", "--format", form])
        assert shown.exit_code == 0
        assert "Makes all embeddings short." in shown.stdout
        assert "power 2 (1 to 4)" in shown.stdout


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


def test_wrappers_go_around_each_other_in_their_order_and_share_no_parameters() -> None:
    shared = make_objective("margin", 4, 8)
    wrapped = wrap_objective(lambda dim: shared, {"uniform_prior": {"hidden": 7}, "s2sd": {"target_dims": [5]}}, 8, 6)
    assert isinstance(wrapped, UniformPrior)
    assert isinstance(wrapped.objective, S2SD)
    assert len({id(each) for each in (shared, *wrapped.objective.objectives)}) == 3
    with pytest.raises(InputError, match="S2SD does not take these options"):
        wrap_objective(lambda dim: shared, {"s2sd": {"depth": 3}}, 8, 6)


ROWS, KNOWN = np.random.default_rng(0).standard_normal((10, 4)), 1 - np.eye(10)
SIX = np.eye(6)


def diva(**options: object) -> DiVA:
    return DiVA(make_objective("margin", 4, 4), 16, **options)  # type: ignore[arg-type]


def total(rows: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return rows.sum()


BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: dense_triplet(ROWS, KNOWN, variant="naive"), "has no variant 'naive'; choose from paper, official"),
    (lambda: binary_triplet(ROWS, KNOWN, 0), "^0 positives of 10 rows leave no negative or no positive; choose 1 to 8"),
    (lambda: binary_triplet(ROWS, KNOWN, 9), "^9 positives of 10 rows leave no negative or no positive; choose 1 to 8"),
    (lambda: log_ratio(ROWS, KNOWN, "squared"), "has no 'squared'; choose from paper, official"),
    (lambda: log_ratio(np.ones((2, 3)), np.ones(1)), r"shape \(2, 3\); expected \(n, d\) with at least 3 rows, an anchor and two neighbors"),
    (lambda: log_ratio(np.ones((4, 3)), np.ones(5)), r"of shape \(1, 5\)|of shape \(5,\) do not fit 4 embeddings; pass \(3,\) for the anchor"),
    (lambda: log_ratio(np.ones((4, 3)), np.array([1.0, -2.0, 1.0])), "rows 0 and 2 is -2; distances must be finite and not negative"),
    (lambda: log_ratio(np.ones((4, 3)), np.array([1.0, np.nan, 1.0])), "label distance of rows 0 and 2 is nan"),
    (lambda: language_match(SIX, np.eye(3)), r"shapes \(6, 6\) and \(3, 3\); pass two square matrices"),
    (lambda: language_match(SIX, SIX, [0, 1]), r"Labels of shape \(2,\) do not fit 6 images"),
    (lambda: language_match(SIX, SIX, direction="both"), "no direction 'both'; choose from image..language"),
    (lambda: language_match(SIX, SIX, matching="columns"), "no matching 'columns'"),
    (lambda: language_match(SIX, SIX, temperature=0), "temperature is 0, but it must be above 0"),
    (lambda: multisimilarity(torch.eye(5), torch.arange(5), variant="ours"), "no multisimilarity 'ours'"),
    (lambda: make_objective("dense-triplet", beta=1.0), "The objective 'dense-triplet' has no option 'beta'; it has margin"),
    (lambda: make_objective("logratio"), "There is no objective 'logratio'; near it are log-ratio"),
    (lambda: make_objective("binary-triplet", positives=0), r"objective\.options\.positives is 0; choose a whole number of at least 1"),
    (lambda: make_objective("log-ratio")(torch.eye(20), torch.arange(20)), "fit 20 embeddings"),
    (lambda: DiVA(make_objective("margin", 4, 4), 18), "4 parts of equal size, but the embedding has 18 dimensions; choose a multiple of 4"),
    (lambda: diva(momentum=1.5), r"diva\.momentum is 1\.5; choose a number from 0 to 1"),
    (lambda: diva(shared_weight=float("nan")), r"diva\.shared_weight is nan; choose a number of at least 0"),
    (lambda: diva(official_margin=True), "official_margin learns a beta for each class; pass classes, the number of training classes"),
    (lambda: diva(random_labels=1), r"diva\.random_labels is 1; choose true or false"),
    (lambda: diva()(torch.randn(16, 16), torch.arange(16) // 4, torch.randn(16, 10)), "no momentum copy yet; call follow"),
    (lambda: S2SD([total], 6, [4, 5]), "2 branches need 3 objectives"),
    (lambda: S2SD([total] * 2, 6, [4], pooling="max"), "no pooling 'max'"),
    (lambda: UniformPrior(torch.nn.Identity(), 4, weight=-0.1), r"uniform_prior\.weight is -0\.1; choose a number of at least 0"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message[:50] for _, message in BAD])
def test_bad_input_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
