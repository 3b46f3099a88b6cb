"""Captions per image, with and without class names."""

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.language import caption_embeddings, caption_similarities, captions_in_order, insert_class_name


@pytest.mark.parametrize(
    ("caption", "keywords", "result"),
    [
        ("A blue bird sitting on a branch.", "bird", "A blue Tern sitting on a branch."),
        ("Bird, BIRD and birdhouse", ["bird"], "Tern, Tern and birdhouse"),
        ("two birds", ["bird", "birds"], "two Tern"),
        ("a car near a sports car", ["car", "sports car"], "a Tern near a Tern"),
        ("a c++ bird", ["c++"], "a Tern bird"),
        ("a boat", ["bird"], "a boat"),
        ("", ["bird"], ""),
    ],
)
def test_keywords_become_the_class_name(caption: str, keywords, result: str) -> None:
    assert insert_class_name(caption, "Tern", keywords) == result


def test_a_name_that_holds_the_keyword_or_a_backslash_is_inserted_once() -> None:
    assert insert_class_name("a bird", r"bird of \1 paradise", "bird") == r"a bird of \1 paradise"


@pytest.mark.parametrize("keywords", ["", [], ["bird", " "]])
def test_no_keyword(keywords) -> None:
    with pytest.raises(InputError, match="at least one keyword such as 'bird'"):
        insert_class_name("a bird", "Tern", keywords)


def test_captions_by_path_or_as_a_column() -> None:
    assert captions_in_order({"b": "two", "a": "one", "c": "three"}, ["a", "b"]) == ["one", "two"]
    assert captions_in_order(["one", "two"], ["a", "b"]) == ["one", "two"]


@pytest.mark.parametrize(
    ("captions", "message"),
    [
        ({"a": "one"}, "1 of 2 images have no caption, the first is 'b'"),
        (["one"], "2 images and 1 captions; give one caption per image"),
        ("ab", "2 images and a single text"),
    ],
)
def test_captions_that_do_not_fit(captions, message: str) -> None:
    with pytest.raises(InputError, match=message):
        captions_in_order(captions, ["a", "b"])


def test_mean_of_each_class_equals_a_loop(fake) -> None:
    captions = ["a bird", "the sea", "one tree", "a bird", "blue"]
    labels = [7, 2, 7, 2, 5]
    units = [row / np.linalg.norm(row) for row in type(fake)().encode_texts(captions)]
    expected = np.array([np.mean([unit for unit, label in zip(units, labels, strict=True) if label == each], axis=0) for each in (2, 5, 7)])
    np.testing.assert_allclose(caption_embeddings(captions, labels, fake), expected, atol=1e-6)
    lengths = np.linalg.norm(expected, axis=1)
    np.testing.assert_allclose(caption_similarities(captions, np.array(labels), fake), expected @ expected.T / np.outer(lengths, lengths), atol=1e-6)


def test_classes_with_the_same_captions_are_alike(fake) -> None:
    similarities = caption_similarities(["a bird", "the sea", "the sea", "a bird", "blue"], [0, 0, 1, 1, 2], fake)
    assert similarities[0, 1] == pytest.approx(1, abs=1e-6)
    assert similarities[0, 2] < 0.999
    assert similarities.dtype == np.float32


def test_a_label_per_caption(fake) -> None:
    with pytest.raises(InputError, match="3 labels and 2 captions"):
        caption_similarities(["a", "b"], [0, 1, 2], fake)
