"""The form of a notion: name, question, template, aspects, settings. Every edit goes to the draft; problems are named in place."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from access import redact
from likeness.errors import InputError
from likeness.notions import METHOD_TITLES, METHODS, WORD_METHODS, check, default_vocabularies, parse_aspects
from likeness.space import Space
from pages.notions import found, joined, library, sentence
from pages.notions.library import key
from shared import cached, drafts, other_tab, sidebar, unread
from shared.drafts import Draft
from shared.plain import plain
from shared.view import View
from visitors import notions_dir


def edit(view: View) -> Draft:
    """Draws the form and returns the draft as it now stands."""
    library.open_linked(view)
    other_tab.tell()
    sentence.show(view)
    library.show(view, _latest())
    found.offer()
    _words()
    _aspects()
    draft = _latest()
    joined.show(view, draft)
    draft = _latest()
    _problems(view, draft)
    if METHODS[draft.solver].dims:
        _choose_dimensions(view, draft)
    _preview(draft)
    _settings(view, draft)
    return draft


def saved_fit(view: View, draft: Draft) -> Space | None:
    """The fit of the saved notion that the draft began from; None where it equals the draft or there is none."""
    saved = library.saved_of(draft)
    if saved is None or drafts.of(saved) == replace(draft, clicks=saved.clicks):  # clicks alone change no space
        return None
    try:
        return cached.fit(view.entry.id, saved)
    except InputError:
        return None


def _latest() -> Draft:
    draft = drafts.latest()
    assert draft is not None
    return draft


def _words() -> None:
    draft = _latest()
    st.text_input("Name", draft.name, key=key("name"), on_change=_take_field, args=("name", key("name")), help="Another name makes another notion.")
    fields = {
        "question": (
            "Question",
            draft.question,
            "When are two images similar? For people; the model does not read it.",
            "Two images are similar if ...",
        ),
        "templates": (
            "Template",
            draft.templates,
            "The sentence around each aspect, with {} in place of the aspect. One template per line; several are averaged.",
            None,
        ),
    }
    for field, (label, text, help, placeholder) in fields.items():
        st.text_area(label, text, key=key(field), on_change=_take_field, args=(field, key(field)), height=68, help=help, placeholder=placeholder)


def _aspects() -> None:
    lines = [line.strip() for line in _latest().aspects.splitlines()]
    table, paste = st.tabs([f"Aspects ({len([line for line in lines if line])})", "Paste a list"])
    with table:
        first = st.session_state.setdefault(key("aspect_rows"), lines)
        frame = pd.DataFrame({"Aspect": first}, dtype="str")
        rows = st.data_editor(frame, num_rows="dynamic", hide_index=True, height=260, key=key("aspect_table"), width="stretch")
        edited = ["" if pd.isna(aspect) else str(aspect).strip() for aspect in rows["Aspect"]]
        if edited != lines:  # the draft may end in a line break, which no row shows
            drafts.edit(aspects="\n".join(edited))
    with paste:
        st.text_area("One aspect per line", "\n".join(lines), key=key("aspects"), height=220, on_change=_pasted, args=(key("aspects"),))


def _problems(view: View, draft: Draft) -> None:
    for problem in _found(view, draft):
        st.markdown(f":orange[:material/warning: {problem}]")


def _found(view: View, draft: Draft) -> list[str]:
    templates = [line for line in draft.templates.splitlines() if line.strip()]
    problems = [plain(warning.message) for warning in check(templates, draft.aspects.splitlines(), default_vocabularies(notions_dir()))]
    try:
        return [*problems, *filter(None, [unread.sentence(view.base, draft.notion)])]
    except InputError as error:
        return [*problems, plain(redact(error))]


def _preview(draft: Draft) -> None:
    try:
        prompts = draft.notion.prompts
    except InputError:
        return
    with st.expander(f"All {len(prompts)} prompts as the encoder reads them"):
        st.code("\n".join(prompts), language=None, height=220)


def _settings(view: View, draft: Draft) -> None:
    attributes = ["", *view.base.table.attributes]
    with st.expander("Settings", icon=":material/settings:"):
        st.selectbox(
            "Judge by",
            attributes,
            index=attributes.index(draft.attribute) if draft.attribute in attributes else 0,
            format_func=lambda name: sidebar.readable(name) or "Nothing",
            key=key("attribute"),
            on_change=_take_field,
            args=("attribute", key("attribute")),
            help="The attribute that says which images really are similar.",
        )
        st.selectbox(
            "Method",
            WORD_METHODS,
            index=WORD_METHODS.index(draft.solver),
            format_func=lambda name: METHOD_TITLES[name],
            key=key("solver"),
            on_change=_take_field,
            args=("solver", key("solver")),
            help="\n\n".join(f"**{METHODS[name].title}.** {METHODS[name].help}" for name in WORD_METHODS),
        )
        st.number_input("Seed", 0, None, draft.seed, key=key("seed"), on_change=_take_field, args=("seed", key("seed")))


def _take_field(field: str, key: str) -> None:
    """Takes a field's new value; a field that was replaced meanwhile may still report its last one."""
    if key not in st.session_state:
        return
    value = st.session_state[key]
    drafts.edit(**{field: value or None if field == "attribute" else value.strip() if field == "name" else value})


def _pasted(key: str) -> None:
    if key in st.session_state:
        drafts.edit(aspects="\n".join(parse_aspects(st.session_state[key])))
        drafts.renew_form()


def _choose_dimensions(view: View, draft: Draft) -> None:
    """Draws the number and its reason."""
    suggested = _suggested_dimensions(view, draft)
    largest = view.base.vectors.shape[1]
    shown = min(draft.dim or suggested or 2, largest)
    key = library.key(f"dim_{suggested}")  # where nothing was chosen, the number follows the prompts
    st.number_input(
        "Dimensions",
        1,
        largest,
        shown,
        key=key,
        on_change=_take_dimensions,
        args=(key, suggested),
        help="How many numbers describe an image in the notion's space. More give weight to wording and to things that no prompt mentions; "
        "fewer keep only what varies most between the prompts. What you choose is saved with the notion.",
    )
    if suggested is None:
        return
    if draft.dim in (None, suggested):
        st.caption(f"As the prompts suggest: {suggested} dimensions keep 98.5 % of what they say.")
    else:
        st.button(f"Use {suggested}, as the prompts suggest", icon=":material/lightbulb:", on_click=_follow_prompts, width="stretch")


def _suggested_dimensions(view: View, draft: Draft) -> int | None:
    """What the prompts suggest; None while they can't be read."""
    try:
        return cached.dim_of(view.entry.id, replace(draft.notion, dim=None))
    except InputError:
        return None


def _take_dimensions(key: str, suggested: int | None) -> None:
    if key in st.session_state:
        chosen = int(st.session_state[key])
        drafts.edit(dim=None if chosen == suggested else chosen)


def _follow_prompts() -> None:
    drafts.edit(dim=None)
    drafts.renew_form()
