"""Queries of every kind in a space, and which prompts are not meant."""

import numpy as np
import pytest

import likeness as lk
from likeness.cutoffs import CutoffFinder, SpaceMatches, other_prompts
from likeness.cutoffs.space_matches import query_similarities
from likeness.errors import InputError
from likeness.notions import Notion
from likeness.space import Space


@pytest.fixture(scope="module")
def space() -> Space:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(300, 8))
    vectors[:60, 0] += 6
    return lk.Space(vectors)


def test_similarities_are_those_of_nearest_without_the_query_itself(space: Space) -> None:
    for query in (7, space.vectors[7], lk.Query([(1, 7), (-0.5, 200)])):
        rows, similarities = query_similarities(space, query)
        hits = space.nearest(query, k=len(rows))
        order = np.argsort(-similarities, kind="stable")
        np.testing.assert_array_equal(np.sort(rows), np.sort(hits.rows))
        np.testing.assert_array_equal(rows[order][:20], hits.rows[:20])
    assert 7 not in query_similarities(space, 7)[0]
    assert {7, 200}.isdisjoint(query_similarities(space, lk.Query([(1, 7), (-0.5, 200)]))[0])


def test_rows_are_those_of_the_space_and_answers_on_the_query_are_left_out(space: Space) -> None:
    found = SpaceMatches(space, 0, seed=3)
    answers: dict[int, bool] = {0: True}
    for _ in range(10):
        answers |= {int(row): bool(row < 60) for row in found.next_to_ask(answers, 5)}
    cut = found.cut_off(answers)
    assert cut.answers == 50
    assert 0 not in cut.rows
    assert (cut.rows < 60).mean() > 0.9
    assert len(cut.promise.rows) > 20
    assert (cut.promise.rows < 60).mean() >= 0.9
    plain = CutoffFinder(np.delete(space.vectors @ space.vectors[0], 0), seed=3)
    np.testing.assert_array_equal(plain.next_to_ask() + 1, found.next_to_ask())


def test_negative_prompts_are_read_by_the_space() -> None:
    images = lk.embed(lk.read("cars"), "cars-small")
    notion = Notion("color", "a {} car", ["red", "blue", "green", "white", "black"])
    others = other_prompts(notion, "a red car")
    found = SpaceMatches(images, "a red car", others)
    texts = images.embed_texts(["a red car", *others])  # type: ignore[misc]
    products = texts @ images.vectors.T
    np.testing.assert_allclose(found.finder.scores, products[0] - products[1:].max(axis=0), atol=1e-5)


def test_what_is_not_meant_are_the_other_aspects_where_one_is_named() -> None:
    notion = Notion("color", ("a {} car", "{}"), ["red", "dark red", "Blue", "red"])
    assert other_prompts(notion, "RED") == ["a dark red car", "a Blue car"]
    assert other_prompts(notion, "a dark red van") == ["a red car", "a Blue car"]
    assert other_prompts(notion, "something blue") == ["a red car", "a dark red car"]
    assert other_prompts(notion, "a reddish car") == []


def test_what_cannot_be_is_refused(space: Space) -> None:
    with pytest.raises(InputError, match="negative weights"):
        SpaceMatches(space, lk.Query([(1, 3), (1, 4)]), ["a car"])
    with pytest.raises(InputError, match="no text"):
        SpaceMatches(space, 3, ["a car"])
    with pytest.raises(InputError, match="no image 300; the last is 299"):
        SpaceMatches(space, 299).cut_off({300: True})
    assert SpaceMatches(space, 299).cut_off({299: True}).answers == 0  # one on the query says nothing


def test_only_images_that_are_allowed_count(space: Space) -> None:
    allowed = np.arange(300) % 2 == 0
    found = SpaceMatches(space, 0, allowed=allowed, seed=3)
    assert found.rows.tolist() == list(range(2, 300, 2))
    answers = {0: True, 1: False, 2: True}  # the query, one that is not allowed, and one that counts
    cut = found.cut_off(answers)
    assert cut.answers == 1
    assert (cut.rows % 2 == 0).all()
    assert found.next_to_ask(answers)[0] % 2 == 0
    with pytest.raises(InputError, match="True or False for each"):
        SpaceMatches(space, 0, allowed=allowed[:5])
    with pytest.raises(InputError, match="1 images remain besides those of the query"):
        SpaceMatches(space, 0, allowed=np.arange(300) < 2)
