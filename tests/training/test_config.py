import re
from pathlib import Path
from typing import Any

import pytest

from likeness.errors import InputError
from likeness.studies import published_guidance
from likeness.training.config import GuidanceConfig, RunConfig, as_yaml, config_from, difference, presets, read_config, with_changes
from likeness.training.loop.given_objects import build_objective


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    config = config_from({"guidance": {"kind": "plg", "language": "bert"}, "data": {"attribute": ["a", "b"]}, "optimizer": {"milestones": [3, 5]}})
    (tmp_path / "a.yaml").write_text(as_yaml(config), encoding="utf-8")
    assert read_config(tmp_path / "a.yaml") == config
    assert config.guidance is not None
    assert config.guidance.language == ("bert",)


def test_defaults_are_the_papers() -> None:
    config = RunConfig()
    assert (config.optimizer.rate, config.optimizer.weight_decay, config.data.validation) == (1e-5, 3e-4, 0.0)
    guidance = config_from({"guidance": {}}).guidance
    assert guidance is not None
    assert (guidance.direction, guidance.matching, guidance.temperature, guidance.mask_language) == ("image||language", "rows", 1.0, False)
    assert (guidance.k, guidance.level, guidance.variant, guidance.average, guidance.primer) == (5, "class", "mean", "softmax", "A photo of a {}")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"epoch": 3}, "there is no key 'epoch'"),
        ({"guidance": {"omge": 1}}, "there is no key 'guidance.omge'"),
        ({"epochs": -1}, "epochs is -1: Input should be greater than or equal to 0"),
        ({"batch": {"size": 10, "per_class": 4}}, "size 10 is no multiple of per_class 4"),
        ({"optimizer": {"plateau": 2}}, "plateau needs data.validation above 0"),
        ({"optimizer": {"plateau": 2, "milestones": [1]}, "data": {"validation": 0.1}}, "exclude each other"),
        ({"guidance": {"kind": "glg"}}, "guidance.kind is 'glg': Input should be 'elg' or 'plg'"),
        ({"backbone": {"dim": 10, "parts": 4}}, "dim 10 is no multiple of parts 4"),
        ({"objective": {"uniform_prior": {"wieght": 1}}}, "uniform_prior has no option 'wieght'; it has weight, hidden"),
        ({"objective": {"uniform_prior": {"weight": "much"}}}, r"uniform_prior\.weight is 'much'; choose a number of at least 0"),
        ({"few_shot": {"shots": [2, 5], "steps": [1000]}}, r"steps has 1 numbers and shots 2; give one number, or one for each of shots"),
        ({"objective": {"diva": {"momentum": 2}}}, r"diva\.momentum is 2; choose a number from 0 to 1"),
        ({"objective": {"diva": {"hidden": True}}}, r"diva\.hidden is True; choose a whole number of at least 1"),
        ({"objective": {"diva": {}, "s2sd": {}}}, "diva and s2sd exclude each other"),
        ({"objective": {"diva": {}, "uniform_prior": {}}}, "diva and uniform_prior exclude each other"),
        ({"objective": {"diva": {}}, "batch": {"size": 12, "per_class": 3}}, r"objective\.diva needs backbone\.parts 4, not 1"),
        ({"objective": {"diva": {}}, "backbone": {"parts": 4}}, r"objective\.diva needs batch\.per_class of at least 3, not 2"),
        ({"objective": {"uniform_prior": {}}, "backbone": {"parts": 4}}, r"objective\.uniform_prior needs backbone\.parts 1, not 4"),
        ([1], "holds list, but a config is a mapping"),
    ],
)
def test_what_does_not_fit_is_named(content: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        config_from(content)


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
    assert config.guidance is not None
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


def test_the_figures_in_the_presets_are_the_papers() -> None:
    """Table S1; +ELG on multisimilarity, whose row is missing in its text, is Table 2's."""
    tables = {name: published_guidance(name).dropna(subset=["mean"]) for name in ("table_s1", "table2")}
    seen = 0
    for name in presets():
        if not name.startswith("lg-") or name.startswith("lg-code-"):
            continue
        dataset, base = name.split("-")[1].upper(), name.split("-")[2]
        group = {"multisimilarity": "Multisimilarity", "margin": "Margin, β = 1.2", "s2sd": "Multisimilarity + S2SD"}[base]
        method = {"elg": "+ELG", "plg": "+PLG Top-5"}.get(name.split("-")[-1], group)
        figures: dict[str, float] = {}
        for table in tables.values():
            rows = table[(table["dataset"] == dataset) & (table["group"] == group) & (table["method"] == method)]
            figures = dict(zip(rows["metric"], rows["mean"], strict=True)) | figures
        note = read_config(name).note
        told = re.findall(r"(R@1|mAP@1000) ([\d.]+\d)", note)
        assert told, name
        assert dict(told) == {metric: f"{figures[metric]:.1f}" for metric, _ in told}, name
        assert {metric for metric, _ in told} == {"R@1", "mAP@1000"} & set(figures), name
        assert f" {dataset}, {group if method == group else f'{method} on {group}'}: " in note, name
        seen += len(told)
    assert seen == 27 * 2 - 2


def test_the_figures_in_the_presets_of_the_commands_are_those_of_table_1() -> None:
    table, told = published_guidance("table1").dropna(subset=["mean"]), 0
    for name in presets():
        if name.startswith("lg-code-"):
            _, _, dataset, dim, objective, _ = name.split("-")
            method = "S2SD+PLG" if objective == "s2sd" else "Multisimilarity+PLG"
            rows = table[(table["dataset"] == dataset.upper()) & (table["backbone"] == "ResNet50") & (table["dim"] == int(dim))]
            rows = rows[rows["method"] == method]
            note = read_config(name).note
            assert f" for Table 1, {dataset.upper()}, {method} on ResNet50 with {dim} dimensions: " in note
            figures = [f"{metric} {mean:.1f}" for metric, mean in zip(rows["metric"], rows["mean"], strict=True)]
            assert (", ".join(figures) or "the text has no figure") + ". The command" in note, name
            told += len(figures)
    assert told == 3 * 8 - 2 - 3  # of the row of 128 dimensions the text has NMI on CUB200 alone


def test_the_language_of_products_is_that_of_their_kinds() -> None:
    for name in presets():
        config = read_config(name)
        if name.startswith("lg-sop") and config.guidance is not None:
            assert config.guidance.names == ("product_kind" if config.guidance.kind == "elg" else None)
            assert 0.1 <= config.guidance.omega <= 1


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
