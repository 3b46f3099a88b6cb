"""Writes what `make bench-scale` and benchmarks with --record measured into docs/speed.md and the READMEs of benchmarks, between their markers.

python benchmarks/scale_report.py           # writes
python benchmarks/scale_report.py --check   # fails where a text holds other figures than experiments/results/scale.csv
"""

import argparse
import re
import sys
from pathlib import Path

import pandas as pd
from measuring.record import SMALL, TABLE
from measuring.scale_costs import COSTS, Figures, beside, needs, shown

from experiments.results import filled

ROOT = Path(__file__).parents[1]


def measured(table: pd.DataFrame, part: str) -> str:
    """The recorded figures of a part as a Markdown table, each beside its peer."""
    rows = [
        f"| {row['what']} | {_size(row['size'])} | {shown(row['value'], row['unit'])} | {beside(row)} |"
        for _, row in table[table["part"] == part].iterrows()
    ]
    return "\n".join(["| measured | size | here | beside |", "|---|---|---|---|", *rows])


def photos_rate(readme: str) -> float:
    """Images per second of the encoder "photos" in bfloat16, its default, as `precision_report.py` wrote them into benchmarks/README.md."""
    cells = re.findall(r"^\| [\d,]+ captioned photos \| photos \| cpu \|(.*)\|$", readme, re.MULTILINE)[0].split("|")
    return float(cells[3].replace(",", ""))


def _size(text: str) -> str:
    return f"{int(text):,}" if text.isdigit() else text


def written(table: pd.DataFrame) -> dict[Path, str]:
    """The files as they should be."""
    figures = Figures(table)
    speed, small, scale = (ROOT / name for name in ("docs/speed.md", "benchmarks/README.md", "benchmarks/scale/README.md"))
    texts = {path: path.read_text() for path in (speed, small, scale)}
    for name, content in (("needs", needs(figures, photos_rate(texts[small]))), ("memory", figures.memory()), ("scale", figures.summary())):
        texts[speed] = filled(texts[speed], name, content)
    texts[small] = filled(texts[small], "measured small", measured(table, SMALL))
    for part in ("embedding", "index", "training", "metrics", "map", "users", "duplicates"):
        texts[scale] = filled(texts[scale], f"measured {part}", measured(table, part))
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
            sys.exit(f"{path.relative_to(ROOT)} holds other figures than {TABLE.name}; run python benchmarks/scale_report.py")


if __name__ == "__main__":
    main()
