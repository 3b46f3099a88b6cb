"""What the report of a notion says."""

from pathlib import Path

import numpy as np
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.evaluation import retrieval_metrics
from likeness.notions import get_notion
from likeness.reports import ReportOptions, notion_report
from likeness.reports.figures import METRICS
from likeness.space import Space
from worlds import cars

PCA = ReportOptions(layout="pca", images=50)


def test_figures_stand_beside_the_raw_encoder_and_a_control() -> None:
    color = get_notion("car color")
    report = notion_report(cars(), color, PCA)
    judged, trust = report.tables
    rows = {name: values for name, *values in judged.rows}
    labels = cars().table.frame["car_color"]
    for name, space in (("Raw encoder", cars()), (color.name, cars().refit(color))):
        expected = retrieval_metrics(space.vectors, labels, ks=(1, 10))
        assert rows[name] == [f"{expected[metric]:.3f}" for metric in METRICS]
    assert float(rows["Random directions"][0].partition(" ")[0]) < float(rows["Raw encoder"][0]) < float(rows[color.name][0])
    assert trust.note == "The encoder reads this notion in these images."
    assert report.first[0] == "car_color"


def test_images_are_drawn_and_their_neighbors_are_the_nearest_of_those_shown() -> None:
    report = notion_report(cars(), get_notion("car color"), PCA)
    assert (len(report.table), report.total) == (50, 2000)
    drawn = np.sort(np.random.default_rng(0).permutation(2000)[:50])
    assert report.table.frame["path"].tolist() == cars().table.frame["path"].iloc[drawn].tolist()
    similarities = cars().vectors[drawn] @ cars().vectors[drawn].T
    np.fill_diagonal(similarities, -2)
    assert np.array_equal(report.views[0].rows, np.argsort(-similarities, axis=1)[:, :8])


def test_without_labels_trust_and_the_best_words_are_told_and_joined_notions_say_their_parts() -> None:
    bare = Space(cars().vectors, [cars().table.file(row) for row in range(len(cars()))], encoder="cars", embed_texts=cars().embed_texts)
    report = notion_report(bare, get_notion("car color"), PCA)
    assert [table.title for table in report.tables] == ["Without labels"]
    assert report.first == ["Best word of car color"]
    assert set(report.table.frame["Best word of car color"]) <= set(get_notion("car color").aspects)
    joined = get_notion("car color") + 0.5 * get_notion("car model") - get_notion("background color")
    names = [name for name, _ in notion_report(cars(), joined, PCA).facts]
    assert names[:3] == ["+ car color", "+ 0.5 × car model", "− background color"]


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    color = get_notion("car color")
    for make, message in (
        (lambda: notion_report(cars(), color, ReportOptions(color="weight")), "no attribute 'weight' to color by"),
        (lambda: notion_report(Space(np.eye(4)), color), "have no images"),
        (lambda: ReportOptions(images=2), "from 3 to"),
        (lambda: ReportOptions(megabytes=float("nan")), "megabytes is nan"),
        (lambda: ReportOptions(layout="map"), "no layout method 'map'"),
        (lambda: notion_report(cars(), color, ReportOptions(layout="pca", should_stop=lambda: True)), "stopped"),
        (lambda: lk.report(cars(), tmp_path / "x.html"), "either a space and a notion, or only a run"),
    ):
        with pytest.raises(InputError, match=message):
            make()
