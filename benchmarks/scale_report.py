"""Writes what `make bench-scale` measured into docs/results.md and docs/scale.md, between their markers; no figure there is typed.

python benchmarks/scale_report.py           # writes
python benchmarks/scale_report.py --check   # fails where a text holds other figures than experiments/results/scale.csv
"""

import argparse
import sys
from pathlib import Path

import pandas as pd
from measuring.record import TABLE
from measuring.scale_costs import COSTS, Figures, shown

from experiments.results import filled

ROOT = Path(__file__).parents[1]


def measured(table: pd.DataFrame, parts: tuple[str, ...]) -> str:
    """The recorded figures of some parts as a Markdown table, each beside its peer."""
    rows = [
        f"| {row.what} | {_size(row.size_)} | {shown(row.value, row.unit)} | {_peer(row)} |"
        for row in table.rename(columns={"size": "size_"}).itertuples()
        if row.part in parts
    ]
    return "\n".join(["| measured | size | here | beside |", "|---|---|---|---|", *rows])


def _size(text: str) -> str:
    return f"{int(text):,}" if text.isdigit() else text


def _peer(row: object) -> str:
    peer, value = getattr(row, "peer", None), getattr(row, "peer_value", None)
    if pd.isna(peer):
        return ""
    return str(peer) if pd.isna(value) else f"{peer}: {shown(float(value), getattr(row, 'unit', None))}"


def written(table: pd.DataFrame) -> dict[Path, str]:
    """Both files as they should be."""
    figures = Figures(table)
    results, scale = ROOT / "docs/results.md", ROOT / "docs/scale.md"
    parts = ("embedding", "index", "training", "metrics", "map", "users", "duplicates")
    texts = {results: filled(results.read_text(), "scale", figures.summary()), scale: scale.read_text()}
    for part in parts:
        texts[scale] = filled(texts[scale], f"measured {part}", measured(table, (part,)))
    for name, cost in COSTS.items():
        texts[scale] = filled(texts[scale], name, cost(figures))
    return texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    for path, text in written(pd.read_csv(TABLE, dtype={"size": str})).items():
        if not check:
            path.write_text(text)
        elif path.read_text() != text:
            sys.exit(f"{path.name} holds other figures than {TABLE.name}; run python benchmarks/scale_report.py")


if __name__ == "__main__":
    main()
