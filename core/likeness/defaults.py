"""What is used where nothing is named: all of it ships, and works offline."""

from collections.abc import Collection

DATASET = "cars"
# of photos, and of what ships as renders
PHOTOS_ENCODER, CARS_ENCODER = "photos", "cars"
# the notion that is shown beside the raw encoder's space at first
NOTION = "car-color"
# the notions that the InDiReCT paper measures on Synthetic Cars (Table 2)
PAPER_NOTIONS = ("car-model", "car-color", "background-color")
# the least of the bounds that NumPy, torch and scikit-learn have
LARGEST_SEED = 2**32 - 1

# what a notion's `dataset` says where it was made for photos of any kind
PHOTO_NOTIONS = "photos"

_CARS_ENCODERS = (CARS_ENCODER, "cars-small")
_OF_RENDERED_CARS = ("car_color", "background_color", "body_type")


def default_encoder(attributes: Collection[str]) -> str:
    """The encoder of images with these attributes: "cars" for rendered cars, which are told by theirs, and "photos" for all others."""
    return CARS_ENCODER if reads_as_rendered_cars(attributes) else PHOTOS_ENCODER


def reads_as_rendered_cars(attributes: Collection[str], encoder: str = "") -> bool:
    """Whether images are rendered cars, which are told by their attributes, or were embedded by an encoder that knows nothing else."""
    return encoder in _CARS_ENCODERS or all(name in attributes for name in _OF_RENDERED_CARS)
