"""Stanford 40 Actions: what people do in photos (Yao et al., ICCV 2011)."""

from experiments.public_benchmarks.benchmark import Benchmark, BenchmarkRequest, Runs
from experiments.public_benchmarks.notion_protocol import NOTION_METHODS, measure_notions
from likeness.notions import METHODS

_METRICS = {"nmi": "NMI", "ami": "AMI", "map_at_r": "MAP@R", "zero_shot": "Zero-shot"}


def measure_stanford40(request: BenchmarkRequest) -> Runs:
    """NMI and AMI of k-means, MAP@R and zero-shot accuracy by action, on the official test part, which is all that is read. Aspects: class names."""
    return measure_notions(request, "stanford40", {"action": "a photo of a person {}"}, tuple(_METRICS))


BENCHMARK = Benchmark(
    "stanford40",
    "Stanford 40 Actions",
    "What people do: clusters and neighbors in the space of the actions' names.",
    _METRICS,
    NOTION_METHODS,
    tuple(METHODS),
    measure_stanford40,
)
