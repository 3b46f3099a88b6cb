"""Every method declares all about itself, and one line makes it known everywhere."""

from typing import Any

import numpy as np
import pytest
from tests.notions.conftest import material
from typer.testing import CliRunner

from likeness.commands.cli import command_line
from likeness.errors import InputError
from likeness.notions import PAPER_METHODS, PCA, Identity, InDiReCT, Oracle, RandomTransform
from likeness.notions.method import NotionMethod
from likeness.notions.methods import METHOD_TITLES, METHODS, named_methods
from likeness.studies import published
from pages.methods import measure


class Halves:
    """Keeps the first dimensions.

    More than that it does not do.
    """

    def __init__(self, dim: int = 2) -> None:
        self.dim = dim

    def fit(self, text: Any) -> "Halves":
        self.fitted_ = True
        return self

    def transform(self, images: Any) -> Any:
        return images[:, : self.dim]


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_method_declares_all_about_itself(method: NotionMethod) -> None:
    assert METHODS[method.name] is method
    assert method.title[0].isupper()
    assert method.help.endswith(".")
    assert ". " not in method.help
    rng = np.random.default_rng(0)
    rows, other = rng.normal(size=(12, 8)), rng.normal(size=(12, 8))
    fit = lambda text, seed=0: method.make(dim=4, seed=seed).fit(text, *material(method.learns_from, text))  # noqa: E731
    found = [fit(rows, seed).transform(rows) for seed in (0, 1)]
    assert found[0].shape[1] == 4 if method.dims else found[0].shape[1] in (8, 12)  # the encoder's width, or a coordinate for each aspect
    if not method.seeds:
        np.testing.assert_array_equal(*found)
    assert np.array_equal(fit(other).transform(rows), found[0]) == (method.learns_from == "nothing")


def test_methods_make_their_estimators_with_dimension_seed_and_options() -> None:
    made = {method.name: method.make(dim=7, seed=3) for method in named_methods(METHODS)}
    assert len(set(METHOD_TITLES.values())) == len(METHODS)
    assert {name for name in made if not METHODS[name].dims} == {"raw", "raw-code", "scaled-pca", "crl", "probabilities"}
    assert all((each.dim, each.seed) == (7, 3) for name, each in made.items() if METHODS[name].dims and name != "pca-faded")
    assert [made[name].solver for name in ("exact", "adam", "faded", "other-words")] == ["exact", "adam", "faded", "exact"]
    by_code = ("raw", "pca", "lae", "ae")
    assert [made[name].normalize for name in by_code] == [True] * 4
    assert [made[f"{name}-code"].normalize for name in by_code] == [False] * 4
    assert [made[name].fade for name in ("pca", "pca-faded")] == [False, True]
    ranked = {method.name: (method.lengths, method.ranking) for method in METHODS.values() if method.lengths or method.ranking}
    assert ranked == {f"{name}-code": (True, "euclidean") for name in by_code}


def test_the_papers_methods_are_the_columns_of_its_tables() -> None:
    assert set(published()["method"]) == set(PAPER_METHODS) - {"exact"}
    assert [method for method in METHODS if method in PAPER_METHODS] == list(PAPER_METHODS)


def test_one_line_makes_a_method_known_to_comparisons_menus_and_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    own = NotionMethod("halves", "Halves", "Keeps the first dimensions.", lambda dim, seed: Halves(dim), learns_from="nothing", seeds=False)
    monkeypatch.setitem(METHODS, "halves", own)
    assert named_methods(["halves"]) == [own]
    assert METHOD_TITLES["halves"] == "Halves"
    assert "- **Halves**: Keeps the first dimensions." in measure.methods_help()
    assert "halves" in measure.choose_methods(["halves"], "own_methods")
    assert "halves" in CliRunner().invoke(command_line(), ["evaluate", "--help"], terminal_width=200).stdout
    for form in ("table", "markdown"):
        assert "Keeps the first dimensions." in CliRunner().invoke(command_line(), ["kinds", "methods", "--format", form]).stdout


def test_classes_objects_and_pairs_stand_beside_names() -> None:
    given = Halves(3)
    by_class, by_object, own, listed, raw = named_methods([Halves, InDiReCT(dim=4), ("mine", RandomTransform), Oracle, "raw"])
    assert (by_class.name, by_class.help, by_class.dims, by_class.seeds) == ("Halves", "Keeps the first dimensions.", True, False)
    assert by_class.make(dim=5, seed=1).dim == 5
    assert (by_object.name, by_object.dims, by_object.seeds) == ("InDiReCT", False, False)
    assert (own.name, own.learns_from, own.seeds, own.dims) == ("mine", "text", True, True)
    assert (listed, raw) == (METHODS["oracle"], METHODS["raw"])
    made = named_methods([given])[0].make(dim=9, seed=9)
    made.fit(None)
    assert made.dim == 3
    assert not hasattr(given, "fitted_")


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ([3], "3 has no fit and transform"),
        ([dict], "dict has no fit and transform"),
        ([PCA, "pca"], "'pca' is listed twice"),
        ([Halves(2), Halves(3)], "'Halves' is listed twice"),
        (["raw", ("raw", Identity)], "'raw' is listed twice"),
        (["exact", "best"], "'best'; choose from random, raw, .*, oracle"),
        ([], "choose from random"),
    ],
)
def test_what_is_no_method_is_refused(methods: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        named_methods(methods)
