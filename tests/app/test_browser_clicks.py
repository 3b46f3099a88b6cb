"""Someone types one sentence, clicks on five neighbors, has a better notion, and takes it back."""

import re
from typing import Any

import pytest

import likeness as lk
from browsing import WAIT, open_map, settled
from likeness.notions import Notion
from likeness.sentences import notion_from_sentence

pytestmark = pytest.mark.long

_MEANT, _SHOWN = "background_color", 24  # what "the same color" is meant to say; neighbors on the page
_LIKED, _NOT = 2, 3


@pytest.fixture(scope="module")
def space() -> lk.Space:
    return lk.embed(lk.read("cars"), "cars")


def _asked(space: lk.Space, notion: Notion) -> tuple[int, list[tuple[int, bool]]]:
    """The first image among whose neighbors two are of the same background, with their ranks and those of two that are not."""
    labels, seen = space.table.frame[_MEANT].to_numpy(), space.refit(notion)
    for query in range(len(labels)):
        same = labels[seen.nearest(query, _SHOWN).rows] == labels[query]
        liked, others = same.nonzero()[0] + 1, (~same).nonzero()[0] + 1
        if len(liked) >= _LIKED:
            return query, [(int(rank), True) for rank in liked[:_LIKED]] + [(int(rank), False) for rank in others[:_NOT]]
    raise AssertionError("no image has two such neighbors")


def _names(page: Any) -> str:
    return str(page.locator("[data-testid='stMain']").first.inner_text())


def test_a_sentence_becomes_what_was_meant_by_five_clicks_and_back(page: Any, server: Any, space: lk.Space) -> None:
    typed = notion_from_sentence("same color", space).notion
    query, answers = _asked(space, typed)
    open_map(page, f"{server.url}/notions?layout=PCA&query={query}")
    field = page.get_by_role("textbox", name="Describe it in one sentence")
    field.fill("same color")
    field.press("Enter")
    page.get_by_text("What varies").wait_for(timeout=WAIT)
    settled(page)
    draft = re.search(r"draft=\w+", page.url)
    assert draft is not None
    open_map(page, f"{server.url}/?layout=PCA&a=My%20edits&query={query}&{draft[0]}")
    assert f"By {typed.name}" in _names(page)
    for count, (rank, alike) in enumerate(answers, start=1):
        page.get_by_role("button", name=re.compile(f"^{'More' if alike else 'Not'} like this: rank {rank},")).click()
        page.get_by_text(f"{count} click{'s' if count > 1 else ''}: ").wait_for(timeout=WAIT)
        settled(page)
    assert "They fit car background color better than car color" in _names(page)
    assert "By car background color" in _names(page)
    became = notion_from_sentence("same background color", space).notion
    before, after = (space.refit(notion).metrics(by=_MEANT, include=["map_at_r"])["map_at_r"] for notion in (typed, became))
    assert after > before + 0.5
    same = page.locator(".ga-section .ga-caption").all_inner_texts()
    assert len(set(same[:_SHOWN])) == 1  # all neighbors have one background
    for left in (4, 3):
        page.get_by_role("button", name="Undo", exact=True).click()
        page.get_by_text(f"{left} clicks: ").wait_for(timeout=WAIT)
        settled(page)
    assert f"By {typed.name}" in _names(page)
    assert "The words fit them as they are." in _names(page)
