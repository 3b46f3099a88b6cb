"""Opening, saving and deleting notions: the row of buttons, what is asked before a notion is replaced, and how a deletion is undone."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from access import check_may, redact, refusal
from likeness.errors import InputError
from likeness.notions import Notion, delete_notion, is_own, list_notions, notion_problems, save_notion
from pages.notions import beginning
from quotas import check_count
from shared import drafts, link, sidebar
from shared.drafts import Draft
from shared.plain import plain
from shared.view import View
from visitors import notions_dir


def open_linked(view: View) -> None:
    """Opens the notion that a link names (`?notion=`), or else what the editor begins with, where nothing is open yet or what is open
    was for other images."""
    named = st.query_params.pop("notion", None) if "notion" in st.query_params else None
    notion = next((notion for notion in list_notions(notions_dir()) if notion.name == named), None)
    if named and notion is None:
        link.report(f"There is no notion “{link.shortened(named)}” here. Choose another one below.")
    draft = drafts.latest()
    if draft is not None and (draft.origin == notion.name if notion else not _is_of_other_images(draft, view)):
        return
    put(drafts.of(notion) if notion else beginning.first_draft(view), view)
    st.rerun()


def _is_of_other_images(draft: Draft, view: View) -> bool:
    """Whether the images have changed since the last run, and a notion is open, unedited, that is judged by labels which these lack."""
    before = st.session_state.get("edited_on", view.dataset)
    st.session_state["edited_on"] = view.dataset
    return before != view.dataset and draft.attribute is not None and draft.attribute not in view.base.table.attributes and is_saved(draft)


def put(draft: Draft, view: View) -> None:
    """Begins to edit; the map is colored by the labels that judge the notion, or by its aspects."""
    drafts.put(draft)
    _see_saved(draft)
    judge = draft.attribute if draft.attribute in view.base.table.attributes else None
    name = draft.origin if draft.origin in sidebar.notion_names(view.base) else None
    if color := judge or (name and sidebar.color_of(name, None, view.base)):
        st.session_state["next_color"] = color
    drafts.renew_form()


def key(field: str) -> str:
    """Widget keys change when the draft is replaced from outside the form, so that the fields show the new one."""
    return f"{field}_{st.session_state.setdefault('form', 0)}"


def saved_of(draft: Draft) -> Notion | None:
    """The notion of the library that the draft began from."""
    return next((notion for notion in list_notions(notions_dir()) if notion.name == draft.origin), None)


def is_saved(draft: Draft) -> bool:
    """True if the library holds what the form shows; solver and seed are not saved."""
    saved = saved_of(draft)
    return saved is not None and drafts.of(saved) == replace(draft, solver="exact", seed=0)


def show(view: View, draft: Draft) -> None:
    """Draws the picker and the buttons."""
    if draft.origin not in _seen():
        _see_saved(draft)
    saved = [name for name in sidebar.notion_names(view.base) if name != sidebar.DRAFT]
    names = saved if draft.origin in saved else [draft.name, *saved]
    st.selectbox(
        "Notion",
        names,
        index=names.index(draft.origin) if draft.origin in saved else 0,
        format_func=lambda name: sidebar.readable(name) if name in saved else f"{sidebar.readable(name)} (not saved)",
        key=key("picked"),
        on_change=_pick,
        args=(view, key("picked")),
    )
    _buttons(view, draft)
    _ask(draft)
    _deleted(view)
    for message in filter(None, [st.session_state.pop("editor_message", None), *map(redact, notion_problems(notions_dir()))]):
        st.warning(plain(message), icon=":material/warning:")


def _buttons(view: View, draft: Draft) -> None:
    reason = refusal("edit")
    own = bool(draft.origin) and is_own(draft.origin, notions_dir())
    with st.container(horizontal=True, gap="small"):
        st.button("Save", type="primary", on_click=_save, disabled=bool(reason) or is_saved(draft), help=reason or None)
        st.button("New", on_click=_new, args=(view,), help="A notion of your own, which fits these images as it stands.")
        st.button("Undo", on_click=_undo, disabled=not drafts.can_undo())
        st.button(
            "Delete",
            on_click=_delete,
            args=(view,),
            disabled=bool(reason) or not own,
            help=reason or (None if own else "Only notions that you saved can be deleted."),
        )


def _pick(view: View, key: str) -> None:
    notion = next((notion for notion in list_notions(notions_dir()) if notion.name == st.session_state.get(key)), None)
    if notion is not None:  # it may be gone by now
        put(drafts.of(notion), view)


def _new(view: View) -> None:
    put(beginning.new_draft(view), view)


def _undo() -> None:
    drafts.undo()
    drafts.renew_form()


def _save(replaced: bool = False) -> None:
    draft = drafts.latest()
    assert draft is not None
    if _try(lambda: _save_draft(draft, replaced)):
        st.session_state.pop("deleted_notion", None)


def _save_draft(draft: Draft, replaced: bool) -> None:
    check_may("edit")
    notion = draft.notion
    if not replaced and _would_replace(draft, notion):
        st.session_state["replacing"] = draft
        return
    if not is_own(notion.name, notions_dir()):
        check_count(notions_dir(), "notions")
    save_notion(notion, folder=notions_dir())
    drafts.put(replace(draft, origin=notion.name))
    _see_saved(replace(draft, origin=notion.name))
    drafts.renew_form()


def _would_replace(draft: Draft, notion: Notion) -> bool:
    """Whether saving puts the draft in the place of another notion than the visitor's own that he opened, or of a version that he has not seen."""
    taken = any(each.slug == notion.slug for each in list_notions(notions_dir()))
    return taken and (not (draft.origin == draft.name and is_own(notion.name, notions_dir())) or _is_newer(draft))


def _seen() -> dict[str, Notion | None]:
    """Notions of the library by name, as this tab last opened or saved them."""
    seen: dict[str, Notion | None] = st.session_state.setdefault("saved_seen", {})
    return seen


def _see_saved(draft: Draft) -> None:
    _seen()[draft.origin] = saved_of(draft)


def _is_newer(draft: Draft) -> bool:
    """Whether the notion was saved elsewhere since this tab opened it, and the draft did not come from that version."""
    saved = saved_of(draft)
    if saved is None or saved == _seen().get(draft.origin, saved):
        return False
    return drafts.of(saved) not in [replace(each, solver="exact", seed=0) for each in drafts.versions()]


def _ask(draft: Draft) -> None:
    """Asks before a notion is replaced; another edit takes the question back."""
    if st.session_state.get("replacing") != draft:
        return
    own = is_own(draft.name, notions_dir())
    with st.container(border=True):
        st.markdown(
            f"“{plain(draft.name)}” was saved in another tab since it was opened here."
            if own and draft.origin == draft.name
            else f"You have a notion “{plain(draft.name)}” already."
            if own
            else f"“{plain(draft.name)}” ships with Likeness. Your version takes its place; delete yours to get the shipped one back."
        )
        with st.container(horizontal=True, gap="small"):
            st.button("Replace it", type="primary", on_click=_save, args=(True,))
            st.button("Cancel", on_click=_forget, args=("replacing",))
        st.caption("To keep both, give yours another name.")


def _delete(view: View) -> None:
    draft = drafts.latest()
    assert draft is not None
    notion = saved_of(draft)
    if notion is not None and _try(lambda: delete_notion(notion.name, notions_dir())):
        st.session_state["deleted_notion"] = notion
        shipped = saved_of(draft)
        put(drafts.of(shipped) if shipped else beginning.first_draft(view), view)


def _deleted(view: View) -> None:
    """Says what was deleted, and brings it back."""
    notion: Notion | None = st.session_state.get("deleted_notion")
    if notion is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f"Deleted “{plain(notion.name)}”.", width="content")
        st.button("Restore", icon=":material/restore_from_trash:", on_click=_restore, args=(notion, view))


def _restore(notion: Notion, view: View) -> None:
    if _try(lambda: save_notion(notion, folder=notions_dir())):
        _forget("deleted_notion")
        put(drafts.of(notion), view)


def _forget(name: str) -> None:
    st.session_state.pop(name, None)


def _try(action: Callable[[], object]) -> bool:
    try:
        check_may("edit")
        action()
    except InputError as error:
        st.session_state["editor_message"] = redact(error)
        return False
    return True
