"""Cut-offs of any query in a space, excluding images of the query itself."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import products_with_few
from likeness.cutoffs.cutoff import Cutoff
from likeness.cutoffs.cutoff_finder import Answers, CutoffFinder, answer_pairs
from likeness.errors import InputError
from likeness.notions import Notion
from likeness.search import Query, search_composed
from likeness.space import Space

Floats = NDArray[np.float64]
_LEAST = 1e-6  # of a composed query's score, whose logarithm is taken


def check_negatives(query: Any, negatives: Sequence[str]) -> None:
    """Raises InputError for negative prompts with a composed query, whatever its weights."""
    if isinstance(query, Query) and negatives:
        raise InputError("A composed query takes no negative prompts; add them as terms with negative weights.")


class SpaceMatches:
    """Cut-offs of a query in a space: `CutoffFinder` with rows of the space. Create it once, and call it after every answer.

    InputError: what `Space.nearest` or `CutoffFinder` refuses; negatives with a `Query`, whose terms below 0 say the same; fewer than two images
    left.

    Args:
        space: of images.
        query: what `Space.nearest` takes for one query: a text, a row, an image, a vector, or a `Query` of several with signs and weights.
        negatives: negative prompts, such as from `other_prompts`.
        allowed: (n,) bool, only these images count, such as those that filters leave; None: all.
        fdr, confidence, seed: as in `CutoffFinder`.

    Example:
        >>> import likeness as lk
        >>> from likeness.notions import get_notion
        >>> space = lk.embed(lk.read("cars"), "cars")
        >>> found = SpaceMatches(space, "a red car", other_prompts(get_notion("car color"), "a red car"))
        >>> colors = space.table.frame["car_color"]
        >>> rows = found.cut_off().rows
        >>> bool((colors.iloc[rows] == "red").mean() > 0.9)
        True
    """

    def __init__(
        self,
        space: Space,
        query: Any,
        negatives: Sequence[str] = (),
        *,
        allowed: NDArray[np.bool_] | None = None,
        fdr: float = 0.1,
        confidence: float = 0.9,
        seed: int = 0,
    ) -> None:
        check_negatives(query, negatives)
        self.rows, similarities = query_similarities(space, query)
        if allowed is not None:
            if np.shape(allowed) != (len(space),):
                raise InputError(f"The allowed images have shape {np.shape(allowed)} for {len(space):,} images; pass True or False for each.")
            inside = np.asarray(allowed, bool)[self.rows]
            self.rows, similarities = self.rows[inside], similarities[inside]
        if len(self.rows) < 2:
            raise InputError(f"{len(self.rows)} images remain besides those of the query, but a cut-off needs at least two; remove a filter.")
        others = None
        if negatives:
            places = space.text_query(negatives[0]) if space.embed_texts is None else space.embed_texts(list(negatives))  # the former says why not
            others = (places @ space.vectors.T)[:, self.rows]
        self.finder = CutoffFinder(similarities, others, fdr=fdr, confidence=confidence, seed=seed)
        self._places = np.full(len(space), -1)
        self._places[self.rows] = np.arange(len(self.rows))

    def cut_off(self, answers: Answers = ()) -> Cutoff:
        """As `CutoffFinder.cut_off`, in rows of the space."""
        found = self.finder.cut_off(self._known(answers))
        return replace(found, rows=self.rows[found.rows], promise=replace(found.promise, rows=self.rows[found.promise.rows]))

    def next_to_ask(self, answers: Answers = (), count: int = 1) -> NDArray[np.int64]:
        """As `CutoffFinder.next_to_ask`, in rows of the space."""
        return np.asarray(self.rows[self.finder.next_to_ask(self._known(answers), count)])

    def counting(self, answers: Answers) -> dict[int, bool]:
        """Those of the answers, by row of the space, that count: not on images that the query names, nor on images that are not allowed."""
        return {int(self.rows[place]): match for place, match in self._known(answers)}

    def scores_of(self, rows: Iterable[int]) -> Floats:
        """Scores (m,) of rows of the space that count, as `CutoffFinder.scores` has them."""
        return np.asarray(self.finder.scores[self._places[np.fromiter(rows, np.int64)]])

    def _known(self, answers: Answers) -> list[tuple[int, bool]]:
        """Drops answers on images of the query or not allowed ones; raises InputError for an unknown row."""
        return [(int(self._places[row]), match) for row, match in answer_pairs(answers, len(self._places)) if self._places[row] >= 0]


def query_similarities(space: Space, query: Any) -> tuple[NDArray[np.int64], Floats]:
    """Rows (m,) of all images except those of the query, and their similarities (m,); for a `Query` the logarithm of how well all terms hold."""
    if isinstance(query, Query):
        places, weights = np.vstack([space.place(what) for _, what in query.terms]), [weight for weight, _ in query.terms]
        found = search_composed(space.vectors, places, weights, len(space), left_out=query.rows)
        order = np.argsort(found.rows[0])
        return found.rows[0][order], np.log(np.maximum(found.similarities[0][order].astype(np.float64), _LEAST))
    similarities = products_with_few(space.vectors, space.place(query)).ravel().astype(np.float64)
    rows = np.arange(len(space))
    if isinstance(query, int | np.integer):
        rows = np.delete(rows, int(query))
    return rows, similarities[rows]


def other_prompts(notion: Notion, text: str) -> list[str]:
    """The prompts of a notion with aspects that a text does not name, where it names one: of colors and "a red car", those of all colors but red.

    Empty if the text contains no aspect.

    Example:
        >>> from likeness.notions import Notion
        >>> other_prompts(Notion("car color", "a {} car", ["red", "dark red", "blue"]), "A dark red car")
        ['a red car', 'a blue car']
    """
    named = [aspect for aspect in notion.aspects if re.search(rf"(?<!\w){re.escape(aspect)}(?!\w)", text, re.IGNORECASE)]
    # of "red" and "dark red", both of which stand in "a dark red car", the longer one is meant
    meant = {aspect for aspect in named if not any(aspect != other and aspect.lower() in other.lower() for other in named)}
    return [notion.templates[0].replace("{}", aspect) for aspect in dict.fromkeys(notion.aspects) if aspect not in meant] if meant else []
