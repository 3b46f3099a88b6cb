"""Which images match a query: a cut-off with a stated error, and what can be promised after a few answers."""

from likeness.cutoffs.cutoff import Cutoff as Cutoff, Estimate as Estimate, Promise as Promise
from likeness.cutoffs.cutoff_finder import Answers as Answers, CutoffFinder as CutoffFinder
from likeness.cutoffs.evidence import Bet as Bet, answers_needed as answers_needed
from likeness.cutoffs.match_model import MatchModel as MatchModel, match_model as match_model
from likeness.cutoffs.score_bins import ScoreBins as ScoreBins, match_scores as match_scores, score_bins as score_bins
from likeness.cutoffs.space_matches import SpaceMatches as SpaceMatches, other_prompts as other_prompts, query_similarities as query_similarities
