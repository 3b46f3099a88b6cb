"""Clevr-4: four equally valid clusterings of the same scenes (Vaze et al., NeurIPS 2023, repository sgvaze/clevr4)."""

from experiments.public_benchmarks.benchmark import Benchmark, BenchmarkRequest, Runs
from experiments.public_benchmarks.notion_protocol import NOTION_METHODS, measure_notions
from likeness.notions import METHODS

_TEMPLATES = {
    "texture": "objects with a {} texture",
    "color": "{} objects",
    "shape": "objects in the shape of a {}",
    "count": "a photo of {} objects",
}
_METRICS = {"nmi": "NMI", "ami": "AMI", "map_at_r": "MAP@R", "zero_shot": "Zero-shot"}


def measure_clevr4(request: BenchmarkRequest) -> Runs:
    """NMI and AMI of k-means, MAP@R and zero-shot accuracy by texture, color, shape and count, on all images of the folder.

    As in CRL (arXiv 2510.04564, repository XLearning-SCU/2025-NeurIPS-CRL), k-means has as many clusters as there are classes and clusters unit rows
    of all images, whatever their split. What differs: its aspects are words that a language model wrote for each criterion, ours the class names;
    its templates are others ("objects with the texture of"); its code means 20 seeds of scikit-learn's k-means, by default there are five here.
    """
    return measure_notions(request, "clevr4", _TEMPLATES, tuple(_METRICS))


BENCHMARK = Benchmark(
    "clevr4",
    "Clevr-4",
    "Texture, color, shape and count of the same scenes: clusters and neighbors in each notion's space.",
    _METRICS,
    NOTION_METHODS,
    tuple(METHODS),
    measure_clevr4,
)
