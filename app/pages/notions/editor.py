"""The form of a notion: question, template, aspects, settings. Every edit goes to the draft; problems are named in place."""

import pandas as pd
import streamlit as st

from access import check_may, redact, refusal
from likeness.encoders import unknown_words
from likeness.errors import InputError
from likeness.notions import Notion, check, default_vocabularies, delete_notion, get_notion, is_own, list_notions, notion_problems, save_notion
from likeness.space import Space
from quotas import check_count
from shared import cached, drafts, sidebar
from shared.drafts import Draft
from shared.view import View
from visitors import notions_dir


def edit(view: View) -> Draft:
    """Draws the form and returns the draft as it now stands."""
    if drafts.latest() is None:
        _open(_first_notion(view), view)
        st.rerun()
    _library(view)
    _words()
    _aspects()
    draft = drafts.latest()
    assert draft is not None
    _problems(view, draft)
    _suggestion(view, draft)
    _preview(draft)
    _settings(view, draft)
    return draft


def saved_fit(view: View, draft: Draft) -> Space | None:
    """The fit of the saved notion that the draft began from; None where it equals the draft or there is none."""
    saved = next((notion for notion in list_notions(notions_dir()) if notion.name == draft.name), None)
    if saved is None or drafts.of(saved) == draft:
        return None
    try:
        return cached.fit(view.entry.id, saved)
    except InputError:
        return None


def _first_notion(view: View) -> Notion:
    notions = list_notions(notions_dir())
    shown = st.session_state.get("a")
    attributes = view.base.table.attributes
    ranked = sorted(notions, key=lambda notion: (notion.name != shown, notion.attribute != "car_color", notion.attribute not in attributes))
    return ranked[0]


def _key(field: str) -> str:
    """Widget keys change when the draft is replaced from outside the form, so that the fields show the new one."""
    return f"{field}_{st.session_state.setdefault('form', 0)}"


def _renew() -> None:
    st.session_state["form"] = st.session_state.get("form", 0) + 1


def _library(view: View) -> None:
    draft = drafts.latest()
    assert draft is not None
    names = [name for name in sidebar.notion_names(view.base) if name != sidebar.DRAFT]
    names = names if draft.name in names else [draft.name, *names]
    st.selectbox(
        "Notion", names, index=names.index(draft.name), format_func=sidebar.readable, key=_key("picked"), on_change=_pick, args=(view, _key("picked"))
    )
    reason = refusal("edit")
    with st.container(horizontal=True, gap="small"):
        st.button("Save", type="primary", icon=":material/save:", on_click=_save, disabled=bool(reason) or saved_equals(draft), help=reason or None)
        st.button("Undo", icon=":material/undo:", on_click=_undo, disabled=not drafts.can_undo())
        with st.popover("More", icon=":material/more_horiz:"):
            st.text_input("Name", value=f"{draft.name} copy", key=_key("new_name"))
            st.button(
                "Duplicate under this name",
                on_click=_duplicate,
                args=(_key("new_name"),),
                width="stretch",
                disabled=bool(reason),
                help=reason or None,
            )
            st.button(
                "New notion under this name", on_click=_new, args=(_key("new_name"),), width="stretch", disabled=bool(reason), help=reason or None
            )
            own = is_own(draft.name, notions_dir())
            st.button(
                f"Delete {draft.name}",
                on_click=_delete,
                disabled=bool(reason) or not own,
                width="stretch",
                help=reason or (None if own else "Notions that ship can't be deleted."),
            )
    for message in filter(None, [st.session_state.pop("editor_message", None), *map(redact, notion_problems(notions_dir()))]):
        st.warning(message, icon=":material/warning:")


def saved_equals(draft: Draft) -> bool:
    """True if the library holds exactly what the form shows."""
    return any(drafts.of(notion) == Draft(**{**vars(draft), "dim": 128, "solver": "exact", "seed": 0}) for notion in list_notions(notions_dir()))


def _words() -> None:
    draft = drafts.latest()
    assert draft is not None
    texts = {
        "question": ("Question", draft.question, "When are two images similar? For people; not read by the model."),
        "templates": ("Template", draft.templates, "The sentence around each aspect, with {} in place of the aspect. One template per line."),
    }
    for field, (label, text, help) in texts.items():
        st.text_area(label, text, key=_key(field), on_change=_take_field, args=(field, _key(field)), height=68, help=help)


def _aspects() -> None:
    draft = drafts.latest()
    assert draft is not None
    count = len([line for line in draft.aspects.splitlines() if line.strip()])
    table, paste = st.tabs([f"Aspects ({count})", "Paste a list"])
    with table:
        first = st.session_state.setdefault(_key("aspect_rows"), draft.aspects.splitlines())
        rows = st.data_editor(
            pd.DataFrame({"Aspect": first}, dtype="str"), num_rows="dynamic", hide_index=True, height=260, key=_key("aspect_table"), width="stretch"
        )
        drafts.edit(aspects="\n".join("" if pd.isna(aspect) else str(aspect).strip() for aspect in rows["Aspect"]))
    with paste:
        st.text_area("One aspect per line", draft.aspects, key=_key("aspects"), height=220, on_change=_pasted, args=(_key("aspects"),))


def _problems(view: View, draft: Draft) -> None:
    for problem in _found(view, draft):
        st.markdown(f":orange[:material/warning: {problem}]")


def _found(view: View, draft: Draft) -> list[str]:
    templates = [line for line in draft.templates.splitlines() if line.strip()]
    problems = [warning.message for warning in check(templates, draft.aspects.splitlines(), default_vocabularies(notions_dir()))]
    try:
        notion = draft.notion
    except InputError as error:
        return [*problems, redact(error)]
    unknown = sorted({word for prompt in notion.prompts for word in _unknown(view.base.encoder, prompt)})
    if unknown:
        shown = ", ".join(unknown[:6]) + (" ..." if len(unknown) > 6 else "")
        problems.append(f"The encoder does not know {shown}; it reads these words as blanks.")
    return problems


def _suggestion(view: View, draft: Draft) -> None:
    """Fewer dimensions than prompts can help a lot; the right number is told from the prompts."""
    try:
        suggested = cached.suggested_dim(view.entry.id, draft.notion)
    except InputError:
        return
    if suggested != draft.dim:
        st.button(
            f"Use {suggested} dimensions",
            icon=":material/lightbulb:",
            on_click=_take_dim,
            args=(suggested,),
            width="stretch",
            help=f"Instead of {draft.dim}. Suggested by the prompts alone: enough to keep 98.5 % of their variation. "
            "More dimensions give weight to wording and to things that no prompt mentions.",
        )


def _take_dim(dim: int) -> None:
    drafts.edit(dim=dim)
    _renew()


@st.cache_data(max_entries=4096, show_spinner=False)
def _unknown(encoder: str, text: str) -> list[str]:
    return unknown_words(encoder, text)


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
        largest = view.base.vectors.shape[1]
        st.number_input(
            "Dimensions",
            1,
            largest,
            min(draft.dim, largest),
            key=_key("dim"),
            on_change=_take_field,
            args=("dim", _key("dim")),
            help="Fewer keep only what varies most between the prompts.",
        )
        solvers = ["exact", "adam"]
        st.selectbox(
            "Solver",
            solvers,
            index=solvers.index(draft.solver),
            key=_key("solver"),
            on_change=_take_field,
            args=("solver", _key("solver")),
            help="exact: at once. adam: the paper's procedure, some seconds.",
        )
        st.number_input("Seed", 0, None, draft.seed, key=_key("seed"), on_change=_take_field, args=("seed", _key("seed")))
        st.selectbox(
            "Judge by",
            attributes,
            index=attributes.index(draft.attribute) if draft.attribute in attributes else 0,
            format_func=lambda name: sidebar.readable(name) or "Nothing",
            key=_key("attribute"),
            on_change=_take_field,
            args=("attribute", _key("attribute")),
            help="The attribute that says which images really are similar.",
        )


def _take_field(field: str, key: str) -> None:
    """Takes a field's new value; a field that was replaced meanwhile may still report its last one."""
    if key not in st.session_state:
        return
    value = st.session_state[key]
    drafts.edit(**{field: value or None if field == "attribute" else value})


def _pasted(key: str) -> None:
    _take_field("aspects", key)
    _renew()


def _pick(view: View, key: str) -> None:
    notion = next((notion for notion in list_notions(notions_dir()) if notion.name == st.session_state.get(key)), None)
    if notion is not None:  # it may be gone by now
        _open(notion, view)
        _renew()


def _open(notion: Notion, view: View) -> None:
    """Begins to edit a notion; the map is colored by the labels that judge it."""
    drafts.put(drafts.of(notion))
    if notion.attribute in view.base.table.attributes:
        st.session_state["next_color"] = notion.attribute


def _undo() -> None:
    drafts.undo()
    _renew()


def _save() -> None:
    draft = drafts.latest()
    assert draft is not None
    _try(lambda: save_notion(draft.notion, folder=notions_dir()))


def _duplicate(key: str) -> None:
    draft, name = drafts.latest(), st.session_state[key].strip()
    assert draft is not None
    _start(Draft(**{**vars(draft), "name": name}))


def _new(key: str) -> None:
    _start(Draft(st.session_state[key].strip(), "Two images are similar if ...", "a photo of a {}", "cat\ndog", None))


def _start(draft: Draft) -> None:
    if any(notion.name.lower() == draft.name.lower() for notion in list_notions(notions_dir())):
        st.session_state["editor_message"] = f"There is a notion named '{draft.name}' already; choose another name."
        return
    if _try(lambda: _save_new(draft)):
        drafts.put(draft)
        _renew()


def _save_new(draft: Draft) -> None:
    check_may("edit")
    check_count(notions_dir(), "notions")
    save_notion(draft.notion, folder=notions_dir())


def _delete() -> None:
    draft = drafts.latest()
    assert draft is not None
    if _try(lambda: delete_notion(draft.name, notions_dir())):
        drafts.put(drafts.of(get_notion("car-color", notions_dir())))
        _renew()


def _try(action: "object") -> bool:
    try:
        check_may("edit")
        action()  # type: ignore[operator]
    except InputError as error:
        st.session_state["editor_message"] = redact(error)
        return False
    return True
