"""Studies on splits of growing distance: every method fits, batches are filled by the classes that there are, and what does not fit is said."""

import pytest

from likeness.errors import InputError
from likeness.shifts import SplitFile
from likeness.studies import SHOTS, WHOLE_PRESET, ShiftMethod, ShiftNetwork, StudyConfig, row_configs, shift_methods, shift_study
from likeness.training import read_config

NAMES = list("abcdefgh")
SPLITS = SplitFile.model_validate(
    {
        "dataset": "letters",
        "splits": [
            {"name": "start", "distance": 0.1, "train": NAMES[:4], "test": NAMES[4:]},
            {"name": "removal 1", "distance": 0.2, "train": NAMES[:3], "test": NAMES[5:]},
        ],
    }
)
HEAD = ShiftNetwork("photos", 224, False)


def _study(images: int | dict[str, int] = 40, network: ShiftNetwork = HEAD, few_shot: bool = True, **methods: ShiftMethod) -> StudyConfig:
    counts = images if isinstance(images, dict) else dict.fromkeys(NAMES, images)
    return shift_study("letters", SPLITS, counts, network, methods or shift_methods(), seeds=2, epochs=5, few_shot=few_shot)


def test_every_method_fits_and_the_raw_encoder_is_not_trained() -> None:
    study = _study()
    configs = row_configs(study)
    assert list(configs) == list(shift_methods())
    raw = configs.pop("Raw encoder")
    assert (raw.epochs, raw.few_shot) == (0, None)
    assert {(config.epochs, config.matched_classes, config.backbone.head_only) for config in configs.values()} == {(5, 3, True)}
    assert all(config.few_shot is not None and config.few_shot.shots == (SHOTS,) for config in configs.values())
    assert study.seeds == (0, 1)
    # on both splits the steps of an epoch of the larger one, four classes of 40 images; class directions learn 50 times as fast as the layer
    assert {(each.epoch_steps, each.objective.proxy_rate) for each in configs.values()} == {(160 // configs["Margin"].batch.size, 50.0)}


@pytest.mark.parametrize("size", [96, 224, 518])
@pytest.mark.parametrize("images", [4, 10, 40, 400])
def test_a_batch_is_filled_by_the_fewest_training_classes_and_a_whole_network_learns_as_in_the_paper(size: int, images: int) -> None:
    network = ShiftNetwork("resnet18", size, True)
    (config,) = row_configs(_study(images, network, False, Margin=shift_methods()["Margin"])).values()
    assert config.batch.size % config.batch.per_class == 0
    assert config.batch.size // config.batch.per_class <= 3
    assert config.batch.size <= max(24, 3 * images)
    assert config.batch.size == 24 or config.batch.size * size**2 <= 96 * 224**2
    assert config.optimizer == read_config(WHOLE_PRESET).optimizer


def test_what_does_not_fit_is_one_sentence() -> None:
    with pytest.raises(InputError, match="The class 'c' has only one image"):
        _study(dict.fromkeys(NAMES, 40) | {"c": 1})
    few = dict.fromkeys(NAMES, 40) | {"f": 3}
    with pytest.raises(InputError, match="The class 'f' has 3 images, but few-shot needs 4: 2 for adaptation and 2 queries"):
        _study(few)
    _study(few, few_shot=False)
    with pytest.raises(InputError, match=r"Odd does not fit this benchmark: .*no objective 'odd'"):
        _study(Odd=ShiftMethod("", {"objective.name": "odd"}))
