"""Why two images are alike: sentences by hand for an encoder whose words are axes, and certain aspects against a plain loop."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import pytest

import likeness as lk
import worlds
from likeness.errors import InputError
from likeness.notion_trust import worded_aspects
from likeness.notions import Notion, fitting_notions
from likeness.reasons import CERTAIN, NOTHING, certain_aspects, reasons
from made_rows import unit

AXES = ("red", "blue", "beach", "snow")
COLOR, SETTING = Notion("color", "a {} thing", ("red", "blue")), Notion("setting", "a photo on {}", ("beach", "snow"))
MOOD = Notion("mood", "a {} thing", ("happy", "sad"))
SHOWN = ["red beach", "red snow", "blue beach", "blue snow", "red blue snow", "red beach"]
tell = partial(reasons, notions=[COLOR, SETTING], labels=[])


def _embed(texts: Sequence[str]) -> np.ndarray:
    """A word is an axis; "crimson" is red; a text without such words is a direction of its own, which changes with every letter."""
    rows = np.zeros((len(texts), 12), np.float32)
    for row, text in zip(rows, texts, strict=True):
        words = text.lower().replace("crimson", "red").split()
        row[:4] = [axis in words for axis in AXES]
        if not row.any():
            row[4:] = np.random.default_rng(list(text.encode())).normal(size=8)
    return np.asarray(unit(rows), np.float32)


def _space(**labels: Sequence[object]) -> lk.Space:
    return lk.Space(_embed(SHOWN), labels=pd.DataFrame(labels) if labels else None, embed_texts=_embed)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (1, "By the encoder: same color (red), other setting (beach / snow)."),
        (2, "By the encoder: same setting (beach), other color (red / blue)."),
        (3, "By the encoder: other color (red / blue), other setting (beach / snow)."),
        (4, "By the encoder: other setting (beach / snow)."),
        (5, "By the encoder: same color (red), same setting (beach)."),
    ],
)
def test_each_trusted_notion_says_same_or_other_or_nothing(row: int, said: str) -> None:
    assert tell(_space(), 0, [row]) == [said]


def test_where_no_aspect_is_certain_or_no_notion_is_trusted_it_says_so() -> None:
    assert tell(_space(), 0, [4], notions=[COLOR]) == [NOTHING]
    assert tell(_space(), 4, [0, 1], notions=[COLOR]) == [NOTHING, NOTHING]
    assert tell(_space(), 0, [1], notions=[MOOD]) == [NOTHING]
    without_words = lk.Space(_embed(SHOWN))
    assert (tell(without_words, 0, [1]), without_words.why(0, 1)) == ([NOTHING], NOTHING)
    assert tell(lk.Space(_embed(SHOWN[:2]), embed_texts=_embed), 0, [1]) == [NOTHING]  # too few images for trust


def test_a_notion_is_read_once_and_the_finer_of_one_attribute_is_left_out() -> None:
    read: list[list[str]] = []

    def embed(texts: Sequence[str]) -> np.ndarray:
        read.append(list(texts))
        return _embed(texts)

    space = lk.Space(_embed(SHOWN), embed_texts=embed)
    finer = Notion("shade", "a {} thing", ("red", "blue", "crimson"), attribute="hue")
    notions = [finer, Notion("color", "a {} thing", ("red", "blue"), attribute="hue")]
    for _ in range(3):
        assert tell(space, 0, [1], notions=notions) == ["By the encoder: same color (red)."]
    assert len(read) == 1
    assert tell(space.with_table(space.table), 0, [3], notions=notions) == ["By the encoder: other color (red / blue)."]
    assert len(read) == 1


def test_a_text_shows_what_it_names_and_the_encoder_reads() -> None:
    space = _space()
    assert tell(space, "the RED thing", [0, 2]) == ["By the encoder: same color (red).", "By the encoder: other color (red / blue)."]
    assert tell(space, "crimson", [0]) == [NOTHING]  # as near to red, but nobody said red
    assert tell(space, "red or blue", [0]) == [NOTHING]
    assert tell(space, "a cat", [0]) == [NOTHING]
    assert tell(space, space.vectors[0], [5]) == tell(space, 0, [5])
    of_notion = space.refit(COLOR)
    assert tell(of_notion, 0, [1]) == tell(space, 0, [1])
    assert tell(of_notion, "red", [0]) == ["By the encoder: same color (red)."]
    with pytest.raises(InputError, match="pass a text, a row, an image or vectors of 12 dimensions"):
        tell(of_notion, of_notion.vectors[0], [0])


def test_labels_come_first_and_take_the_place_of_what_the_encoder_reads() -> None:
    color = ["red", "blue", "red", None, "red", "red"]  # image 1 is red to the encoder
    space = _space(
        hue=color,
        body_type=["a", "a", "b", "b", "a", "a"],
        good=[True, True, False, False, True, False],
        weight=[1.5, 1.5, 2, 2, 1, 1],
        year=[2020] * 6,
        number=[*"abcdef"],
        note=["", "", "x", "x", "(unlabeled)", "y"],
    )
    notions = [Notion("color", "a {} thing", ("red", "blue"), attribute="hue"), SETTING]
    told = partial(reasons, space, 0, notions=notions)
    assert told([1]) == ["By labels: same body type (a), same good (True), other hue (red / blue). By the encoder: other setting (beach / snow)."]
    # no label of the color of image 3: the encoder reads it; a tag that is missing is not another one
    assert told([3]) == ["By labels: other body type (a / b). By the encoder: other color (red / blue), other setting (beach / snow)."]
    assert told([1], labels=["hue"]) == ["By labels: other hue (red / blue). By the encoder: other setting (beach / snow)."]
    assert told([1], labels=[]) == tell(space, 0, [1])
    # nearly all different: no categories, unless two are equal
    assert reasons(_space(name=["a", "b", "c", "d", "e", "a"]), 0, [1, 5], [], None) == [NOTHING, "By labels: same name (a)."]


def test_hits_and_pairs_of_the_shipped_cars() -> None:
    cars = worlds.cars()
    pair = cars.why(3, 17)
    frame = cars.table.frame
    for name in ("car_color", "body_type", "viewpoint"):
        one, other = frame[name].iloc[[3, 17]]
        text = f"same {name.replace('_', ' ')} ({one})" if one == other else f"other {name.replace('_', ' ')} ({one} / {other})"
        assert text in pair
    hits = cars.nearest(3, k=4)
    assert hits.why() == [cars.why(3, int(row)) for row in hits.rows]
    assert cars.nearest("a red car", k=2).why() == ["By the encoder: same car color (red)."] * 2
    outside = cars.nearest(cars.table.file(3), k=3)
    assert outside.why() == reasons(cars, cars.vectors[3], outside.rows.tolist())
    assert outside.why()[0].startswith("By the encoder: same ")
    for none in (cars.nearest(cars.vectors[:2], k=2), cars.nearest(lk.Query([(1, 3), (1, "a red car")]), k=2)):
        with pytest.raises(InputError, match="search a space with one image or text, or compare two images by"):
            none.why()
    with pytest.raises(InputError, match="There is no image 2000"):
        cars.why(3, 2000)


def test_what_the_encoder_reads_in_the_shipped_cars_is_mostly_their_label() -> None:
    cars = worlds.cars()
    color = next(each for each in fitting_notions(cars.table, "cars") if each.name == "car color")
    shown = certain_aspects(cars.vectors, worded_aspects(cars, color))
    labels = cars.table.frame["car_color"].to_numpy()
    certain = shown >= 0
    assert certain.mean() > 0.5
    assert (np.array(color.aspects)[shown[certain]] == labels[certain]).mean() > 0.99


def test_certain_aspects_are_those_of_a_plain_loop() -> None:
    random = np.random.default_rng(0)
    images = unit(random.normal(size=(200, 8)) * [3, 1, 1, 1, 1, 1, 1, 1]).astype(np.float32)
    wordings = [unit(random.normal(size=(3, 8)) * 0.05 + random.normal(size=(1, 8)) + np.eye(3, 8)).astype(np.float32) for _ in range(2)]
    for certain in (0.5, 0.9, CERTAIN):
        for image, found in zip(images.astype(float), certain_aspects(images, wordings, certain), strict=True):
            least = [1.0] * 3
            for aspects in wordings:
                scores = [math.exp(100 * sum(x * y for x, y in zip(image, aspect, strict=True))) for aspect in aspects.astype(float)]
                least = [min(before, score / sum(scores)) for before, score in zip(least, scores, strict=True)]
            best = max(range(3), key=least.__getitem__)
            if abs(least[best] - certain) > 1e-4:
                assert found == (best if least[best] >= certain else -1)
    assert (certain_aspects(images, wordings, 0.5) >= 0).sum() > (certain_aspects(images, wordings) >= 0).sum() > 0
