"""The report of a notion."""

import numpy as np

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.notions import METHODS, Composition, Notion, parts_of
from likeness.reports.figures import agreement_row, retrieval_table, trust_table
from likeness.reports.options import ReportOptions
from likeness.reports.report import Report, shown_rows, space_views
from likeness.space import Space

_SAME = "Two images are similar if they are alike in this: "


def notion_report(
    space: Space, notion: Notion | Composition, options: ReportOptions | None = None, *, method: str = "exact", dim: int | None = None
) -> Report:
    """The report of a notion on images: its words, figures beside the raw encoder, and both spaces as linked maps.

    InputError: vectors without images, fewer than three images, an unknown attribute to color by, whatever `Space.refit` refuses, or a stop.

    Args:
        space: the images as an encoder embeds them; of a notion's space, what it is made from counts.
        notion: one, or several joined.
        method, dim: as for `Space.refit`.

    Example:
        >>> import likeness as lk
        >>> from likeness.reports import ReportOptions, notion_report
        >>> space = lk.embed(lk.read("cars"), "cars")
        >>> report = notion_report(space, lk.Notion("car color", "a {} car", ["red", "green", "blue"]), ReportOptions(images=100, layout="pca"))
        >>> report.title, len(report.table), report.total
        ('car color', 100, 2000)
    """
    chosen, base = options or ReportOptions(), space.base or space
    table = base.table
    if not table.has_images:
        raise InputError(f"The rows of '{table.name}' have no images, and a report shows pictures; pass images with the vectors.")
    check_color(table, chosen)
    rows = shown_rows(len(base), chosen)
    own = base.refit(notion, method, dim=dim, seed=chosen.seed)
    chosen.check_stop()
    judged = retrieval_table(base, own, notion, chosen) if isinstance(notion, Notion) else None
    tables = [each for each in (judged, trust_table(base, notion)) if each]
    views = space_views([base, own], rows, chosen)
    words = {f"Best word of {each.name}": base.best_aspects(each) for weight, each in parts_of(notion) if weight > 0}
    frame = table.frame.assign(**{name: values for name, values in words.items() if name not in table.frame}).iloc[rows]
    judging = [each.attribute for _, each in parts_of(notion) if each.attribute in table.attributes]
    first = [*([chosen.color] if chosen.color else []), *filter(None, judging), *words]
    facts = [*_words(notion), ("Images", f"{len(base):,} of {table.name}"), ("Encoder", base.encoder_name or base.name)]
    sizes = f"{own.vectors.shape[1]} of {base.vectors.shape[1]} dimensions"
    facts += [("Space", f"{METHODS[method].title}, {sizes}, fitted on the words alone"), agreement_row(base, own, chosen.seed)]
    shown = ImageTable(table.name, table.root, frame)
    lead = getattr(notion, "question", "") or f"{_SAME}{notion.name}."
    return Report("Notion", notion.name, lead, facts, tables, views, shown, len(base), list(dict.fromkeys(first)), chosen)


def check_color(table: ImageTable, options: ReportOptions) -> None:
    """Raises InputError where the images lack the attribute that they are to be colored by."""
    if options.color is not None and options.color not in table.attributes:
        raise InputError(f"'{table.name}' has no attribute '{options.color}' to color by; it has {', '.join(table.attributes) or 'none'}.")


def _words(notion: Notion | Composition) -> list[tuple[str, str]]:
    """Templates and aspects, of several notions of each with its weight."""
    parts = parts_of(notion)
    found = []
    for weight, each in parts:
        size = "" if np.isclose(abs(weight), 1) else f" {abs(weight):g} ×"
        name = "Words" if len(parts) == 1 else f"{'+' if weight > 0 else '−'}{size} {each.name}"
        listed = ", ".join(dict.fromkeys(each.aspects))
        found.append((name, f"{' / '.join(f'“{template}”' for template in each.templates)} with {len(set(each.aspects))} aspects: {listed}"))
    return found
