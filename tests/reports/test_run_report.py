"""The report of a trained run."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.evaluation import continuous_metrics
from likeness.reports import ReportOptions, report_html, run_report
from likeness.reports.run_report import _LABEL_METRICS, _judged
from likeness.training import RunFolder, checkpoint_figures, presets, read_config, run_images


@pytest.mark.long
def test_a_run_beside_the_raw_encoder_on_images_that_it_has_not_seen(tmp_path: Path) -> None:
    run = lk.train("shipped-cars-elg", tmp_path / "a secret place" / "mine", epochs=2)
    report = run_report(run, ReportOptions(layout="pca", images=60))
    images = run_images(run.config().data, run.config().seed)
    assert report.total == len(images.test)
    tested = set(images.table.frame["path"].iloc[images.test])
    assert set(report.table.frame["path"]) <= tested
    rows = {name: values for name, *values in report.tables[0].rows}
    best = checkpoint_figures(run.metrics(), run.config().selection_metric, "best")
    assert float(rows["mine"][0]) == pytest.approx(best["map_at_r"], abs=6e-4)
    assert float(rows["mine"][0]) > float(rows["Raw encoder (cars)"][0])
    assert "The network before training" in rows
    assert [curve.title for curve in report.curves] == ["R@1", "MAP@R", "Training loss"]
    page = report_html(report).decode()
    assert "attribute" in page
    assert "a secret place" not in page
    assert page.count("<figure><svg") == 3


def test_where_all_test_images_are_queries_each_searches_all_others() -> None:
    rng, own = np.random.default_rng(0), np.arange(12)
    known, raw, trained = rng.random((12, 12)), rng.random((12, 3)), rng.random((12, 3))
    images: Any = SimpleNamespace(names=[], queries=own, distances=SimpleNamespace(between=lambda a, b: known[np.ix_(a, b)]))
    found = _judged(*(SimpleNamespace(vectors=each) for each in (raw, trained)), own, images)  # type: ignore[arg-type]
    for vectors, figures in zip((raw, trained), found, strict=False):
        expected = continuous_metrics(known, vectors, vectors, (1, 10), exclude=own)
        assert figures == [expected[name] for name in _LABEL_METRICS]


def test_what_is_no_trained_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no run in"):
        run_report(tmp_path / "none")
    run = RunFolder(tmp_path / "new")
    run.create(read_config(presets()["shipped-cars-elg"]))
    with pytest.raises(InputError, match="has no weights yet"):
        run_report(run)
