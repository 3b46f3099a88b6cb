"""Every method declares all about itself, and one line makes it known everywhere."""

from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from likeness.commands.cli import command_line
from likeness.errors import InputError
from likeness.notions import PCA, Identity, InDiReCT, Oracle
from likeness.notions.method import NotionMethod
from likeness.notions.methods import METHOD_TITLES, METHODS, named_methods
from pages.compare import metric_words
from pages.compare.request import with_baseline


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


def _material(method: NotionMethod, text: Any) -> list[Any]:
    """What the `fit` of a method takes that learns no labels."""
    given = [text]
    if "images" in method.learns_from:
        given.append(np.random.default_rng(1).normal(size=(9, 8)))
    if "other notions" in method.learns_from:
        given.append([np.random.default_rng(seed).normal(size=(3, 8)) for seed in (2, 3)])
    return given


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_method_declares_all_about_itself(method: NotionMethod) -> None:
    assert METHODS[method.name] is method
    assert method.title[0].isupper()
    assert method.help.endswith(".")
    assert ". " not in method.help
    rows = np.random.default_rng(0).normal(size=(12, 8))
    labels = [number % 3 for number in range(12)]
    found = []
    for seed in (0, 1):
        estimator = method.make(dim=4, seed=seed)
        estimator.fit(rows, labels) if method.learns_from == "labels" else estimator.fit(*_material(method, rows))
        found.append(estimator.transform(rows))
    assert found[0].shape[1] == 4 if method.dims else found[0].shape[1] in (8, 12)  # the encoder's width, or a coordinate for each aspect
    if not method.seeds:
        np.testing.assert_array_equal(*found)


def test_what_learns_from_nothing_gives_the_same_for_any_text() -> None:
    rng = np.random.default_rng(0)
    images, texts = rng.normal(size=(9, 8)), [rng.normal(size=(6, 8)) for _ in range(2)]
    for method in METHODS.values():
        if method.learns_from != "labels":
            one, other = (method.make(dim=4, seed=0).fit(*_material(method, text)).transform(images) for text in texts)
            assert np.array_equal(one, other) == (method.learns_from == "nothing"), method.name


def test_titles_tell_methods_apart() -> None:
    assert len(set(METHOD_TITLES.values())) == len(METHODS)


def test_one_line_makes_a_method_known_to_comparisons_menus_and_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    own = NotionMethod("halves", "Halves", "Keeps the first dimensions.", lambda dim, seed: Halves(dim), learns_from="nothing", seeds=False)
    monkeypatch.setitem(METHODS, "halves", own)
    assert named_methods(["halves"]) == [own]
    assert METHOD_TITLES["halves"] == "Halves"
    assert "- **Halves**: Keeps the first dimensions." in metric_words.help_list(METHOD_TITLES, metric_words.METHODS_HELP)
    assert "halves" in with_baseline(["halves"])
    assert "halves" in CliRunner().invoke(command_line(), ["evaluate", "--help"], terminal_width=200).stdout
    for form in ("table", "markdown"):
        assert "Keeps the first dimensions." in CliRunner().invoke(command_line(), ["kinds", "methods", "--format", form]).stdout


def test_classes_and_objects_stand_beside_names() -> None:
    given = Halves(3)
    by_class, by_object, listed, raw = named_methods([Halves, InDiReCT(dim=4), Oracle, "raw"])
    assert (by_class.name, by_class.help, by_class.dims, by_class.seeds) == ("Halves", "Keeps the first dimensions.", True, False)
    assert by_class.make(dim=5, seed=1).dim == 5
    assert (by_object.name, by_object.dims, by_object.seeds) == ("InDiReCT", False, False)
    assert listed is METHODS["oracle"]
    assert raw is METHODS["raw"]
    made = named_methods([given])[0].make(dim=9, seed=9)
    made.fit(None)
    assert made.dim == 3
    assert not hasattr(given, "fitted_")


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ([3], "The method 3 has no fit and transform"),
        ([dict], "The class dict has no fit and transform"),
        ([PCA, "pca"], "The method 'pca' stands twice"),
        ([Halves(2), Halves(3)], "The method 'Halves' stands twice"),
        ([Identity(), Identity], "The method 'Identity' stands twice"),
    ],
)
def test_what_is_no_method_is_refused(methods: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        named_methods(methods)
