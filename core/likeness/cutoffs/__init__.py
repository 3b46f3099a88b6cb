"""Which images match a query: a cut-off with a stated error, and what can be promised after a few answers."""

from likeness.cutoffs.cutoff import Cutoff, Estimate, Promise
from likeness.cutoffs.cutoff_finder import Answers, CutoffFinder
from likeness.cutoffs.evidence import Bet, answers_needed
from likeness.cutoffs.match_model import MatchModel, match_model
from likeness.cutoffs.score_bins import ScoreBins, match_scores, score_bins

__all__ = [
    "Answers",
    "Bet",
    "Cutoff",
    "CutoffFinder",
    "Estimate",
    "MatchModel",
    "Promise",
    "ScoreBins",
    "answers_needed",
    "match_model",
    "match_scores",
    "score_bins",
]
