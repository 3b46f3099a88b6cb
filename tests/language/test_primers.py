"""Sentences around class names."""

import pytest

from likeness.errors import InputError
from likeness.language import DEFAULT_PRIMER, PRIMERS, check_primer, prime


def test_the_papers_primer_is_the_default() -> None:
    assert prime(["Shiny Cowbird", "tench"]) == ["A photo of a Shiny Cowbird", "A photo of a tench"]
    assert PRIMERS[0] == DEFAULT_PRIMER == "A photo of a {}"


def test_braces_within_a_name_stay() -> None:
    assert prime(["a {} b", "{0}"], "<{}>") == ["<a {} b>", "<{0}>"]


def test_all_primers_are_valid_and_different() -> None:
    for primer in PRIMERS:
        check_primer(primer)
    assert len(set(PRIMERS)) == len(PRIMERS)
    assert "{}" in PRIMERS


@pytest.mark.parametrize(
    ("names", "primer", "said"),
    [
        *[(["tench"], primer, r"must hold exactly one '\{\}'") for primer in ("", "a photo", "{} {}", "{0}", None)],
        *[(names, "{}", "Expected a list of names") for names in ("tench", ["tench", 3])],
    ],
)
def test_no_names_and_not_exactly_one_place(names, primer, said: str) -> None:
    with pytest.raises(InputError, match=said):
        prime(names, primer)
