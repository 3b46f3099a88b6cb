"""Which embedding size is best (InDiReCT, section 6 and Figure 3)?"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from likeness.notions import PAPER_METHODS
from likeness.progress import Progress
from likeness.studies._labeled import Methods, OnRun
from likeness.studies.comparison import compare

if TYPE_CHECKING:
    import pandas as pd

    from likeness.notions import Notion
    from likeness.space import Space

SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512)
# What the analyses measure by default: the metric of the paper's figures and the other one of its Table 2, both from one ranking.
ANALYSIS_METRICS = ("map_at_r", "precision_at_1")


def embedding_sizes(
    base: "Space",
    notions: Sequence["Notion"],
    methods: Methods = PAPER_METHODS,
    sizes: Sequence[int] = SIZES,
    seeds: Sequence[int] = range(5),
    *,
    metrics: Sequence[str] = ANALYSIS_METRICS,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
    on_run: OnRun | None = None,
) -> "pd.DataFrame":
    """The metrics of every notion and method at each embedding size, over several runs: `compare` with the paper's sizes.

    The raw encoder has a size of its own and stands once, at that size: the reference line of the paper's figure. What a method cannot
    do at a size is a refused run with the reason: PCA needs more prompts than dimensions, and no learned projection has more dimensions
    than the encoder.

    Args:
        base: the images in their encoder's space; their table has each notion's `attribute`.
        sizes: dimensions r', by default those of the paper.
        methods: as in `compare`, by default all of the paper.
        seeds: by default five, as in the paper.
        metrics, progress, should_stop, on_run: as in `compare`.

    Returns:
        The runs of `compare`; the size is the column `dim`.

    Raises:
        InputError: as in `compare`.
    """
    return compare(base, notions, methods, sizes, seeds, metrics=metrics, progress=progress, should_stop=should_stop, on_run=on_run)
