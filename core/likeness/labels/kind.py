"""A kind of continuous label: what a table holds, and how far apart two of its images are by that."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.io import FrozenConfig
from likeness.labels.protocol import LabelDistances
from likeness.progress import Progress


class LabelOptions(FrozenConfig):
    """Which labels, and what makes two of them far apart.

    Attributes:
        kind: a name of `likeness.labels.kind_names`.
        columns: empty: those of the kind that are there ("pose": all joints; "layout" and "captions": the column of that name; "names": "class").
        file: the .npy file of a matrix (n, n), in the order of the table.
        language: what reads words of captions, or class names: a language model, or "vectors:FILE".
        within: the distance between images of one class ("names"); None: half of the smallest between classes.
        size: side in pixels at which layouts are compared.
        matching: which regions of two layouts are compared: "best", whatever their numbers, or "numbers", those of the same one.
    """

    kind: str = "pose"
    columns: tuple[str, ...] = ()
    file: str | None = None
    language: str = "minilm"
    within: float | None = Field(default=None, ge=0)
    size: int = Field(default=64, ge=8, le=512)
    matching: Literal["best", "numbers"] = "best"


@dataclass(frozen=True)
class LabelKind:
    """A kind of label. Its file declares it as `KIND`; one line lists it, in `likeness.labels.sources`.

    Attributes:
        name: what people write.
        help: what it reads, in a few words.
        read: `read(table, options, progress)`, the label distances of a table's images; raises InputError where they do not fit.
        offered: what a table offers by its columns: names for people, and the options for each.
        needs: "columns" or "file", the option without which it cannot be.
    """

    name: str
    help: str
    read: Callable[[ImageTable, LabelOptions, Progress | None], LabelDistances]
    offered: Callable[[ImageTable], dict[str, dict[str, Any]]] = lambda table: {}
    needs: str = ""


def number_columns(table: ImageTable, wanted: tuple[str, ...]) -> NDArray[np.float64]:
    """Columns (n, p) of numbers; raises InputError if one is not there or holds something else."""
    missing = [name for name in wanted if name not in table.attributes]
    if missing:
        raise InputError(f"'{table.name}' has no column '{missing[0]}'; it has {', '.join(table.attributes[:20]) or 'none'}.")
    try:
        return table.frame[list(wanted)].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"The columns {', '.join(wanted)} of '{table.name}' are no numbers ({error}); name others.") from error
