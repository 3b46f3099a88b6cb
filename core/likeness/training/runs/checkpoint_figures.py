"""What a run measured at one of its two checkpoints: the best weights, which it keeps as a file, or those of its last evaluation."""

from typing import Any, Literal

import pandas as pd

Checkpoint = Literal["last", "best"]
CHECKPOINTS: tuple[Checkpoint, ...] = ("best", "last")

_BOOKKEEPING = ("epoch", "rate", "seconds", "best_of")


def checkpoint_figures(measured: pd.DataFrame, selection: str, which: Checkpoint) -> dict[str, float]:
    """The figures of a run at a checkpoint, by name, with its `step` and `epoch`; empty before there is one.

    Args:
        measured: `RunFolder.metrics`.
        selection: the metric that chooses the best weights, `RunConfig.selection_metric`.
        which: "last": the last evaluation; before the first one, that of the untrained network. "best": the evaluation whose weights are kept.
    """
    evaluated = "best_of" if which == "best" else selection
    if evaluated not in measured or not measured[evaluated].notna().any():
        return {}
    row: dict[Any, Any] = measured[measured[evaluated].notna()].iloc[-1].to_dict()
    names = [name for name in row if name not in ("step", *_BOOKKEEPING) and not name.startswith("loss")]
    return {"step": int(row["step"]), "epoch": float(row["epoch"])} | {name: float(row[name]) for name in names}
