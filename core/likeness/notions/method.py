"""What an estimator of notions declares about itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Maker = Callable[..., Any]


@dataclass(frozen=True)
class Method:
    """What a comparison has to know of a method.

    Attributes:
        name: in tables and configs.
        title: for people.
        help: one sentence.
        make: called with the keywords dim and seed; gives an object with fit and transform.
        learns_from: "text", "other text" (`with_other_words`, drawn anew for each seed), "labels" (of the images) or "nothing".
        seeds: it has random choices.
        dims: its dimensions can be chosen.
        lengths: it reads images' features as the encoder gives them, not scaled to unit length.
        ranking: by which images are ranked in its space whatever is asked for; None: what is asked for.
    """

    name: str
    title: str
    help: str
    make: Maker
    learns_from: Literal["text", "other text", "labels", "nothing"] = "text"
    seeds: bool = True
    dims: bool = True
    lengths: bool = False
    ranking: Literal["cosine", "euclidean"] | None = None
