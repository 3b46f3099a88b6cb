"""Figures kept from one run to the next: docs/results.md and docs/scale.md are made from this table, not typed."""

from pathlib import Path

import pandas as pd

TABLE = Path(__file__).parents[2] / "experiments/results/scale.csv"
_KEY = ["part", "what", "size"]
_COLUMNS = [*_KEY, "value", "unit", "peer", "peer_value"]


def record(part: str, what: str, size: int | str, value: float, unit: str, peer: str = "", peer_value: float | None = None) -> None:
    """Writes one figure into the table, in place of an older one of the same part, what and size.

    Args:
        part: what was measured, as in "metrics", "index", "map".
        what: the figure, as in "recall_at_k seconds".
        size: how many images, rows, points or people.
        value, unit: the figure.
        peer, peer_value: what it stands beside, in the same unit; no value where the peer could not do it, and `peer` says why.
    """
    row = pd.DataFrame([[part, what, str(size), value, unit, peer, peer_value]], columns=_COLUMNS)
    old = pd.read_csv(TABLE, dtype={"size": str}) if TABLE.is_file() else row.iloc[:0]
    same = (old[_KEY] == [part, what, str(size)]).all(axis=1) if len(old) else []
    kept = old[~same] if len(old) else old
    table = pd.concat([kept, row]) if len(kept) else row
    table.to_csv(TABLE, index=False)
