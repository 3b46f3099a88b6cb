"""Language side of language guidance: class similarities from names, captions and pseudolabels. Does not import torch."""

from likeness.language.captions import (
    captions_in_order as captions_in_order,
    insert_class_name as insert_class_name,
    read_captions as read_captions,
)
from likeness.language.class_names import (
    clean_class_name as clean_class_name,
    first_synonym as first_synonym,
    imagenet_names as imagenet_names,
    readable_names as readable_names,
)
from likeness.language.family import LanguageFamily as LanguageFamily, SimilaritySource as SimilaritySource
from likeness.language.hierarchy import Hierarchy as Hierarchy, hierarchy_similarities as hierarchy_similarities, read_hierarchy as read_hierarchy
from likeness.language.models import (
    LANGUAGE_FAMILIES as LANGUAGE_FAMILIES,
    TOP_3 as TOP_3,
    check_language as check_language,
    embed_names as embed_names,
    gives_vectors as gives_vectors,
    language_is_here as language_is_here,
    language_model as language_model,
    map_language_path as map_language_path,
    short_names as short_names,
)
from likeness.language.pseudolabels import (
    SHIPPED_PSEUDOLABELS as SHIPPED_PSEUDOLABELS,
    batch_similarities as batch_similarities,
    names_in_use as names_in_use,
    pseudolabel_similarities as pseudolabel_similarities,
    pseudolabels_of as pseudolabels_of,
    read_pseudolabels as read_pseudolabels,
    top_pseudolabels as top_pseudolabels,
    write_pseudolabels as write_pseudolabels,
)
from likeness.language.similarity import (
    DEFAULT_PRIMER as DEFAULT_PRIMER,
    PRIMERS as PRIMERS,
    check_primer as check_primer,
    class_similarities as class_similarities,
    class_vectors as class_vectors,
    cosine_similarities as cosine_similarities,
    prime as prime,
)
from likeness.language.word_vectors import read_word_vectors as read_word_vectors
from likeness.language.wordnet import wordnet_paths as wordnet_paths, wordnet_similarities as wordnet_similarities
