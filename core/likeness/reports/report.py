"""What a report holds."""

from dataclasses import dataclass, field

from likeness.data import ImageTable
from likeness.reports.curves import Curve
from likeness.reports.figures import FigureTable
from likeness.reports.options import ReportOptions
from likeness.reports.shown_images import SpaceView


@dataclass(frozen=True, eq=False)
class Report:
    """What a report holds: what a space is, how good it is beside the raw encoder, and two linked maps with pictures.

    Attributes:
        kind: what it is of, "Notion" or "Trained run".
        title, lead: its heading, and one sentence below.
        facts: (name, value) of what is told first.
        tables: figures.
        views: the raw encoder's space and the other one.
        table: the m images that are shown, with attributes.
        total: how many images there are in all.
        first: the attributes that stand before the others; the maps are colored by the first one.
        options: what it was made with.
        curves: of a run, what was measured while it trained.
        settings: of a run, its settings as YAML.
    """

    kind: str
    title: str
    lead: str
    facts: list[tuple[str, str]]
    tables: list[FigureTable]
    views: list[SpaceView]
    table: ImageTable
    total: int
    first: list[str]
    options: ReportOptions = field(default_factory=ReportOptions)
    curves: list[Curve] = field(default_factory=list)
    settings: str = ""
