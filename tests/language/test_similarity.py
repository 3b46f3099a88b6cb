"""Similarity matrices of classes, against the authors' arrays, plain loops and laws; and the sentences around their names."""

import json
from pathlib import Path

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.language import DEFAULT_PRIMER, PRIMERS, check_primer, class_similarities, class_vectors, cosine_similarities, prime

NAMES = ["Tern", "Gull", "Black footed Albatross", "Tern", "Wren"]


def loop(vectors: np.ndarray) -> np.ndarray:
    """Cosines one by one."""
    cosine = lambda a, b: sum(x * y for x, y in zip(a, b, strict=True)) / (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5  # noqa: E731
    return np.array([[cosine(a, b) for b in vectors.tolist()] for a in vectors.tolist()])


def test_the_authors_matrix(data: Path) -> None:
    """`language_sims_elg`: cosines of raw class embeddings, spread over the rows of a batch."""
    arrays = np.load(data / "elg_language.npz")
    labels = arrays["labels"]
    similarities = cosine_similarities(arrays["class_language_embeddings"])
    np.testing.assert_allclose(similarities[np.ix_(labels, labels)], arrays["language_sims_elg"], atol=1e-12)


def test_cosines_equal_a_loop_and_its_laws() -> None:
    vectors = np.random.default_rng(0).normal(size=(7, 4)) * 10.0 ** np.arange(-3, 4)[:, None]
    similarities = cosine_similarities(vectors)
    np.testing.assert_allclose(similarities, loop(vectors), atol=1e-12)
    np.testing.assert_array_equal(similarities, similarities.T)
    np.testing.assert_array_equal(np.diag(similarities), 1)
    assert np.abs(similarities).max() <= 1
    np.testing.assert_allclose(cosine_similarities(vectors * 7), similarities, atol=1e-12)
    vectors[1] = 0
    with pytest.raises(InputError, match="embedding of name 1 is all zeros"):
        cosine_similarities(vectors)


def test_names_pass_through_the_primer_where_a_model_reads_sentences(fake, fake_words) -> None:
    similarities = class_similarities(NAMES, fake)
    assert fake.texts == ["A photo of a Tern", "A photo of a Gull", "A photo of a Black footed Albatross", "A photo of a Wren"]
    expected = loop(type(fake)().encode_texts([f"A photo of a {name}" for name in NAMES]))
    np.testing.assert_allclose(similarities, expected, atol=1e-6)
    assert similarities.dtype == np.float32
    assert similarities[0, 3] == 1
    class_similarities(NAMES, fake, primer="{}")
    class_similarities(NAMES, fake_words)
    assert fake.texts[4:] == fake_words.texts == ["Tern", "Gull", "Black footed Albatross", "Wren"]
    np.testing.assert_array_equal(class_similarities(["Tern"], fake), [[1]])


def test_several_models_are_averaged(fake, fake_words) -> None:
    one, other = class_similarities(NAMES, fake), class_similarities(NAMES, fake_words)
    assert np.abs(one - other).max() > 1e-3
    np.testing.assert_allclose(class_similarities(NAMES, [fake, fake_words]), (one + other) / 2, atol=1e-7)
    np.testing.assert_allclose(class_similarities(NAMES, (fake, fake, fake_words)), (2 * one + other) / 3, atol=1e-7)


def test_vectors_have_the_similarities_as_dot_products(fake, fake_words) -> None:
    for models in (fake, [fake, fake_words], [fake, fake, fake_words]):
        vectors = class_vectors(NAMES, models)
        np.testing.assert_allclose(vectors @ vectors.T, class_similarities(NAMES, models), atol=1e-6)
    assert class_vectors(NAMES, [fake, fake_words]).shape == (5, 6)
    assert fake_words.texts == ["Tern", "Gull", "Black footed Albatross", "Wren"]


def test_models_of_all_kinds_mix(tmp_path: Path, fake) -> None:
    tree = tmp_path / "tree.json"
    tree.write_text(json.dumps({"tern": "seabird", "gull": "seabird", "seabird": "bird", "wren": "bird"}))
    names = ["Tern", "Gull", "Wren"]
    hierarchy = np.array([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])
    np.testing.assert_allclose(class_similarities(names, f"hierarchy:{tree}"), hierarchy, atol=1e-7)
    mixed = class_similarities(names, [f"hierarchy:{tree}", fake])
    np.testing.assert_allclose(mixed, (hierarchy + class_similarities(names, fake)) / 2, atol=1e-6)


def test_primers_hold_one_name_each() -> None:
    assert PRIMERS[0] == DEFAULT_PRIMER == "A photo of a {}"
    assert prime(["Shiny Cowbird", "tench"]) == ["A photo of a Shiny Cowbird", "A photo of a tench"]
    assert prime(["a {} b", "{0}"], "<{}>") == ["<a {} b>", "<{0}>"]  # braces within a name stay
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], "minilm"), "list of at least one class name"),
        (("Tern", "minilm"), "list of at least one class name"),
        ((NAMES, []), "no language model to average over"),
        (
            (NAMES, "elmo"),
            r"There is no language model 'elmo'.*'vectors:FILE'; for similarities also 'wordnet', 'hierarchy:FILE' or 'hierarchy:wordnet'",
        ),
        ((NAMES, "minilm", "a photo"), r"must hold exactly one '\{\}'"),
        ((NAMES, "hierarchy:nowhere.csv"), "'nowhere.csv' cannot be read"),
    ],
)
def test_refusals(arguments, message: str) -> None:
    with pytest.raises(InputError, match=message):
        class_similarities(*arguments)
