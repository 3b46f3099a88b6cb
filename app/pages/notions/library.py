"""Opens, saves and deletes notions, with questions before a notion is replaced or deleted."""

from dataclasses import replace

import streamlit as st

from likeness.errors import InputError
from likeness.notions import Notion, delete_notion, is_own, list_notions, notion_problems, save_notion
from pages.notions import beginning
from parts import drafts, link, sidebar
from parts.drafts import Draft
from parts.errors import toast_errors
from parts.plain import plain, prose
from parts.view import View
from server.access import check_may, redact, refusal
from server.quotas import check_count
from server.visitors import notions_dir
from state import Item, state

_dataset = Item("", key="library_dataset")  # whose images were shown last
_seen = Item[dict[str, Notion | None]](make=dict, key="library_seen")  # notions by name, as this tab last opened or saved them


def open_linked(view: View) -> None:
    """Opens a link's notion (`?notion=`), or the initial one if none is open or the open one was for other images."""
    named = st.query_params.pop("notion", None)
    notion = _notion(named)
    if named and notion is None:
        link.report(f"There is no notion “{link.shortened(named)}” here. Choose another one below.")
    draft = drafts.latest()
    if draft is not None and (draft.origin == notion.name if notion else not _is_of_other_images(draft, view)):
        return
    put(drafts.of(notion) if notion else beginning.first_draft(view), view)
    st.rerun()


def _notion(name: str | None) -> Notion | None:
    return next((notion for notion in list_notions(notions_dir()) if notion.name == name), None)


def _is_of_other_images(draft: Draft, view: View) -> bool:
    """Whether the images have changed since the last run, and the open, unedited notion is evaluated by labels that they lack."""
    before = _dataset.get() or view.dataset
    _dataset.set(view.dataset)
    return before != view.dataset and draft.attribute is not None and draft.attribute not in view.base.table.attributes and is_saved(draft)


def put(draft: Draft, view: View) -> None:
    """Starts editing; colors the map by the labels that evaluate the notion, or by its aspects."""
    drafts.put(draft)
    _seen.get()[draft.origin] = saved_of(draft)
    judge = draft.attribute if draft.attribute in view.base.table.attributes else None
    name = draft.origin if draft.origin in view.notions else None
    if color := judge or (name and sidebar.color_of(name, None, view.base)):
        state.next_color = color
    drafts.renew_form()


def saved_of(draft: Draft) -> Notion | None:
    """The library's notion from which the draft started."""
    return _notion(draft.origin)


def is_saved(draft: Draft) -> bool:
    """Whether the library holds what the form shows, except solver and seed, which are not saved."""
    saved = saved_of(draft)
    return saved is not None and drafts.of(saved) == replace(draft, solver="exact", seed=0)


def title(draft: Draft) -> str:
    """The notion's display name, with a mark while it is not saved."""
    return draft.name if is_saved(draft) else drafts.title(draft)


def show(view: View, draft: Draft) -> None:
    _seen.get().setdefault(draft.origin, saved_of(draft))
    saved = [name for name in view.notions if name != sidebar.DRAFT]
    current = draft.origin if draft.origin in saved else draft.name
    names = saved if draft.origin in saved else [draft.name, *saved]
    titles = {name: sidebar.readable(title(draft) if name == current else name) for name in names}
    field = f"picked_{state.form}_{titles[current]}"  # Streamlit updates a choice's title only if its value changes
    place = names.index(current)
    st.selectbox("Notion", names, place, lambda name: titles.get(name, name), key=field, on_change=_pick, args=(view, field))
    with st.container(horizontal=True, gap="small"):
        _buttons(view, draft)
    for problem in notion_problems(notions_dir()):
        st.warning(prose(redact(problem)), icon=":material/warning:")


def _buttons(view: View, draft: Draft) -> None:
    reason, question = refusal("edit"), _question(draft)
    off = bool(reason) or is_saved(draft)
    if question and not off:
        with st.popover("Save", type="primary"):
            st.markdown(f"{plain(question)} To keep both, give yours another name.")
            st.button("Replace it", type="primary", on_click=_save, args=(question,))
    else:
        st.button("Save", type="primary", on_click=_save, disabled=off, help=reason or None)
    st.button("New", on_click=lambda: put(beginning.new_draft(view), view), help="A new notion that suits these images.")
    st.button("Undo", on_click=drafts.undo, disabled=not drafts.can_undo())
    if reason or not draft.origin or not is_own(draft.origin, notions_dir()):
        st.button("Delete", disabled=True, help=reason or "You can delete only notions that you saved.")
    else:
        with st.popover("Delete"):
            st.markdown(f"Delete “{plain(draft.origin)}” from your notions?")
            st.button("Delete it", type="primary", on_click=_delete, args=(view, draft))


def _question(draft: Draft) -> str:
    """The question before saving replaces another notion than the opened own one, or a version that this tab has not shown; "" if none."""
    try:
        slug = draft.notion.slug
    except InputError:  # saving says why
        return ""
    if not any(each.slug == slug for each in list_notions(notions_dir())):
        return ""
    name = draft.name
    if not is_own(name, notions_dir()):
        return f"“{name}” ships with Likeness. Saving replaces it with your version. Delete yours to restore the shipped one."
    if draft.origin != name:
        return f"You already have a notion “{name}”."
    return f"“{name}” was saved in another tab since you opened it here." if _is_newer(draft) else ""


def _is_newer(draft: Draft) -> bool:
    """Whether the notion was saved elsewhere since this tab opened it, and the draft is not based on that version."""
    saved = saved_of(draft)
    if saved is None or saved == _seen.get().get(draft.origin, saved):
        return False
    return drafts.of(saved) not in [replace(each, solver="exact", seed=0) for each in drafts.versions()]


def _pick(view: View, field: str) -> None:
    notion = _notion(st.session_state.get(field))
    if notion is not None:  # it may be gone by now
        put(drafts.of(notion), view)


@toast_errors()
def _save(answered: str = "") -> None:
    """Saves the draft, unless a question other than the confirmed one remains."""
    check_may("edit")
    draft = drafts.latest()
    assert draft is not None
    question = _question(draft)
    if question not in ("", answered):
        raise InputError(question)
    if not is_own(draft.name, notions_dir()):
        check_count(notions_dir(), "notions")
    save_notion(draft.notion, folder=notions_dir())
    drafts.put(replace(draft, origin=draft.name))
    _seen.get()[draft.name] = _notion(draft.name)
    drafts.renew_form()


@toast_errors("The notion could not be deleted")
def _delete(view: View, draft: Draft) -> None:
    """Deletes the saved notion; undo restores the editor's draft, which can be saved again."""
    check_may("edit")
    delete_notion(draft.origin, notions_dir())
    st.toast(f"Deleted “{plain(draft.origin)}”. Undo, then Save, restores it.", icon=":material/delete:")
    shipped = saved_of(draft)
    put(drafts.of(shipped) if shipped else beginning.first_draft(view), view)
