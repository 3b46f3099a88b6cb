"""Are planted drifts found, and is the right notion named? Writes experiments/results/drift.csv.

python -m experiments.figures.drift DATA              # DATA has flickr8k_700/; an hour on two cores
python -m experiments.figures.drift DATA --only cars
"""

from pathlib import Path

from experiments.analyses.drift import drift_summary
from experiments.figures.image_sets import Cases, measure_sets

_CARS = ("--plant", "car_color=black:car color", "--plant", "background_color=black:background color")
_PHOTOS = ("--plant", "water=yes:setting", "--plant", "dog=yes:kind of animal")
_ALTERED = [word for name in ("blur, radius 3 of 224", "brightness 50 %") for word in ("--alter", name)]


def _cases(data: Path) -> Cases:
    cars = ("cars", "-e", "cars", "--notions", "car-color,background-color,car-model,viewpoint")
    photos = (str(data / "flickr8k_700"), "-e", "photos", "--captions", "--notions", "setting,kind-of-animal", "--size", "100")
    return [("cars", (*cars, *_CARS)), ("cars", (*cars, *_ALTERED)), ("flickr8k", (*photos, *_PHOTOS)), ("flickr8k", (*photos, *_ALTERED))]


def main() -> None:
    measure_sets("drift", "drift", _cases, __doc__, summary=lambda runs: drift_summary(runs).round(4))


if __name__ == "__main__":
    main()
