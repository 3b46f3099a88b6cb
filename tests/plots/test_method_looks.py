from likeness.plots.look import GRAY, look_at
from likeness.plots.method_looks import method_looks


def test_what_is_not_trained_is_grey_and_takes_no_color_from_the_others() -> None:
    looks = method_looks(["Raw encoder", "Margin", "ArcFace", "Margin"])
    assert list(looks) == ["Raw encoder", "Margin", "ArcFace"]
    assert looks["Raw encoder"].color == GRAY
    assert (looks["Margin"], looks["ArcFace"]) == (look_at(0), look_at(1))


def test_twelve_methods_differ_in_color_or_symbol() -> None:
    looks = method_looks(["raw", *(f"method {number}" for number in range(11))])
    assert len({(look.color, look.symbol) for look in looks.values()}) == 12
    assert looks["method 7"].symbol == "circle-open"
