"""Declaration and options of kinds of continuous labels."""

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
    """Options of continuous labels.

    Attributes:
        kind: a name of `likeness.labels.kind_names`.
        columns: empty: those of the kind that are there ("pose": all joints; "layout" and "captions": the column of that name; "names": "class").
        file: the .npy file of a matrix (n, n), in the order of the table.
        language: language model of caption words or class names, or "vectors:FILE".
        within: distance between images of one class ("names"); None: half of the smallest between classes.
        size: side in pixels at which layouts are compared.
        matching: how regions of two layouts are matched: "best", whatever their numbers, or "numbers", by equal numbers.
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
    """A kind of label. Its file declares it as `KIND`; `likeness.labels.sources` lists it.

    Attributes:
        name: what people write.
        help: what it reads, in a few words.
        read: `read(table, options, progress)` -> label distances of a table's images; raises InputError for invalid labels.
        offered: labels that a table offers by its columns: display names, and options for each.
        needs: "columns" or "file", the required option.
    """

    name: str
    help: str
    read: Callable[[ImageTable, LabelOptions, Progress | None], LabelDistances]
    offered: Callable[[ImageTable], dict[str, dict[str, Any]]] = lambda table: {}
    needs: str = ""


def number_columns(table: ImageTable, wanted: tuple[str, ...]) -> NDArray[np.float64]:
    """Numeric columns (n, p); raises InputError if one is missing or not numeric."""
    missing = [name for name in wanted if name not in table.attributes]
    if missing:
        raise InputError(f"'{table.name}' has no column '{missing[0]}'; it has {', '.join(table.attributes[:20]) or 'none'}.")
    try:
        return table.frame[list(wanted)].to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"The columns {', '.join(wanted)} of '{table.name}' are not numeric ({error}); choose others.") from error
