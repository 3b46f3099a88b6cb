"""Configs: those that ship, changes, what does not fit."""

from pathlib import Path

import pytest

from experiments.captioning.config import captioning_config_from, captioning_configs, read_captioning_config, with_captioning_changes
from likeness.errors import InputError
from likeness.studies import cells, read_study


def test_those_that_ship_are_read_and_named_as_their_files() -> None:
    assert set(captioning_configs()) == {"cars-captions", "coco-captions", "flickr-captions"}
    for name in captioning_configs():
        config = read_captioning_config(name)
        assert config.name == name
        assert config.note
    assert read_captioning_config("cars-captions").data.split == "random"
    coco = read_captioning_config("coco-captions")
    assert (coco.data.grid, coco.decoder.hidden, coco.decoder.attention, coco.beam) == (14, 1000, 512, 2)


def test_the_study_of_the_photos_features_trains_on_the_images_that_train_the_decoder() -> None:
    """The same photos in the same order, the last of which both keep out; every row but the raw one trains the network whose maps are read."""
    config, study = read_captioning_config("flickr-captions"), read_study("flickr-captions")
    assert config.data.split == "last"
    for cell in cells(study, Path("runs")):
        data = cell.config.data
        assert (data.source, data.split, data.test_images) == (config.data.source, "images", config.data.validation + config.data.test)
        assert not data.select_on_test
        assert cell.config.backbone.name == config.backbone.name
        assert not cell.config.backbone.head_only
    assert {cell.seed for cell in cells(study, Path("runs")) if cell.row == "L(Log-ratio)+M(Dense)"} == {0, 1, 2}


def test_changes_by_dotted_keys_and_files(tmp_path: Path) -> None:
    config = captioning_config_from({"name": "a"})
    changed = with_captioning_changes(config, {"decoder.hidden": 8, "backbone.options.width": 3, "rl.epochs": 0})
    assert (changed.decoder.hidden, changed.rl.epochs, changed.backbone.options) == (8, 0, {"width": 3})
    assert config.backbone.options == {}
    with pytest.raises(InputError, match="There is no captioning config 'nothing'; shipped ones are cars-captions, coco-captions"):
        read_captioning_config("nothing")
    (tmp_path / "a.yaml").write_text("name: [")
    with pytest.raises(InputError, match=r"'a\.yaml' is not valid YAML"):
        read_captioning_config(tmp_path / "a.yaml")
    with pytest.raises(InputError, match=r"'name\.x': 'name' has no keys"):
        with_captioning_changes(captioning_config_from({}), {"name.x": 1})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "The config holds list, but a config is a mapping"),
        ({"decoder": {"kind": "show"}}, "decoder.kind is 'show'"),
        ({"rl": {"epoch": 3}}, "there is no key 'rl.epoch'"),
        ({"data": {"test": 0.7}}, "data.test is 0.7"),
    ],
)
def test_what_does_not_fit_is_told(content: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        captioning_config_from(content)
