from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.labels import NumberLabels
from likeness.samplers import MPerClassBatches
from likeness.training.config import read_config, with_changes
from likeness.training.data.run_images import RunImages
from likeness.training.preview import (
    class_overview,
    example_queries,
    example_rows,
    fitting_batch,
    has_classifier,
    pseudolabel_config,
    summarize_similarities,
)

LABELS = np.array([1, 0, -1, 2, 1, 0, 1, 3])


def _images(**parts: object) -> RunImages:
    table = ImageTable("few", Path("/"), pd.DataFrame({"path": [f"{row}.png" for row in range(8)]}))
    given = {"train": np.array([0, 1, 4, 5, 6]), "validation": np.array([], np.int64), "test": np.array([3, 7]), "labels": LABELS}
    return RunImages(table, ["ant", "bee", "cat", "dog"], **(given | parts))  # type: ignore[arg-type]


def test_classes_with_their_part_and_number_of_images_and_these_by_their_place() -> None:
    images = _images()
    expected = [("ant", "trains", 2), ("bee", "trains", 3), ("cat", "tests", 1), ("dog", "tests", 1)]
    assert list(class_overview(images).itertuples(index=False, name=None)) == expected
    of_class = [[row for row in range(8) if LABELS[row] == number] for number in range(4)]
    for place in range(4):
        assert example_rows(images, 4, place) == [rows[place] if place < len(rows) else None for rows in of_class]
    # images of no class come first in the order of labels, and belong to none
    assert example_rows(images, 2, 0) == [1, 0]


def test_queries_have_their_nearest_by_label(tmp_path: Path) -> None:
    years = np.array([[4.0], [9.0], [1.0], [5.0], [2.0], [8.0], [0.0], [6.0]])
    images = _images(test=np.arange(8), queries=np.array([0, 3, 5]), labels=np.zeros(8, int), distances=NumberLabels(years))
    queries, nearest = example_queries(images, 2, 3)
    assert queries.tolist() == [0, 5]
    for query, found in zip(queries, nearest, strict=True):
        assert found.tolist() == sorted([1, 2, 4, 6, 7], key=lambda row: abs(years[row, 0] - years[query, 0]))[:3]
    with pytest.raises(InputError, match="no continuous labels"):
        example_queries(_images(), 2, 3)


def test_the_summary_against_all_pairs() -> None:
    names = list("abcde")
    similarities = np.random.default_rng(0).uniform(size=(5, 5))
    similarities = (similarities + similarities.T) / 2
    pairs = {(names[i], names[j]): similarities[i, j] for i in range(5) for j in range(i + 1, 5)}
    found = summarize_similarities(similarities, names)
    assert found.nearest == (*max(pairs, key=lambda pair: pairs[pair]), pytest.approx(max(pairs.values())))
    assert found.farthest == (*min(pairs, key=lambda pair: pairs[pair]), pytest.approx(min(pairs.values())))
    assert (found.mean, found.deviation) == (pytest.approx(np.mean(list(pairs.values()))), pytest.approx(np.std(list(pairs.values()))))


def test_pseudolabels_of_classes_whatever_guidance_the_config_has_and_clip_has_no_classifier() -> None:
    config = read_config("shipped-cars-elg")
    for guided in (config, with_changes(config, {"guidance": None})):
        assert pseudolabel_config(guided).guidance.kind == "plg"
    config = pseudolabel_config(config)
    named = [{}, {"guidance.classifier": {"name": "resnet18"}}, {"backbone.name": "resnet18"}]
    assert [has_classifier(with_changes(config, changes)) for changes in named] == [False, True, True]


@pytest.mark.parametrize("classes", [4, 6, 10, 40, 200])
def test_batches_are_made_to_fit_the_classes_where_they_do_not(classes: int) -> None:
    config = read_config("shipped-cars-elg")
    labels = pd.Series(np.arange(classes * 10) % classes)
    changes = fitting_batch(config, labels)
    assert bool(changes) == (classes // 2 < 24)
    fitted = with_changes(config, changes).batch
    MPerClassBatches(labels[labels < classes // 2], fitted.size, fitted.per_class)
    assert fitted.size <= config.batch.size
    assert fitting_batch(with_changes(config, changes), labels) == {}
    assert fitting_batch(config, pd.Series([0, 1, 1])) == {}  # fewer than two that train are left to the run to refuse
