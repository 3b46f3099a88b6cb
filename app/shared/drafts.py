"""The notion that is being edited. Every edit is written to disk under a token in the URL, so that no rerun or reload loses it.

Several tabs may have the same link: what they change is put together by field.
"""

import json
import re
import secrets
import threading
from dataclasses import asdict, dataclass, fields, replace
from itertools import takewhile
from typing import Any, NamedTuple

import streamlit as st

from access import refusal
from likeness.errors import InputError
from likeness.io import parse_json, text_of
from likeness.notions import WORD_METHODS, Click, Notion
from quotas import check_notion, write_draft
from shared import link
from shared.three_way import merge_entries, merge_fields
from visitors import draft_file, is_own_draft

_HISTORY = 50
_MOST_JOINED = 8  # notions of one draft
MOST_CLICKS = 200  # kept with one draft
_TOKEN = re.compile(r"[0-9a-z]{1,64}")
_READ, _TAKEN, _CLASH, _NEWS = "draft_read", "draft_taken_over", "draft_clash", "draft_news"  # of the session
_turn = threading.Lock()  # of one tab at a time between reading a draft and writing it


class Joined(NamedTuple):
    """A notion that is joined with the draft's: its weight, and what it says, as it was then."""

    weight: float
    name: str
    templates: str
    aspects: str
    dim: int | None = None

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

    name: str
    question: str
    templates: str
    aspects: str
    attribute: str | None
    dim: int | None = None
    solver: str = "exact"
    seed: int = 0
    origin: str = ""
    joined: tuple[Joined, ...] = ()
    clicks: tuple[Click, ...] = ()

    @property
    def notion(self) -> Notion:
        """The notion as it stands.

        Raises:
            InputError: while it is not a valid one, or a longer one than this server fits.
        """
        check_notion(self, *self.joined)
        templates = [line for line in self.templates.splitlines() if line.strip()]
        return Notion(
            name=self.name,
            template=tuple(templates),
            aspects=tuple(line.strip() for line in self.aspects.splitlines() if line.strip()),
            question=self.question,
            attribute=self.attribute,
            dim=self.dim,
            joined=tuple((each.weight, each.notion) for each in self.joined),
            clicks=self.clicks,
        )


@dataclass(frozen=True)
class Clash:
    """What this tab and another one have both changed.

    Attributes:
        fields: their names; none where another tab has opened another notion.
        mine: the draft as this tab left it, which stays.
        theirs: as the other one did.
    """

    fields: tuple[str, ...]
    mine: Draft
    theirs: Draft


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
    _load()
    draft: Draft | None = st.session_state["draft_valid"]
    return draft


def latest() -> Draft | None:
    """The draft as typed, valid or not; None before a notion was chosen."""
    _load()
    history: list[Draft] = st.session_state["draft_history"]
    return history[-1] if history else None


def versions() -> list[Draft]:
    """What the notion that is open was before, the newest first; it may be valid or not."""
    _load()
    history: list[Draft] = st.session_state["draft_history"]
    older = list(takewhile(lambda draft: draft.origin == history[-1].origin, reversed(history)))
    return older[1:]


def edit(**changes: object) -> None:
    """Changes fields of the draft; nothing happens where nothing changes."""
    before = latest()
    if before is not None:
        put(replace(before, **changes))  # type: ignore[arg-type]


def put(draft: Draft) -> None:
    """Makes `draft` the current one; `undo` goes back to the one before."""
    history: list[Draft] = st.session_state["draft_history"]
    if not history or history[-1] != draft:
        _keep([*history[-_HISTORY:], draft])


def undo() -> None:
    """Takes the last change back."""
    history: list[Draft] = st.session_state["draft_history"]
    if len(history) > 1:
        _keep(history[:-1])


def _keep(history: list[Draft]) -> None:
    """Makes this the history, after what another tab has made of it since this one last read it."""
    with _turn:
        before: list[Draft] = st.session_state["draft_history"]
        theirs = _of_other_tab()
        if theirs and before:
            history = _together(before[-1], history[-1], theirs)
            renew_form()
            st.session_state[_TAKEN] = True
        st.session_state["draft_history"] = history
        _accept(history[-1])
        _write()


def _of_other_tab() -> list[Draft]:
    """The history as another tab has written it since this one last read or wrote it; none where no other one has."""
    token = st.session_state.get("draft_token")
    if token is None or refusal("edit") or not is_own_draft(_name(token)):
        return []
    try:
        text = text_of(draft_file(_name(token)))
        return [] if text == st.session_state.get(_READ) else history_of(text)
    except InputError:  # gone or damaged: what is here is written anew
        return []


def _together(base: Draft, mine: Draft, theirs: list[Draft]) -> list[Draft]:
    """The other tab's history, and after it the draft that has this one's changes, too."""
    other = theirs[-1]
    merged, clashes = _merged(base, mine, other)
    if clashes is not None:
        st.session_state[_CLASH] = Clash(clashes, merged, other)
    _note(mine, merged)
    return theirs if merged == other else [*theirs[-_HISTORY:], merged]


def _merged(base: Draft, mine: Draft, theirs: Draft) -> tuple[Draft, tuple[str, ...] | None]:
    """Both changes of a draft, and the fields that both changed; None for no such field, () where one of both is another notion, and mine stays."""
    if not (_is_same_notion(base, mine) and _is_same_notion(base, theirs)):
        return mine, None if mine == theirs else ()
    values, clashes = merge_fields(*({name: getattr(each, name) for name in _FIELDS} for each in (base, mine, theirs)))
    values["clicks"] = merge_entries(base.clicks, mine.clicks, theirs.clicks)[-MOST_CLICKS:]
    return Draft(**values), tuple(name for name in clashes if name != "clicks") or None


_FIELDS = tuple(field.name for field in fields(Draft))


def _is_same_notion(base: Draft, draft: Draft) -> bool:
    """Whether a draft came from another one by edits, or by being saved; not by opening another notion, which changes all."""
    changed = [getattr(draft, name) != getattr(base, name) for name in ("name", "templates", "aspects")]
    return draft.origin in (base.origin, base.name) and not all(changed)


def follow_other_tabs() -> None:
    """Draws the page anew where another tab has changed the draft; called after the page, when all that was changed here is taken."""
    with _turn:
        theirs = _of_other_tab()
        if theirs:
            _note(st.session_state["draft_history"][-1], theirs[-1])
            st.session_state["draft_history"] = theirs
            for draft in theirs:
                _accept(draft)
            _remember()
            renew_form()
    if theirs or st.session_state.pop(_TAKEN, False):
        st.rerun()


def _note(before: Draft, now: Draft) -> None:
    """Keeps which fields another tab has changed, to be told."""
    st.session_state[_NEWS] = tuple(name for name in _FIELDS if getattr(before, name) != getattr(now, name))


def news() -> tuple[str, ...]:
    """Names of the fields that another tab has changed since the last run; told once."""
    told: tuple[str, ...] = st.session_state.pop(_NEWS, ())
    return told


def clash() -> Clash | None:
    """What this tab and another one have both changed, until a person has chosen; None where nothing is left to choose."""
    found: Clash | None = st.session_state.get(_CLASH)
    now = latest()
    if found is None or now is None:
        return None
    if found.fields:
        left = tuple(name for name in found.fields if getattr(now, name) == getattr(found.mine, name))
        return replace(found, fields=left) if left else None
    return found if now == found.mine else None


def settle_clash() -> None:
    """A person has chosen."""
    st.session_state.pop(_CLASH, None)


def can_undo() -> bool:
    """True if there is a change to take back."""
    _load()
    return len(st.session_state["draft_history"]) > 1


def renew_form() -> None:
    """Makes the fields of the editor show the draft."""
    st.session_state["form"] = st.session_state.get("form", 0) + 1


def keep_in_url() -> None:
    """Writes the token into the URL again: Streamlit drops it when the page changes."""
    _load()
    st.session_state.pop(_TAKEN, None)  # the page that follows shows it
    if st.session_state.get("draft_token"):
        st.query_params["draft"] = st.session_state["draft_token"]


def _accept(draft: Draft) -> None:
    try:
        draft.notion  # noqa: B018  (raises while the draft is not valid)
    except InputError:
        return
    st.session_state["draft_valid"] = draft


def _load() -> None:
    if "draft_history" in st.session_state:
        return
    st.session_state["draft_history"], st.session_state["draft_valid"] = [], None
    token = st.query_params.get("draft", "")
    if token and not (_TOKEN.fullmatch(token) and draft_file(_name(token)).is_file()):
        link.report("The edits of a notion that this link opens are not kept here any more. Edit the notion again under Notions.")
        del st.query_params["draft"]
    elif token:
        st.session_state["draft_token"] = token
        try:
            _remember()
            drafts = history_of(st.session_state[_READ])
        except InputError:
            return
        st.session_state["draft_history"] = drafts
        for draft in drafts:
            _accept(draft)


def _remember() -> None:
    """Notes the file as this tab has read it."""
    st.session_state[_READ] = text_of(draft_file(_name(st.session_state["draft_token"])))


def history_of(text: str) -> list[Draft]:
    """The drafts of a kept file.

    Raises:
        InputError: it is damaged.
    """
    content = parse_json(text, "The draft")
    if not isinstance(content, list) or not all(isinstance(each, dict) for each in content):
        raise InputError("The draft is damaged; open the notion again.")
    try:
        drafts = [Draft(**fields | _parts(fields)) for fields in content]
    except TypeError as error:
        raise InputError("The draft has another form; open the notion again.") from error
    if not all(_sound(draft) for draft in drafts):
        raise InputError("The draft is damaged; open the notion again.")
    return drafts


def _parts(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "joined": tuple(Joined(*each) for each in fields.get("joined", ())),
        "clicks": tuple(Click(**each) for each in fields.get("clicks", ())),
    }


def _sound(draft: Draft) -> bool:
    texts = (draft.name, draft.question, draft.templates, draft.aspects, draft.origin)
    numbers = (1 if draft.dim is None else draft.dim, draft.seed)
    return (
        all(isinstance(text, str) for text in texts)
        and isinstance(draft.attribute, str | None)
        and all(isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**31 for number in numbers)
        and draft.dim != 0
        and draft.solver in WORD_METHODS
        and len(draft.joined) <= _MOST_JOINED
        and all(_is_sound_part(each) for each in draft.joined)
        and len(draft.clicks) <= MOST_CLICKS
    )


def _is_sound_part(part: Joined) -> bool:
    return (
        isinstance(part.weight, int | float)
        and not isinstance(part.weight, bool)
        and all(isinstance(text, str) for text in (part.name, part.templates, part.aspects))
        and (part.dim is None or (isinstance(part.dim, int) and not isinstance(part.dim, bool) and 0 < part.dim < 2**31))
    )


def is_full(draft: Draft) -> bool:
    """Whether no more notions can be joined with it."""
    return len(draft.joined) >= _MOST_JOINED


def _write() -> None:
    if refusal("edit"):  # such a visitor's edits live in his session alone
        return
    token = st.session_state.get("draft_token")
    if token is None or not is_own_draft(_name(token)):  # another visitor's, opened by a link, stays as it is
        token = st.session_state["draft_token"] = secrets.token_hex(8)
    st.query_params["draft"] = token
    text = st.session_state[_READ] = json.dumps([asdict(draft) for draft in st.session_state["draft_history"]])
    write_draft(_name(token), text.encode())


def _name(token: str) -> str:
    return f"{token}.json"
