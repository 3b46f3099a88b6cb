"""The notion that is being edited. Every edit is written to disk under a token in the URL, so that no rerun or reload loses it.

Tabs with the same link share the file: each changes single fields of what it holds by then, and shows the rest as the others left it.
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
_YOURS = "Your version is shown; Undo brings back the other one."
_turn = threading.Lock()  # of one tab at a time between reading a draft and writing it
Dim = Annotated[int, Field(ge=1, lt=2**31)]


class Joined(NamedTuple):
    """A notion that is joined with the draft's: its weight, and what it says, as it was then."""

    weight: float
    name: str
    templates: str
    aspects: str
    dim: Dim | None = None

    @property
    def notion(self) -> Notion:
        """The notion; InputError where it is not a valid one."""
        return Notion(self.name, tuple(self.templates.splitlines()), tuple(self.aspects.splitlines()), dim=self.dim)


@dataclass(frozen=True)
class Draft:
    """The state of the editor, valid or not: what stands in its fields.

    Attributes:
        name: what the notion is saved under.
        question, templates, aspects, attribute: as typed; one template or aspect a line.
        dim: dimensions that were chosen, or None: as many as the prompts suggest.
        solver, seed: the method, and what is random in it; they are not saved with the notion.
        joined: other notions that are joined with it or taken away.
        clicks: what was said of pairs of images, the last at the end.
        origin: name of the notion that was opened, "" for a new one.
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
            InputError: while it is not a valid one, or a longer one than this server fits.
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
    """Of the session: what the notion was and is, the last at the end; the last valid one; the file as it was read last; whether another tab's
    edits were taken in; and a sentence about them, until it is shown."""

    prefix = "draft_"
    history = Item[list[Draft]](make=list)
    valid = Item[Draft | None]()
    text = Item("")
    taken_over = Item(False)
    news = Item("")


_kept = _Kept()


def title(draft: Draft) -> str:
    """What people read in place of the name while the notion is edited."""
    return f"{draft.name}{MARK}"


def of(notion: Notion) -> Draft:
    """The draft that a notion's editing begins with."""
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
    """A notion as it is joined with a draft."""
    return Joined(weight, notion.name, "\n".join(notion.templates), "\n".join(notion.aspects), notion.dim)


def current() -> Draft | None:
    """The last valid draft, or None before the first edit."""
    return _kept.valid


def latest() -> Draft | None:
    """The draft as typed, valid or not; None before a notion was chosen."""
    return _kept.history[-1] if _kept.history else None


def versions() -> list[Draft]:
    """What the notion that is open was before, the newest first; it may be valid or not."""
    history = _kept.history
    older = list(takewhile(lambda draft: draft.origin == history[-1].origin, reversed(history)))
    return older[1:]


def edit(**changes: object) -> None:
    """Changes fields of the draft; nothing happens where nothing changes."""
    before = latest()
    if before is not None:
        put(replace(before, **changes))  # type: ignore[arg-type]


def put(draft: Draft) -> None:
    """Makes `draft` the current one; `undo` goes back to the one before."""
    history = _kept.history
    if not history or history[-1] != draft:
        _keep([*history[-_HISTORY:], draft])


def undo() -> None:
    """Takes the last change back, and makes the fields of the editor show it."""
    if len(_kept.history) > 1:
        _keep(_kept.history[:-1])
    renew_form()


def _keep(history: list[Draft]) -> None:
    """Makes this the history; where another tab has changed the draft since this one last read it, what changed here is changed in its version."""
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
    """The other tab's draft with what this one has changed; where either is another notion by now, mine."""
    is_same = all(each.origin in (before.origin, before.name) for each in (mine, theirs))
    changes = _differing(before, mine)
    _note(_differing(before, theirs), "" if is_same and not changes.keys() & _differing(before, theirs).keys() else _YOURS)
    return replace(theirs, **changes) if is_same else mine


def _differing(before: Draft, now: Draft) -> dict[str, Any]:
    return {field.name: getattr(now, field.name) for field in fields(Draft) if getattr(now, field.name) != getattr(before, field.name)}


def _of_other_tab() -> list[Draft]:
    """The history as another tab has written it since this one last read or wrote it; none where no other one has."""
    token = state.draft_token
    if not token or refusal("edit") or not is_own_draft(_name(token)):
        return []
    try:
        text = text_of(draft_file(_name(token)))
        theirs = [] if text == _kept.text else history_of(text)
    except InputError:  # gone or damaged: what is here is written again
        return []
    _kept.text = text
    return theirs


def follow_other_tabs() -> None:
    """Redraws the page where another tab has changed the draft; called after the page, when all that was changed here is taken."""
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
    """Says what another tab has changed since the last run, once."""
    if sentence := _Kept.news.take():
        st.caption(f":material/tab: {sentence}")


def can_undo() -> bool:
    """True if there is a change to take back."""
    return len(_kept.history) > 1


def renew_form() -> None:
    """Makes the fields of the editor show the draft."""
    state.form += 1


def keep_in_url() -> None:
    """Takes the draft of an address that a person has just come by, and writes its token into it again: Streamlit drops it when the page changes."""
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
        link.report("The edits of a notion that this link opens are not kept here any more. Edit the notion again under Notions.")
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
    """The drafts of a kept file.

    Raises:
        InputError: it is damaged.
    """
    try:
        return _HISTORY_FORM.validate_json(text, strict=True)
    except ValidationError as error:
        raise InputError("The draft is damaged; open the notion again.") from error


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
