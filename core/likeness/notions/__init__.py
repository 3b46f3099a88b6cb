"""Similarity notions in words, and the estimators that turn them into projections."""

from likeness.notions.aligned_tangents import AlignedTangents as AlignedTangents
from likeness.notions.aspect_coordinates import (
    CLIP_SCALE as CLIP_SCALE,
    AspectProbabilities as AspectProbabilities,
    AspectSimilarities as AspectSimilarities,
)
from likeness.notions.aspect_rows import aspect_rows as aspect_rows, best_aspects as best_aspects
from likeness.notions.autoencoders import Autoencoder as Autoencoder, LinearAutoencoder as LinearAutoencoder
from likeness.notions.baselines import Identity as Identity, RandomEmbedding as RandomEmbedding, RandomTransform as RandomTransform
from likeness.notions.checks import check as check, default_vocabularies as default_vocabularies
from likeness.notions.click import MOST_PASSED as MOST_PASSED, Click as Click, ClickPairs as ClickPairs, click_pairs as click_pairs
from likeness.notions.composition import (
    Composition as Composition,
    JoinedProjection as JoinedProjection,
    parse_composition as parse_composition,
    parts_of as parts_of,
)
from likeness.notions.dimensions import notion_dim as notion_dim, suggest_dim as suggest_dim, text_rank as text_rank
from likeness.notions.division import FEWEST_DIVIDED as FEWEST_DIVIDED, division_scores as division_scores
from likeness.notions.indirect import SOLVERS as SOLVERS, InDiReCT as InDiReCT
from likeness.notions.library import (
    delete_notion as delete_notion,
    fitting_notions as fitting_notions,
    get_notion as get_notion,
    is_own as is_own,
    list_notions as list_notions,
    notion_encoder as notion_encoder,
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
    Estimator as Estimator,
    MethodLike as MethodLike,
    named_methods as named_methods,
)
from likeness.notions.notion import Notion as Notion, parse_aspects as parse_aspects
from likeness.notions.oracle import Oracle as Oracle
from likeness.notions.other_notions import ContrastivePCA as ContrastivePCA, NullSpace as NullSpace, varying_directions as varying_directions
from likeness.notions.other_words import with_other_words as with_other_words
from likeness.notions.pca import PCA as PCA, ScaledPCA as ScaledPCA
from likeness.notions.projection import CenteredProjection as CenteredProjection, LinearProjection as LinearProjection, project as project
