import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image
from tests.training.conftest import write_images
from torch.utils.data import DataLoader

from likeness.errors import InputError
from likeness.labels import LabelsConfig
from likeness.samplers import MPerClassBatches
from likeness.shifts import splits_from, write_splits
from likeness.training.config import DataConfig
from likeness.training.data.batches import Batches, ResumeSampler
from likeness.training.data.crops import cut_crops, random_crops
from likeness.training.data.pixels import load_pixels
from likeness.training.data.run_images import run_images
from likeness.training.dist_context import DistContext


def test_the_first_classes_train_and_the_others_test(photos: Path) -> None:
    images = run_images(DataConfig(source=str(photos)), seed=0)
    assert images.names == [f"class {number}" for number in range(6)]
    assert images.train_classes == ["class 0", "class 1", "class 2"]
    assert [sorted(set(images.labels[rows])) for rows in (images.train, images.test)] == [[0, 1, 2], [3, 4, 5]]
    assert len(images.train) + len(images.test) == 36
    assert images.table.frame["class"].tolist() == [images.names[label] for label in images.labels]
    fewer = run_images(DataConfig(source=str(photos), per_class=4), 0)
    assert np.bincount(fewer.labels).tolist() == [4] * 6
    assert len(fewer.table) == 24


@pytest.mark.parametrize("validation", [0.5, 2])
def test_whole_classes_validate(photos: Path, validation: float) -> None:
    config = DataConfig(source=str(photos), train_classes=0.7, validation=validation)
    images, again = run_images(config, 0), run_images(config, 0)
    parts = [set(images.labels[rows]) for rows in (images.train, images.validation, images.test)]
    assert parts == [{0, 1}, {2, 3}, {4, 5}]
    assert sorted([*images.train, *images.validation, *images.test]) == list(range(36))
    assert images.train_classes == images.names[:2]
    assert images.names[4:] == ["class 4", "class 5"]
    assert images.table.frame["class"].tolist() == [images.names[label] for label in images.labels]
    np.testing.assert_array_equal(images.validation, again.validation)
    assert len({tuple(run_images(config, seed).names[2:4]) for seed in range(6)}) > 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"validation": 0.3}, "data.validation 0.3 holds out 1 of 4 training classes; validation and training need two each"),
        ({"validation": 0.9}, "data.validation 0.9 holds out 4 of 4 training classes; validation and training need two each"),
        ({"validation": 3}, "data.validation 3 holds out 3 of 4 training classes; validation and training need two each"),
        ({"attribute": "species"}, "has no attribute 'species'; it has class"),
        ({"split": "official"}, "has no official split; name a paper's dataset"),
        ({"source": "few"}, "3 classes; 2 for training and 1 for testing are too few"),
        ({"source": "gaps.csv", "attribute": "kind"}, "has 1 classes; 1 for training and 0 for testing are too few"),
    ],
)
def test_what_cannot_be_divided_is_refused(tmp_path: Path, photos: Path, changes: dict[str, Any], message: str) -> None:
    write_images(tmp_path / "few", classes=3)
    frame = pd.DataFrame({"path": ["photos/class 0/0.png", "photos/class 1/0.png"], "kind": ["a", None]})
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    source = tmp_path / changes["source"] if "source" in changes else photos
    with pytest.raises(InputError, match=message):
        run_images(DataConfig(**{"train_classes": 0.7} | changes | {"source": str(source)}), 0)


def test_the_official_split_of_a_papers_dataset(tmp_path: Path) -> None:
    """CUB200's classes are ordered by their numbers, not by their names."""
    from tests.data.conftest import write_cub200

    source = f"cub200:{write_cub200(tmp_path / 'cub')}"
    images = run_images(DataConfig(source=source, split="official", attribute="bird_species"), 0)
    assert images.train_classes == ["Black footed Albatross", "Laysan Albatross"]
    assert images.names[2:] == ["Pájaro Azul", "Shiny Cowbird"]
    assert (len(images.train), len(images.test)) == (3, 3)
    assert set(images.labels[images.test]) == {2, 3}


def test_images_without_a_label_neither_train_nor_test(tmp_path: Path, photos: Path) -> None:
    paths = [f"photos/class {label}/{number}.png" for label in range(4) for number in range(2)]
    kinds = [str(path).split("/")[1] for path in paths]
    kinds[3], kinds[6] = "(unlabeled)", ""
    pd.DataFrame({"path": paths, "kind": kinds}).to_csv(tmp_path / "list.csv", index=False)
    images = run_images(DataConfig(source=str(tmp_path / "list.csv"), attribute="kind"), 0)
    assert (images.names, images.left_out) == ([f"class {label}" for label in range(4)], 2)
    assert images.labels.tolist() == [0, 0, 1, -1, 2, 2, -1, 3]
    assert sorted([*images.train, *images.validation, *images.test]) == [0, 1, 2, 4, 5, 7]


def _inputs() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.integers(0, 255, (36, 18, 18, 3)).astype(np.uint8), rng.standard_normal((36, 5)).astype(np.float32)


def test_batches_show_crops_in_training_the_middle_without_augmentation_and_second_views(photos: Path) -> None:
    images, (pixels, features) = run_images(DataConfig(source=str(photos), image_size=16), 0), _inputs()
    batches = MPerClassBatches(images.labels[images.train], 4, 2)
    shown, labels, rows = Batches(pixels, images, batches, 16, augment=False, seed=0)[3].cut(16)
    np.testing.assert_array_equal(rows.numpy(), images.train[batches.batch(3)])
    np.testing.assert_array_equal(labels.numpy(), images.labels[rows.numpy()])
    np.testing.assert_allclose(shown[2].permute(1, 2, 0).numpy(), pixels[rows[2], 1:17, 1:17] / 255, atol=1e-6)
    cropped = Batches(pixels, images, batches, 16, augment=True, seed=0)
    assert not np.allclose(cropped[3].cut(16)[0], shown)
    np.testing.assert_array_equal(cropped[3].cut(16)[0], cropped[3].cut(16)[0])
    of_features = Batches(features, images, batches, 16, True, 0, views=True)[3].cut(16)
    assert len(of_features) == 3  # which have no second view
    np.testing.assert_array_equal(of_features[0].numpy(), features[rows])
    for augment in (True, False):
        plain, both = (Batches(pixels, images, batches, 16, augment, 0, views)[3].cut(16) for views in (False, True))
        assert (len(plain), len(both)) == (3, 4)
        for found, expected in zip(both, plain, strict=False):
            np.testing.assert_array_equal(found, expected)
        crops = random_crops(4, np.random.default_rng([0, 3, 3]))
        np.testing.assert_array_equal(both[3], cut_crops(torch.from_numpy(pixels[rows]), crops, 16))
        assert not np.allclose(both[3], both[0])


def test_the_parts_of_several_processes_are_the_batch_of_one(photos: Path) -> None:
    images, (pixels, features) = run_images(DataConfig(source=str(photos), image_size=16), 0), _inputs()
    batches = MPerClassBatches(images.labels[images.train], 6, 2)
    for inputs, augment in ((pixels, True), (pixels, "jitter"), (pixels, "mirror"), (pixels, False), (features, True)):
        whole = Batches(inputs, images, batches, 16, augment, 0, views=True)[3].cut(16)
        parts = [Batches(inputs, images, batches, 16, augment, 0, views=True, dist=DistContext(rank, 3))[3].cut(16) for rank in range(3)]
        for number, (expected, *every) in enumerate(zip(whole, *parts, strict=True)):
            if number in (1, 2):  # labels and rows are those of the whole batch
                assert all(torch.equal(each, expected) for each in every)
            else:
                assert torch.equal(torch.cat(every), expected)


def test_what_remains_of_a_run_has_the_whole_runs_length() -> None:
    sampler = ResumeSampler(4, 9)
    assert (len(sampler), list(sampler)) == (9, [4, 5, 6, 7, 8])
    assert len(DataLoader(list(range(9)), batch_size=None, sampler=sampler)) == 9


def test_another_process_maps_the_images_instead_of_getting_a_copy(photos: Path) -> None:
    images = run_images(DataConfig(source=str(photos), image_size=16), 0)
    batches = MPerClassBatches(images.labels[images.train], 4, 2)
    own = Batches(load_pixels(images.table, 16), images, batches, 16, True, 0)
    content = pickle.dumps(own)
    assert own.inputs[:1].tobytes() not in content
    for found, expected in zip(pickle.loads(content)[2].cut(16), own[2].cut(16), strict=True):
        assert torch.equal(found, expected)


@pytest.fixture
def splits(tmp_path: Path) -> Path:
    easy = {"name": "start", "distance": 1.0, "train": [f"class {n}" for n in (5, 0, 2, 4)], "test": ["class 1", "class 3"]}
    hard = {"name": "removal 1", "distance": 2.0, "train": ["class 0", "class 4"], "test": ["class 3", "class 5"]}
    content = {"version": 1, "dataset": "photos", "splits": [easy | {"tuning": ["class 4", "class 0"]}, hard]}
    write_splits(tmp_path / "splits.json", splits_from(content))
    return tmp_path / "splits.json"


def _config(photos: Path, file: Path, **more: Any) -> DataConfig:
    return DataConfig(**({"source": str(photos), "split": "file", "splits": str(file), "shift": "start"} | more))


def _sides(images: Any) -> tuple[list[str], list[str]]:
    names = np.array(images.names)
    return [sorted(set(names[images.labels[rows]])) for rows in (images.train, images.test)]  # type: ignore[return-value]


def test_classes_are_divided_as_the_file_says(photos: Path, splits: Path) -> None:
    images = run_images(_config(photos, splits), 0)
    assert images.names == [f"class {n}" for n in (0, 2, 4, 5, 1, 3)]
    assert images.train_classes == images.names[:4]
    assert (len(images.train), len(images.test)) == (24, 12)
    assert images.table.frame["class"].tolist() == [images.names[label] for label in images.labels]
    part = run_images(_config(photos, splits, shift="removal 1"), 0)  # what takes no part stays in the table
    assert len(part.table) == 36
    assert sorted(part.used) == sorted([*part.train, *part.test])
    assert _sides(part) == [["class 0", "class 4"], ["class 3", "class 5"]]
    assert set(part.table.frame["class"].iloc[part.labels == -1]) == {"class 1", "class 2"}
    fewer = run_images(_config(photos, splits, per_class=3), 0)
    assert len(fewer.table) == 36
    assert np.bincount(fewer.labels[fewer.used]).tolist() == [3] * 6
    assert _sides(run_images(_config(photos, splits, tuning=True), 0)) == [["class 2", "class 5"], ["class 0", "class 4"]]
    held = run_images(_config(photos, splits, tuning="validation"), 0)
    parts = [sorted({held.names[number] for number in held.labels[rows]}) for rows in (held.train, held.validation, held.test)]
    assert parts == [["class 2", "class 5"], ["class 0", "class 4"], ["class 1", "class 3"]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shift": "removal 1", "tuning": True}, "has no tuning classes"),
        ({"shift": "end"}, "no split 'end' of photos; there are start, removal 1"),
        (
            {"splits": "cars196-oodml"},
            r"has no class 'AM General Hummer SUV 2000', which the split 'start' of 'cars196-oodml' names, and 195 more",
        ),
    ],
)
def test_a_split_that_does_not_fit_is_named(photos: Path, splits: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_images(_config(photos, splits, **changes), 0)


@pytest.mark.parametrize(("test", "other"), [("test", "val"), ("validation", None), ("Testing", None)])
def test_folders_of_parts_divide_images_that_have_no_classes(tmp_path: Path, test: str, other: str | None) -> None:
    for part, count in (("train", 5), (test, 4), *([(other, 3)] if other else [])):
        (tmp_path / part).mkdir()
        for number in range(count):
            Image.new("RGB", (8, 8)).save(tmp_path / part / f"{number}.png")
    np.save(tmp_path / "distances.npy", np.zeros((12, 12) if other else (9, 9)))
    labels = LabelsConfig(kind="matrix", file=str(tmp_path / "distances.npy"))
    images = run_images(DataConfig(source=str(tmp_path), split="images", labels=labels), 0)
    parts = images.table.frame["split"]
    assert (parts[images.test] == test).all()
    assert len(images.test) == 4
    assert (parts[np.concatenate([images.train, images.validation])] == "train").all()


def _of_sizes(folder: Path, sizes: list[int]) -> DataConfig:
    """Images of classes 0, 1 ... of so many images; the first half trains."""
    for name, size in enumerate(sizes):
        (folder / str(name)).mkdir()
        for number in range(size):
            Image.new("RGB", (8, 8)).save(folder / str(name) / f"{number}.png")
    return DataConfig(source=str(folder))


@pytest.mark.parametrize(
    ("sizes", "validation", "message"),
    [
        ([3, 3, 3, 1, 1, 1], 0, r"Each of the 3 test classes of '.*' has only one image, so nothing can be retrieved"),
        ([1, 1, 1, 1, 1, 2, 2, 2, 2, 2], 2, "Each of the 2 validation classes"),
    ],
)
def test_classes_of_one_image_each_are_refused(tmp_path: Path, sizes: list[int], validation: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_images(_of_sizes(tmp_path, sizes).model_copy(update={"validation": validation}), 0)


@pytest.mark.parametrize(
    ("sizes", "note"),
    [
        ([2, 2, 2, 2], ""),
        ([1, 2, 2, 2], ""),
        ([2, 2, 1, 3], "1 of 4 test images is the only one of its class: recall counts a miss, and"),
        ([2, 2, 2, 1, 3, 1], "2 of 5 test images are the only ones of their classes"),
    ],
)
def test_test_images_that_are_alone_in_their_class_are_counted(tmp_path: Path, sizes: list[int], note: str) -> None:
    found = run_images(_of_sizes(tmp_path, sizes), 0).lone_note
    assert found.startswith(note)
    assert bool(found) == bool(note)
