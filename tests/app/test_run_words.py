"""What is said of runs: states, figures, settings."""

from typing import Any

import pytest

from likeness.evaluation import metric_title
from likeness.training.config import BatchConfig, DataConfig, GuidanceConfig, RunConfig
from likeness.training.runs.run_folder import STATES, Status
from shared import run_words


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (Status("running"), "Starting"),
        (Status("running", message="Reading images"), "Reading images"),
        (Status("running", 0, 2000), "Starting"),
        (Status("running", 500, 2000, seconds=10), "500 of 2,000 steps, 30 s left"),
        (Status("running", 1, 2000, seconds=0), "1 of 2,000 steps"),
        (Status("running", 1000, 10_000, seconds=60), "1,000 of 10,000 steps, 9 min left"),
        (Status("stopped", 500, 2000, seconds=10), "500 of 2,000 steps, 10 s"),
        (Status("finished", 2000, 2000, seconds=180), "2,000 of 2,000 steps, 3 min"),
        (Status("failed", message="No images."), "no step yet, 0 s"),
        (Status("lost", 7, 9, "The process is gone.", seconds=2), "7 of 9 steps, 2 s"),
        (Status(), "no step yet, 0 s"),
    ],
)
def test_a_status_says_how_far_a_run_is(status: Status, said: str) -> None:
    assert run_words.standing(status) == said


def test_every_state_has_a_word_and_every_metric_a_sentence_that_begins_with_its_name() -> None:
    assert set(run_words.STATES) == set(STATES)
    for metric in ("recall_at_1", "nmi", "ndcg_at_10"):
        assert run_words.metric_help(metric).startswith(f"{metric_title(metric)}: ")
    assert "among their top 16" in run_words.metric_help("recall_at_16")
    assert all(run_words.metric_help(loss).endswith(".") for loss in run_words.LOSSES)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (None, ""),
        ({"omega": 5.0}, "ELG, omega 5"),
        ({"omega": 0.25}, "ELG, omega 0.25"),
        ({"method": "devise"}, "devise, omega 1"),
        ({"method": "clip-style", "omega": 3}, "clip-style, omega 3"),
        ({"kind": "plg", "k": 1, "omega": 10}, "PLG Top-1, omega 10"),
        ({"omega": 50, "control": "flat"}, "ELG, omega 50, flat target"),
        ({"kind": "plg", "omega": 5, "control": "shuffled"}, "PLG Top-5, omega 5, shuffled"),
    ],
)
def test_guidance_in_a_few_words(options: dict[str, Any] | None, said: str) -> None:
    assert run_words.guidance(RunConfig(guidance=None if options is None else GuidanceConfig(**options))) == said


def test_what_chose_the_best_weights_is_told_with_its_direction() -> None:
    classes = RunConfig(data=DataConfig(validation=0.2))
    apart = {"data": {"split": "images", "labels": {"kind": "pose"}, "validation": 0.2}, "objective": {"name": "log-ratio"}}
    images = RunConfig(**apart, batch=BatchConfig(drawn=4))  # type: ignore[arg-type]
    assert "with the highest R@1 so far on validation images" in run_words.checkpoint_help("best", [classes])
    assert "with the smallest label distance at 10 so far on" in run_words.checkpoint_help("best", [images])
    assert "highest R@1 or smallest label distance at 10 so far" in run_words.checkpoint_help("best", [images, classes])


DIVA: dict[str, Any] = {"objective": {"name": "margin", "diva": {}}, "backbone": {"parts": 4}, "batch": {"size": 112, "per_class": 4}}


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"objective": {"name": "margin"}}, "Margin"),
        ({"objective": {"name": "r-margin", "options": {"rho": 0.35}}}, "R-margin"),
        ({"objective": {"name": "margin", "uniform_prior": {"weight": 0.2}}}, "Margin + uniform prior"),
        ({"objective": {"name": "r-margin", "s2sd": {}, "uniform_prior": {}}}, "R-margin + S2SD + uniform prior"),
        (DIVA, "Margin + DiVA"),
    ],
)
def test_an_objective_says_what_wraps_it(config: dict[str, Any], said: str) -> None:
    assert run_words.objective(RunConfig.model_validate(config)) == said


def test_a_value_is_said_as_people_read_it() -> None:
    shown = [None, True, False, 1e-5, 5.0, 7, "minilm", ["car_color", "body_type"], (), [30, None]]
    said = ["none", "yes", "no", "1e-05", "5", "7", "minilm", "car_color, body_type", "none", "30, none"]
    assert [run_words.value(each) for each in shown] == said
