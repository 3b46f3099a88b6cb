"""The notion being edited. Every edit is saved to a file whose token is in the URL, so that no rerun or reload loses it.

Tabs with the same link share the file: each changes single fields of its current content, and shows the others' changes.
"""

import json
import re
import secrets
import threading
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from itertools import takewhile
from typing import Annotated, Any, NamedTuple

import streamlit as st
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from likeness.errors import InputError
from likeness.io import text_of
from likeness.notions import WORD_METHODS, Click, Notion
from parts import link
from server.access import refusal
from server.quotas import check_notion, write_draft
from server.visitors import draft_file, is_own_draft
from state import Item, state

_HISTORY = 50
MOST_JOINED = 8  # notions of one draft
MARK = " (edited)"  # after the name of an unsaved notion
MOST_CLICKS = 200  # kept with one draft
_TOKEN = re.compile(r"[0-9a-z]{1,64}")
_TITLES = {each: each for each in ("name", "question", "aspects", "seed", "clicks")} | {
    "templates": "template",
    "attribute": "evaluate with",
    "dim": "dimensions",
    "solver": "method",
    "joined": "joined notions",
}
_YOURS = "Your version is shown. Undo restores the other one."
_turn = threading.Lock()  # of one tab at a time between reading a draft and writing it
Dim = Annotated[int, Field(ge=1, lt=2**31)]


class Joined(NamedTuple):
    """A notion joined with the draft's: its weight and its content at that time."""

    weight: float
    name: str
    templates: str
    aspects: str
    dim: Dim | None = None

    @property
    def notion(self) -> Notion:
        """The notion; raises InputError if it is invalid."""
        return Notion(self.name, tuple(self.templates.splitlines()), tuple(self.aspects.splitlines()), dim=self.dim)


@dataclass(frozen=True)
class Draft:
    """The state of the editor's fields, valid or not.

    Attributes:
        name: the name to save the notion under.
        question, templates, aspects, attribute: as typed; one template or aspect per line.
        dim: the chosen number of dimensions; None: as suggested by the prompts.
        solver, seed: the method and its random seed; not saved with the notion.
        joined: other notions, added or removed by weight.
        clicks: answers about pairs of images, newest last.
        origin: name of the opened notion, "" for a new one.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str
    question: str
    templates: str
    aspects: str
    attribute: str | None
    dim: Dim | None = None
    solver: Annotated[str, Field(pattern=f"^({'|'.join(WORD_METHODS)})$")] = "exact"
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    origin: str = ""
    joined: Annotated[tuple[Joined, ...], Field(max_length=MOST_JOINED)] = ()
    clicks: Annotated[tuple[Click, ...], Field(max_length=MOST_CLICKS)] = ()

    @property
    def notion(self) -> Notion:
        """The notion as it stands.

        Raises:
            InputError: the notion is invalid, or has more prompts than this server allows.
        """
        templates = [line for line in self.templates.splitlines() if line.strip()]
        notion = Notion(
            name=self.name,
            template=tuple(templates),
            aspects=tuple(line.strip() for line in self.aspects.splitlines() if line.strip()),
            question=self.question,
            attribute=self.attribute,
            dim=self.dim,
            joined=tuple((each.weight, each.notion) for each in self.joined),
            clicks=self.clicks,
        )
        check_notion(notion)
        return notion


_HISTORY_FORM = TypeAdapter(list[Draft])


class _Kept:
    """Per session: the history of the notion, newest last; the last valid one; the file's last known content; whether another tab's edits were
    merged; and a message about them, until it is shown."""

    prefix = "draft_"
    history = Item[list[Draft]](make=list)
    valid = Item[Draft | None]()
    text = Item("")
    taken_over = Item(False)
    news = Item("")


_kept = _Kept()


def title(draft: Draft) -> str:
    """The name shown while the notion is edited."""
    return f"{draft.name}{MARK}"


def of(notion: Notion) -> Draft:
    """The draft with which editing a notion starts."""
    return Draft(
        notion.name,
        notion.question,
        "\n".join(notion.templates),
        "\n".join(notion.aspects),
        notion.attribute,
        notion.dim,
        origin=notion.name,
        joined=tuple(joined(each, weight) for weight, each in notion.joined),
        clicks=notion.clicks,
    )


def joined(notion: Notion, weight: float = 1.0) -> Joined:
    """A notion in the form in which a draft joins it."""
    return Joined(weight, notion.name, "\n".join(notion.templates), "\n".join(notion.aspects), notion.dim)


def current() -> Draft | None:
    """The last valid draft, or None before the first edit."""
    return _kept.valid


def latest() -> Draft | None:
    """The draft as typed, valid or not; None before a notion was chosen."""
    return _kept.history[-1] if _kept.history else None


def versions() -> list[Draft]:
    """Earlier versions of the open notion, newest first, valid or not."""
    history = _kept.history
    older = list(takewhile(lambda draft: draft.origin == history[-1].origin, reversed(history)))
    return older[1:]


def edit(**changes: object) -> None:
    """Changes fields of the draft, if they differ."""
    before = latest()
    if before is not None:
        put(replace(before, **changes))  # type: ignore[arg-type]


def put(draft: Draft) -> None:
    """Makes `draft` the current one, as a step that `undo` reverts."""
    history = _kept.history
    if not history or history[-1] != draft:
        _keep([*history[-_HISTORY:], draft])


def undo() -> None:
    """Reverts the last change and refreshes the editor's fields."""
    if len(_kept.history) > 1:
        _keep(_kept.history[:-1])
    renew_form()


def _keep(history: list[Draft]) -> None:
    """Saves this history; if another tab has changed the draft since the last read, merges this tab's changes into that version."""
    with _turn:
        theirs = _of_other_tab()
        if theirs and _kept.history:
            now = _changed(_kept.history[-1], history[-1], theirs[-1])
            history = theirs if now == theirs[-1] else [*theirs[-_HISTORY:], now]
            renew_form()
            _kept.taken_over = True
        _kept.history = history
        _accept(history[-1])
        _write()


def _changed(before: Draft, mine: Draft, theirs: Draft) -> Draft:
    """The other tab's draft with this tab's changes; if either is another notion now, this tab's draft."""
    is_same = all(each.origin in (before.origin, before.name) for each in (mine, theirs))
    changes = _differing(before, mine)
    _note(_differing(before, theirs), "" if is_same and not changes.keys() & _differing(before, theirs).keys() else _YOURS)
    return replace(theirs, **changes) if is_same else mine


def _differing(before: Draft, now: Draft) -> dict[str, Any]:
    return {field.name: getattr(now, field.name) for field in fields(Draft) if getattr(now, field.name) != getattr(before, field.name)}


def _of_other_tab() -> list[Draft]:
    """The history that another tab has written since this one's last read or write; empty if there is none."""
    token = state.draft_token
    if not token or refusal("edit") or not is_own_draft(_name(token)):
        return []
    try:
        text = text_of(draft_file(_name(token)))
        theirs = [] if text == _kept.text else history_of(text)
    except InputError:  # missing or damaged: this tab's history is saved again
        return []
    _kept.text = text
    return theirs


def follow_other_tabs() -> None:
    """Redraws the page if another tab has changed the draft; called at the end, when this run's changes are saved."""
    with _turn:
        theirs = _of_other_tab()
        if theirs:
            if _kept.history:
                _note(_differing(_kept.history[-1], theirs[-1]))
            _kept.history = theirs
            for draft in theirs:
                _accept(draft)
            renew_form()
    if theirs or _Kept.taken_over.take():
        st.rerun()


def _note(changed: Iterable[str], more: str = "") -> None:
    titles = [_TITLES[name] for name in changed if name in _TITLES]
    if titles:
        _kept.news = f"Changed in another tab with this link: {', '.join(titles)}. {more}".strip()


def show_news() -> None:
    """Reports once what another tab has changed since the last run."""
    if sentence := _Kept.news.take():
        st.caption(f":material/tab: {sentence}")


def can_undo() -> bool:
    """Whether there is a change to undo."""
    return len(_kept.history) > 1


def renew_form() -> None:
    """Makes the editor's fields show the draft."""
    state.form += 1


def keep_in_url() -> None:
    """Opens the draft named in a newly opened address, and writes its token back: Streamlit drops it when the page changes."""
    _load()
    _Kept.taken_over.take()  # the page that follows shows it
    if state.draft_token:
        st.query_params["draft"] = state.draft_token


def _accept(draft: Draft) -> None:
    try:
        draft.notion  # noqa: B018  (raises while the draft is not valid)
    except InputError:
        return
    _kept.valid = draft


def _load() -> None:
    if _Kept.history.is_set():
        return
    _kept.history, _kept.valid = [], None
    token = st.query_params.get("draft", "")
    if token and not (_TOKEN.fullmatch(token) and draft_file(_name(token)).is_file()):
        link.report("The edited notion of this link has been removed. Edit the notion again under Notions.")
        del st.query_params["draft"]
    elif token:
        state.draft_token = token
        try:
            _kept.text = text_of(draft_file(_name(token)))
            drafts = history_of(_kept.text)
        except InputError:
            return
        _kept.history = drafts
        for draft in drafts:
            _accept(draft)


def history_of(text: str) -> list[Draft]:
    """Reads the drafts of a file.

    Raises:
        InputError: the file is damaged.
    """
    try:
        return _HISTORY_FORM.validate_json(text, strict=True)
    except ValidationError as error:
        raise InputError("The draft is damaged. Open the notion again.") from error


def _write() -> None:
    if refusal("edit"):  # such a visitor's edits live in their session alone
        return
    token = state.draft_token
    if not token or not is_own_draft(_name(token)):  # another visitor's, opened by a link, stays as it is
        token = state.draft_token = secrets.token_hex(8)
    st.query_params["draft"] = token
    text = _kept.text = json.dumps([asdict(draft) for draft in _kept.history])
    write_draft(_name(token), text.encode())


def _name(token: str) -> str:
    return f"{token}.json"
