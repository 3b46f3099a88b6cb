"""Relevance feedback: "more like this" and "not like this" on neighbors, which adapt the words of the notion."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

import streamlit as st

from likeness.errors import InputError
from likeness.notions import MOST_PASSED, Click, Notion
from parts import cached, drafts, sidebar
from parts.drafts import Draft
from parts.plain import plain
from parts.view import View
from server.access import redact, refusal
from state import Item

_clicks = Item[tuple[Click, ...] | None](key="clicks_clicks")  # that the edited notion is to follow
_problem = Item("", key="clicks_problem")  # with what was clicked last


def draft_of(view: View, slot: str) -> Draft | None:
    """The notion that clicks on the neighbors in space "a" or "b" change: the edited one or one of the library; None if no notion is shown."""
    name = str(st.session_state.get(slot))
    if name == sidebar.DRAFT:
        return drafts.current()
    return drafts.of(view.notions[name]) if name in view.notions else None


def answers(draft: Draft | None, view: View, query: int | None, rows: Sequence[int]) -> list[bool | None] | None:
    """The answer given to each neighbor of an image, None for no answer; None if no answers are possible."""
    if draft is None or query is None or refusal("edit") or not view.base.table.has_images:
        return None
    said = {frozenset((click.query, click.neighbor)): click.alike for click in draft.clicks}
    asked, paths = _path(view, query), view.frame["path"].iloc[list(rows)]
    return [said.get(frozenset((asked, str(path)))) for path in paths]


def take(draft: Draft, view: View, query: int, shown: Sequence[int], row: int, alike: bool, slot: str = "") -> None:
    """Records an answer about a displayed neighbor; repeating it removes it. The notion in `slot` becomes the edited one."""
    passed = [] if alike else list(shown[: list(shown).index(row)])[-MOST_PASSED:]
    click = Click(_path(view, query), _path(view, row), alike, tuple(_path(view, each) for each in passed))
    before = next((each for each in draft.clicks if {each.query, each.neighbor} == {click.query, click.neighbor}), None)
    others = tuple(each for each in draft.clicks if each != before)
    if before and before.alike == alike:
        _clicks.set(others)
    elif len(others) >= drafts.MOST_CLICKS:
        _problem.set(f"A notion keeps at most {drafts.MOST_CLICKS} clicks. Forget them to continue.")
        return
    else:
        _clicks.set((*others, click))
    if draft != drafts.current():
        drafts.put(draft)
    if slot:
        st.session_state[slot] = sidebar.DRAFT


def settle(view: View) -> bool:
    """Fits the words of the edited notion to the clicks before the page is drawn; whether anything changed."""
    said = _clicks.take()
    before = drafts.current()
    if said is None or before is None:
        return False
    from likeness.clicked_notion import clicked_notion

    try:
        with st.spinner("Finding the words that fit your clicks ..."):
            others = cached.candidates(view.base, sidebar.fitting(view.base))
            now = clicked_notion(view.base, before.notion, said, others, lambda notion: cached.trust(view.base, notion).reads)
        after = _followed(before, now, view)
        after.notion  # noqa: B018  (raises where this server does not fit it)
    except InputError as error:
        _problem.set(redact(error))
        return False
    drafts.put(after)
    return True


def line(draft: Draft | None) -> None:
    """Shows the number of clicks and their effect, with a button to undo them."""
    if problem := _problem.take():
        st.warning(plain(problem), icon=":material/warning:")
    if draft is None or not draft.clicks:
        return
    liked = sum(click.alike for click in draft.clicks)
    count = f"{len(draft.clicks)} click{'s' if len(draft.clicks) > 1 else ''}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{count}**: {liked} more like this, {len(draft.clicks) - liked} not. {_done(draft)}", width="stretch")
        if draft == drafts.latest():
            st.button("Undo", key="undo_click", icon=":material/undo:", type="tertiary", on_click=drafts.undo, disabled=not drafts.can_undo())
            help = "Forgets the clicks; the words stay as they are."
            st.button("Forget", key="forget_clicks", type="tertiary", on_click=drafts.edit, kwargs={"clicks": ()}, help=help)


def _followed(before: Draft, now: Notion, view: View) -> Draft:
    """The draft with words fitted to the clicks; if another notion fits, its name and labels too."""
    if now.templates == before.notion.templates and now.name == before.name:
        return replace(before, aspects="\n".join(now.aspects) if now.aspects != before.notion.aspects else before.aspects, clicks=now.clicks)
    return replace(
        drafts.of(now),
        attribute=now.attribute or view.label_called(now.name),
        solver=before.solver,
        seed=before.seed,
        origin=before.origin,
        clicks=now.clicks,
    )


def _path(view: View, row: int) -> str:
    return str(view.frame["path"].iloc[row])


def _done(draft: Draft) -> str:
    """What the clicks changed since the first one; manual edits in between do not count."""
    from likeness.clicked_notion import left_out

    chain = [draft, *drafts.versions()]
    clicked = len(list(takewhile(lambda each: each.clicks, chain)))
    if draft != drafts.latest() or clicked == len(chain):
        return ""
    words: list[str] = []
    try:
        for after, before in pairwise(chain[: clicked + 1]):
            left = left_out(before.notion, after.notion) if after.clicks != before.clicks else []
            if left is None:
                return f"They fit **{plain(after.name)}** better than {plain(before.name)}."
            words += [word for word in left if word not in draft.notion.aspects]
    except InputError:  # as the form says
        return ""
    return f"Words removed: {sidebar.listed([f'**{plain(word)}**' for word in words[::-1]])}." if words else "The words already fit."
