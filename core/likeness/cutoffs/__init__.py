"""Cut-offs of query results: estimated precision and recall, and guaranteed error rates after a few labels."""

from likeness.cutoffs.cutoff import Cutoff as Cutoff, Estimate as Estimate, Promise as Promise
from likeness.cutoffs.cutoff_finder import Answers as Answers, CutoffFinder as CutoffFinder, check_shares as check_shares
from likeness.cutoffs.match_model import match_scores as match_scores
from likeness.cutoffs.space_matches import SpaceMatches as SpaceMatches, check_negatives as check_negatives, other_prompts as other_prompts
