"""What all tasks share: where data and results lie, and what a task gives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

import pandas as pd

from likeness.commands.inputs import embedded
from likeness.data import read_dataset

if TYPE_CHECKING:
    from likeness.space import Space

CLIP = "ViT-B-32/openai"
_RUNS = 5  # of the InDiReCT paper


@dataclass(frozen=True)
class Session:
    """What a call measures with.

    Attributes:
        data: folder with a subfolder for each dataset, by its name.
        out: folder of the results.
        encoder: name of the CLIP.
        seeds: runs of what is random; None: as many as the papers.
        changes: values of configs by dotted keys, for every study that has the part.
    """

    data: Path
    out: Path
    encoder: str = CLIP
    seeds: int | None = None
    changes: dict[str, Any] = field(default_factory=dict)

    def source(self, dataset: str, part: str = "") -> str:
        return f"{dataset}{part and f'/{part}'}:{self.data / dataset}"

    def space(self, dataset: str) -> "Space":
        return embedded(read_dataset(self.source(dataset)), self.encoder)

    @property
    def runs(self) -> range:
        return range(self.seeds or _RUNS)


class Found(NamedTuple):
    """Results of a task: a row per run, tables by title, and remarks: "Left out: " for want of a file, "Failed: ", "Note: "."""

    runs: pd.DataFrame
    tables: dict[str, pd.DataFrame]
    remarks: Sequence[str] = ()


@dataclass(frozen=True)
class Task:
    """A part of a paper that is measured by itself.

    Attributes:
        name: of its results.
        paper: name of the paper's page in docs/papers.
        headings: headings of that page.
        datasets: what it needs, by names of `likeness.data.DATASETS`.
        measure: called with the session.
        files: further files in the folder of the datasets.
    """

    name: str
    paper: str
    headings: tuple[str, ...]
    datasets: tuple[str, ...]
    measure: Callable[[Session], Found]
    files: tuple[str, ...] = ()

    def lacking(self, data: Path) -> list[str]:
        """The names of datasets and files that are not in the folder."""
        return [*(name for name in self.datasets if not (data / name).is_dir()), *(name for name in self.files if not (data / name).is_file())]


def has_value(kind: Any, key: str) -> bool:
    """Whether a kind of config has the value of a dotted key; a dict of options has any."""
    first, _, rest = key.partition(".")
    if not hasattr(kind, "model_fields"):
        return (get_origin(kind) or kind) is dict
    own = kind.model_fields[first].annotation if first in kind.model_fields else None
    return own is not None and (not rest or any(has_value(each, rest) for each in (own, *get_args(own))))
