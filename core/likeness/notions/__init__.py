"""Similarity notions in words, and the estimators that turn them into projections."""

from likeness.notions.autoencoders import Autoencoder, LinearAutoencoder
from likeness.notions.baselines import Identity, RandomEmbedding, RandomTransform
from likeness.notions.checks import NotionWarning, check, default_vocabularies
from likeness.notions.dimensions import suggest_dim
from likeness.notions.indirect import InDiReCT
from likeness.notions.library import (
    delete_notion,
    duplicate_notion,
    get_notion,
    is_own,
    list_notions,
    notion_problems,
    read_notion,
    save_notion,
    write_notion,
)
from likeness.notions.method import Method
from likeness.notions.methods import METHOD_TITLES, METHODS, MethodLike, named_methods
from likeness.notions.notion import Notion, parse_aspects
from likeness.notions.oracle import Oracle
from likeness.notions.pca import PCA
from likeness.notions.projection import LinearProjection, project
from likeness.notions.reconstruction import reconstruction_angles

__all__ = [
    "METHODS",
    "METHOD_TITLES",
    "PCA",
    "Autoencoder",
    "Identity",
    "InDiReCT",
    "LinearAutoencoder",
    "LinearProjection",
    "Method",
    "MethodLike",
    "Notion",
    "NotionWarning",
    "Oracle",
    "RandomEmbedding",
    "RandomTransform",
    "check",
    "default_vocabularies",
    "delete_notion",
    "duplicate_notion",
    "get_notion",
    "is_own",
    "list_notions",
    "named_methods",
    "notion_problems",
    "parse_aspects",
    "project",
    "read_notion",
    "reconstruction_angles",
    "save_notion",
    "suggest_dim",
    "write_notion",
]
