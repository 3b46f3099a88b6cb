"""How far a notion can be trusted: both parts against plain formulas, and against words that mean nothing."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from typer.testing import CliRunner

import likeness as lk
import worlds
from likeness.commands.cli import command_line
from likeness.encoders import text_warnings, unread_words
from likeness.errors import InputError
from likeness.io import plain_name
from likeness.notion_trust import (
    LEAST_ALIGNMENT,
    LEAST_STABILITY,
    REWORDINGS,
    alignment,
    notion_trust,
    notion_warnings,
    sample,
    stability,
    trust_of,
    worded_aspects,
)
from likeness.notions import Notion, get_notion, list_notions, notion_encoder, write_notion
from made_rows import unit


@pytest.fixture(scope="module")
def cars() -> lk.Space:
    return worlds.cars()


def _rows(seed: int, n: int, r: int = 12) -> np.ndarray:
    return unit(np.random.default_rng(seed).normal(size=(n, r))).astype(np.float32)


def test_stability_is_the_correlation_of_bhattacharyya_coefficients() -> None:
    images, aspects, other = _rows(0, 30), _rows(1, 4), _rows(2, 4)

    def coefficients(texts: np.ndarray) -> np.ndarray:
        scores = np.exp(100 * images.astype(np.float64) @ texts.T.astype(np.float64))
        shares = scores / scores.sum(axis=1, keepdims=True)
        return 1 - pdist(np.sqrt(shares), "sqeuclidean") / 2  # of unit rows, the cosine

    expected = np.corrcoef(coefficients(aspects), coefficients(other))[0, 1]
    assert stability(images, aspects, other)[0] == pytest.approx(expected, abs=1e-4)
    assert stability(images, aspects, aspects) == pytest.approx((1, 0), abs=1e-6)


def test_the_error_of_stability_is_its_deviation_over_samples_of_images() -> None:
    aspects = _rows(1, 4)
    other = unit(aspects + 0.02 * np.random.default_rng(5).normal(size=aspects.shape)).astype(np.float32)
    found = np.array([stability(_rows(100 + sample, 150), aspects, other) for sample in range(40)])
    assert found[:, 1].mean() == pytest.approx(found[:, 0].std(), rel=0.4)
    groups = [stability(np.delete(_rows(0, 30), np.arange(group, 30, 10), axis=0), aspects, other)[0] for group in range(10)]
    assert stability(_rows(0, 30), aspects, other)[1] == pytest.approx(np.sqrt(0.9 * np.sum((groups - np.mean(groups)) ** 2)))


def test_a_stability_that_chance_may_have_lifted_is_not_enough() -> None:
    wide = np.array([9] * 3 + [1] * 9)  # along which images and aspects vary together
    images, aspects = (unit(_rows(seed, n) * wide).astype(np.float32) for seed, n in ((0, 60), (1, 4)))
    verdicts = {}
    for spread in np.linspace(0, 0.1, 60):
        other = unit(aspects + spread * _rows(5, 4)).astype(np.float32)
        stable, error = stability(images, aspects, other)
        verdicts[stable >= LEAST_STABILITY, stable - 1.645 * error >= LEAST_STABILITY] = trust_of(images, aspects, other).reads
    assert verdicts == {(True, True): True, (True, False): False, (False, False): False}


def test_alignment_is_the_ratio_of_variances() -> None:
    images, aspects = _rows(0, 200), _rows(1, 5)
    X, T = np.cov(images.T), np.cov(aspects.T)
    ratio = 12 * np.trace(X @ T) / (np.trace(X) * np.trace(T))
    assert alignment(images, aspects) == pytest.approx(max(0.0, 1 - 1 / ratio), abs=1e-5)
    line = np.zeros((2, 12), np.float32)
    line[0, 0] = line[1, 1] = 1
    along = np.concatenate([np.tile(line[:1], (5, 1)), np.tile(line[1:], (5, 1))])
    assert alignment(along, line) == pytest.approx(1 - 1 / 12)  # all that the images vary lies along the aspects
    assert alignment(along[:, ::-1], line) == 0.0


def test_words_that_mean_nothing_are_not_trusted(cars: lk.Space) -> None:
    images, words = sample(cars), worded_aspects(cars, get_notion("car color"))
    read = trust_of(images, *words)
    assert read.reads
    assert read.score > 0.9
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(512, 512)))[0].astype(np.float32)
    turned = trust_of(images, *(each @ turn for each in words))
    assert not turned.reads
    assert turned.stability > LEAST_STABILITY  # the text side alone can't tell
    assert turned.alignment < LEAST_ALIGNMENT
    other = trust_of(images, words[0], *(each @ turn for each in words[1:]))
    assert other.alignment == read.alignment
    assert other.stability < 0.5
    same = trust_of(images, *(np.repeat(each[:1], 3, axis=0) for each in words))
    assert (same.score, same.reads) == (0.0, False)


def test_what_the_small_encoder_cannot_read_is_flagged(cars: lk.Space) -> None:
    small = lk.embed(lk.read("cars"), "cars-small")
    assert notion_trust(cars, get_notion("sun height")).reads
    for name in ("sun height", "sun side"):
        assert not notion_trust(small, get_notion(name)).reads
    assert notion_trust(small, get_notion("car color")).reads
    unknown = notion_trust(cars, lk.Notion("nothing", "a {} thing", ["blorb", "quux", "fnord"]))
    assert (unknown.score, unknown.reads) == (0.0, False)
    # joined notions are as the weakest, and notions' spaces as their encoders'
    color, sun = get_notion("car color"), get_notion("sun height")
    assert notion_trust(small, color - sun) == notion_trust(small, sun)
    assert notion_trust(small.refit(color), sun) == notion_trust(small, sun)


def test_the_prompts_of_all_wordings_are_read_in_one_call(cars: lk.Space) -> None:
    color, read = replace(get_notion("car color"), template=("a {} car", "the {} car")), []

    def embed_texts(texts: Sequence[str]) -> np.ndarray:
        read.append(list(texts))
        return cars.embed_prompts(texts)[0]

    rows = worded_aspects(lk.Space(cars.vectors, embed_texts=embed_texts), color)
    assert [len(texts) for texts in read] == [2 * len(color.aspects) * (1 + len(REWORDINGS))]
    for words, each in zip(("{}", *REWORDINGS), rows, strict=True):
        templates = tuple(words.replace("{}", template) for template in color.templates)
        np.testing.assert_allclose(each, cars.embed_aspects(replace(color, template=templates))[0], atol=1e-6)
    with pytest.raises(InputError, match="at least four images"):
        notion_trust(lk.Space(_rows(0, 2), embed_texts=lambda texts: _rows(1, len(texts))), color)


ODD = Notion("odd", "a {} car", ["red", "blue", "blue", "frobnicate", "a green car"])


def test_what_ships_is_read_without_a_warning() -> None:
    for notion in list_notions(Path("no-such-folder")):
        assert notion_warnings(notion, notion_encoder(notion)) == [], notion.name


def test_repeated_aspects_whole_prompts_and_unknown_words_are_named() -> None:
    found = notion_warnings(ODD, "cars")
    for words in ("'blue' is listed 2 times", "repeats words of the template", "frobnicate"):
        assert sum(words in sentence for sentence in found) == 1, words
    assert not any("frobnicate" in sentence for sentence in notion_warnings(ODD))
    assert notion_warnings(get_notion("car color") - ODD, "cars") == notion_warnings(ODD, "cars")


def test_many_words_are_cut() -> None:
    assert unread_words([]) == ""
    assert unread_words(["x", "y"]) == "The encoder does not know x, y and reads a blank instead."
    assert unread_words([str(number) for number in range(9)]) == "The encoder does not know 0, 1, 2, 3, 4, 5 ... and reads a blank instead."


@pytest.mark.parametrize(
    ("words", "notes"),  # a search has images, too, and says whether they can be relied on
    [(["fit", "{}", "--encoder", "cars"], 3), (["search", "cars", "--row", "1", "--notion", "{}"], 4)],
    ids=["fit", "search"],
)
def test_commands_tell_it_beside_their_answer(words: list[str], notes: int, tmp_path: Path) -> None:
    file = tmp_path / "odd.yaml"
    write_notion(file, ODD)
    found = CliRunner().invoke(command_line(), [word.replace("{}", str(file)) for word in words])
    assert found.exit_code == 0, found.output
    assert found.stderr.count("Note: ") == notes
    assert "Note: The encoder does not know frobnicate and reads a blank instead." in found.stderr
    assert "Note" not in found.stdout


LONG = "red " * 41 + "car"


def test_prompts_that_are_cut_are_named_with_their_tokens() -> None:
    found = notion_warnings(Notion("long", f"a {LONG} in {{}}", ["rain", "snow"]), "cars")
    assert any("reads the first 32 tokens of a text, and 2 texts have more, up to 47 in “a red red" in sentence for sentence in found)
    assert text_warnings("cars", [LONG]) == [
        f"The encoder reads the first 32 tokens of a text, and “{plain_name(LONG)}” has 44: its end is cut off; shorten it."
    ]
    assert text_warnings("cars", ["a red car"]) == []


@pytest.mark.parametrize(
    ("template", "aspects", "reason"),
    [
        (f"a {LONG} in {{}}", ["front of a black house", "front of a white house"], "reads the first 32 tokens of a text, and 2 texts have more"),
        ("a {}", ["qwxz", "frobnicate"], "does not know frobnicate, qwxz"),
    ],
)
def test_prompts_that_are_all_the_same_to_the_encoder_are_refused_with_the_reason(template: str, aspects: list[str], reason: str) -> None:
    with pytest.raises(InputError, match=f"All prompts of 'x' are the same to the encoder, so nothing varies.*{reason}"):
        lk.embed(lk.read("cars"), "cars").refit(Notion("x", template, aspects))


@pytest.mark.parametrize(
    ("text", "said", "status"),
    [
        ("a red car", None, 0),
        ("a red frobnicate", "Note: The encoder does not know frobnicate and reads a blank instead.", 0),
        ("a red car 🚗", "Note: The encoder does not know 🚗 and reads a blank instead.", 0),
        (LONG, "Note: The encoder reads the first 32 tokens of a text", 0),
        ("🚗", "The encoder knows no word of '🚗'; search with other words, or by image.", 1),
        ("qwxz frobnicate", "The encoder knows no word of 'qwxz frobnicate'", 1),
        (" ", "The text is empty; describe what to look for", 1),
    ],
)
@pytest.mark.parametrize("command", ["search", "query", "matches"])
def test_a_search_says_what_of_its_text_is_not_read(command: str, text: str, said: str | None, status: int) -> None:
    asked = {"search": ["search", "cars", "--text", text], "query": ["search", "cars", "--query", f'row:3 + "{text}"']}
    asked["matches"] = ["matches", "cars", "--text", text, "--ask", "0"]
    found = CliRunner().invoke(command_line(), asked[command])
    assert (found.exit_code, said is None or said in f"{found.stderr}{found.exception}") == (status, True), found.output
    assert isinstance(found.exception, InputError | None)
    assert "Note" not in found.stdout
    if said is None:
        assert "Note" not in found.stderr
