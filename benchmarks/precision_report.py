"""Measures what bfloat16 changes for the encoders that ship, and writes the table into benchmarks/README.md, between its markers.

python benchmarks/precision_report.py "captioned photos=data/flickr8k" "birds=data/cub100"    # beside the shipped cars; some minutes
python benchmarks/precision_report.py --device cuda ...                                       # on another device
"""

import argparse
from pathlib import Path

from experiments.precision_check import PrecisionCheck, check_precision
from experiments.results import filled
from likeness.commands.encoders import SHIPPED_ENCODERS
from likeness.data import read_dataset

PAGE = Path(__file__).parents[1] / "benchmarks/README.md"


def main() -> None:
    """Measures each encoder on each set of images, and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", help="TITLE=SOURCE of photos")
    parser.add_argument("--images", type=int, default=2000, help="at most so many of each")
    parser.add_argument("--device", default="auto")
    arguments = parser.parse_args()
    sources = {"shipped cars": "cars"} | dict(source.split("=", 1) for source in arguments.sources)
    rows = []
    for title, source in sources.items():
        table = read_dataset(source)
        for encoder in SHIPPED_ENCODERS:
            rows.append(row(title, check_precision(table, encoder, device=arguments.device, images=arguments.images)))
            print(rows[-1], flush=True)
    head = "| images | encoder | device | recall@10 | rankings stay | images/s, float32 | images/s, bfloat16 | times as fast |"
    PAGE.write_text(filled(PAGE.read_text(), "measured precision", "\n".join([head, "|---" * 8 + "|", *rows])))


def row(title: str, found: PrecisionCheck) -> str:
    """A line of the table."""
    exact, rounded = found.images / found.seconds_32, found.images / found.seconds_bf16
    figures = f"{found.recall:.4f} | {'yes' if found.holds else 'no'} | {exact:,.0f} | {rounded:,.0f} | {rounded / exact:.2f}"
    return f"| {found.images:,} {title} | {found.encoder} | {found.device} | {figures} |"


if __name__ == "__main__":
    main()
