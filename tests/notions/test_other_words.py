from dataclasses import replace

from likeness.notions import Notion, list_notions, with_other_words
from likeness.notions.other_words import WORDS

COLORS = Notion("car color", ("a {} car", "{} car"), ("red", "blue", "green"), attribute="car_color", dim=5)


def test_only_the_words_change() -> None:
    drawn = with_other_words(COLORS, seed=3)
    assert replace(drawn, aspects=COLORS.aspects) == COLORS
    assert len(set(drawn.aspects)) == 3
    assert set(drawn.aspects) <= set(WORDS)
    assert drawn == with_other_words(COLORS, seed=3)
    assert drawn != with_other_words(COLORS, seed=4)


def test_seeds_draw_others_however_many_are_drawn() -> None:
    for count in (len(WORDS) // 2, len(WORDS) // 2 + 1, len(WORDS)):
        notion = replace(COLORS, aspects=tuple(map(str, range(count))))
        one, other = (set(with_other_words(notion, seed).aspects) for seed in (0, 1))
        assert len(one) == len(other) == count
        assert len(one & other) < 0.7 * count


def test_more_aspects_than_half_of_the_words_are_drawn_as_pairs_and_more_than_pairs_repeat() -> None:
    drawn = with_other_words(replace(COLORS, aspects=tuple(f"model {number}" for number in range(569))), seed=0)
    assert len(set(drawn.aspects)) == 569
    assert all(part in WORDS for aspect in drawn.aspects for part in aspect.split(" and "))
    assert len(with_other_words(replace(COLORS, aspects=tuple(map(str, range(20_000)))), seed=0).aspects) == 20_000


def test_no_word_is_an_aspect_of_a_notion_that_ships() -> None:
    own = {aspect.lower() for notion in list_notions() for aspect in notion.aspects}
    assert len(set(WORDS)) == len(WORDS) >= 100
    assert set(WORDS) & own == set()
