"""Figures that each draw one table: what stands where, and what is refused."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.evaluation import by_split, generalization_scores, structure_correlations
from likeness.plots import (
    class_heat_maps,
    class_sides,
    distance_curve,
    few_shot_bars,
    few_shot_curves,
    generalization_bars,
    generalization_curves,
    retrieved_bars,
    score_histogram,
    structure_scatter,
)


def _frame(columns: str, *rows: tuple[object, ...]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=columns.split())


CLASSES = _frame(
    "name x y side moved",
    *(("red", 0.0, 0.0, "train", False), ("blue", 1.0, 2.0, "test", True), ("green", 3.0, 4.0, "train", True), ("gray", 10.0, 1.0, "out", False)),
)


def test_each_side_has_its_classes_with_their_names_and_other_sides_leave_the_view_as_it_is() -> None:
    figure, other = class_sides(CLASSES), class_sides(CLASSES.assign(side="train", moved=False))
    train, test, out, moved = figure.data
    assert (train.name, list(train.x), list(train.y), list(train.hovertext)) == ("Trains", [0, 3], [0, 4], ["red", "green"])
    assert (test.name, list(test.hovertext), out.name, list(out.hovertext)) == ("Tests", ["blue"], "Taken out", ["gray"])
    assert (list(moved.x), list(moved.y), moved.marker.symbol) == ([1, 3], [2, 4], "circle-open")
    assert len({trace.marker.color for trace in (train, test, out, moved)}) == 4
    assert len({trace.marker.symbol for trace in (train, test, out)}) == 3
    assert all(figure.layout[axis].range == other.layout[axis].range for axis in ("xaxis", "yaxis"))
    assert [trace.name for trace in figure.data] == [trace.name for trace in other.data]
    assert list(other.data[0].hovertext) == ["red", "blue", "green", "gray"]
    assert list(other.data[1].x) == [None]  # stays in the legend
    assert figure.layout.xaxis.range[0] < 0 < 10 < figure.layout.xaxis.range[1]
    # very many are drawn by the graphics card
    assert {trace.type for trace in class_sides(pd.concat([CLASSES] * 1_300, ignore_index=True)).data} == {"scattergl"}
    assert {trace.type for trace in figure.data} == {"scatter"}


STEPS = _frame(
    "name kind distance",
    *(("easier 2", "easier", 0.05), ("easier 1", "easier", 0.08), ("start", "start", 0.1), ("swap 1", "swap", 0.2), ("swap 2", "swap", 0.25)),
    ("removal 1", "removal", 0.4),
)


def test_each_kind_of_step_joins_the_one_before_the_chosen_is_ringed_and_references_go_all_the_way() -> None:
    figure = distance_curve(STEPS, "swap 2", {"At random": 0.04, "Same classes": 0.01})
    easier, start, swap, removal, chosen, random, same = figure.data
    assert [(trace.name, list(trace.x), list(trace.y)) for trace in (easier, start, swap, removal)] == [
        ("Easier", [-2, -1, 0], [0.05, 0.08, 0.1]),
        ("Start", [0], [0.1]),
        ("Classes exchanged", [0, 1, 2], [0.1, 0.2, 0.25]),
        ("Classes taken out", [2, 3], [0.25, 0.4]),
    ]
    assert list(easier.marker.size) == [7, 7, 0]  # the point of another kind is drawn by that
    assert list(removal.marker.size) == [0, 7]
    assert list(swap.hovertext) == ["start", "swap 1", "swap 2"]
    for look in ({trace.line.color for trace in figure.data[:4]}, {trace.marker.symbol for trace in figure.data[:4]}):
        assert len(look) == 4
    assert (list(chosen.x), list(chosen.y), chosen.marker.symbol) == ([2], [0.25], "circle-open")
    assert (random.name, list(random.x), list(random.y)) == ("At random", [-2, 3], [0.04, 0.04])
    assert (same.name, list(same.y)) == ("Same classes", [0.01, 0.01])
    assert random.line.dash != same.line.dash
    # rows of any number, a single step, and kinds that are not known
    assert list(distance_curve(STEPS.set_index(pd.Index([9, 9, 4, 3, 2, 1]))).data[2].y) == [0.1, 0.2, 0.25]
    assert list(distance_curve(STEPS.iloc[[2]], "start").layout.xaxis.range) == [-0.5, 0.5]
    (other, _) = distance_curve(_frame("name kind distance", ("a", "other", 1.0), ("b", "other", 3.0))).data
    assert (other.name, list(other.x), list(other.y)) == ("Splits", [0, 1], [1.0, 3.0])


def _gains() -> pd.DataFrame:
    """Two methods on two splits; 2 shots for both, 5 for Margin."""
    rows = []
    for row, shift in (("Margin", 0.0), ("ArcFace", 0.2)):
        for split, distance, zero, few in (("start", 0.1, 0.4, 0.5), ("swap 1", 0.2, 0.2, 0.4)):
            rows += [(row, split, distance, shots, zero + shift, few + shift) for shots in ((2, 5) if row == "Margin" else (2,))]
    found = _frame("row split distance shots zero_shot few_shot", *rows)
    return found.assign(runs=1, gain=found["few_shot"] / found["zero_shot"] - 1)


GAINS = _gains()


def test_few_shots_are_bars_of_all_methods_or_one_with_the_gain_above_and_a_line_of_gains_per_method() -> None:
    figure = few_shot_bars(GAINS)
    before, after, before_5, after_5 = figure.data
    assert (before.name, list(before.x)) == ("Before", ["start", "swap 1"])
    assert list(before.y) == pytest.approx([0.5, 0.3])
    assert list(after.y) == pytest.approx([0.6, 0.5])
    assert list(after.text) == ["+20%", "+67%"]
    assert list(before_5.y) == pytest.approx([0.4, 0.2])
    assert (after_5.xaxis, after_5.showlegend) == ("x2", False)
    assert [note.text for note in figure.layout.annotations] == ["2 images of each class", "5 images of each class"]
    before, after = few_shot_bars(GAINS, "ArcFace").data
    assert list(before.y) == pytest.approx([0.6, 0.4])
    assert list(after.text) == ["+17%", "+50%"]
    margin, arcface, margin_5 = few_shot_curves(GAINS, methods=["Margin", "ArcFace"]).data
    assert (margin.name, list(margin.x)) == ("Margin", [0.1, 0.2])
    assert list(margin.y) == pytest.approx([0.25, 1.0])
    assert list(arcface.y) == pytest.approx([1 / 6, 0.5])
    assert (margin_5.name, margin_5.xaxis, margin_5.showlegend) == ("Margin", "x2", False)
    assert margin.line.color != arcface.line.color


# Raw once, Margin with two seeds, on three splits; the last split lacks Raw
MEASURED = _frame(
    "row seed split distance recall_at_1",
    *(("Raw encoder", 0, "start", 0.1, 0.5), ("Margin", 0, "start", 0.1, 0.7), ("Margin", 1, "start", 0.1, 0.9)),
    *(("Raw encoder", 0, "swap 1", 0.3, 0.4), ("Margin", 0, "swap 1", 0.3, 0.6), ("Margin", 1, "swap 1", 0.3, 0.6)),
    *(("Margin", 0, "removal 1", 0.2, 0.5), ("Margin", 1, "removal 1", 0.2, 0.7)),
)


def test_a_line_per_method_with_whiskers_and_its_difference_from_the_mean() -> None:
    figure = generalization_curves(by_split(MEASURED), methods=["Raw encoder", "Margin"])
    raw, raw_difference, margin, margin_difference = figure.data
    assert (margin.name, list(margin.x)) == ("Margin", [0.1, 0.2, 0.3])
    assert list(margin.y) == pytest.approx([0.8, 0.6, 0.6])
    assert list(margin.error_y.array) == pytest.approx([0.02**0.5, 0.02**0.5, 0])
    assert (margin.error_y.visible, raw.error_y.visible, list(raw.x)) == (True, False, [0.1, 0.3])
    assert list(margin_difference.x) == [0.1, 0.3]  # the other split lacks a method
    assert list(margin_difference.y) == pytest.approx([0.15, 0.1])
    assert list(raw_difference.y) == pytest.approx([-0.15, -0.1])
    assert (margin_difference.xaxis, margin_difference.showlegend, margin.showlegend) == ("x2", False, True)
    assert list(margin.hovertext) == ["start: 0.800 ± 0.141 (2 runs)", "removal 1: 0.600 ± 0.141 (2 runs)", "swap 1: 0.600 ± 0.000 (2 runs)"]
    assert figure.layout.annotations[0].text == "R@1"
    # a method keeps its look before the others have a figure
    methods = ["ArcFace", "Margin", "Raw encoder"]
    line = generalization_curves(by_split(MEASURED[MEASURED["row"] == "Margin"]), methods=methods, named="R@1 among 2 classes").data[0]
    whole = next(trace for trace in generalization_curves(by_split(MEASURED), methods=methods).data if trace.name == "Margin")
    assert (line.line.color, line.marker.symbol) == (whole.line.color, whole.marker.symbol)


def test_a_control_with_classes_removed_at_random_is_a_point_beside_the_line() -> None:
    control = _frame("row seed split distance recall_at_1", ("Raw encoder", 0, "random 1", 0.15, 0.3), ("Margin", 0, "random 1", 0.15, 0.2))
    figure = generalization_curves(by_split(pd.concat([MEASURED, control])), methods=["Margin"])
    line, _, point, difference = figure.data
    assert (list(line.x), line.mode, line.showlegend) == ([0.1, 0.2, 0.3], "lines+markers", True)
    assert (list(point.x), list(point.y), point.mode, point.showlegend) == ([0.15], [0.2], "markers", False)
    assert (point.name, point.marker.color, list(difference.y)) == (line.name, line.marker.color, pytest.approx([-0.05]))


def test_bars_of_the_scores_best_on_top() -> None:
    (bars,) = generalization_bars(generalization_scores(MEASURED), methods=["Raw encoder", "Margin"]).data
    # the area over 0, 1/2, 1: (0.7 + 2 * 0.5 + 0.6) / 4 and (0.9 + 2 * 0.7 + 0.6) / 4; Raw lacks a split
    assert list(bars.y) == ["Margin"]
    assert list(bars.x) == pytest.approx([(0.575 + 0.725) / 2])
    assert list(bars.error_x.array) == pytest.approx([0.15 / 2**0.5])
    axis = generalization_bars(_frame("row runs ags deviation", ("a", 1, 0.9, 0.0), ("b", 1, 0.5, 0.0))).layout.yaxis
    assert (axis.autorange, list(axis.ticktext)) == ("reversed", ["a  <b>0.900</b>  ", "b  <b>0.500</b>  "])


NAMES = ["van", "suv", "bicycle"]
LANGUAGE = np.array([[1, 0.8, 0.2], [0.8, 1, 0.3], [0.2, 0.3, 1]])
SPACE = np.array([[1, 0.1, 0.0], [0.1, 1, -0.4], [0.0, -0.4, 1]])


def test_square_panels_show_the_same_classes_in_the_given_order_on_their_own_scales() -> None:
    given = SPACE.copy()
    figure = class_heat_maps({"Language": LANGUAGE, "a": given}, NAMES, [2, 0, 1], title="Classes")
    np.testing.assert_array_equal(given, SPACE)
    first, second = figure.data
    for panel, matrix in ((first, LANGUAGE), (second, SPACE)):
        assert list(panel.x) == list(panel.y) == ["bicycle", "van", "suv"]
        expected = matrix[np.ix_([2, 0, 1], [2, 0, 1])].copy()
        np.fill_diagonal(expected, np.nan)
        np.testing.assert_array_equal(panel.z, expected)
    assert [note.text for note in figure.layout.annotations] == ["Language", "a"]
    assert list(class_heat_maps({"a": SPACE}, NAMES).data[0].x) == NAMES
    assert (first.zmin, first.zmax, second.zmin, second.zmax) == (0.2, 0.8, -0.4, 0.1)
    assert list(second.colorbar.tickvals) == pytest.approx([-0.4, -0.15, 0.1])
    assert first.colorbar.x < second.colorbar.x
    layout = figure.layout
    assert (layout.title.text, layout.yaxis.scaleanchor, layout.yaxis2.scaleanchor) == ("Classes", "x", "x2")
    assert layout.yaxis.autorange == layout.yaxis2.autorange == "reversed"
    two_lines = class_heat_maps({"Language": LANGUAGE, "a<br>b": SPACE}, NAMES, title="Classes").layout
    assert two_lines.margin.t == layout.margin.t + 20
    few, many = (class_heat_maps({"a": np.eye(count)}, [str(each) for each in range(count)]).layout for count in (30, 31))
    assert (few.xaxis.showticklabels, many.xaxis.showticklabels) == (True, False)
    assert (few.yaxis.showticklabels, many.yaxis.showticklabels) == (True, False)
    assert few.xaxis.dtick == few.yaxis.dtick == 1


_FIRST = pd.DataFrame({"class": ["Pelagic", "Puffin"], "language_similarity": [0.912, 0.5], "base": [0, 10], "ELG": [25, 3]})
RETRIEVED = {"Brandt": _FIRST, "Gadwall": _FIRST.assign(base=[7, 8]), "Tern": _FIRST.iloc[:0]}


def test_a_bar_per_space_and_class_the_most_related_on_top() -> None:
    figure = retrieved_bars(RETRIEVED, title="Found")
    assert [(trace.name, list(trace.x)) for trace in figure.data[:4]] == [("base", [0, 10]), ("ELG", [25, 3]), ("base", [7, 8]), ("ELG", [25, 3])]
    assert {(trace.orientation, trace.texttemplate) for trace in figure.data} == {("h", "%{x}")}
    assert list(figure.data[0].y) == ["Pelagic (0.91)", "Puffin (0.50)"]
    assert [trace.showlegend for trace in figure.data] == [True, True, False, False, False, False]
    assert [trace.yaxis for trace in figure.data[::2]] == ["y", "y2", "y3"]
    assert figure.layout.title.text == "Found"
    assert figure.layout.yaxis.autorange == figure.layout.yaxis2.autorange == "reversed"
    assert [note.text for note in figure.layout.annotations] == ["Brandt", "Gadwall", "Tern: no other class retrieved"]
    assert figure.layout.xaxis2.matches == figure.layout.xaxis.matches or figure.layout.xaxis.matches == "x3"
    base, elg = (trace.marker for trace in figure.data[:2])
    assert base.color != elg.color
    assert base.pattern.shape != elg.pattern.shape


@pytest.mark.parametrize("seed", range(5))
def test_every_image_is_in_one_bar_of_its_side_and_answers_stand_below(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = np.concatenate([rng.normal(size=500), rng.normal(5, 1, 40)])
    for threshold in (float(scores.max()), float(scores.min()), float(rng.choice(scores)), 2.5):
        below, above = score_histogram(scores, threshold).data[:2]
        assert (sum(below.y), sum(above.y)) == ((scores < threshold).sum(), (scores >= threshold).sum())
        for trace in (below, above):
            edges = np.array(trace.x) - np.array(trace.width) / 2
            for edge, width, count in zip(edges, trace.width, trace.y, strict=True):
                assert ((scores > edge + 1e-9) & (scores < edge + width - 1e-9)).sum() <= count
        assert min(np.array(above.x) - np.array(above.width) / 2) == pytest.approx(threshold)
    figure = score_histogram([0.1, 0.2, 0.9], 0.5, ([0.9], [0.1, 0.2]))
    assert [(trace.name, list(trace.x)) for trace in figure.data[2:]] == [("yes", [0.9]), ("no", [0.1, 0.2])]
    assert sum(score_histogram([0.5, 0.5], 0.5).data[1].y) == 2


def _scaled() -> pd.DataFrame:
    """At the start score = structure, on the other split score = 1 - structure / 2; of two properties."""
    rows: list[tuple[object, ...]] = []
    for name in ("inter", "spectral_decay"):
        for number, (method, structure) in enumerate((("Raw encoder", 0.0), ("Margin", 0.5), ("Margin", 1.0))):
            rows.append((method, number, "start", 0.1, name, structure, structure))
            rows.append((method, number, "swap 1", 0.2, name, structure, 1 - structure / 2))
    return _frame("row seed split distance property structure score", *rows)


SCALED = _scaled()


def test_a_point_per_run_lines_where_there_are_points_enough_and_correlations_in_the_titles() -> None:
    correlations = structure_correlations(SCALED)
    figure = structure_scatter(SCALED, correlations)
    raw, margin, every, start = figure.data[:4]
    assert (margin.name, list(margin.x), list(margin.y)) == ("Margin", [0.5, 0.5, 1.0, 1.0], [0.5, 0.75, 1.0, 0.5])
    assert (list(raw.y), every.name, list(every.x)) == ([0.0, 1.0], "All splits", [0.0, 1.0])
    # by hand: the mean of y = x and y = 1 - x / 2
    assert list(every.y) == pytest.approx([0.5, 0.75])
    assert list(start.y) == pytest.approx([0.0, 1.0])
    assert every.line.dash != start.line.dash
    found = correlations.set_index(["property", "split"])["correlation"]
    told = f"Distance between classes<br><sup>correlation: all splits {found['inter', 'all']:+.2f}, start alone +1.00</sup>"
    assert figure.layout.annotations[0].text == told
    assert figure.layout.annotations[1].text.startswith("Uneven use of directions<br>")
    assert [trace.showlegend for trace in figure.data] == [True] * 4 + [False] * 4
    assert figure.data[4].xaxis == "x2"
    two = SCALED[(SCALED["split"] == "start") & (SCALED["seed"] < 2)]
    lines = [trace for trace in structure_scatter(two, structure_correlations(two)).data if trace.mode == "lines"]
    assert {len(line.x) for line in lines} == {0}


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: class_sides(CLASSES.iloc[:0]), "There is no class to draw"),
        (lambda: class_sides(CLASSES.assign(side="held")), "There is no side 'held'; choose from train, test, out"),
        (lambda: distance_curve(STEPS.iloc[:0]), "There is no step to draw"),
        (lambda: distance_curve(STEPS, "swap 9"), "There is no step 'swap 9'; the steps are easier 2, easier 1, start"),
        (lambda: few_shot_bars(GAINS, "DiVA"), "There is no few-shot figure of 'DiVA' to draw"),
        (lambda: few_shot_curves(GAINS.iloc[:0]), "There is no few-shot figure to draw"),
        (lambda: generalization_curves(by_split(MEASURED.iloc[:0])), "There is nothing to draw"),
        (lambda: generalization_bars(generalization_scores(MEASURED.iloc[:1])), "There is no score to draw"),
        (lambda: class_heat_maps({}, NAMES), "There is no matrix to draw"),
        (lambda: class_heat_maps({"a": np.eye(2)}, NAMES), r"'a' has similarities of shape \(2, 2\) for 3 classes"),
        (lambda: class_heat_maps({"a": np.eye(1001)}, ["x"] * 1001), "There are 1,001 classes, but at most 1,000"),
        (lambda: retrieved_bars({}), "There is no query class to draw"),
        (lambda: retrieved_bars({"a": _FIRST, "b": _FIRST.drop(columns="ELG")}), r"tables have different spaces \(base, ELG; base\)"),
        *((lambda scores=scores: score_histogram(scores, 0.5), "one finite number for each image") for scores in ([], [[0.1]], [0.1, np.nan])),
        (lambda: structure_scatter(SCALED.iloc[:0], structure_correlations(SCALED)), "There is no structure to draw"),
    ],
)
def test_what_cannot_be_drawn_is_named(draw: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw()
