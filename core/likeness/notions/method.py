"""What a method for notions declares about itself."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

Maker = Callable[..., Any]
LearnsFrom = Literal["text", "other text", "labels", "nothing", "text and images", "text and other notions", "text, images and other notions"]


@dataclass(frozen=True)
class NotionMethod:
    """A method of a comparison: its name in tables and configs, title, help, and a factory with the keywords dim and seed.

    Attributes:
        learns_from: arguments of `fit`: "text", the prompts; "other text" (`with_other_words`, drawn for each seed); "labels", images and their
            labels; "nothing"; or, after the prompts, the images, a list of the prompts of other notions for them, or both.
        seeds: depends on the seed.
        dims: has a choice of dimensions; otherwise they follow from the prompts or the encoder.
        lengths: reads image features as the encoder gives them, not scaled to unit length.
        ranking: distance that it always ranks by; None: that of the comparison.
        paper: authors, venue and year; empty for ours and the field's.
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


def by_authors_code(method: NotionMethod, make: Maker) -> NotionMethod:
    """A baseline by the protocol of the InDiReCT authors' code: image features keep their length, and images are ranked by Euclidean distance."""
    text = f"{method.help.rstrip('.')}; images keep their length and are ranked by distance, as in the authors' code."
    return replace(
        method, name=f"{method.name}-code", title=f"{method.title} (authors' code)", help=text, make=make, lengths=True, ranking="euclidean"
    )
