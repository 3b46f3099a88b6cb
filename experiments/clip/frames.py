"""Sentence frames with one slot, per attribute, and which pairings of frame and phrase training never sees."""

from collections.abc import Mapping

from experiments.clip.phrases import PHRASES

_CLAUSE_FRAMES = (
    "a car {}",
    "a photo of a car {}",
    "{}",
    "a photo of a car, {}",
    "an image of a car {}",
    "a vehicle {}",
    "a car, {}",
    "a picture of an automobile {}",
    "this car is {}",
    "a rendering of a car {}",
    "a photo {}",
    "we look at a car {}",
)

# The first frame of body type and of both colors is the InDiReCT paper's.
FRAMES: Mapping[str, tuple[str, ...]] = {
    "body_type": (
        "a photo of a {}",
        "a {}",
        "{}",
        "a picture of a {}",
        "an image of a {}",
        "this car is a {}",
        "a rendering of a {}",
        "a photo of the {}",
        "a kind of car: {}",
        "the body type is {}",
        "there is a {}",
        "we look at a {}",
    ),
    "car_color": (
        "a {} car",
        "a photo of a {} car",
        "{} car",
        "a {} vehicle",
        "a car painted {}",
        "the car is {}",
        "a car in {}",
        "a {} automobile",
        "car color: {}",
        "an image of a {} car",
        "a car with {} paint",
        "the color of the car is {}",
        "{}",
    ),
    "background_color": (
        "a car in front of a {} background",
        "a {} background",
        "a photo of a car in front of a {} background",
        "a car on a {} background",
        "{} background",
        "a car against a {} backdrop",
        "the background is {}",
        "a car with a {} background",
        "a car before a {} wall",
        "background color: {}",
        "an automobile in front of a {} backdrop",
        "the color of the background is {}",
    ),
    **dict.fromkeys(("viewpoint", "camera_height", "distance_name", "sun_side", "sun_height"), _CLAUSE_FRAMES),
}

# Sentences whose words training knows and whose order it never sees.
UNSEEN_FRAMES: Mapping[str, str] = {
    "body_type": "look at this photo: the vehicle is a {}",
    "car_color": "the paint of the vehicle in this picture is {}",
    "background_color": "in this picture the wall behind the car is {}",
    **dict.fromkeys(("viewpoint", "camera_height", "distance_name", "sun_side", "sun_height"), "in this picture the automobile is {}"),
}


def held_out_phrase(attribute: str, frame: int, value: str) -> int | None:
    """Index of the phrase of `value` that training never puts into this frame, or None.

    Every second frame leaves out one phrase of every value that has several, never the first phrase.
    """
    count = len(PHRASES[attribute][value])
    return None if frame % 2 == 0 or count < 2 else 1 + (frame // 2) % (count - 1)


def never_named_together(color: int, body: int) -> bool:
    """Whether captions never name this car color and this body type (their numbers) in one sentence; a tenth of all pairs."""
    return (color + 5 * body) % 10 == 7
