"""Evaluation on labeled images: each label's notion with every method, the raw encoder and unrelated words."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from experiments.public_benchmarks.benchmark import BenchmarkRequest, Runs
from likeness.data import has_label, read_dataset
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.notions import METHODS, Notion
from likeness.studies import SUGGESTED, compare

NOTION_METHODS = ("raw", "exact", "crl", "scaled-pca", "probabilities", "other-words")


def class_notion(name: str, attribute: str, template: str, labels: Sequence[Any]) -> Notion:
    """The notion whose aspects are the images' classes, without images that have no label (`likeness.data.has_label`).

    Raises:
        InputError: all images are of one class.
    """
    known = itertools.compress(labels, has_label(list(labels)))
    classes = sorted({str(label) for label in known}, key=lambda label: (not label.isdecimal(), int(label) if label.isdecimal() else 0, label))
    if len(classes) < 2:
        found = f"All images have the same '{attribute}', '{classes[0]}'" if classes else f"No image has a label of '{attribute}'"
        raise InputError(f"{found}; at least two classes are needed.")
    return Notion(name, template, tuple(classes), attribute=attribute, source="the dataset's classes")


def measure_notions(request: BenchmarkRequest, source: str, templates: dict[str, str], metrics: Sequence[str]) -> Runs:
    """Runs of a dataset in which each attribute is a task; every method once per seed, since the k-means of NMI and AMI is random, too."""
    base = embed(read_dataset(f"{source}:{request.folder}"), request.encoder, progress=request.progress)
    if base.embed_texts is None:
        raise InputError(f"The encoder '{base.encoder_name}' does not support texts, which notions need; choose one that does.")
    notions = [class_notion(attribute, attribute, template, base.table.frame[attribute].tolist()) for attribute, template in templates.items()]
    methods = [replace(METHODS[name], seeds=True) for name in request.methods]
    runs = compare(base, notions, methods, [SUGGESTED], request.seeds, metrics=metrics, progress=request.progress)
    return [
        {str(name): value for name, value in row.items()}
        for row in runs.rename(columns={"notion": "task"})[["task", "method", "seed", *metrics, "refused"]].to_dict("records")
    ]
