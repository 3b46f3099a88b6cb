"""Figures kept from one run to the next: docs/speed.md and the READMEs of benchmarks are made from this table."""

import argparse
from pathlib import Path

import pandas as pd

TABLE = Path(__file__).parents[2] / "experiments/results/scale.csv"
# The part of what benchmarks of minutes measure: they are recorded where --record asks for it.
SMALL = "small"
_KEY = ["part", "what", "size"]
_COLUMNS = [*_KEY, "value", "unit", "peer", "peer_value"]


def add_record(parser: argparse.ArgumentParser) -> None:
    """Adds --record to the arguments of a benchmark of minutes."""
    parser.add_argument("--record", action="store_true", help=f"write the figures of docs/speed.md into {TABLE.name}; on a quiet machine")


def record(part: str, what: str, size: int | str, value: float, unit: str, peer: str = "", peer_value: float | None = None) -> None:
    """Writes one figure into the table, in place of an older one of the same part, what and size.

    Args:
        part: what was measured, as in "metrics", "index", "map"; SMALL of benchmarks of minutes.
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
