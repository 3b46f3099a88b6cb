"""Passes of images through the network of a benchmark: a case by hand, and laws."""

from likeness.shifts import ClassSplit
from likeness.studies import image_passes
from likeness.training import RunConfig, config_from

IMAGES = {"a": 10, "b": 20, "c": 5, "d": 7}
SPLITS = [
    ClassSplit(name="start", distance=0.1, train=("a", "b"), test=("c", "d")),
    ClassSplit(name="far", distance=0.2, train=("a", "c"), test=("b", "d")),
]


def _config(epochs: int, head_only: bool = False) -> RunConfig:
    return config_from({"backbone": {"head_only": head_only}, "batch": {"size": 8, "per_class": 2}, "epochs": epochs})


def test_a_case_by_hand() -> None:
    # 30 images are three steps of 8, 15 are one
    trained = 2 * ((3 * 4 * 24 + 12) + (3 * 4 * 8 + 27))
    raw = 12 + 27
    assert image_passes([_config(4), _config(0)], SPLITS, 2, IMAGES) == trained + raw


def test_embedding_layers_share_one_pass_over_all_images() -> None:
    rows = [_config(4, head_only=True), _config(9, head_only=True)]
    assert image_passes(rows, SPLITS, 2, IMAGES) == image_passes(rows[:1], SPLITS, 7, IMAGES) == 42


def test_passes_add_up_over_splits_and_rows() -> None:
    rows = [_config(3), _config(5)]
    assert image_passes(rows, SPLITS, 3, IMAGES) == 3 * sum(image_passes([row], [split], 1, IMAGES) for row in rows for split in SPLITS)
    assert image_passes([], SPLITS, 3, IMAGES) == 0
