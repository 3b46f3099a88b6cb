from likeness.notions.methods import METHODS
from likeness.plots.look import GRAY, OKABE_ITO, faded, look_at, look_of


def test_methods_differ_in_line_and_bar() -> None:
    looks = [look_of(method) for method in METHODS]
    assert len({(look.color, look.dash) for look in looks}) == len(METHODS)
    assert len({(look.color, look.pattern) for look in looks}) == len(METHODS)
    assert len({look.symbol for look in looks}) == len(METHODS)


def test_colors_are_of_the_palette_and_baselines_that_learn_nothing_grey() -> None:
    colors = {method: look_of(method).color for method in METHODS}
    assert set(colors.values()) <= {*OKABE_ITO, GRAY}
    assert {method for method, color in colors.items() if color == GRAY} == {"random", "raw", "random-transform"}


def test_a_method_from_elsewhere_has_a_look_too() -> None:
    assert look_of("a trained model").color in OKABE_ITO


def test_faded_by_hand() -> None:
    assert faded("#0072B2", 0.5) == "rgba(0, 114, 178, 0.5)"


def test_places_differ_in_color_and_form() -> None:
    looks = [look_at(place) for place in range(35)]
    assert len({(look.color, look.dash) for look in looks}) == len({(look.color, look.pattern) for look in looks}) == 35
    assert len({look.color for look in looks[:7]}) == 7
    assert look_at(35) == look_at(0)
