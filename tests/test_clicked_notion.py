"""A notion follows clicks: by the formula, by what a person would expect, and undone."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import logsumexp

import likeness as lk
from likeness.clicked_notion import ANOTHER, MISREAD, OVERLOOKED, TOO_MANY, Candidate, candidates, clicked_notion, left_out
from likeness.data import ImageTable
from likeness.notions import Click, Notion

COLOR = Notion("color", "a {} thing", ["red", "green", "blue"])
SHAPE = Notion("shape", "a thing like a {}", ["ball", "cube"])
_AXES = {"a red thing": 0, "a green thing": 1, "a blue thing": 2, "a thing like a ball": 3, "a thing like a cube": 4, "a loud thing": 5}


def _texts(prompts):
    return np.eye(8, dtype=np.float32)[[_AXES[each] for each in prompts]]


@pytest.fixture
def space(tmp_path):
    """Images that each show a color and a shape: colors 0, 1, 2, 0, 1, 2 ..., shapes 3, 4, 3, 4 ..."""
    vectors = np.eye(8, dtype=np.float32)[np.arange(24) % 3] + np.eye(8, dtype=np.float32)[3 + np.arange(24) % 2]
    table = ImageTable("images", tmp_path, pd.DataFrame({"path": [f"{row}.png" for row in range(24)]}))
    return lk.Space(vectors, table, embed_texts=_texts)


@pytest.fixture
def others(space):
    return candidates(space, [COLOR, SHAPE])


def _click(first, second, alike):
    return Click(f"{first}.png", f"{second}.png", alike)


def _always(notion):
    return True


def test_without_a_click_that_counts_nothing_changes(space, others):
    assert clicked_notion(space, COLOR, [], others) == COLOR
    gone = (_click(0, 99, False),)
    assert clicked_notion(space, COLOR, gone, others) == replace(COLOR, clicks=gone)


def test_answers_by_shape_make_it_the_shape(space, others):
    said = [_click(0, 2, True), _click(0, 3, False), _click(1, 7, True), _click(1, 4, False)]  # rows: color mod 3, shape mod 2
    found = clicked_notion(space, COLOR, said, others, _always)
    assert (found.name, found.aspects, found.clicks) == ("shape", SHAPE.aspects, tuple(said))
    assert clicked_notion(space, COLOR, said[::-1], others, _always) == replace(found, clicks=tuple(said[::-1]))  # in whatever order
    asked = []  # what the encoder does not read is not taken
    assert clicked_notion(space, COLOR, said, others, lambda notion: bool(asked.append(notion.name))).name == "color"
    assert set(asked) == {"shape"}


def test_one_answer_is_too_little_and_right_ones_change_nothing(space, others):
    assert clicked_notion(space, COLOR, [_click(0, 3, False)], others * 4, _always).aspects == COLOR.aspects  # one of eight others is improbable
    said = [_click(0, 3, True), _click(1, 4, True), _click(2, 8, True), _click(0, 1, False), _click(3, 5, False)]
    assert clicked_notion(space, COLOR, said, others, _always) == replace(COLOR, clicks=tuple(said))


def test_refusals_bring_no_other_notion_alone_or_beside_what_was_let_pass(space, others):
    """Mistakes alone would make it the shape; that most neighbors were let pass keeps the color."""
    said = [(0, 3), (1, 4), (2, 5), (6, 9)]  # of one color each, of two shapes
    refused = [_click(*pair, False) for pair in said]
    kept = [
        replace(click, passed=tuple(f"{(pair[0] + step) % 24}.png" for step in (3, 9, 15, 21))) for click, pair in zip(refused, said, strict=True)
    ]
    alike = _click(0, 2, True)  # of one shape, of two colors
    assert clicked_notion(space, COLOR, [*refused, alike], others, _always).name == "shape"
    assert clicked_notion(space, COLOR, [*kept, alike], others, _always).aspects == COLOR.aspects
    assert clicked_notion(space, COLOR, refused, others, _always).name == "color"  # as long as nobody said "more like this"


def test_a_joined_notion_is_judged_as_a_whole(space, others):
    """Color and shape together: alike in color alone is not alike, which the joined notion says already."""
    both = replace(COLOR, joined=((1.0, SHAPE),))
    said = [_click(0, 3, False), _click(1, 4, False), _click(0, 6, True), _click(2, 5, False), _click(1, 7, True)]
    assert clicked_notion(space, both, said, others, _always) == replace(both, clicks=tuple(said))


def test_what_was_left_out_and_what_is_another_notion():
    fewer = replace(COLOR, name="hue", aspects=("blue", "red"))
    assert left_out(COLOR, fewer) == ["green"]
    assert left_out(COLOR, COLOR) == []
    assert left_out(COLOR, replace(COLOR, aspects=("red", "loud"))) is None  # in the same template
    assert left_out(COLOR, SHAPE) is None


def _posterior(images, pairs, answers, aspects):
    """The likelihood term by term, in plain numbers."""
    total = 0.0
    for (first, second), (same, misread) in zip(pairs, answers, strict=True):
        shares = []
        for row in (first, second):
            logits = 100 * (images[row].astype(np.float64) @ aspects.T.astype(np.float64))
            shares.append(np.exp(logits - logsumexp(logits)))
        chance = float(shares[0] @ shares[1])
        total += np.log(misread + (1 - 2 * misread) * (chance if same else 1 - chance))
    return total


def test_the_most_probable_change_is_that_of_the_formula():
    """On images and words at random, where every change is compared with the formula written out."""
    changed = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        vectors = rng.normal(size=(20, 6)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        words = {f"w{place}": row / np.linalg.norm(row) for place, row in enumerate(rng.normal(size=(9, 6)).astype(np.float32))}
        table = ImageTable("images", "/", pd.DataFrame({"path": [f"{row}.png" for row in range(20)]}))
        space = lk.Space(vectors, table, embed_texts=lambda prompts, words=words: np.stack([words[each] for each in prompts]))
        said, one, two = (
            Notion(name, "{}", [f"w{place}" for place in places]) for name, places in (("a", (0, 1, 2)), ("b", (3, 4, 5)), ("c", (6, 7, 8)))
        )
        rows = {each.name: np.stack([words[word] for word in each.aspects]) for each in (said, one, two)}
        others = [Candidate(one, rows["b"], 0.6), Candidate(two, rows["c"], 0.3)]
        pairs = [tuple(sorted(rng.choice(20, 2, replace=False).tolist())) for _ in range(8)]
        clicks, last = [], {}
        for (first, second), same in zip(pairs, (rng.random(8) < 0.5).tolist(), strict=True):
            passed = [] if same else [row for row in rng.choice(20, 2, replace=False).tolist() if row != first]
            clicks.append(Click(f"{first}.png", f"{second}.png", same, tuple(f"{row}.png" for row in passed)))
            last |= {tuple(sorted((first, row))): (True, OVERLOOKED) for row in passed}
        last |= {pair: (click.alike, MISREAD) for pair, click in zip(pairs, clicks, strict=True)}

        def score(aspects, images=vectors, last=last):
            return _posterior(images, list(last), list(last.values()), aspects)

        scores = {("a", said.aspects): score(rows["a"])}
        for place in range(3):
            left = tuple(np.delete(said.aspects, place).tolist())
            scores["a", left] = score(np.delete(rows["a"], place, axis=0)) + np.log(TOO_MANY / (1 - TOO_MANY))
        for name, divides in (("b", 0.6), ("c", 0.3)):
            scores[name, (one if name == "b" else two).aspects] = score(rows[name]) + np.log(ANOTHER / (1 - ANOTHER) * divides / 0.9)
        best = max(scores, key=scores.get)
        found = clicked_notion(space, said, clicks, others, _always)
        if best == ("a", said.aspects):
            assert (found.name, found.aspects) == best
        else:  # the first step; there may be a second one
            assert found.name == best[0]
            assert set(found.aspects) <= set(best[1])
            changed += 1
    assert 3 <= changed < 12


def test_candidates_divide_as_the_images_differ(space):
    alone = Notion("loud", "a {} thing", ["loud", "red"])
    color, loud = candidates(space, [COLOR, alone, COLOR, replace(SHAPE, joined=((1.0, COLOR),))])
    assert color.divides == pytest.approx(2 / 3, abs=0.01)
    assert loud.notion.name == "loud"
    assert 0 <= loud.divides < color.divides
