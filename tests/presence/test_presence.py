"""Whether anything matches: the p-value by hand and by simulation, the answer with and without the images, and what is refused."""

import numpy as np
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.presence import FALSE_ALARMS, alignment, chance_of, match_scores, presence, properties


def test_chance_is_that_of_two_draws() -> None:
    matches = np.random.default_rng(0).normal(size=500).astype(np.float32)
    assert chance_of(np.inf, matches) == 1
    assert chance_of(-np.inf, matches) == 0
    assert chance_of(2.0, np.array([1, 2, 3, 4], np.float32)) == 0.25  # (2 / 4)^2
    draws = np.random.default_rng(1).choice(matches, (200_000, 2)).max(axis=1)
    for best in (-0.5, 0.0, 1.0):
        assert chance_of(best, matches) == pytest.approx((draws <= best).mean(), abs=0.005)


def test_false_alarms_keep_the_rate_when_two_images_show_it() -> None:
    random = np.random.default_rng(2)
    matches = random.normal(size=2000).astype(np.float32)
    alarms = [chance_of(random.normal(size=2).max(), matches) <= FALSE_ALARMS for _ in range(20_000)]
    assert np.mean(alarms) == pytest.approx(FALSE_ALARMS, abs=0.015)


def test_match_scores_are_the_best_of_other_texts_by_a_slow_loop() -> None:
    random = np.random.default_rng(3)
    images, others = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (random.normal(size=(7, 5)), random.normal(size=(4, 5))))
    text = others[2]  # which says the same as the third
    expected = [max(float(image @ other) for place, other in enumerate(others) if place != 2) for image in images]
    np.testing.assert_allclose(match_scores(images.astype(np.float32), text.astype(np.float32), others.astype(np.float32)), expected, rtol=1e-5)
    assert chance_of(1.0, match_scores(images, text, others[2:3])) == 0  # nothing else to compare with: no image shows anything


def test_alignment_by_covariances() -> None:
    random = np.random.default_rng(4)
    images, texts = random.normal(size=(300, 6)) * [5, 5, 1, 1, 1, 1], random.normal(size=(40, 6)) * [5, 5, 1, 1, 1, 1]
    x, t = np.cov(images.T), np.cov(texts.T)
    assert alignment(images, texts) == pytest.approx(1 - np.trace(x) * np.trace(t) / (6 * np.trace(x @ t)))
    assert alignment(images, np.ones((3, 6))) == 0


def test_images_differ_in_a_property_about_as_much_as_in_other_words_for_it() -> None:
    random = np.random.default_rng(5)
    images, others = random.normal(size=(200, 6)).astype(np.float32), random.normal(size=(9, 6)).astype(np.float32)
    numbers, text = [0, 0, 0, 0, 2, 2, 2, 2, 2], others[:4].mean(axis=0) + np.float32(0.7) * others[4]
    expected = 0
    for part in (0, 2):
        rivals = np.array([[image @ other for other, number in zip(others, numbers, strict=True) if number == part] for image in images])
        beside = [[row[at] - row.mean() for row in rivals] for at in range(rivals.shape[1])]
        own = [image @ text - row.mean() for image, row in zip(images, rivals, strict=True)]
        expected += bool(np.std(own) >= 0.7 * np.mean([np.std(each) for each in beside]))
    assert properties(images, text, others, numbers) == expected
    assert properties(images, others[:4].mean(axis=0), others[:4], numbers[:4]) == 0  # no image differs from what stands in its place
    assert properties(images, others[0], others[1:4], numbers[:3]) == 1


def test_a_part_is_named_where_two_properties_are_searched_for() -> None:
    space = lk.embed(lk.read("cars"), "cars")
    endings = {text: space.presence(text).sentence.removeprefix(f"Images here match “{text}”") for text in ("a red car", "a car", "a red pickup")}
    assert endings == {"a red car": ".", "a car": ".", "a red pickup": ", or a part of it."}


@pytest.mark.parametrize(("text", "column", "value"), [("a purple car", "car_color", "purple"), ("a photo of a pickup", "body_type", "pickup")])
def test_with_the_images_it_is_here_and_without_them_absent(text: str, column: str, value: str) -> None:
    space = lk.embed(lk.read("cars"), "cars")
    others = space.table.frame[column].to_numpy() != value
    hits, without = space.nearest(text), space.nearest(text, allowed=others)
    assert hits.presence is not None
    assert without.presence is not None
    assert (hits.presence.answer, without.presence.answer) == ("here", "absent")
    assert without.presence.p_value <= FALSE_ALARMS < hits.presence.p_value
    assert without.presence.sentence == f"Nothing here matches “{text}”; these are only the nearest images."
    fitted = space.refit(lk.Notion("color", "a {} car", ("red", "blue", "green")))
    assert fitted.nearest(text, allowed=others).presence == without.presence  # of the encoder's own space


def test_turned_images_leave_it_unclear() -> None:
    space = lk.embed(lk.read("cars"), "cars")
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(space.vectors.shape[1],) * 2))[0].astype(np.float32)
    assert space.embed_texts is not None
    found = presence("a purple car", space.vectors @ turn, space.embed_texts, "cars")
    assert found.answer == "unclear"
    assert "cannot tell" in found.sentence


def test_words_that_are_denied_are_unclear_and_those_that_are_unknown_unread() -> None:
    space = lk.embed(lk.read("cars"), "cars")
    assert space.presence("a car that is not red").answer == "unclear"
    assert "“not”" in space.presence("a car that is not red").sentence
    unknown = space.presence("a purple submarine")
    assert (unknown.answer, unknown.sentence) == ("unread", "'submarine' is no word that this encoder knows.")
    assert np.isnan(unknown.p_value)


def test_only_a_text_has_a_presence() -> None:
    space = lk.Space(np.eye(3), labels=["a", "b", "c"])
    assert space.nearest(0).presence is None
    with pytest.raises(InputError, match="has no text side"):
        space.presence("a car")
    cars = lk.embed(lk.read("cars"), "cars")
    assert cars.nearest(lk.Query([(1, "a red car"), (1, 3)])).presence is None
    with pytest.raises(InputError, match="The text is empty"):
        cars.presence(" ")
