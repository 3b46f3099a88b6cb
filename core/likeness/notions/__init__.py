"""Similarity notions in words, and the estimators that turn them into projections."""

from likeness.notions.aligned_tangents import AlignedTangents as AlignedTangents
from likeness.notions.aspect_probabilities import CLIP_SCALE as CLIP_SCALE, AspectProbabilities as AspectProbabilities
from likeness.notions.aspect_rows import aspect_rows as aspect_rows
from likeness.notions.aspect_similarities import AspectSimilarities as AspectSimilarities
from likeness.notions.autoencoders import Autoencoder as Autoencoder, LinearAutoencoder as LinearAutoencoder
from likeness.notions.baselines import Identity as Identity, RandomEmbedding as RandomEmbedding, RandomTransform as RandomTransform
from likeness.notions.checks import NotionWarning as NotionWarning, check as check, default_vocabularies as default_vocabularies
from likeness.notions.click import MOST_PASSED as MOST_PASSED, Click as Click, ClickPairs as ClickPairs, click_pairs as click_pairs
from likeness.notions.composition import (
    Composition as Composition,
    JoinedProjection as JoinedProjection,
    parse_composition as parse_composition,
    parts_of as parts_of,
)
from likeness.notions.dimensions import notion_dim as notion_dim, suggest_dim as suggest_dim, text_rank as text_rank
from likeness.notions.division import FEWEST_DIVIDED as FEWEST_DIVIDED, division_scores as division_scores
from likeness.notions.fitting import fitting_notions as fitting_notions, notion_encoder as notion_encoder
from likeness.notions.indirect import SOLVERS as SOLVERS, InDiReCT as InDiReCT, reconstruction_angles as reconstruction_angles
from likeness.notions.library import (
    delete_notion as delete_notion,
    duplicate_notion as duplicate_notion,
    get_notion as get_notion,
    is_own as is_own,
    list_notions as list_notions,
    notion_problems as notion_problems,
    read_notion as read_notion,
    save_notion as save_notion,
    shipped_folder as shipped_folder,
    write_notion as write_notion,
)
from likeness.notions.method import LearnsFrom as LearnsFrom, NotionMethod as NotionMethod
from likeness.notions.methods import (
    METHOD_TITLES as METHOD_TITLES,
    METHODS as METHODS,
    PAPER_METHODS as PAPER_METHODS,
    WORD_METHODS as WORD_METHODS,
    MethodLike as MethodLike,
    named_methods as named_methods,
)
from likeness.notions.notion import Notion as Notion, parse_aspects as parse_aspects
from likeness.notions.oracle import Oracle as Oracle
from likeness.notions.other_notions import ContrastivePCA as ContrastivePCA, NullSpace as NullSpace, varying_directions as varying_directions
from likeness.notions.other_words import with_other_words as with_other_words
from likeness.notions.pca import PCA as PCA
from likeness.notions.projection import CenteredProjection as CenteredProjection, LinearProjection as LinearProjection, project as project
from likeness.notions.scaled_pca import ScaledPCA as ScaledPCA
from likeness.notions.zero_shot import best_aspects as best_aspects
