"""How good cut-offs are, and whether their promises are kept, on labeled queries of cars, birds, CIFAR-100 and captioned photos: prints `likeness`
commands, writes experiments/results/cut-offs.csv.

python -m experiments.figures.cut_offs DATA HEAD  # DATA has flickr8k_700/, cub100/, cifar100/; HEAD: a head of `python -m experiments.photos`, with
its
left_out.txt
python -m experiments.figures.cut_offs DATA HEAD --only birds
python -m experiments.figures.results_report       # then puts the figures into the pages
"""

from pathlib import Path

from experiments.figures.image_sets import Cases, measure_sets


def _cases(data: Path, head: Path) -> Cases:
    return [
        ("cars", ("cars", "--encoder", "cars", "--notions", "car-color,background-color,viewpoint,car-model")),
        ("birds", (f"cub200/all:{data / 'cub100'}", "--encoder", "photos", "--by", "bird_species")),
        ("CIFAR-100", (str(data / "cifar100"), "--encoder", "photos", "--by", "class")),
        ("photos", (f"flickr:{data / 'flickr8k_700'}", "--encoder", f"photos:{head}", "--only", str(head / "left_out.txt"))),
    ]


def main() -> None:
    measure_sets("cut-offs", "cut-offs", _cases, __doc__, ("data", "head"))


if __name__ == "__main__":
    main()
