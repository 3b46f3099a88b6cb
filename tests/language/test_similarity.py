import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.language import DEFAULT_PRIMER, PRIMERS, check_primer, class_similarities, class_vectors, cosine_similarities, prime
from made_rows import cosines

NAMES = ["Tern", "Gull", "Black footed Albatross", "Tern", "Wren"]


def test_cosines_are_the_authors_and_keep_their_laws(data: Path) -> None:
    """`language_sims_elg`: cosines of raw class embeddings, spread over the rows of a batch."""
    arrays = np.load(data / "elg_language.npz")
    labels = arrays["labels"]
    similarities = cosine_similarities(arrays["class_language_embeddings"])
    np.testing.assert_allclose(similarities[np.ix_(labels, labels)], arrays["language_sims_elg"], atol=1e-12)
    vectors = np.random.default_rng(0).normal(size=(7, 4)) * 10.0 ** np.arange(-3, 4)[:, None]
    similarities = cosine_similarities(vectors)
    np.testing.assert_allclose(similarities, cosines(vectors), atol=1e-12)
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
    np.testing.assert_allclose(similarities, cosines(type(fake)().encode_texts([f"A photo of a {name}" for name in NAMES])), atol=1e-6)
    assert similarities.dtype == np.float32
    assert similarities[0, 3] == 1
    class_similarities(NAMES, fake, primer="{}")
    class_similarities(NAMES, fake_words)
    assert fake.texts[4:] == fake_words.texts == ["Tern", "Gull", "Black footed Albatross", "Wren"]
    np.testing.assert_array_equal(class_similarities(["Tern"], fake), [[1]])


def test_several_models_are_averaged_and_vectors_have_the_similarities_as_dot_products(fake, fake_words) -> None:
    one, other = class_similarities(NAMES, fake), class_similarities(NAMES, fake_words)
    assert np.abs(one - other).max() > 1e-3
    for models, expected in ((fake, one), ([fake, fake_words], (one + other) / 2), ((fake, fake, fake_words), (2 * one + other) / 3)):
        np.testing.assert_allclose(class_similarities(NAMES, models), expected, atol=1e-7)
        vectors = class_vectors(NAMES, models)
        np.testing.assert_allclose(vectors @ vectors.T, expected, atol=1e-6)
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
    ("call", "given", "said"),
    [
        *[(prime, (["tench"], primer), r"must hold exactly one '\{\}'") for primer in ("", "a photo", "{} {}", "{0}", None)],
        *[(prime, (names, "{}"), "Expected a list of names") for names in ("tench", ["tench", 3])],
        *[(class_similarities, (names, "minilm"), "list of at least one class name") for names in ([], "Tern")],
        (class_similarities, (NAMES, []), "no language model to average over"),
        (
            class_similarities,
            (NAMES, "elmo"),
            r"no language model 'elmo'.*; for similarities also 'wordnet', 'hierarchy:FILE' or 'hierarchy:wordnet'",
        ),
        (class_similarities, (NAMES, "minilm", "a photo"), r"must hold exactly one '\{\}'"),
        (class_similarities, (NAMES, "hierarchy:nowhere.csv"), "'nowhere.csv' cannot be read"),
    ],
)
def test_refusals(call: Callable[..., Any], given: tuple[Any, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        call(*given)
