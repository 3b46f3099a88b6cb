"""Zero-shot accuracy per attribute, with wordings from training and new ones."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.clip.captions import ATTRIBUTES, Codes, encode_attributes, fix_articles
from experiments.clip.car_names import car_names
from experiments.clip.frames import FRAMES, UNSEEN_FRAMES, held_out_phrase, never_named_together
from experiments.clip.phrases import PHRASES, VALUES
from experiments.renders.cars import render_scenes, sample_scenes

Vectors = npt.NDArray[np.float32]
EncodeTexts = Callable[[list[str]], Vectors]
HELD_OUT_SEED = 103
FIRST, PAIRING, SENTENCE, PAIR, CAR_MODELS = (
    "one prompt a class",
    "unseen pairing of words and template",
    "unseen sentence",
    "color and body never named together",
    "car model names",
)


def first_prompts(attribute: str) -> list[str]:
    """One prompt per value: the first frame with each value's first phrase."""
    return [fix_articles(FRAMES[attribute][0].format(phrases[0])) for phrases in PHRASES[attribute].values()]


def unseen_pairings(attribute: str) -> list[list[str]]:
    """Sets of one prompt per value whose frame and phrase training knew, but never together."""
    sets = []
    for frame in range(1, len(FRAMES[attribute]), 2):
        phrases = [PHRASES[attribute][value][held_out_phrase(attribute, frame, value) or 0] for value in VALUES[attribute]]
        sets.append([fix_articles(FRAMES[attribute][frame].format(phrase)) for phrase in phrases])
    return sets


def unseen_sentences(attribute: str) -> list[str]:
    """One prompt per value in a sentence that training never saw."""
    return [fix_articles(UNSEEN_FRAMES[attribute].format(phrases[0])) for phrases in PHRASES[attribute].values()]


def accuracy(images: Vectors, texts: Vectors, labels: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Top-1 accuracy and its mean over the classes that occur, for images (n, d), one prompt a class (k, d), labels (n)."""
    hit = (images @ texts.T).argmax(axis=1) == labels
    return float(hit.mean()), float(np.mean([hit[labels == label].mean() for label in np.unique(labels)]))


def score(images: Vectors, codes: Codes, encode_texts: EncodeTexts, cars: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """The table of `zero_shot_report` for image vectors (n, d), attribute numbers (n, attributes) and car names by body type."""
    rows = []
    for column, attribute in enumerate(ATTRIBUTES):
        wordings = ((FIRST, [first_prompts(attribute)]), (PAIRING, unseen_pairings(attribute)), (SENTENCE, [unseen_sentences(attribute)]))
        for wording, sets in wordings:
            results = np.array([accuracy(images, encode_texts(prompts), codes[:, column]) for prompts in sets])
            rows.append((wording, attribute, len(sets[0]), *results.mean(axis=0), len(images), sets[0][1]))
    rows += [_unseen_pairs(images, codes, encode_texts), _car_models(images, codes, encode_texts, cars)]
    frame = pd.DataFrame(rows, columns=["wording", "attribute", "classes", "top1", "balanced", "images", "example"])
    order = [FIRST, PAIRING, SENTENCE, PAIR, CAR_MODELS]
    return frame.sort_values("wording", key=lambda names: names.map(order.index), kind="stable").reset_index(drop=True)


Row = tuple[str, str, int, float, float, int, str]


def _unseen_pairs(images: Vectors, codes: Codes, encode_texts: EncodeTexts) -> Row:
    """Color and body type together, among all pairs, on images whose pair no caption ever named."""
    colors, bodies = VALUES["car_color"], VALUES["body_type"]
    prompts = [fix_articles(f"a photo of a {color} {body}") for color in colors for body in bodies]
    color, body = codes[:, ATTRIBUTES.index("car_color")], codes[:, ATTRIBUTES.index("body_type")]
    rows = np.array([never_named_together(int(c), int(b)) for c, b in zip(color, body, strict=True)], dtype=bool)
    result = accuracy(images[rows], encode_texts(prompts), (color * len(bodies) + body)[rows]) if rows.any() else (np.nan, np.nan)
    return PAIR, "car_color and body_type", len(prompts), *result, int(rows.sum()), prompts[1]


def _car_models(images: Vectors, codes: Codes, encode_texts: EncodeTexts, cars: Mapping[str, Sequence[str]]) -> Row:
    """Whether the nearest prompt of all car names is one of a car of the image's body type."""
    names = [(name, body) for body, several in cars.items() for name in several]
    texts = encode_texts([fix_articles(f"a photo of a {name}") for name, _ in names])
    bodies = np.array([VALUES["body_type"].index(body) for _, body in names])
    labels = codes[:, ATTRIBUTES.index("body_type")]
    hit = bodies[(images @ texts.T).argmax(axis=1)] == labels
    balanced = float(np.mean([hit[labels == label].mean() for label in np.unique(labels)]))
    return CAR_MODELS, "body_type", len(names), float(hit.mean()), balanced, len(images), f"a photo of a {names[0][0]}"


def zero_shot_report(encoder_dir: Path | str, n: int = 2000, seed: int = HELD_OUT_SEED) -> pd.DataFrame:
    """Accuracy of a saved CLIP on `n` fresh renders of a seed that training never used.

    Returns:
        One row per wording and attribute: wording, attribute, classes, top1 and balanced (0..1), images, example. The figures
        of a wording with several templates are the mean over them.

    Raises:
        InputError: if the folder holds no model, or n < 1.
    """
    from PIL import Image

    from likeness.encoders import load_encoder

    encoder = load_encoder(f"local-dir:{encoder_dir}")
    scenes = sample_scenes(n, seed)
    images = encoder.encode_images([Image.fromarray(pixels) for pixels in render_scenes(scenes)])
    return score(images, encode_attributes(scenes), encoder.encode_texts, car_names(with_short_names=False))
