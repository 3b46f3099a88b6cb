"""Why two images are alike: labels and aspects of trusted notions that they share, and those in which they differ."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pandas.api.types import is_float_dtype

from likeness.data import PHOTO_COLUMNS, ImageTable, has_label
from likeness.notion_trust import FEWEST_IMAGES, sample, trust_of, worded_aspects
from likeness.notions import AspectProbabilities, Notion, fitting_notions

NOTHING = "Nothing that the notions here can tell."
CERTAIN = 0.999  # `python -m experiments.analyses reasons` says what chose it and what judges it


def reasons(space: Any, query: Any, rows: Sequence[int], notions: Sequence[Notion] | None = None, labels: Sequence[str] | None = None) -> list[str]:
    """What each image of a `Space` shares with a query (a row, a text, or what else `Space.place` takes, which raises) and in what it differs.

    Of `labels` (None: all attributes) categories are compared. Of `notions` (None: the library's that fit) with one attribute that with the fewest
    aspects counts, if it is trusted here (`likeness.notion_trust`), `certain_aspects` finds one in both, a text names it, and no label tells it.
    """
    base = space.base or space
    asked, own_labels = base.place(query), space.table.attributes if labels is None else labels
    given = _labels(space.table, own_labels, [int(query), *rows]) if isinstance(query, int | np.integer) else [{} for _ in rows]
    read: list[dict[str, str]] = [{} for _ in rows]
    reads = base.embed_texts is not None and base.linear is None and len(base) >= FEWEST_IMAGES
    known = () if not reads else fitting_notions(base.table, base.encoder_name) if notions is None else notions
    kept = vars(base).setdefault("_wordings", {})  # with the space, by notion; None for those that are not trusted
    for notion in {each.attribute or each.name: each for each in sorted(known, key=lambda each: -len(each.aspects))}.values():
        if (key := tuple(notion.content)) not in kept:
            words = worded_aspects(base, notion)
            kept[key] = words if trust_of(sample(base), *words).reads else None
        own, *shown = certain_aspects(np.vstack([asked, base.vectors[rows]]), kept[key]) if kept[key] else [-1]
        if own >= 0 and (not isinstance(query, str) or max(notion.aspects[own].casefold().split(), key=len) in query.casefold()):
            for aspect, labeled, found in zip(shown, given, read, strict=True):
                if aspect >= 0 and notion.attribute not in labeled:
                    found[notion.name] = _compared(notion.name, notion.aspects[own], notion.aspects[aspect])
    parts = [(("By labels", one), ("By the encoder", other)) for one, other in zip(given, read, strict=True)]  # in both, what is the same first
    return [" ".join(f"{by}: {', '.join(sorted(said.values(), key='s'.__gt__))}." for by, said in pair if said) or NOTHING for pair in parts]


def certain_aspects(images: NDArray[np.float32], wordings: Any, certain: float = CERTAIN) -> NDArray[np.int64]:
    """Aspect (m,) of unit rows (m, d) with at least this zero-shot probability (`AspectProbabilities`) in each wording (k, d); -1 if none has it."""
    least = np.min([AspectProbabilities().fit(aspects).transform(images) ** 2 for aspects in wordings], axis=0)
    return np.where(least.max(axis=1) >= certain, least.argmax(axis=1), -1)


def _labels(table: ImageTable, names: Sequence[str], rows: list[int]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = [{} for _ in rows[1:]]
    for name in [each for each in names if each not in PHOTO_COLUMNS and not is_float_dtype(table.frame[each])]:
        values, is_category = table.frame[name].iloc[rows], 2 * table.frame[name].iloc[:5_000].nunique() <= min(len(table), 5_000)
        own, *others = [str(value) if known and value is not False else "" for value, known in zip(values.tolist(), has_label(values), strict=True)]
        for said, other in zip(found, others, strict=True):
            if own and other and (own == other or is_category):
                said[name] = _compared(name.replace("_", " "), own, other)
    return found


def _compared(name: str, one: str, other: str) -> str:
    return f"same {name} ({one})" if one == other else f"other {name} ({one} / {other})"
