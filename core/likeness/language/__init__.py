"""Language guidance, the language side: similarities of classes from names, captions and pseudolabels. Importing this needs no torch."""

from likeness.language.caption_files import read_captions
from likeness.language.captions import caption_embeddings, caption_similarities, captions_in_order, insert_class_name
from likeness.language.class_names import clean_class_name, first_synonym, imagenet_names, readable_names
from likeness.language.embedding import embed_names
from likeness.language.family import LanguageFamily, LanguageModel, SimilaritySource
from likeness.language.hierarchy import hierarchy_embeddings, hierarchy_similarities
from likeness.language.hierarchy_files import Hierarchy, read_hierarchy
from likeness.language.models import (
    LANGUAGE_FAMILIES,
    TOP_3,
    check_language,
    gives_vectors,
    language_is_here,
    language_model,
    map_language_path,
    short_names,
)
from likeness.language.primers import DEFAULT_PRIMER, PRIMERS, check_primer, prime
from likeness.language.pseudolabel_files import SHIPPED_PSEUDOLABELS, pseudolabels_of, read_pseudolabels, write_pseudolabels
from likeness.language.pseudolabels import batch_similarities, names_in_use, pseudolabel_similarities, top_pseudolabels
from likeness.language.similarity import class_similarities, class_vectors, cosine_similarities
from likeness.language.word_vectors import read_word_vectors
from likeness.language.wordnet import nltk_wordnet, wordnet_paths, wordnet_similarities

__all__ = [
    "DEFAULT_PRIMER",
    "LANGUAGE_FAMILIES",
    "PRIMERS",
    "SHIPPED_PSEUDOLABELS",
    "TOP_3",
    "Hierarchy",
    "LanguageFamily",
    "LanguageModel",
    "SimilaritySource",
    "batch_similarities",
    "caption_embeddings",
    "caption_similarities",
    "captions_in_order",
    "check_language",
    "check_primer",
    "class_similarities",
    "class_vectors",
    "clean_class_name",
    "cosine_similarities",
    "embed_names",
    "first_synonym",
    "gives_vectors",
    "hierarchy_embeddings",
    "hierarchy_similarities",
    "imagenet_names",
    "insert_class_name",
    "language_is_here",
    "language_model",
    "map_language_path",
    "names_in_use",
    "nltk_wordnet",
    "prime",
    "pseudolabel_similarities",
    "pseudolabels_of",
    "read_captions",
    "read_hierarchy",
    "read_pseudolabels",
    "read_word_vectors",
    "readable_names",
    "short_names",
    "top_pseudolabels",
    "wordnet_paths",
    "wordnet_similarities",
    "write_pseudolabels",
]
