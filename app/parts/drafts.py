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

from likeness.errors import InputError
from likeness.io import parse_json, text_of
from likeness.notions import WORD_METHODS, Click, Notion
from parts import link
from parts.three_way import merge_entries, merge_fields
from server.access import refusal
from server.quotas import check_notion, write_draft
from server.visitors import draft_file, is_own_draft
from state import Item, state

_HISTORY = 50
_MOST_JOINED = 8  # notions of one draft
MARK = " (edited)"  # after the name of an unsaved notion
MOST_CLICKS = 200  # kept with one draft
_TOKEN = re.compile(r"[0-9a-z]{1,64}")
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


class _Kept:
    """Of the session: what the notion was and is, the last at the end; the last valid one; the file as it was read last; whether another tab's
    edits were taken in; what both tabs changed; and the fields that another tab changed, until this is said."""

    prefix = "draft_"
    history = Item[list[Draft]](make=list)
    valid = Item[Draft | None]()
    text = Item("")
    taken_over = Item(False)
    clash = Item[Clash | None]()
    news = Item[tuple[str, ...]](())


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
    _load()
    return _kept.valid


def latest() -> Draft | None:
    """The draft as typed, valid or not; None before a notion was chosen."""
    _load()
    return _kept.history[-1] if _kept.history else None


def versions() -> list[Draft]:
    """What the notion that is open was before, the newest first; it may be valid or not."""
    _load()
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
    """Takes the last change back."""
    if len(_kept.history) > 1:
        _keep(_kept.history[:-1])


def _keep(history: list[Draft]) -> None:
    """Makes this the history, after what another tab has made of it since this one last read it."""
    with _turn:
        before = _kept.history
        theirs = _of_other_tab()
        if theirs and before:
            history = _together(before[-1], history[-1], theirs)
            renew_form()
            _kept.taken_over = True
        _kept.history = history
        _accept(history[-1])
        _write()


def _of_other_tab() -> list[Draft]:
    """The history as another tab has written it since this one last read or wrote it; none where no other one has."""
    token = state.draft_token
    if not token or refusal("edit") or not is_own_draft(_name(token)):
        return []
    try:
        text = text_of(draft_file(_name(token)))
        return [] if text == _kept.text else history_of(text)
    except InputError:  # gone or damaged: what is here is written again
        return []


def _together(base: Draft, mine: Draft, theirs: list[Draft]) -> list[Draft]:
    """The other tab's history, and after it the draft that has this one's changes, too."""
    other = theirs[-1]
    merged, clashes = _merged(base, mine, other)
    if clashes is not None:
        _kept.clash = Clash(clashes, merged, other)
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
    """Redraws the page where another tab has changed the draft; called after the page, when all that was changed here is taken."""
    with _turn:
        theirs = _of_other_tab()
        if theirs:
            _note(_kept.history[-1], theirs[-1])
            _kept.history = theirs
            for draft in theirs:
                _accept(draft)
            _remember()
            renew_form()
    if theirs or _Kept.taken_over.take():
        st.rerun()


def _note(before: Draft, now: Draft) -> None:
    """Keeps which fields another tab has changed, to be told."""
    _kept.news = tuple(name for name in _FIELDS if getattr(before, name) != getattr(now, name))


def news() -> tuple[str, ...]:
    """Names of the fields that another tab has changed since the last run; told once."""
    return _Kept.news.take()


def clash() -> Clash | None:
    """What this tab and another one have both changed, until a person has chosen; None where nothing is left to choose."""
    found = _kept.clash
    now = latest()
    if found is None or now is None:
        return None
    if found.fields:
        left = tuple(name for name in found.fields if getattr(now, name) == getattr(found.mine, name))
        return replace(found, fields=left) if left else None
    return found if now == found.mine else None


def settle_clash() -> None:
    """A person has chosen."""
    _Kept.clash.take()


def can_undo() -> bool:
    """True if there is a change to take back."""
    _load()
    return len(_kept.history) > 1


def renew_form() -> None:
    """Makes the fields of the editor show the draft."""
    state.form += 1


def keep_in_url() -> None:
    """Writes the token into the URL again: Streamlit drops it when the page changes."""
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
            _remember()
            drafts = history_of(_kept.text)
        except InputError:
            return
        _kept.history = drafts
        for draft in drafts:
            _accept(draft)


def _remember() -> None:
    """Notes the file as this tab has read it."""
    _kept.text = text_of(draft_file(_name(state.draft_token)))


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
