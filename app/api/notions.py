"""Notions: the library, and their spaces on a dataset."""

from http import HTTPStatus

from api.datasets import entry_of
from api.problems import Problem
from api.schemas import FitNotion, Fitted, Joined, ListNotions, NotionDetails, NotionName, Notions, NotionText, OfNotion
from likeness.data import DatasetEntry
from likeness.encoders import cut_ends
from likeness.notions import Notion, is_own, list_notions as all_notions
from likeness.space import Space
from quotas import check_notion
from shared import cached, drafts
from shared.sidebar import fitting
from visitors import notions_dir

IN_WORDS = "in words"  # name of a notion that was given in words


def list_notions(arguments: ListNotions) -> Notions:
    """Lists the notions of the library, or those that fit the images of a dataset."""
    notions = all_notions(notions_dir()) if arguments.dataset is None else fitting(cached.base(entry_of(arguments.dataset).id))
    return Notions(notions=[_named(notion) for notion in notions])


def show_notion(arguments: OfNotion) -> NotionDetails:
    """Shows a notion: its templates, its aspects, and what is joined with it."""
    notion = _by_name(arguments.notion)
    joined = [Joined(weight=weight, name=each.name) for weight, each in notion.joined]
    fields = {name: getattr(notion, name) for name in ("name", "question", "attribute", "dim")}
    return NotionDetails(**fields, templates=list(notion.templates), aspects=list(notion.aspects), joined=joined)


def fit_notion(arguments: FitNotion) -> Fitted:
    """Fits a notion on a dataset, and says how far it can be relied on with these images.

    Its space is kept for the searches that follow, which fit it themselves where it is not.
    """
    entry = entry_of(arguments.dataset)
    notion = _resolved(arguments.notion)
    space, base = fitted(entry, arguments.notion), cached.base(entry.id)
    trust = cached.trust(base, notion)
    return Fitted(
        notion=notion.name,
        dim=space.vectors.shape[1],
        stability=round(float(trust.stability), 6),
        alignment=round(float(trust.alignment), 6),
        reads=bool(trust.reads),
        verdict=trust.sentence,
        unknown_words=cached.unknown_words_of(base, notion),
        cut=cut_ends(cached.cut_texts(base, notion.prompts)),
    )


def fitted(entry: DatasetEntry, notion: str | NotionText) -> Space:
    """The space of a notion on a dataset."""
    return cached.fit(entry.id, _resolved(notion))


def _resolved(notion: str | NotionText) -> Notion:
    found = _by_name(notion) if isinstance(notion, str) else Notion(IN_WORDS, tuple(notion.templates), tuple(notion.aspects), dim=notion.dim)
    check_notion(drafts.of(found), *(drafts.joined(each) for _, each in found.joined))
    return found


def _by_name(name: str) -> Notion:
    wanted = name.casefold()
    found = next((notion for notion in all_notions(notions_dir()) if wanted in (notion.name.strip().casefold(), notion.slug)), None)
    if found is None:
        raise Problem(HTTPStatus.NOT_FOUND, f"There is no notion '{name[:80]}' here; GET /api/v1/notions lists them.")
    return found


def _named(notion: Notion) -> NotionName:
    own = is_own(notion.name, notions_dir())
    return NotionName(name=notion.name, question=notion.question, attribute=notion.attribute, aspects=len(notion.aspects), own=own)
