import numpy as np
import pytest

from likeness.errors import InputError
from likeness.plots import class_heat_maps

NAMES = ["van", "suv", "bicycle"]
LANGUAGE = np.array([[1, 0.8, 0.2], [0.8, 1, 0.3], [0.2, 0.3, 1]])
SPACE = np.array([[1, 0.1, 0.0], [0.1, 1, -0.4], [0.0, -0.4, 1]])


def test_square_panels_show_the_same_classes_in_the_given_order_on_their_own_scales() -> None:
    figure = class_heat_maps({"Language": LANGUAGE, "a": SPACE}, NAMES, [2, 0, 1], title="Classes")
    first, second = figure.data
    for panel, matrix in ((first, LANGUAGE), (second, SPACE)):
        assert list(panel.x) == list(panel.y) == ["bicycle", "van", "suv"]
        expected = matrix[np.ix_([2, 0, 1], [2, 0, 1])].copy()
        np.fill_diagonal(expected, np.nan)
        np.testing.assert_array_equal(panel.z, expected)
    assert [note.text for note in figure.layout.annotations] == ["Language", "a"]
    assert figure.layout.title.text == "Classes"
    assert list(class_heat_maps({"a": SPACE}, NAMES).data[0].x) == NAMES
    first, second = class_heat_maps({"Language": LANGUAGE, "a": SPACE}, NAMES).data
    assert (first.zmin, first.zmax, second.zmin, second.zmax) == (0.2, 0.8, -0.4, 0.1)
    assert list(second.colorbar.tickvals) == pytest.approx([-0.4, -0.15, 0.1])
    assert first.colorbar.x < second.colorbar.x
    layout = class_heat_maps({"Language": LANGUAGE, "a": SPACE}, NAMES).layout
    assert (layout.yaxis.scaleanchor, layout.yaxis2.scaleanchor) == ("x", "x2")
    assert (layout.yaxis.autorange, layout.yaxis2.autorange) == ("reversed", "reversed")
    given = SPACE.copy()
    class_heat_maps({"a": given}, NAMES)
    np.testing.assert_array_equal(given, SPACE)


def test_titles_of_two_lines_have_room_and_names_stand_there_while_they_can_be_read() -> None:
    one, two = (class_heat_maps({"Language": LANGUAGE, title: SPACE}, NAMES, title="Classes").layout.margin.t for title in ("a", "a<br>b"))
    assert two == one + 20
    few, many = (class_heat_maps({"a": np.eye(count)}, [str(each) for each in range(count)]).layout for count in (30, 31))
    assert (few.xaxis.showticklabels, many.xaxis.showticklabels) == (True, False)
    assert (few.yaxis.showticklabels, many.yaxis.showticklabels) == (True, False)


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="There is no matrix to draw"):
        class_heat_maps({}, NAMES)
    with pytest.raises(InputError, match=r"'a' has similarities of shape \(2, 2\) for 3 classes"):
        class_heat_maps({"a": np.eye(2)}, NAMES)
    with pytest.raises(InputError, match="There are 1,001 classes, but at most 1,000"):
        class_heat_maps({"a": np.eye(1001)}, ["x"] * 1001)
