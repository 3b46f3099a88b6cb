"""The studies that ship: each has what a sceptic asks for, whatever paper it follows."""

import pytest

from likeness.studies import read_study, studies
from likeness.studies.study import row_configs
from likeness.training import RunConfig

NAMES = sorted(studies())
# a part of another study, whose raw rows and controls stand there
PARTS = {"lsp-pose-sizes": "lsp-pose", "synthetic-poses-sizes": "synthetic-poses"}


def controlled(config: RunConfig) -> bool:
    """Trains on what has lost its meaning, or does not train although it has an embedding layer."""
    guided = config.guidance is not None and config.guidance.control != "none"
    return config.data.shuffled or guided or (not config.epochs and config.backbone.dim is not None)


@pytest.mark.parametrize("name", NAMES)
def test_every_study_has_the_raw_network_a_control_and_several_seeds(name: str) -> None:
    study = read_study(PARTS.get(name, name))
    configs = row_configs(study)
    assert any(not config.epochs and config.backbone.dim is None for config in configs.values())
    assert any(map(controlled, configs.values()))
    assert len(read_study(name).seeds) >= 2


@pytest.mark.parametrize(("name", "whole"), PARTS.items())
def test_a_part_of_a_study_has_the_settings_of_the_whole(name: str, whole: str) -> None:
    part, study = read_study(name), read_study(whole)
    assert isinstance(part.base, dict)
    assert isinstance(study.base, dict)
    assert {**part.base, "evaluate_every": None} == {**study.base, "evaluate_every": None}
    rates: dict[tuple[str, str], object] = {}
    for config in row_configs(study).values():
        rates.setdefault((config.objective.name, str(config.objective.options)), config.optimizer)
    for row, config in row_configs(part).items():
        assert config.optimizer == rates[config.objective.name, str(config.objective.options)], row
