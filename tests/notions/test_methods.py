import pytest

from likeness.errors import InputError
from likeness.notions import (
    PAPER_METHODS,
    PCA,
    AlignedTangents,
    AspectProbabilities,
    AspectSimilarities,
    Autoencoder,
    ContrastivePCA,
    Identity,
    InDiReCT,
    LinearAutoencoder,
    NullSpace,
    Oracle,
    RandomEmbedding,
    RandomTransform,
    ScaledPCA,
)
from likeness.notions.methods import METHOD_TITLES, METHODS, named_methods
from likeness.studies import published

WORDS = ("scaled-pca", "crl", "probabilities", "clay", "contrastive-pca", "null-space")
LEARNING = ("pca", "pca-faded", "lae", "ae", "lae-code", "ae-code", "exact", "adam", "faded", *WORDS)


def test_every_method_is_known_and_has_a_title() -> None:
    without_text = ("random", "raw", "random-transform")
    assert tuple(METHODS) == (*without_text, *LEARNING, "other-words", "oracle")
    assert tuple(METHOD_TITLES) == tuple(METHODS)
    assert tuple(method.name for method in named_methods(METHODS)) == tuple(METHODS)


def test_methods_make_their_estimators_with_dimension_and_seed() -> None:
    made = {method.name: method.make(dim=7, seed=3) for method in named_methods(METHODS)}
    of_words = (ScaledPCA, AspectSimilarities, AspectProbabilities, AlignedTangents, ContrastivePCA, NullSpace)
    kinds = (
        RandomEmbedding,
        Identity,
        RandomTransform,
        PCA,
        PCA,
        *[LinearAutoencoder, Autoencoder] * 2,
        *[InDiReCT] * 3,
        *of_words,
        InDiReCT,
        Oracle,
    )
    assert [type(estimator) for estimator in made.values()] == list(kinds)
    with_dims = {name: estimator for name, estimator in made.items() if METHODS[name].dims}
    assert made.keys() - with_dims.keys() == {"raw", "scaled-pca", "crl", "probabilities"}
    assert all((estimator.dim, estimator.seed) == (7, 3) for name, estimator in with_dims.items() if name != "pca-faded")
    assert [made[name].solver for name in ("exact", "adam", "faded", "other-words")] == ["exact", "adam", "faded", "exact"]
    assert [made[name].normalize for name in ("lae", "ae", "lae-code", "ae-code")] == [True, True, False, False]
    assert [made[name].fade for name in ("pca", "pca-faded")] == [False, True]


def test_only_the_authors_protocol_reads_lengths_and_fixes_the_ranking() -> None:
    assert [method.name for method in METHODS.values() if method.lengths] == ["lae-code", "ae-code"]
    assert {method.name: method.ranking for method in METHODS.values() if method.ranking} == {"lae-code": "euclidean", "ae-code": "euclidean"}


def test_the_papers_methods_are_the_columns_of_its_tables() -> None:
    assert set(published()["method"]) == set(PAPER_METHODS) - {"exact"}
    assert [method for method in METHODS if method in PAPER_METHODS] == list(PAPER_METHODS)


def test_an_own_method_stands_beside() -> None:
    own = named_methods(["raw", ("mine", RandomTransform)])[1]
    assert (own.name, own.learns_from, own.seeds, own.dims) == ("mine", "text", True, True)


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        (
            ["exact", "best"],
            f"There is no method 'best'; choose from random, raw, random-transform, {', '.join(LEARNING)}, other-words, oracle",
        ),
        ([], "There is no method to compare; name at least one of random"),
        (["raw", "raw"], "The method 'raw' stands twice; give each once"),
        (["raw", ("raw", Identity)], "The method 'raw' stands twice"),
    ],
)
def test_unusable_methods_are_refused(methods: list, message: str) -> None:
    with pytest.raises(InputError, match=message):
        named_methods(methods)
