import numpy as np
import pytest

from likeness.errors import InputError
from likeness.evaluation import SemanticRetrieval, most_changed, retrieved_classes
from likeness.evaluation._language_inputs import class_number

NAMES = ["Brandt Cormorant", "Pelagic Cormorant", "Gadwall", "Puffin"]
LANGUAGE = np.array([[1, 0.9, 0.2, 0.5], [0.9, 1, 0.3, 0.5], [0.2, 0.3, 1, 0.5], [0.5, 0.5, 0.5, 1]])


def space(*counts: list[int]) -> SemanticRetrieval:
    return SemanticRetrieval(np.array(counts), LANGUAGE, np.full(4, 3), NAMES, 20)


@pytest.fixture
def base() -> SemanticRetrieval:
    return space([30, 0, 20, 10], [10, 40, 0, 10], [0, 0, 60, 0], [0, 5, 5, 50])


@pytest.fixture
def guided() -> SemanticRetrieval:
    return space([30, 25, 5, 0], [10, 40, 0, 10], [0, 4, 56, 0], [20, 0, 0, 40])


def test_figure_3_by_hand(base: SemanticRetrieval, guided: SemanticRetrieval) -> None:
    table = retrieved_classes({"base": base, "ELG": guided}, "brandt cormorant")
    assert table.to_dict("list") == {
        "class": ["Pelagic Cormorant", "Puffin", "Gadwall"],
        "language_similarity": [0.9, 0.5, 0.2],
        "base": [0, 10, 20],
        "ELG": [25, 0, 5],
    }
    assert retrieved_classes({"base": base, "ELG": guided}, "Brandt Cormorant", top=1)["class"].tolist() == ["Pelagic Cormorant"]


def test_classes_that_no_space_found_are_not_listed(base: SemanticRetrieval) -> None:
    assert retrieved_classes({"base": base}, "Brandt Cormorant")["class"].tolist() == ["Puffin", "Gadwall"]
    nothing = retrieved_classes({"base": base}, "Gadwall")
    assert (list(nothing.columns), len(nothing)) == (["class", "language_similarity", "base"], 0)


def test_equally_related_classes_keep_their_order(guided: SemanticRetrieval, base: SemanticRetrieval) -> None:
    assert retrieved_classes({"a": guided, "b": base}, "Puffin")["class"].tolist() == ["Brandt Cormorant", "Pelagic Cormorant", "Gadwall"]


def test_most_changed_by_hand(base: SemanticRetrieval, guided: SemanticRetrieval) -> None:
    table = most_changed(base, guided)
    # Gadwall never errs in one space
    assert table["class"].tolist() == ["Brandt Cormorant", "Pelagic Cormorant", "Puffin"]
    before, after = (20 * 0.2 + 10 * 0.5) / 30, (25 * 0.9 + 5 * 0.2) / 30
    assert table.loc[0, ["a", "b", "change"]].tolist() == pytest.approx([before, after, after - before])
    assert table["change"].tolist()[1:] == pytest.approx([0, 0])
    turned = most_changed(guided, base, top=1)
    assert turned["change"].tolist() == pytest.approx([before - after])


def test_classes_with_few_errors_are_left_aside(base: SemanticRetrieval, guided: SemanticRetrieval) -> None:
    assert most_changed(base, guided, least=11)["class"].tolist() == ["Brandt Cormorant", "Pelagic Cormorant"]
    nothing = most_changed(base, guided, least=1000)
    assert (list(nothing.columns), len(nothing)) == (["class", "a", "b", "change"], 0)
    assert "Gadwall" not in most_changed(base, guided, least=0)["class"].tolist()


def test_bad_input_is_named(base: SemanticRetrieval) -> None:
    with pytest.raises(InputError, match=r"There is no class 'Brant Cormorant'; did you mean 'Brandt Cormorant' or 'Pelagic Cormorant'\?"):
        retrieved_classes({"base": base}, "Brant Cormorant")
    with pytest.raises(InputError, match="There is no class 'xyz'; the first ones are Brandt Cormorant, Pelagic Cormorant, Gadwall, Puffin"):
        retrieved_classes({"base": base}, "xyz")
    with pytest.raises(InputError, match="There is no space"):
        retrieved_classes({}, "Puffin")
    for top in (0, -1):
        with pytest.raises(InputError, match=f"top is {top}"):
            retrieved_classes({"base": base}, "Puffin", top)
        with pytest.raises(InputError, match=f"top is {top}"):
            most_changed(base, base, top)
    other = SemanticRetrieval(base.counts, LANGUAGE, np.full(4, 4), NAMES, 20)
    with pytest.raises(InputError, match="spaces are of different classes or images"):
        most_changed(base, other)


def test_a_class_is_found_whatever_its_capitals_unless_two_differ_in_them_alone() -> None:
    assert class_number("GADWALL", NAMES) == 2
    assert [class_number(name, ["Tern", "tern"]) for name in ("Tern", "tern")] == [0, 1]
    with pytest.raises(InputError, match="There is no class 'TERN'"):
        class_number("TERN", ["Tern", "tern"])
