"""Where captions come from: files, Synthetic Cars, COCO; how images are divided."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from experiments.captioning.captioned import Captioned, captioned_from, read_captioned, with_shuffled_captions
from experiments.captioning.car_captions import with_car_captions
from experiments.captioning.tokenizer import tokenize
from experiments.clip.phrases import PHRASES
from likeness.data import ImageTable, read_cars
from likeness.data.captions_column import read_captions
from likeness.errors import InputError
from likeness.labels import LabelsConfig
from likeness.training.config import DataConfig
from likeness.training.data.run_images import run_images


def table(n: int = 20, **columns: list[object]) -> ImageTable:
    return ImageTable("Cars", Path(), pd.DataFrame({"path": [f"{i}.png" for i in range(n)], "caption": [f"car {i}" for i in range(n)], **columns}))


def test_shares_are_drawn_by_the_seed_or_a_column_divides() -> None:
    found = captioned_from(table(), validation=0.2, test=0.1)
    assert (len(found.train), len(found.validation), len(found.test)) == (14, 4, 2)
    assert sorted(np.concatenate([found.train, found.validation, found.test])) == list(range(20))
    again, other = captioned_from(table(), 0.2, 0.1), captioned_from(table(), 0.2, 0.1, seed=1)
    assert np.array_equal(again.test, found.test)
    assert not np.array_equal(other.validation, found.validation)
    found = captioned_from(table(4, split=["test", "train", "validation", "train"]))
    assert (found.train.tolist(), found.validation.tolist(), found.test.tolist()) == ([1, 3], [2], [0])
    with pytest.raises(InputError, match="has the split 'val'; the splits are train, validation, test"):
        captioned_from(table(2, split=["train", "val"]))


@pytest.mark.parametrize(("n", "validation", "test"), [(20, 0.15, 0.15), (30, 0.15, 0.15), (50, 0.15, 0.15), (700, 0.15, 0.15), (37, 0.2, 0.1)])
def test_the_last_images_test_and_a_run_trains_on_the_same_ones(n: int, validation: float, test: float, tmp_path: Path) -> None:
    Image.new("RGB", (4, 4)).save(tmp_path / "0.png")
    table(n, size=list(range(n))).frame.to_csv(tmp_path / "own.csv", index=False)
    found, other = (read_captioned(str(tmp_path / "own.csv"), validation=validation, test=test, seed=seed, split="last") for seed in (0, 1))
    parts = [found.train, found.validation, found.test]
    assert np.concatenate(parts).tolist() == list(range(n))
    assert (len(found.test), len(found.validation) + len(found.test)) == (round(test * n), round((validation + test) * n))
    assert [part.tolist() for part in parts] == [part.tolist() for part in (other.train, other.validation, other.test)]
    labels = LabelsConfig(kind="numbers", columns=("size",))
    run = run_images(DataConfig(source=str(tmp_path / "own.csv"), split="images", labels=labels, test_images=validation + test), seed=3)
    assert run.train.tolist() == found.train.tolist()
    assert run.test.tolist() == [*found.validation, *found.test]


def test_shuffled_captions_are_those_of_other_training_images() -> None:
    whole = captioned_from(table(30))
    found, again, other = (with_shuffled_captions(whole, seed) for seed in (0, 0, 1))
    assert found.captions == again.captions != other.captions
    assert all(found.captions[row] != whole.captions[row] for row in whole.train)
    assert sorted(found.captions[row] for row in whole.train) == sorted(whole.captions[row] for row in whole.train)
    assert all(found.captions[row] == whole.captions[row] for row in (*whole.validation, *whole.test))
    assert (found.train.tolist(), found.test.tolist()) == (whole.train.tolist(), whole.test.tolist())


def test_parts_without_images_and_rows_in_two_parts_are_told() -> None:
    with pytest.raises(InputError, match="The part 'test' of 'Cars' has no images"):
        captioned_from(table(), test=0.0)
    rows = np.arange(2)
    with pytest.raises(InputError, match="is in two of the parts"):
        Captioned(table(2), [["a"], ["b"]], rows, rows[:1], rows[1:])
    with pytest.raises(InputError, match="has 2 images, but some have no captions"):
        Captioned(table(2), [["a"], []], rows[:1], rows[1:], rows[:0])


def test_sentences_of_cars_are_true_and_other_images_are_told() -> None:
    cars = read_cars()
    few = ImageTable(cars.name, cars.root, cars.frame.iloc[:12])
    found = read_captions(with_car_captions(few, each=5))
    assert {len(own) for own in found} == {5}
    assert read_captions(with_car_captions(ImageTable(cars.name, cars.root, cars.frame.iloc[:3]), each=5)) == found[:3]
    assert read_captions(with_car_captions(few, each=5, seed=1)) != found
    # the only color words of a sentence are those of the car and its background
    for row, own in zip(few.frame.to_dict("records"), found, strict=True):
        for text in own:
            named = set(tokenize(text)) & {"maroon", "fuchsia", "olive", "teal", "navy", "aqua", "lime"}
            allowed = {word for column in ("car_color", "background_color") for phrase in PHRASES[column][row[column]] for word in phrase.split()}
            assert named <= allowed
    with pytest.raises(InputError, match="'Cars' lacks the attributes body_type"):
        with_car_captions(table(2))
    cars = read_cars()
    other = cars.frame.iloc[:2].assign(viewpoint=["left", "above"])
    with pytest.raises(InputError, match=r"'images/00001\.webp' of 'Synthetic Cars' has another viewpoint than Synthetic Cars have"):
        with_car_captions(ImageTable(cars.name, cars.root, other))


def test_sources(tmp_path: Path) -> None:
    assert len(read_captioned("cars").captions) == 2000
    for i in range(10):
        Image.new("RGB", (4, 4)).save(tmp_path / f"{i}.png")
    lines = [f"{i}.png,sentence {j} of {i}" for j in range(2) for i in range(10)]
    (tmp_path / "own.csv").write_text("\n".join(["path,caption", *lines]))
    found = read_captioned(str(tmp_path / "own.csv"))
    assert found.captions[3] == ["sentence 0 of 3", "sentence 1 of 3"]
    assert len(found.train) == 6
    last = read_captioned(str(tmp_path / "own.csv"), seed=5, split="last", shuffled=True)
    assert (last.train.tolist(), last.test.tolist()) == ([0, 1, 2, 3, 4, 5, 6], [8, 9])
    assert last.captions[8:] == found.captions[8:]
    assert sorted(last.captions[:7]) == sorted(found.captions[:7]) != last.captions[:7]
    with pytest.raises(InputError, match="has no captions, only the columns path"):
        read_captioned(str(tmp_path))
    (tmp_path / "train2014").mkdir()
    entries = []
    for i, split in enumerate(("train", "restval", "val", "test")):
        Image.new("RGB", (4, 4)).save(tmp_path / "train2014" / f"{i}.jpg")
        entries.append({"filename": f"{i}.jpg", "filepath": "train2014", "split": split, "sentences": [{"raw": f"image {i}"}]})
    (tmp_path / "dataset_coco.json").write_text(json.dumps({"images": entries}))
    coco = read_captioned(f"coco-captions:{tmp_path}")
    assert (coco.train.tolist(), coco.validation.tolist(), coco.test.tolist()) == ([0, 1], [2], [3])
    with pytest.raises(InputError, match="There is no folder 'absent'"):
        read_captioned("coco-captions:absent")
