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
    drift,
    encoder_fingerprints,
    isoclip,
    known,
    label_spreading,
    meaning,
    presence,
    presence_scores,
    reasons,
    sentences,
    slices,
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
    "slices": slices,
    "reasons": reasons,
    "encoder-fingerprints": encoder_fingerprints,
    "presence": presence,
    "presence-scores": presence_scores,
    "drift": drift,
    "known": known,
    "meaning": meaning,
    "trust": trust,
    "isoclip": isoclip,
    "unnamed": unnamed,
}
