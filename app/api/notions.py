"""Notions of the library, and their spaces on a dataset."""

from typing import Annotated

from fastapi import Query
from starlette.exceptions import HTTPException

from api.datasets import entry_of
from api.schemas import FitNotion, Fitted, InDataset, Joined, NotionDetails, NotionFilter, NotionName, Notions, NotionText, OfNotion
from likeness.data import DatasetEntry
from likeness.encoders import cut_ends
from likeness.notions import Notion, is_own, list_notions as all_notions
from likeness.space import Space
from parts import cached
from parts.sidebar import fitting
from server.quotas import check_notion
from server.visitors import notions_dir


def list_notions(only: Annotated[NotionFilter, Query()]) -> Notions:
    """Lists the notions of the library, or those that fit the images of a dataset."""
    notions = all_notions(notions_dir()) if only.dataset is None else fitting(cached.base(entry_of(only.dataset).id))
    return Notions(notions=[_named(notion) for notion in notions])


def show_notion(notion: OfNotion) -> NotionDetails:
    """Shows a notion: its templates, its aspects, and the notions joined with it."""
    found = _by_name(notion)
    joined = [Joined(weight=weight, name=each.name) for weight, each in found.joined]
    fields = {name: getattr(found, name) for name in ("name", "question", "attribute", "dim")}
    return NotionDetails(**fields, templates=list(found.templates), aspects=list(found.aspects), joined=joined)


def fit_notion(dataset: InDataset, what: FitNotion) -> Fitted:
    """Fits a notion on a dataset, and says how reliable it is on these images.

    The space is cached for later searches; without this call, they fit it themselves.
    """
    entry = entry_of(dataset)
    notion = _resolved(what.notion)
    space, base = fitted(entry, what.notion), cached.base(entry.id)
    trust = cached.trust(base, notion)
    return Fitted(
        notion=notion.name,
        dim=space.vectors.shape[1],
        stability=round(float(trust.stability), 6),
        alignment=round(float(trust.alignment), 6),
        reads=bool(trust.reads),
        verdict=trust.sentence,
        unknown_words=sorted(cached.unknown_words(base, "\n".join(notion.prompts))),
        cut=cut_ends(cached.cut_texts(base, notion.prompts)),
    )


def fitted(entry: DatasetEntry, notion: str | NotionText) -> Space:
    return cached.fit(entry.id, _resolved(notion))


def _resolved(notion: str | NotionText) -> Notion:
    found = _by_name(notion) if isinstance(notion, str) else Notion("in words", tuple(notion.templates), tuple(notion.aspects), dim=notion.dim)
    check_notion(found)
    return found


def _by_name(name: str) -> Notion:
    wanted = name.casefold()
    found = next((notion for notion in all_notions(notions_dir()) if wanted in (notion.name.strip().casefold(), notion.slug)), None)
    if found is None:
        raise HTTPException(404, f"There is no notion '{name[:80]}'; GET /api/v1/notions lists them.")
    return found


def _named(notion: Notion) -> NotionName:
    own = is_own(notion.name, notions_dir())
    return NotionName(name=notion.name, question=notion.question, attribute=notion.attribute, aspects=len(notion.aspects), own=own)
