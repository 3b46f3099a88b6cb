"""Analyses that evaluate Likeness's own features by held-out labels: one file and one line here for each."""

from types import ModuleType

from experiments.analyses import (
    algebra,
    changed_images,
    clicks,
    cluster_names,
    composed_queries,
    copies,
    cut_offs,
    label_spreading,
    sentences,
    trust,
    unnamed,
)

ANALYSES: dict[str, ModuleType] = {
    "algebra": algebra,
    "clicks": clicks,
    "label-spreading": label_spreading,
    "cluster-names": cluster_names,
    "sentences": sentences,
    "composed-queries": composed_queries,
    "changed-images": changed_images,
    "copies": copies,
    "cut-offs": cut_offs,
    "trust": trust,
    "unnamed": unnamed,
}
