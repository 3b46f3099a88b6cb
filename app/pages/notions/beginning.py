"""Initial notions of the editor: for the current images, from the library, from labels, or from a question."""

from collections.abc import Iterator
from dataclasses import replace

from likeness.data import has_label, numbers_of
from likeness.defaults import PAPER_NOTIONS
from likeness.errors import InputError
from likeness.notions import Notion, list_notions
from likeness.sentences import SentenceNotion
from parts import cached, drafts, sidebar, verdict
from parts.drafts import Draft
from parts.view import View
from server.visitors import notions_dir
from state import state

_NAME = "new notion"
_MOST_VALUES = 30  # different values of a column of labels that become aspects
_EVERYDAY = Draft(
    _NAME,
    "Two images are similar if they show the same kind of thing.",
    "a photo of {}",
    "a person\nan animal\na plant\nfood\na vehicle\na building\na landscape\nfurniture",
    None,
)


def first_draft(view: View) -> Draft:
    """The notion of the sidebar's spaces, or one whose labels the images have, or the one that separates them best, or else a new one."""
    known = {notion.name: notion for notion in list_notions(notions_dir())}
    shown = next((known[name] for name in (state.a, state.b) if name in known), None)
    notion = shown or sidebar.first_notion(view.base)
    if notion is None and view.base.embed_texts and not view.entry.warning:
        notion = known.get(cached.first_starter(view.base, sidebar.fitting(view.base)))
    return drafts.of(notion) if notion else new_draft(view)


def new_draft(view: View) -> Draft:
    """A valid notion under a free name: from the images' labels, of everyday things, or after a shipped notion."""
    notions = list_notions(notions_dir())
    candidates = [*_of_labels(view, notions), _EVERYDAY, *_like(view, notions)]
    chosen = next((draft for draft in candidates if _is_known(view, draft)), _EVERYDAY)
    return replace(chosen, name=_free_name(chosen.name))


def _is_known(view: View, draft: Draft) -> bool:
    """Whether the draft is valid, and the encoder knows all its words."""
    try:
        return not verdict.unread(view.base, draft.notion.prompts)
    except InputError:
        return False


def draft_from_question(view: View, question: str, found: SentenceNotion) -> Draft:
    """A draft from an answered question, under a free name, evaluated by labels with a matching name, if any."""
    notion = found.notion
    attribute = view.label_called(notion.name) or view.label_called(found.varies)
    question = question.strip() if "similar" in question.lower() else notion.question  # a whole one stays as it is
    return Draft(_free_name(notion.name), question, "\n".join(notion.templates), "\n".join(notion.aspects), attribute)


def _of_labels(view: View, notions: list[Notion]) -> Iterator[Draft]:
    """A notion for each label column that has few values and no notion yet."""
    frame, known = view.frame, {notion.attribute for notion in notions}
    for name in view.base.table.attributes:
        if name in known or numbers_of(frame[name]) is not None:
            continue
        values = sorted(frame[name][has_label(frame[name])].astype(str).str.strip().unique())
        if 2 <= len(values) <= _MOST_VALUES:
            what = name.replace("_", " ").strip().lower()
            yield Draft(what, f"Two images are similar if they have the same {what}.", "a photo of a {}", "\n".join(values), name)


def _like(view: View, notions: list[Notion]) -> Iterator[Draft]:
    """The template and first aspects of each notion, those with labels here first."""
    attributes = view.base.table.attributes
    for notion in sorted(notions, key=lambda each: (each.attribute not in attributes, each.slug != PAPER_NOTIONS[0])):
        yield Draft(_NAME, "", notion.templates[0], "\n".join(dict.fromkeys(notion.aspects[:3])), None)


def _free_name(name: str) -> str:
    """The name, with a number if it is taken."""
    taken = {notion.name.lower() for notion in list_notions(notions_dir())}
    names = (name if number == 1 else f"{name} {number}" for number in range(1, len(taken) + 2))
    return next(each for each in names if each.lower() not in taken)
