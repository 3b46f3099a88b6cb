"""METEOR's alignment of the words of a caption and a reference."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

# Of two words (caption's, reference's): number of the first module that matches them, None if none does.
Relation = Callable[[str, str], int | None]
_BEAM = 40


class Alignment(NamedTuple):
    """Matches and runs.

    Attributes:
        pairs: (place in the caption, place in the reference, module), by place in the caption; no place twice.
        chunks: runs of matches that are adjacent and in the same order in both sentences.
    """

    pairs: tuple[tuple[int, int, int], ...]
    chunks: int


class _State(NamedTuple):
    """A partial alignment of the first words: `last` is the place matched by the previous word, -2 if none."""

    matches: int
    chunks: int
    distance: int
    used: int
    last: int
    pairs: tuple[tuple[int, int, int], ...]

    def rank(self) -> tuple[int, int, int]:
        return -self.matches, self.chunks, self.distance


def align(candidate: Sequence[str], reference: Sequence[str], relation: Relation, beam: int = _BEAM) -> Alignment:
    """The best alignment: most matched words, then fewest chunks, then the smallest sum of distances between matched places.

    Denkowski and Lavie (WMT 2014; the rules are in WMT 2011, section 2.1). Found by a beam search over the caption's words, which misses the best
    one only where more than `beam` partial alignments compete.

    Args:
        candidate, reference: words.
        relation: which words match.
        beam: partial alignments that are followed.
    """
    states = [_State(0, 0, 0, 0, -2, ())]
    for i, word in enumerate(candidate):
        options = [(j, module) for j, other in enumerate(reference) if (module := relation(word, other)) is not None]
        states = _best([after for state in states for after in _continued(state, i, options)], beam)
    best = min(states, key=_State.rank)
    return Alignment(best.pairs, best.chunks)


def _continued(state: _State, i: int, options: list[tuple[int, int]]) -> list[_State]:
    found = [state._replace(last=-2)]
    for j, module in options:
        if not state.used >> j & 1:
            begins = int(state.last != j - 1)
            found.append(
                _State(state.matches + 1, state.chunks + begins, state.distance + abs(i - j), state.used | 1 << j, j, (*state.pairs, (i, j, module)))
            )
    return found


def _best(states: list[_State], beam: int) -> list[_State]:
    """The best of equivalent partial alignments, at most `beam` of them."""
    alike: dict[tuple[int, int], _State] = {}
    for state in states:
        key = state.used, state.last
        if key not in alike or state.rank() < alike[key].rank():
            alike[key] = state
    return sorted(alike.values(), key=_State.rank)[:beam]
