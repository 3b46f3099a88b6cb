import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from tests.training.conftest import write_images
from torch.utils.data import DataLoader

from likeness.errors import InputError
from likeness.samplers import MPerClassBatches
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
    assert sorted(set(images.labels[images.train])) == [0, 1, 2]
    assert sorted(set(images.labels[images.test])) == [3, 4, 5]
    assert len(images.train) + len(images.test) == 36
    for row in (0, 17, 35):
        assert images.table.frame["class"][row] == images.names[images.labels[row]]


@pytest.mark.parametrize("validation", [0.5, 2])
def test_whole_classes_validate(photos: Path, validation: float) -> None:
    config = DataConfig(source=str(photos), train_classes=0.7, validation=validation)
    images, again = run_images(config, 0), run_images(config, 0)
    parts = [set(images.labels[rows]) for rows in (images.train, images.validation, images.test)]
    assert parts == [{0, 1}, {2, 3}, {4, 5}]
    assert sorted([*images.train, *images.validation, *images.test]) == list(range(36))
    assert images.train_classes == images.names[:2]
    assert images.names[4:] == ["class 4", "class 5"]
    for row in (0, 17, 35):
        assert images.table.frame["class"][row] == images.names[images.labels[row]]
    np.testing.assert_array_equal(images.validation, again.validation)
    assert len({tuple(run_images(config, seed).names[2:4]) for seed in range(6)}) > 1


@pytest.mark.parametrize(("validation", "held"), [(0.3, 1), (0.9, 4), (3, 3)])
def test_a_validation_that_leaves_too_few_classes_is_refused(photos: Path, validation: float, held: int) -> None:
    with pytest.raises(InputError, match=f"data.validation {validation:g} holds {held} of 4 training classes out; two at least are judged"):
        run_images(DataConfig(source=str(photos), train_classes=0.7, validation=validation), 0)


def test_fewer_images_of_each_class(photos: Path) -> None:
    images = run_images(DataConfig(source=str(photos), per_class=4), 0)
    assert np.bincount(images.labels).tolist() == [4] * 6
    assert len(images.table) == 24


def test_the_official_split_of_a_papers_dataset(tmp_path: Path) -> None:
    """CUB200's classes are ordered by their numbers, not by their names."""
    from tests.data.conftest import write_cub200

    source = f"cub200:{write_cub200(tmp_path / 'cub')}"
    images = run_images(DataConfig(source=source, split="official", attribute="bird_species"), 0)
    assert images.train_classes == ["Black footed Albatross", "Laysan Albatross"]
    assert images.names[2:] == ["Pájaro Azul", "Shiny Cowbird"]
    assert (len(images.train), len(images.test)) == (3, 3)
    assert set(images.labels[images.test]) == {2, 3}
    with pytest.raises(InputError, match="has no official split; name a paper's dataset"):
        run_images(DataConfig(source=str(tmp_path), split="official"), 0)


def test_two_attributes_make_combined_classes(tmp_path: Path, photos: Path) -> None:
    paths = [f"photos/class {number}/{image}.png" for image in range(2) for number in range(6)]
    frame = pd.DataFrame({"path": paths, "color": ["red", "red", "blue", "blue", "red", "blue"] * 2, "kind": ["a", "b", "a", "b", "c", "c"] * 2})
    frame.to_csv(tmp_path / "list.csv", index=False)
    images = run_images(DataConfig(source=str(tmp_path / "list.csv"), attribute=("color", "kind")), 0)
    assert images.names == ["blue a", "blue b", "blue c", "red a", "red b", "red c"]
    assert [images.names[label] for label in images.labels] == ["red a", "red b", "blue a", "blue b", "red c", "blue c"] * 2


def test_what_cannot_be_divided_is_refused(tmp_path: Path, photos: Path) -> None:
    with pytest.raises(InputError, match="has no attribute 'species'; it has class"):
        run_images(DataConfig(source=str(photos), attribute="species"), 0)
    with pytest.raises(InputError, match="3 classes; 2 to train and 1 to test are too few"):
        run_images(DataConfig(source=str(write_images(tmp_path / "few", classes=3))), 0)
    frame = pd.DataFrame({"path": ["photos/class 0/0.png", "photos/class 1/0.png"], "kind": ["a", None]})
    frame.to_csv(tmp_path / "gaps.csv", index=False)
    with pytest.raises(InputError, match="has 1 classes; 0 to train and 1 to test are too few"):
        run_images(DataConfig(source=str(tmp_path / "gaps.csv"), attribute="kind"), 0)


def test_images_without_a_label_neither_train_nor_test(tmp_path: Path, photos: Path) -> None:
    paths = [f"photos/class {label}/{number}.png" for label in range(4) for number in range(2)]
    kinds = [str(path).split("/")[1] for path in paths]
    kinds[3], kinds[6] = "(unlabeled)", ""
    pd.DataFrame({"path": paths, "kind": kinds}).to_csv(tmp_path / "list.csv", index=False)
    images = run_images(DataConfig(source=str(tmp_path / "list.csv"), attribute="kind"), 0)
    assert (images.names, images.left_out) == ([f"class {label}" for label in range(4)], 2)
    assert images.labels.tolist() == [0, 0, 1, -1, 2, 2, -1, 3]
    assert sorted([*images.train, *images.validation, *images.test]) == [0, 1, 2, 4, 5, 7]


def test_batches_show_crops_in_training_and_the_middle_without_augmentation(photos: Path) -> None:
    images = run_images(DataConfig(source=str(photos), image_size=16), 0)
    pixels = np.random.default_rng(0).integers(0, 255, (36, 18, 18, 3)).astype(np.uint8)
    batches = MPerClassBatches(images.labels[images.train], 4, 2)
    plain = Batches(pixels, images, batches, 16, augment=False, seed=0)
    shown, labels, rows = plain[3].cut(16)
    np.testing.assert_array_equal(rows.numpy(), images.train[batches.batch(3)])
    np.testing.assert_array_equal(labels.numpy(), images.labels[rows.numpy()])
    np.testing.assert_allclose(shown[2].permute(1, 2, 0).numpy(), pixels[rows[2], 1:17, 1:17] / 255, atol=1e-6)
    cropped = Batches(pixels, images, batches, 16, augment=True, seed=0)
    assert not np.allclose(cropped[3].cut(16)[0], shown)
    np.testing.assert_array_equal(cropped[3].cut(16)[0], cropped[3].cut(16)[0])
    features = np.random.default_rng(0).standard_normal((36, 5)).astype(np.float32)
    np.testing.assert_array_equal(Batches(features, images, batches, 16, True, 0)[3].cut(16)[0].numpy(), features[rows])


def test_a_second_view_is_another_crop_of_the_same_images_and_features_have_none(photos: Path) -> None:
    images = run_images(DataConfig(source=str(photos), image_size=16), 0)
    rng = np.random.default_rng(0)
    pixels, features = rng.integers(0, 255, (36, 18, 18, 3)).astype(np.uint8), rng.standard_normal((36, 5)).astype(np.float32)
    batches = MPerClassBatches(images.labels[images.train], 4, 2)
    for augment in (True, False):
        plain, both = (Batches(pixels, images, batches, 16, augment, 0, views) for views in (False, True))
        assert len(plain[3].cut(16)) == 3
        shown, labels, rows, view = both[3].cut(16)
        for found, expected in zip((shown, labels, rows), plain[3].cut(16), strict=True):
            np.testing.assert_array_equal(found, expected)
        crops = random_crops(4, np.random.default_rng([0, 3, 3]))
        np.testing.assert_array_equal(view, cut_crops(torch.from_numpy(pixels[rows]), crops, 16))
        assert not np.allclose(view, shown)
    assert len(Batches(features, images, batches, 16, True, 0, views=True)[3].cut(16)) == 3


def test_what_remains_of_a_run_has_the_whole_runs_length() -> None:
    sampler = ResumeSampler(4, 9)
    assert (len(sampler), list(sampler)) == (9, [4, 5, 6, 7, 8])
    assert len(DataLoader(list(range(9)), batch_size=None, sampler=sampler)) == 9


def test_the_parts_of_several_processes_are_the_batch_of_one(photos: Path) -> None:
    images = run_images(DataConfig(source=str(photos), image_size=16), 0)
    rng = np.random.default_rng(0)
    pixels, features = rng.integers(0, 255, (36, 18, 18, 3)).astype(np.uint8), rng.standard_normal((36, 5)).astype(np.float32)
    batches = MPerClassBatches(images.labels[images.train], 6, 2)
    for inputs, augment in ((pixels, True), (pixels, "jitter"), (pixels, "mirror"), (pixels, False), (features, True)):
        whole = Batches(inputs, images, batches, 16, augment, 0, views=True)[3].cut(16)
        parts = [Batches(inputs, images, batches, 16, augment, 0, views=True, dist=DistContext(rank, 3))[3].cut(16) for rank in range(3)]
        for number, expected in enumerate(whole):
            every = [part[number] for part in parts]
            if number in (1, 2):  # labels and rows are those of the whole batch
                assert all(torch.equal(each, expected) for each in every)
            else:
                assert torch.equal(torch.cat(every), expected)


def test_another_process_maps_the_images_instead_of_getting_a_copy(photos: Path) -> None:
    images = run_images(DataConfig(source=str(photos), image_size=16), 0)
    batches = MPerClassBatches(images.labels[images.train], 4, 2)
    own = Batches(load_pixels(images.table, 16), images, batches, 16, True, 0)
    content = pickle.dumps(own)
    assert own.inputs[:1].tobytes() not in content
    for found, expected in zip(pickle.loads(content)[2].cut(16), own[2].cut(16), strict=True):
        assert torch.equal(found, expected)
