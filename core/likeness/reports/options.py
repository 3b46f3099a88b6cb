"""What a report can be told."""

from collections.abc import Callable
from dataclasses import dataclass

from likeness.errors import InputError
from likeness.progress import Progress, no_progress
from likeness.projection import METHODS

MOST_IMAGES = 3000  # shown where nobody says how many; beyond, pictures would be too small to tell what they show
LARGEST_IMAGES = 10_000
MEGABYTES = 5.0


@dataclass(frozen=True)
class ReportOptions:
    """What a report can be told; InputError for numbers out of range, or an unknown layout.

    Attributes:
        images: how many are shown at most; of more, so many drawn at random. Figures are of all images.
        megabytes: size of the file at most, in millions of bytes; pictures are made as large as that allows.
        color: the attribute that the maps are colored by at first; None: the one that judges, or the first.
        layout: a name in `likeness.projection.METHODS`.
        seed: of the draw.
        should_stop: asked now and then; once true, the work ends with an InputError.
    """

    images: int = MOST_IMAGES
    megabytes: float = MEGABYTES
    color: str | None = None
    layout: str = "umap"
    seed: int = 0
    progress: Progress = no_progress
    should_stop: Callable[[], bool] = lambda: False

    def __post_init__(self) -> None:
        if not 3 <= self.images <= LARGEST_IMAGES:
            raise InputError(f"images is {self.images}; a report shows from 3 to {LARGEST_IMAGES:,}.")
        if not 0.2 <= self.megabytes <= 100:
            raise InputError(f"megabytes is {self.megabytes:g}; a report takes from 0.2 to 100.")
        if self.layout not in METHODS:
            raise InputError(f"There is no layout method '{self.layout}'; choose from {', '.join(METHODS)}.")

    def check_stop(self) -> None:
        """Raises InputError once a stop was asked for."""
        if self.should_stop():
            raise InputError("The report was stopped before it was finished; nothing is written.")
