"""Which images match a query: a cut-off with a stated error, and what can be promised after a few answers."""

from likeness.cutoffs.cutoff import Cutoff, Estimate, Promise
from likeness.cutoffs.cutoff_finder import Answers, CutoffFinder
from likeness.cutoffs.evidence import Bet, answers_needed
from likeness.cutoffs.match_model import MatchModel, match_model
from likeness.cutoffs.score_bins import ScoreBins, match_scores, score_bins
from likeness.cutoffs.space_matches import SpaceMatches, other_prompts, query_similarities

__all__ = [
    "Answers",
    "Bet",
    "Cutoff",
    "CutoffFinder",
    "Estimate",
    "MatchModel",
    "Promise",
    "ScoreBins",
    "SpaceMatches",
    "answers_needed",
    "match_model",
    "match_scores",
    "other_prompts",
    "query_similarities",
    "score_bins",
]
