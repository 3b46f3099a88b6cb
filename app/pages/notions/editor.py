"""The form of a notion: question, template, aspects, name, settings. Every edit is saved to the draft; problems are shown in place."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st

from likeness.errors import InputError
from likeness.notions import METHOD_TITLES, METHODS, WORD_METHODS, Notion, check, default_vocabularies, parse_aspects, parts_of
from likeness.sentences import SentenceNotion, notion_from_sentence
from pages.notions import beginning, library
from parts import cached, drafts, errors, sidebar, verdict
from parts.drafts import Draft
from parts.plain import plain
from parts.view import View
from server.access import redact
from server.visitors import notions_dir
from state import Item, state

_SHOWN = 24  # words that were left out
_LEAST, _MOST, _STEP = -1.0, 10.0, 0.25  # weights


_suggested = Item[SentenceNotion | None](key="notion_suggested")  # what came of the last question
_counted = Item[tuple[Draft | None, int]]((None, 0), key="notion_counted")  # the notion whose prompts were encoded last, and how many were new


def edit(view: View) -> Draft:
    """Draws the form and returns the current draft."""
    library.open_linked(view)
    drafts.show_news()
    library.show(view, _latest())
    _question(view)
    draft = _latest()
    _text("templates", "Template", "The text around each aspect; {} stands for the aspect. One template per line: several are averaged.")
    help = "The values to tell images apart by. You can also paste a comma-separated list."
    _text("aspects", "Aspects, one per line", help, lambda typed: "\n".join(parse_aspects(typed)), height=220)
    _joined(view, draft)
    notion, problem = None, ""
    try:
        notion = draft.notion
    except InputError as error:
        problem = redact(error)
    _count_encoded(view, draft, notion)
    _problems(draft, problem)
    if notion:
        verdict.of_words(view, notion)
    st.text_input("Name", draft.name, help="Save under another name to keep both.", **_bound("name", str.strip))
    if METHODS[draft.solver].dims:
        _dimensions(view, draft)
    if notion:
        with st.expander(f"{len(notion.prompts)} prompt{'' if len(notion.prompts) == 1 else 's'} as the encoder reads them"):
            st.code("\n".join(notion.prompts), language=None, height=220)
    _settings(view, draft)
    return draft


def encoded() -> int:
    """Number of prompts newly encoded after the last edit."""
    return _counted.get()[1]


def _latest() -> Draft:
    draft = drafts.latest()
    assert draft is not None
    return draft


def _bound(field: str, read: Callable[[Any], Any] = lambda value: value) -> dict[str, Any]:
    """Arguments of a widget that edits a field of the draft. Its key changes when the draft is replaced elsewhere, so that it shows the new value."""
    key = f"{field}_{state.form}"
    return {"key": key, "on_change": _take, "args": (field, key, read)}


def _take(field: str, key: str, read: Callable[[Any], Any]) -> None:
    """Stores a field's new value; a replaced field may still report its old one."""
    if key not in st.session_state:
        return
    typed = st.session_state[key]
    value = read(typed)
    drafts.edit(**{field: value})
    if isinstance(value, str) and value != typed:
        drafts.renew_form()


def _replace(**changes: object) -> None:
    """Edits made outside the fields, which then show them."""
    drafts.edit(**changes)
    drafts.renew_form()


def _text(field: str, label: str, help: str, read: Callable[[str], str] = str, height: int = 68, placeholder: str | None = None) -> None:
    st.text_area(label, getattr(_latest(), field), height=height, help=help, placeholder=placeholder, **_bound(field, read))


def _count_encoded(view: View, draft: Draft, notion: Notion | None) -> None:
    """Encodes the prompts before anything else does, so that the number of new ones is known."""
    if notion is None or _counted.get()[0] == draft:
        return
    prompts = dict.fromkeys(prompt for _, part in parts_of(notion) for prompt in part.prompts)
    _counted.set((draft, 0))
    with st.spinner("Encoding the prompts ..."), suppress(InputError):  # as the form says
        _counted.set((draft, view.base.embed_prompts(list(prompts))[1]))


def _question(view: View) -> None:
    """Draws the question, the button that turns it into template and aspects, and the result."""
    help = "When are two images similar? The encoder does not read this; the button below turns it into a template and aspects."
    _text("question", "Question", help, placeholder="Two photos are similar if they have the same ...")
    if st.button("Suggest template and aspects", icon=":material/edit_note:", type="tertiary", key="suggest_notion"):
        with errors.show_errors(), st.spinner("Finding aspects that occur in these images ..."):
            _suggest(view, _latest().question)
    found, draft = _suggested.get(), _latest()
    if found and draft.templates == "\n".join(found.notion.templates) and set(found.notion.aspects) & set(draft.aspects.splitlines()):
        _draw_suggested(found, draft)


def _suggest(view: View, sentence: str) -> None:
    """Opens the notion for a sentence; raises InputError if none can be made."""
    if not sentence.strip():
        raise InputError("Write a question first, such as: same color of dog.")
    found = notion_from_sentence(sentence, view.base)
    _suggested.set(found)
    library.put(beginning.draft_from_question(view, sentence, found), view)
    st.rerun()


def _draw_suggested(found: SentenceNotion, draft: Draft) -> None:
    compared = f"Compared: **{plain(found.held)}**. " if found.held else ""
    count = len(found.notion.aspects)
    st.caption(f"{compared}Varies: **{plain(found.varies)}**. {count} of {count + len(found.pruned)} aspects from {plain(found.source)} occur here.")
    used = draft.aspects.splitlines()
    left = {each.aspect: each.reason for each in found.pruned if each.aspect not in used}
    if not left:
        return
    shown, field = list(left)[:_SHOWN], f"left_out_{len(left)}_{state.form}"
    reasons = "\n".join(f"- **{plain(aspect)}**: {plain(left[aspect])}" for aspect in shown)
    st.pills("Left out. Click to add.", shown, format_func=plain, key=field, on_change=_add_aspect, args=(field,), help=reasons)
    if len(left) > _SHOWN:
        st.caption(f"And {len(left) - _SHOWN:,} more.")


def _add_aspect(field: str) -> None:
    if aspect := st.session_state.get(field):
        _replace(aspects="\n".join([*_latest().aspects.splitlines(), aspect]))


def _joined(view: View, draft: Draft) -> None:
    """Draws the notions joined with this one, or removed from it, and their weights."""
    names = [part.name for part in draft.joined]
    others = [notion.name for notion in sidebar.fitting(view.base) if notion.name not in (draft.name, draft.origin, *names) and not notion.joined]
    if names or others:
        st.multiselect(
            "Combine with other notions",
            [*names, *others] if len(names) < drafts.MOST_JOINED else names,
            names,
            format_func=sidebar.readable,
            placeholder="Choose a notion",
            help="A weight above 0 adds a notion: images must be similar in it too. A weight below 0 removes it, completely at -1.",
            **_bound("joined", _join),
        )
    for place, part in enumerate(draft.joined):
        label = f"{plain(sidebar.readable(part.name))}: weight" + (" (taken away)" if part.weight < 0 else "")
        weight, key = min(max(float(part.weight), _LEAST), _MOST), f"weight_{place}_{len(names)}_{state.form}"
        st.number_input(label, _LEAST, _MOST, weight, _STEP, key=key, on_change=_weigh, args=(key, place))


def _join(names: list[str]) -> tuple[drafts.Joined, ...]:
    parts = {part.name: part for part in _latest().joined}
    return tuple(parts.get(name) or drafts.joined(sidebar.notion_named(name)) for name in names)


def _weigh(key: str, place: int) -> None:
    """Stores a weight; at 0 the notion has no effect."""
    parts = list(_latest().joined)
    if key in st.session_state and place < len(parts):
        parts[place] = parts[place]._replace(weight=float(st.session_state[key]))
        _replace(joined=tuple(part for part in parts if part.weight))


def _problems(draft: Draft, problem: str) -> None:
    """Draws the problems of the notion as typed: errors and warnings."""
    templates = [line for line in draft.templates.splitlines() if line.strip()]
    doubts = [warning.message for warning in check(templates, draft.aspects.splitlines(), default_vocabularies(notions_dir()))]
    for text in filter(None, [*doubts, problem]):
        st.markdown(f":orange[:material/warning: {plain(text)}]")


def _settings(view: View, draft: Draft) -> None:
    attributes = ["", *view.base.table.attributes]
    with st.expander("Settings", icon=":material/settings:"):
        st.selectbox(
            "Evaluate with",
            attributes,
            attributes.index(draft.attribute) if draft.attribute in attributes else 0,
            lambda name: sidebar.readable(name) or "No labels",
            help="The labels that define which images are really similar.",
            **_bound("attribute", lambda name: name or None),
        )
        help = "\n\n".join(f"**{METHODS[name].title}.** {METHODS[name].help}" for name in WORD_METHODS)
        place = WORD_METHODS.index(draft.solver)
        st.selectbox("Method", WORD_METHODS, place, METHOD_TITLES.__getitem__, help=help, **_bound("solver"))
        st.number_input("Seed", 0, 2**31 - 1, draft.seed, **_bound("seed"))


def _dimensions(view: View, draft: Draft) -> None:
    """Draws the number of dimensions and where it comes from."""
    try:
        suggested = cached.dim_of(view.entry.id, replace(draft.notion, dim=None))
    except InputError:  # the prompts cannot be read
        suggested = None
    largest, key = view.base.vectors.shape[1], f"dim_{suggested}_{state.form}"  # where nothing was chosen, the number follows the prompts
    st.number_input(
        "Dimensions",
        1,
        largest,
        min(draft.dim or suggested or 2, largest),
        key=key,
        on_change=_take,
        args=("dim", key, lambda chosen: None if chosen == suggested else chosen),
        help="How many numbers describe an image in the notion's space. A larger number also keeps wording and things that no prompt mentions; "
        "a smaller one keeps only what differs most between the prompts. Saved with the notion.",
    )
    if suggested and draft.dim in (None, suggested):
        st.caption(f"Suggested by the prompts: {suggested} dimensions keep 98.5 % of their variance.")
    elif suggested:
        st.button(f"Use the suggested {suggested}", icon=":material/lightbulb:", on_click=_replace, kwargs={"dim": None}, width="stretch")
