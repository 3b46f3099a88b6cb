"""The form of a notion: question, template, aspects, name, settings. Every edit goes to the draft; problems are named in place."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from likeness.errors import InputError
from likeness.notions import METHOD_TITLES, METHODS, WORD_METHODS, check, default_vocabularies, parse_aspects, parts_of
from likeness.sentences import SentenceNotion, notion_from_sentence
from pages.notions import beginning, library
from pages.notions.library import key
from parts import cached, drafts, sidebar, verdict
from parts.drafts import Draft
from parts.plain import plain
from parts.view import View
from server.access import redact
from server.visitors import notions_dir
from state import Item, state

_SHOWN = 24  # words that were left out
_LEAST, _MOST, _STEP = -1.0, 10.0, 0.25  # weights


class _Form:
    """rows: number of the form, and the aspects that its table began with. is_asked: whether a notion is to be made of the question; read: what
    came of the last one; problem: why nothing did. counted: the draft whose prompts were read last, and how many of them were new to the encoder."""

    prefix = "notion_"
    rows = Item[tuple[int, list[str]]]((-1, []))
    is_asked = Item(False)
    read = Item[SentenceNotion | None]()
    problem = Item("")
    counted = Item[tuple[Draft | None, int]]((None, 0))


_form = _Form()


def edit(view: View) -> Draft:
    """Draws the form and returns the draft as it now stands."""
    library.open_linked(view)
    drafts.show_news()
    library.show(view, _latest())
    _question(view)
    _field("templates", "Template", "The text around each aspect; {} stands for the aspect. One template per line: several are averaged.")
    _aspects()
    _joined(view)
    draft = _latest()
    _count_encoded(view, draft)
    _problems(view, draft)
    st.text_input("Name", draft.name, key=key("name"), on_change=_take, args=("name", key("name")), help="Save under another name to keep both.")
    if METHODS[draft.solver].dims:
        _dimensions(view, draft)
    _preview(draft)
    _settings(view, draft)
    return draft


def encoded() -> int:
    """How many prompts were new to the encoder after the last edit."""
    return _form.counted[1]


def _latest() -> Draft:
    draft = drafts.latest()
    assert draft is not None
    return draft


def _count_encoded(view: View, draft: Draft) -> None:
    """Reads the prompts, before anything else does: whoever comes later finds them in memory and would count none."""
    if _form.counted[0] == draft:
        return
    try:
        prompts = list(dict.fromkeys(prompt for _, part in parts_of(draft.notion) for prompt in part.prompts))
        with st.spinner("Encoding the prompts ..."):
            _form.counted = draft, view.base.embed_prompts(prompts)[1]
    except InputError:  # as the form says
        _form.counted = draft, 0


def _field(field: str, label: str, help: str, placeholder: str | None = None) -> None:
    value = getattr(_latest(), field)
    st.text_area(label, value, key=key(field), on_change=_take, args=(field, key(field)), height=68, help=help, placeholder=placeholder)


def _take(field: str, key: str) -> None:
    """Takes a field's new value; a field that was replaced meanwhile may still report its last one."""
    if key not in st.session_state:
        return
    value = st.session_state[key]
    drafts.edit(**{field: value or None if field == "attribute" else value.strip() if field == "name" else value})


def _question(view: View) -> None:
    """Draws the question, the button that fills the rest of the form with what it says, and what came of that."""
    help = "When are two images similar? The encoder does not read this; the button below turns it into a template and aspects."
    _field("question", "Question", help, "Two photos are similar if they have the same ...")
    st.button("Suggest template and aspects", icon=":material/edit_note:", type="tertiary", on_click=_ask, key="suggest_notion")
    if _form.is_asked:
        _form.is_asked = False
        with st.spinner("Finding aspects that occur in these images ..."):
            _read(view, _latest().question)
        st.rerun()
    if _form.problem:
        st.markdown(f":orange[:material/warning: {_form.problem}]")
    if (found := _form.read) and _is_open(found):
        _draw_read(found)


def _ask() -> None:
    del _form.problem
    _form.is_asked = True


def _read(view: View, sentence: str) -> None:
    try:
        if not sentence.strip():
            raise InputError("Write a question first, such as: same color of dog.")
        found = notion_from_sentence(sentence, view.base)
    except InputError as error:
        _form.problem = plain(redact(error))
        return
    _form.read = found
    library.put(beginning.draft_from_question(view, sentence, found), view)


def _is_open(found: SentenceNotion) -> bool:
    """Whether the form shows what came of a sentence."""
    draft = _latest()
    return draft.templates == "\n".join(found.notion.templates) and bool(set(found.notion.aspects) & set(draft.aspects.splitlines()))


def _draw_read(found: SentenceNotion) -> None:
    compared = f"Compared: **{plain(found.held)}**. " if found.held else ""
    count = len(found.notion.aspects)
    st.caption(f"{compared}Varies: **{plain(found.varies)}**. {count} of {count + len(found.pruned)} aspects from {plain(found.source)} occur here.")
    used = set(_latest().aspects.splitlines())
    left = {each.aspect: each.reason for each in found.pruned if each.aspect not in used}
    if not left:
        return
    shown, field = list(left)[:_SHOWN], key(f"left_out_{len(left)}")
    reasons = "\n".join(f"- **{plain(aspect)}**: {plain(left[aspect])}" for aspect in shown)
    st.pills("Left out. Click to add.", shown, format_func=plain, key=field, on_change=_add_aspect, args=(field,), help=reasons)
    if len(left) > _SHOWN:
        st.caption(f"And {len(left) - _SHOWN:,} more.")


def _add_aspect(field: str) -> None:
    if aspect := st.session_state.get(field):
        drafts.edit(aspects="\n".join([*_latest().aspects.splitlines(), aspect]))
        drafts.renew_form()


def _aspects() -> None:
    lines = [line.strip() for line in _latest().aspects.splitlines()]
    table, paste = st.tabs([f"Aspects ({len([line for line in lines if line])})", "Paste a list"])
    with table:
        if _form.rows[0] != state.form:
            _form.rows = state.form, lines
        frame = pd.DataFrame({"Aspect": _form.rows[1]}, dtype="str")
        rows = st.data_editor(frame, num_rows="dynamic", hide_index=True, height=260, key=key("aspect_table"), width="stretch")
        edited = ["" if pd.isna(aspect) else str(aspect).strip() for aspect in rows["Aspect"]]
        if edited != lines:  # the draft may end in a line break, which no row shows
            drafts.edit(aspects="\n".join(edited))
    with paste:
        st.text_area("One aspect per line", "\n".join(lines), key=key("aspects"), height=220, on_change=_paste, args=(key("aspects"),))


def _paste(key: str) -> None:
    if key in st.session_state:
        drafts.edit(aspects="\n".join(parse_aspects(st.session_state[key])))
        drafts.renew_form()


def _joined(view: View) -> None:
    """Draws a line for each notion that is joined with this one or taken away from it, and the field that adds one."""
    draft = _latest()
    for place, part in enumerate(draft.joined):
        name, number, end = st.columns((1, 0.95, 0.25), vertical_alignment="center", gap="small")
        name.markdown(f"{'and' if part.weight > 0 else 'without'} **{plain(sidebar.readable(part.name)).lower()}**")
        field, weight = key(f"weight_{place}_{len(draft.joined)}"), min(max(float(part.weight), _LEAST), _MOST)
        label = f"Weight of {plain(part.name)}"
        number.number_input(label, _LEAST, _MOST, weight, _STEP, key=field, on_change=_weigh, args=(field, place), label_visibility="collapsed")
        remove = f"Remove {plain(part.name)}"
        end.button("", key=key(f"part_{place}"), icon=":material/close:", type="tertiary", on_click=_drop, args=(place,), help=remove)
    taken = {draft.name, draft.origin, *(part.name for part in draft.joined)}
    names = [notion.name for notion in sidebar.fitting(view.base) if notion.name not in taken and not notion.joined]
    if names and not drafts.is_full(draft):
        field = key(f"joined_{len(draft.joined)}")
        st.selectbox(
            "Combine with another notion",
            names,
            index=None,
            format_func=sidebar.readable,
            placeholder="Choose a notion",
            key=field,
            on_change=_join,
            args=(field,),
            help="A weight above 0 adds a notion: images must be similar in it too. A weight below 0 removes it, completely at -1.",
        )


def _join(field: str) -> None:
    if (name := st.session_state.get(field)) is not None:
        drafts.edit(joined=(*_latest().joined, drafts.joined(sidebar.notion_named(name))))


def _weigh(field: str, place: int) -> None:
    parts = list(_latest().joined)
    if field not in st.session_state or place >= len(parts):
        return
    weight = float(st.session_state[field])
    if weight == 0:  # neither joined nor taken away
        _drop(place)
        return
    parts[place] = parts[place]._replace(weight=weight)
    drafts.edit(joined=tuple(parts))


def _drop(place: int) -> None:
    parts = _latest().joined
    drafts.edit(joined=(*parts[:place], *parts[place + 1 :]))
    drafts.renew_form()


def _problems(view: View, draft: Draft) -> None:
    templates = [line for line in draft.templates.splitlines() if line.strip()]
    problems = [plain(warning.message) for warning in check(templates, draft.aspects.splitlines(), default_vocabularies(notions_dir()))]
    try:
        notion = draft.notion
    except InputError as error:
        notion = None
        problems.append(plain(redact(error)))
    for problem in problems:
        st.markdown(f":orange[:material/warning: {problem}]")
    if notion is not None:
        verdict.of_words(view, notion)


def _preview(draft: Draft) -> None:
    try:
        prompts = draft.notion.prompts
    except InputError:
        return
    with st.expander(f"{len(prompts)} prompt{'' if len(prompts) == 1 else 's'} as the encoder reads them"):
        st.code("\n".join(prompts), language=None, height=220)


def _settings(view: View, draft: Draft) -> None:
    attributes = ["", *view.base.table.attributes]
    with st.expander("Settings", icon=":material/settings:"):
        st.selectbox(
            "Evaluate with",
            attributes,
            index=attributes.index(draft.attribute) if draft.attribute in attributes else 0,
            format_func=lambda name: sidebar.readable(name) or "No labels",
            key=key("attribute"),
            on_change=_take,
            args=("attribute", key("attribute")),
            help="The labels that say which images really are similar.",
        )
        st.selectbox(
            "Method",
            WORD_METHODS,
            index=WORD_METHODS.index(draft.solver),
            format_func=METHOD_TITLES.__getitem__,
            key=key("solver"),
            on_change=_take,
            args=("solver", key("solver")),
            help="\n\n".join(f"**{METHODS[name].title}.** {METHODS[name].help}" for name in WORD_METHODS),
        )
        st.number_input("Seed", 0, None, draft.seed, key=key("seed"), on_change=_take, args=("seed", key("seed")))


def _dimensions(view: View, draft: Draft) -> None:
    """Draws the number and where it comes from."""
    try:
        suggested = cached.dim_of(view.entry.id, replace(draft.notion, dim=None))
    except InputError:  # the prompts cannot be read
        suggested = None
    largest = view.base.vectors.shape[1]
    field = key(f"dim_{suggested}")  # where nothing was chosen, the number follows the prompts
    st.number_input(
        "Dimensions",
        1,
        largest,
        min(draft.dim or suggested or 2, largest),
        key=field,
        on_change=_take_dimensions,
        args=(field, suggested),
        help="How many numbers describe an image in the notion's space. With more, wording and things that no prompt mentions count too; with fewer, "
        "only what differs most between the prompts. Your choice is saved with the notion.",
    )
    if suggested is None:
        return
    if draft.dim in (None, suggested):
        st.caption(f"Suggested by the prompts: {suggested} dimensions keep 98.5 % of what they say.")
    else:
        st.button(f"Use the suggested {suggested}", icon=":material/lightbulb:", on_click=_use_suggested, width="stretch")


def _take_dimensions(field: str, suggested: int | None) -> None:
    if field in st.session_state:
        chosen = int(st.session_state[field])
        drafts.edit(dim=None if chosen == suggested else chosen)


def _use_suggested() -> None:
    drafts.edit(dim=None)
    drafts.renew_form()
