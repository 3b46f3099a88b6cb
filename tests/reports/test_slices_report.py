"""What the report of a model's errors says and shows."""

from pathlib import Path

import numpy as np
import pytest

from likeness import Space
from likeness.errors import InputError
from likeness.reports import ReportOptions, report_html, slices_report
from likeness.slices import Slices, failing_slices
from small_report import small_table

OPTIONS = ReportOptions(layout="pca", images=10)
GUESS, TRUTH = np.array(["cat", "dog"] * 20), np.array(["cat"] * 40)


@pytest.fixture
def space(tmp_path: Path) -> Space:
    """Forty images; the model errs at every second one, and most in the last ten."""
    table = small_table(tmp_path / "images", guess=GUESS, truth=TRUTH, place=["here"] * 20 + ["there"] * 20)
    return Space(np.random.default_rng(0).standard_normal((40, 5)), table)


@pytest.fixture
def found(space: Space) -> Slices:
    errors = np.where(np.arange(40) < 20, 0.0, 1.0 + np.arange(40) / 40)
    return failing_slices(space.table.frame[["place"]], errors)


def test_each_slice_has_its_figures_and_its_worst_images_which_are_shown(space: Space, found: Slices) -> None:
    report = slices_report(space, found, "guess", "truth", options=OPTIONS)
    (table,), ((title, note, rows, captions),), (line,) = report.tables, report.pictures, found.table.itertuples()
    assert (report.title, report.lead) == ("Guess", found.answer)
    assert table.rows[0] == ["Place: there", "20", "1.74", "0", "1.74", f"{line.low:.3g} to {line.high:.3g}", f"{line.p:.2g}"]
    assert (title, note) == ("Place: there", found.sentences[0])
    shown = report.table.frame
    worst = shown["path"].iloc[rows].tolist()
    assert worst == [f"{row}.png" for row in range(39, 27, -1)]
    assert captions == ["dog → cat", "cat → cat"] * 6
    assert (shown["Failing slice"] == "place: there").tolist() == (shown["place"] == "there").tolist()
    drawn = np.sort(np.random.default_rng(0).permutation(40)[:10])
    assert set(shown["path"]) == {f"{row:02}.png" for row in [*drawn, *range(28, 40)]}
    assert report.first == ["Failing slice", "guess", "truth"]
    assert len(report.views) == 1
    page = report_html(report).decode()
    assert f'["Place: there","{found.sentences[0]}",' in page
    assert f"{len(shown)} of 40 images are shown, those above and others drawn at random (seed 0)" in page


def test_without_slices_it_says_so_and_without_images_it_is_refused(space: Space) -> None:
    none = failing_slices(space.table.frame[["place"]], np.tile([0.0, 1.0], 20))
    report = slices_report(space, none, "guess", options=OPTIONS)
    assert (report.tables, report.pictures, report.first) == ([], [], ["guess"])
    assert " none of " in report.lead
    with pytest.raises(InputError, match="have no images, and a report shows pictures"):
        slices_report(Space(np.eye(40), labels={"guess": GUESS}), none, "guess")
