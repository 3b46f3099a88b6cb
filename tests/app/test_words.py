"""What is said of jobs, runs and results, without a page."""

from types import SimpleNamespace
from typing import Any, get_args

import pandas as pd
import pytest

from likeness.evaluation import metric_title
from likeness.training.config import BatchConfig, DataConfig, GuidanceConfig, RunConfig
from likeness.training.runs.run_folder import State, Status
from pages.methods.analyses import sentences
from parts import run_card
from parts.progress import _standing, duration, rate


def test_rates_and_durations_are_said_in_a_unit_that_fits() -> None:
    rates = {0: "", 1 / 120: "", 0.2: ", 12 a minute", 3.21: ", 3.2 a second", 12.3: ", 12 a second", 4321: ", 4,321 a second"}
    assert {per_second: rate(per_second) for per_second in rates} == rates
    durations = {0.4: "0 s", 89: "89 s", 91: "2 min", 600: "10 min", 18_000: "5 h", 250_000: "3 days"}
    assert {seconds: duration(seconds) for seconds in durations} == durations
    job = SimpleNamespace(done=3, total=86, unit="words", rate=1.5, seconds_left=55.0)
    assert _standing(job) == "3 of 86 words, 1.5 a second, 55 s left"  # type: ignore[arg-type]
    images = SimpleNamespace(done=150, total=150, unit="images", rate=12.0, seconds_left=0.0)
    assert _standing(images) == "150 images, finishing"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (Status("running", message="Reading images"), "Reading images"),
        (Status("running", 0, 2000), "Starting"),
        (Status("running", 500, 2000, seconds=10), "500 of 2,000 steps, 30 s left"),
        (Status("running", 1, 2000, seconds=0), "1 of 2,000 steps"),
        (Status("finished", 2000, 2000, seconds=180), "2,000 of 2,000 steps, 3 min"),
        (Status("failed", message="No images."), "no step yet, 0 s"),
        (Status("lost", 7, 9, "The process is gone.", seconds=2), "7 of 9 steps, 2 s"),
    ],
)
def test_a_status_says_how_far_a_run_is(status: Status, said: str) -> None:
    assert run_card.standing(status) == said


def test_every_state_has_a_word_and_every_metric_a_sentence_that_begins_with_its_name() -> None:
    assert set(run_card.STATES) == set(get_args(State))
    for metric in ("recall_at_1", "nmi", "ndcg_at_10"):
        assert run_card.metric_help(metric).startswith(f"{metric_title(metric)}: ")
    assert "among their top 16" in run_card.metric_help("recall_at_16")
    assert all(run_card.metric_help(loss).endswith(".") for loss in run_card.LOSSES)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (None, ""),
        ({"omega": 0.25}, "ELG, omega 0.25"),
        ({"method": "clip-style", "omega": 3}, "clip-style, omega 3"),
        ({"kind": "plg", "k": 1, "omega": 10}, "PLG Top-1, omega 10"),
        ({"omega": 50, "control": "flat"}, "ELG, omega 50, flat target"),
        ({"kind": "plg", "omega": 5, "control": "shuffled"}, "PLG Top-5, omega 5, shuffled"),
    ],
)
def test_guidance_in_a_few_words(options: dict[str, Any] | None, said: str) -> None:
    assert run_card.guidance(RunConfig(guidance=None if options is None else GuidanceConfig(**options))) == said


def test_what_chose_the_best_weights_is_told_with_its_direction() -> None:
    classes = RunConfig(data=DataConfig(validation=0.2))
    apart = {"data": {"split": "images", "labels": {"kind": "pose"}, "validation": 0.2}, "objective": {"name": "log-ratio"}}
    images = RunConfig(**apart, batch=BatchConfig(drawn=4))  # type: ignore[arg-type]
    assert "with the highest R@1 so far on validation images" in run_card.checkpoint_help("best", [classes])
    assert "with the smallest label distance at 10 so far on" in run_card.checkpoint_help("best", [images])
    assert "highest R@1 or smallest label distance at 10 so far" in run_card.checkpoint_help("best", [images, classes])


DIVA: dict[str, Any] = {"objective": {"name": "margin", "diva": {}}, "backbone": {"parts": 4}, "batch": {"size": 112, "per_class": 4}}


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"objective": {"name": "r-margin", "options": {"rho": 0.35}}}, "R-margin"),
        ({"objective": {"name": "r-margin", "s2sd": {}, "uniform_prior": {}}}, "R-margin + S2SD + uniform prior"),
        (DIVA, "Margin + DiVA"),
    ],
)
def test_an_objective_says_what_wraps_it(config: dict[str, Any], said: str) -> None:
    assert run_card.objective(RunConfig.model_validate(config)) == said


def test_a_value_is_said_as_people_read_it() -> None:
    shown = [None, True, False, 1e-5, 5.0, 7, "minilm", ["car_color", "body_type"], (), [30, None]]
    said = ["none", "yes", "no", "1e-05", "5", "7", "minilm", "car_color, body_type", "none", "30, none"]
    assert [run_card.value(each) for each in shown] == said


def test_an_analysis_names_the_best_point_of_the_best_method_beside_another_and_the_raw_encoder() -> None:
    def found(runs: pd.DataFrame) -> list[str]:
        return sentences(runs, "map_at_r", "dim", "at {} dimensions", -1)

    rows = [("raw", 512, 0.2), ("exact", 8, 0.8), ("exact", 8, 0.9), ("exact", 128, 0.3), ("random-transform", 8, 0.1), ("oracle", 128, 0.99)]
    runs = pd.DataFrame(rows, columns=["method", "dim", "map_at_r"]).assign(notion="car color", refused="")
    raw, best = "the raw encoder has 0.200.", "**Car color**: best with InDiReCT (exact)"
    assert found(runs) == [f"{best} **at 8 dimensions**: MAP@R **0.850**; at 128 dimensions it has 0.300; {raw}"]
    assert found(runs[runs["dim"] != 8]) == [f"{best} **at 128 dimensions**: MAP@R **0.300**; {raw}"]  # the other one is the best
    assert len(found(pd.concat([runs, runs.assign(notion="viewpoint")]))) == 2
    runs.loc[runs["method"] == "exact", "refused"] = "does not apply"  # which is no point; the oracle is no rival
    assert "Random transform" in found(runs)[0]
    runs.loc[runs["method"] == "random-transform", "refused"] = "does not apply"
    assert found(runs) == [f"**Car color**: {raw}"]
