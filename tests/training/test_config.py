from pathlib import Path

import pytest

from likeness.errors import InputError
from likeness.training.config import GuidanceConfig, RunConfig, as_yaml, config_from, difference, presets, read_config, with_changes
from likeness.training.loop.given_objects import build_objective


def test_what_is_written_is_read_again_and_files_that_are_no_config_are_named(tmp_path: Path) -> None:
    wide = {"backbone": {"parts": 4}, "batch": {"size": 108, "per_class": 3}}
    for content in (
        {"guidance": {"kind": "plg", "language": "bert"}, "data": {"attribute": ["a", "b"]}, "optimizer": {"milestones": [3, 5]}},
        {"objective": {"name": "r-margin", "options": {"rho": 0.4}, "uniform_prior": {"weight": 0.2}, "s2sd": {}}},
        {"objective": {"name": "margin", "diva": {"random_labels": True}}} | wide | {"batch": {"size": 108, "per_class": 2}},
        {"few_shot": {"shots": [2, 5], "steps": [1000, 1500]}},
        {"few_shot": {"steps": 7}},
        {"objective": {"name": "margin", "diva": {"queue_batches": 70}}} | wide,
    ):
        config = config_from(content)
        (tmp_path / "a.yaml").write_text(as_yaml(config), encoding="utf-8")
        assert read_config(tmp_path / "a.yaml") == config
    assert config_from({"guidance": {"kind": "plg", "language": "bert"}}).guidance.language == ("bert",)
    (tmp_path / "a.yaml").write_text("data: [", encoding="utf-8")
    for file, message in ((tmp_path / "a.yaml", r"'a.yaml' is no YAML"), ("b.yaml", "'b.yaml'; the presets are lg-cars196-margin")):
        with pytest.raises(InputError, match=message):
            read_config(file)


def test_changes_by_dotted_keys_former_ones_and_what_they_change() -> None:
    a, b = RunConfig(), with_changes(RunConfig(), {"guidance.omega": 5, "seed": 2, "objective.options.beta": 1.0})
    assert (b.guidance.omega, b.seed, b.objective.options) == (5.0, 2, {"beta": 1.0})
    with pytest.raises(InputError, match="goes through 'seed', which has no keys"):
        with_changes(a, {"seed.a": 1})
    found = difference(a, b)
    assert (found["seed"], found["guidance.omega"]) == ((0, 2), (None, 5.0))
    assert difference(a, a) == {}
    config = config_from({"guidance": {"method": "devise"}})
    assert config_from({"guidance": {"way": "devise"}}) == config
    assert with_changes(config, {"guidance.way": "mining"}) == with_changes(config, {"guidance.method": "mining"})
    assert with_changes(config, {"guidance": {"way": "mining"}}).guidance == GuidanceConfig(method="mining")
    assert config_from({"guidance": {"shuffled": True}}).guidance == GuidanceConfig(control="shuffled")


@pytest.mark.parametrize("name", presets())
def test_every_preset_can_be_read_and_its_objective_made(name: str) -> None:
    config = read_config(name)
    assert config.name == name
    assert len(config.note) > 40
    build_objective(config.objective, 10, config.backbone.dim or 8, 8)


def test_only_how_a_run_is_carried_out_may_change_while_it_goes_on() -> None:
    config, elsewhere = RunConfig(), {"devices": 2, "nodes": 2, "workers": 1, "keep_on_device": True, "loggers": ("csv",)}
    assert config.same_run(config.model_copy(update=elsewhere))
    others = {"seed": 1, "epochs": 3, "augment": False, "precision": "bf16-mixed", "compile": True, "evaluate_every": 2, "checkpoint_every": 9}
    assert [name for name, value in others.items() if config.same_run(config.model_copy(update={name: value}))] == []
