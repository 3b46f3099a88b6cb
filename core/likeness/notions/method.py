"""What an estimator of notions declares about itself."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

Maker = Callable[..., Any]
LearnsFrom = Literal["text", "other text", "labels", "nothing", "text and images", "text and other notions", "text, images and other notions"]


@dataclass(frozen=True)
class NotionMethod:
    """What a comparison has to know of a method: its name in tables and configs, title and help for people, and what it makes of the keywords dim and
    seed.

    Attributes:
        learns_from: what `fit` takes: "text", the prompts; "other text" (`with_other_words`, drawn anew for each seed); "labels", images and their
            labels; "nothing"; or after the prompts the images, a list of the prompts of the other notions for them, or both.
        seeds: it has random choices.
        dims: its dimensions can be chosen; otherwise they follow from the prompts, or are the encoder's.
        lengths: it reads images' features as the encoder gives them, not scaled to unit length.
        ranking: by which images are ranked in its space whatever is asked for; None: what is asked for.
        paper: authors, venue and year; "": ours, or everybody's.
    """

    name: str
    title: str
    help: str
    make: Maker
    learns_from: LearnsFrom = "text"
    seeds: bool = True
    dims: bool = True
    lengths: bool = False
    ranking: Literal["cosine", "euclidean"] | None = None
    paper: str = ""
