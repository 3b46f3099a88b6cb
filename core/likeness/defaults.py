"""Default dataset, encoders and notions; all of them ship and work offline."""

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
    """The default encoder of images with these attributes: "cars" for rendered cars, recognized by their attributes, else "photos"."""
    return CARS_ENCODER if reads_as_rendered_cars(attributes) else PHOTOS_ENCODER


def reads_as_rendered_cars(attributes: Collection[str], encoder: str = "") -> bool:
    """True if images are rendered cars, by their attributes or by an encoder that only knows rendered cars."""
    return encoder in _CARS_ENCODERS or all(name in attributes for name in _OF_RENDERED_CARS)
