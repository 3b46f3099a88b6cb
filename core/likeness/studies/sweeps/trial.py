"""One trial of a sweep: the settings that are tried, and what came of them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

STATES = ("running", "finished", "pruned", "failed")


class Trial(NamedTuple):
    """One trial.

    Attributes:
        number: from 0, in the order in which trials began.
        params: its settings, by dotted keys.
        state: "running", also of one that was killed and goes on with the next call; "finished"; "pruned", ended early; "failed".
        value: the selection metric on the validation images: of a finished trial at its best weights, of a pruned one where it ended; else None.
        reason: why it failed, in a sentence.
    """

    number: int
    params: Mapping[str, Any]
    state: str
    value: float | None = None
    reason: str = ""

    @property
    def folder(self) -> str:
        """Name of its run's folder."""
        return f"trial-{self.number:04d}"


def settings_text(params: Mapping[str, Any]) -> str:
    """ "optimizer.rate 0.00012, batch.per_class 4"."""
    return ", ".join(f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}" for key, value in params.items())
