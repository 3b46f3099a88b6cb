from pathlib import Path

import pytest

from likeness.errors import InputError
from likeness.training.config import GuidanceConfig, RunConfig, as_yaml, config_from, difference, presets, read_config, with_changes
from likeness.training.loop.given_objects import build_objective


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    config = config_from({"guidance": {"kind": "plg", "language": "bert"}, "data": {"attribute": ["a", "b"]}, "optimizer": {"milestones": [3, 5]}})
    (tmp_path / "a.yaml").write_text(as_yaml(config), encoding="utf-8")
    assert read_config(tmp_path / "a.yaml") == config
    assert config.guidance.language == ("bert",)


def test_files_that_are_no_config_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("data: [", encoding="utf-8")
    with pytest.raises(InputError, match=r"'a.yaml' is no YAML"):
        read_config(tmp_path / "a.yaml")
    with pytest.raises(InputError, match=r"no config file or preset 'b.yaml'; the presets are lg-cars196-margin"):
        read_config("b.yaml")


def test_what_wraps_an_objective_is_written_and_read_again(tmp_path: Path) -> None:
    for content in (
        {"objective": {"name": "r-margin", "options": {"rho": 0.4}, "uniform_prior": {"weight": 0.2}, "s2sd": {}}},
        {"objective": {"name": "margin", "diva": {"random_labels": True}}, "backbone": {"parts": 4}, "batch": {"size": 108, "per_class": 2}},
        {"few_shot": {"shots": [2, 5], "steps": [1000, 1500]}},
        {"few_shot": {"steps": 7}},
        {"objective": {"name": "margin", "diva": {"queue_batches": 70}}, "backbone": {"parts": 4}, "batch": {"size": 108, "per_class": 3}},
    ):
        config = config_from(content)
        (tmp_path / "a.yaml").write_text(as_yaml(config), encoding="utf-8")
        assert read_config(tmp_path / "a.yaml") == config


def test_changes_by_dotted_keys() -> None:
    config = with_changes(RunConfig(), {"guidance.omega": 5, "seed": 2, "objective.options.beta": 1.0})
    assert (config.guidance.omega, config.seed, config.objective.options) == (5.0, 2, {"beta": 1.0})
    with pytest.raises(InputError, match="goes through 'seed', which has no keys"):
        with_changes(RunConfig(), {"seed.a": 1})


def test_difference_names_what_differs() -> None:
    a, b = RunConfig(), with_changes(RunConfig(), {"seed": 3, "guidance.omega": 2.0})
    found = difference(a, b)
    assert found["seed"] == (0, 3)
    assert found["guidance.omega"] == (None, 2.0)
    assert difference(a, a) == {}


@pytest.mark.parametrize("name", presets())
def test_every_preset_can_be_read_and_its_objective_made(name: str) -> None:
    config = read_config(name)
    assert config.name == name
    assert len(config.note) > 40
    build_objective(config.objective, 10, config.backbone.dim or 8, 8)


def test_the_former_key_of_the_guidance_method_is_still_read() -> None:
    config = config_from({"guidance": {"method": "devise"}})
    assert config_from({"guidance": {"way": "devise"}}) == config
    assert with_changes(config, {"guidance.way": "mining"}) == with_changes(config, {"guidance.method": "mining"})
    assert with_changes(config, {"guidance": {"way": "mining"}}).guidance == GuidanceConfig(method="mining")
    with pytest.raises(InputError, match="method and way are the same key"):
        config_from({"guidance": {"way": "devise", "method": "devise"}})


def test_only_how_a_run_is_carried_out_may_change_while_it_goes_on() -> None:
    config, elsewhere = RunConfig(), {"devices": 2, "nodes": 2, "workers": 1, "keep_on_device": True, "loggers": ("csv",)}
    assert config.same_run(config.model_copy(update=elsewhere))
    others = {"seed": 1, "epochs": 3, "augment": False, "precision": "bf16-mixed", "compile": True, "evaluate_every": 2, "checkpoint_every": 9}
    assert [name for name, value in others.items() if config.same_run(config.model_copy(update={name: value}))] == []
