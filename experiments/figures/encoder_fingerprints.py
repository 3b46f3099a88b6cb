"""By which cosine are vectors known to be an encoder's? Writes experiments/results/encoder-fingerprints.csv. The threshold was chosen on the cars.

python -m experiments.figures.encoder_fingerprints DATA    # DATA has flickr8k_700.zip and cub100_160.zip; half an hour
"""

from pathlib import Path

from experiments.figures.image_sets import Cases, measure_sets


def _cases(data: Path) -> Cases:
    flickr, birds = str(data / "flickr8k_700.zip"), str(data / "cub100_160.zip")
    cases = [
        ("cars", ("cars", "--encoder", "cars", "--others", "cars-small")),
        ("cars", ("cars", "--encoder", "cars-small", "--others", "cars")),
        ("photos", (flickr, "--encoder", "cars", "--others", "cars-small")),
        ("birds", (birds, "--encoder", "photos")),
        ("photos", (flickr, "--encoder", "photos")),
    ]
    return [(name, (*words, "--images", "120")) for name, words in cases]


def main() -> None:
    measure_sets("encoder-fingerprints", "encoder-fingerprints", _cases, __doc__)


if __name__ == "__main__":
    main()
