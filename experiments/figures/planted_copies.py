"""Are copies of pictures found? On rendered cars, birds and small photos: prints `likeness` commands, writes experiments/results/planted-copies.csv.

python -m experiments.figures.planted_copies DATA        # DATA has cub100/ and cifar100/; a few minutes
python -m experiments.figures.results_report             # then puts the figures into the pages
"""

from pathlib import Path

from experiments.figures.image_sets import Cases, measure_sets

_MANY = ("--images", "100", "--seeds", "3")


def _cases(data: Path) -> Cases:
    return [
        ("cars", ("cars", "--encoder", "cars", *_MANY)),
        ("birds", (f"cub200/all:{data / 'cub100'}", "--encoder", "photos", *_MANY)),
        ("CIFAR-100, 32 px", (str(data / "cifar100"), "--encoder", "photos", *_MANY)),
    ]


def main() -> None:
    measure_sets("copies", "planted-copies", _cases, __doc__)


if __name__ == "__main__":
    main()
