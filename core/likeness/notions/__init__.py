"""Similarity notions in words, and the estimators that turn them into projections."""

from likeness.notions.aligned_tangents import AlignedTangents
from likeness.notions.aspect_probabilities import CLIP_SCALE, AspectProbabilities
from likeness.notions.aspect_rows import aspect_rows
from likeness.notions.aspect_similarities import AspectSimilarities
from likeness.notions.autoencoders import Autoencoder, LinearAutoencoder
from likeness.notions.baselines import Identity, RandomEmbedding, RandomTransform
from likeness.notions.checks import NotionWarning, check, default_vocabularies
from likeness.notions.click import MOST_PASSED, Click, ClickPairs, click_pairs
from likeness.notions.composition import Composition, parse_composition, parts_of
from likeness.notions.dimensions import notion_dim, suggest_dim, text_rank
from likeness.notions.division import FEWEST_DIVIDED, division_scores
from likeness.notions.fitting import fitting_notions, notion_encoder
from likeness.notions.indirect import SOLVERS, InDiReCT
from likeness.notions.joined_projection import JoinedProjection
from likeness.notions.library import (
    delete_notion,
    duplicate_notion,
    get_notion,
    is_own,
    list_notions,
    notion_problems,
    read_notion,
    save_notion,
    shipped_folder,
    write_notion,
)
from likeness.notions.method import LearnsFrom, Method
from likeness.notions.methods import METHOD_TITLES, METHODS, PAPER_METHODS, WORD_METHODS, MethodLike, named_methods
from likeness.notions.notion import Notion, parse_aspects
from likeness.notions.oracle import Oracle
from likeness.notions.other_notions import ContrastivePCA, NullSpace, varying_directions
from likeness.notions.other_words import with_other_words
from likeness.notions.pca import PCA
from likeness.notions.projection import CenteredProjection, LinearProjection, project
from likeness.notions.reconstruction import reconstruction_angles
from likeness.notions.scaled_pca import ScaledPCA
from likeness.notions.zero_shot import best_aspects

__all__ = [
    "CLIP_SCALE",
    "FEWEST_DIVIDED",
    "METHODS",
    "METHOD_TITLES",
    "MOST_PASSED",
    "PAPER_METHODS",
    "PCA",
    "SOLVERS",
    "WORD_METHODS",
    "AlignedTangents",
    "AspectProbabilities",
    "AspectSimilarities",
    "Autoencoder",
    "CenteredProjection",
    "Click",
    "ClickPairs",
    "Composition",
    "ContrastivePCA",
    "Identity",
    "InDiReCT",
    "JoinedProjection",
    "LearnsFrom",
    "LinearAutoencoder",
    "LinearProjection",
    "Method",
    "MethodLike",
    "Notion",
    "NotionWarning",
    "NullSpace",
    "Oracle",
    "RandomEmbedding",
    "RandomTransform",
    "ScaledPCA",
    "aspect_rows",
    "best_aspects",
    "check",
    "click_pairs",
    "default_vocabularies",
    "delete_notion",
    "division_scores",
    "duplicate_notion",
    "fitting_notions",
    "get_notion",
    "is_own",
    "list_notions",
    "named_methods",
    "notion_dim",
    "notion_encoder",
    "notion_problems",
    "parse_aspects",
    "parse_composition",
    "parts_of",
    "project",
    "read_notion",
    "reconstruction_angles",
    "save_notion",
    "shipped_folder",
    "suggest_dim",
    "text_rank",
    "varying_directions",
    "with_other_words",
    "write_notion",
]
