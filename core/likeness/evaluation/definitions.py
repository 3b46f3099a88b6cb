"""Registry of metrics. Those with the same function are computed together; `RETRIEVAL` lists the scores by class labels."""

from collections.abc import Sequence
from typing import Any

from likeness.evaluation._scores import RETRIEVAL
from likeness.evaluation.clustering import clustering_metrics
from likeness.evaluation.metric import Metric
from likeness.evaluation.open_set import leave_one_out
from likeness.evaluation.retrieval import retrieval_metrics
from likeness.evaluation.structure import structure_metrics

_WITHOUT_K = {score.name for score in RETRIEVAL}
_AUROC = "known_auroc"


def _retrieval(rows: Any, labels: Any, names: Sequence[str], distance: str, seed: int) -> dict[str, float]:
    ks = sorted({int(name.rpartition("_")[2]) for name in names if name not in _WITHOUT_K})
    return retrieval_metrics(rows, labels, ks=ks, metric=distance, only=names)


def _open_set(rows: Any, labels: Any, names: Sequence[str], distance: str, seed: int) -> dict[str, float]:
    if len(set(labels)) < 3:  # nothing is left to compare with
        return dict.fromkeys(names, float("nan"))
    found, _ = leave_one_out(rows, labels)
    return {name: found.auroc if name == _AUROC else found.dir_at(1 / int(name.rpartition("_")[2])) for name in names}


def _clustering(rows: Any, labels: Any, names: Sequence[str], distance: str, seed: int) -> dict[str, float]:
    return clustering_metrics(rows, labels, seed=seed, metric=distance)


def _structure(rows: Any, labels: Any, names: Sequence[str], distance: str, seed: int) -> dict[str, float]:
    return structure_metrics(rows, labels)


_KNOWN = "How often an image scores higher with its class among the others than without; 0.5 is chance."
_DIR = "Share of images that find their class where one in {k} of new classes is accepted."
_AMI = "Agreement of labels with k-means clusters, as many as there are labels. 0 is chance, 1 is perfect."
_NMI = "Like AMI, but not corrected for chance, so slightly above 0 even for random vectors."
_DISTANCE = "Mean label distance between the query and the top {k} images; smaller is better."
_NDCG = "How near the labels of the top {k} images are, earlier images counting more; 1 is the best possible order."

LISTED: tuple[Metric, ...] = (
    *(Metric(score.name, score.title, score.help, "retrieval", _retrieval, compared=score.compared) for score in RETRIEVAL),
    Metric(_AUROC, "Known or new", _KNOWN, "open_set", _open_set),
    Metric("dir_at_1_in_{k}", "DIR, 1 in {k}", _DIR, "open_set", _open_set),
    Metric("ami", "AMI", _AMI, "clustering", _clustering, compared=True),
    Metric("nmi", "NMI", _NMI, "clustering", _clustering, compared=True),
    Metric("f1", "F1", "How many pairs in one group have the same label, and the other way round.", "clustering", _clustering),
    Metric("inter", "Inter", "Mean cosine distance between class centers.", "structure", _structure, None),
    Metric("intra", "Intra", "Mean cosine distance between images of the same class.", "structure", _structure, None),
    Metric("ratio", "Intra / inter", "Density: distance within classes divided by distance between classes.", "structure", _structure, None),
    Metric("spectral_decay", "Spectral decay", "How unevenly the directions of the space are used: 0 if all equally.", "structure", _structure, None),
    # by label distances (`continuous_metrics`), in their units, such as pixels or degrees
    Metric("mean_label_distance_at_{k}", "Label distance at {k}", _DISTANCE, "continuous", larger_is_better=False, format=".4g"),
    Metric("ndcg_at_{k}", "nDCG at {k}", _NDCG, "continuous"),
    # of runs on captions (`image_text_metrics`)
    Metric("text_to_image_recall_at_{k}", "Text to image R@{k}", "Share of captions whose image is among the {k} nearest.", "captions"),
    Metric("image_to_text_recall_at_{k}", "Image to text R@{k}", "Share of images with a caption of theirs among the {k} nearest.", "captions"),
    # measured in `likeness.studies.compare`, if there is a notion
    Metric("zero_shot", "Zero-shot", "Share of images whose nearest aspect of the notion is their label.", "words"),
)
