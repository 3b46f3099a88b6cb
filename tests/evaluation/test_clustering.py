from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings, strategies as st
from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score, rand_score
from sklearn.metrics.cluster import pair_confusion_matrix

from likeness.arrays import unit_rows
from likeness.errors import InputError
from likeness.evaluation import clustering_metrics
from made_rows import clusters

groupings = st.integers(2, 30).flatmap(
    lambda n: st.tuples(st.lists(st.integers(0, 4), min_size=n, max_size=n), st.lists(st.integers(0, 6), min_size=n, max_size=n))
)


@pytest.fixture(scope="module")
def reference() -> dict[str, np.ndarray]:
    with np.load(Path(__file__).parent / "data" / "clustering_metrics.npz") as file:
        return dict(file)


def f1_of_pairs(a: list[int], b: list[int]) -> float:
    (_, wrong), (missed, right) = pair_confusion_matrix(a, b)
    return float(2 * right / (2 * right + wrong + missed)) if right else 0.0


def test_equals_reference_on_given_assignments(reference: dict[str, np.ndarray]) -> None:
    labels = reference["labels"]
    for groups, names in (
        ("cluster_assignments", {"nmi": "official_nmi", "ami": "pml_all_kNone_AMI", "f1": "official_f1"}),
        ("purely_random_assignments", {"nmi": "official_nmi_random", "ami": "ami_random", "f1": "official_f1_random"}),
    ):
        found = clustering_metrics(np.ones((400, 2)), labels, reference[groups])
        assert found == pytest.approx({name: float(reference[theirs]) for name, theirs in names.items()}, abs=1e-9)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
@pytest.mark.parametrize("seed", [1234, 7])
def test_equals_pytorch_metric_learning(seed: int) -> None:
    """1234 is the seed that AccuracyCalculator runs with; another is given to it through its k-means."""
    from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator
    from pytorch_metric_learning.utils.inference import FaissKMeans

    x, labels = clusters(600, 24, 12, noise=1.5)
    keywords = {} if seed == 1234 else {"kmeans_func": FaissKMeans(niter=20, seed=seed)}
    calculator = AccuracyCalculator(include=("NMI", "AMI"), device=torch.device("cpu"), **keywords)
    for metric, rows in (("euclidean", x), ("cosine", unit_rows(x, "x"))):
        theirs = calculator.get_accuracy(torch.from_numpy(rows), torch.from_numpy(labels))
        ours = clustering_metrics(x, labels, seed=seed, metric=metric)
        assert ours["nmi"] == pytest.approx(theirs["NMI"], abs=1e-6)
        assert ours["ami"] == pytest.approx(theirs["AMI"], abs=1e-6)


@settings(max_examples=100)
@given(groupings)
def test_equals_scikit_learn_and_a_loop_over_pairs(drawn: tuple[list[int], list[int]]) -> None:
    labels, assignments = drawn
    found = clustering_metrics(None, [f"class {9 - label}" for label in labels], [-3 * cluster for cluster in assignments])
    same = rand_score(labels, assignments) == 1
    assert (found["f1"] == 1) == same
    assume(not same)
    assert found["nmi"] == pytest.approx(normalized_mutual_info_score(labels, assignments), abs=1e-9)
    assert found["ami"] == pytest.approx(adjusted_mutual_info_score(labels, assignments), abs=1e-9)
    assert found["f1"] == pytest.approx(f1_of_pairs(labels, assignments), abs=1e-12)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_perfect_clusters_give_one(labels: list[int]) -> None:
    assert clustering_metrics(None, labels, [-label for label in labels]) == {"nmi": 1.0, "ami": 1.0, "f1": 1.0}


def test_many_classes_without_a_table_of_all_cells() -> None:
    """30,000 classes of two, each split between two neighboring clusters: dense, the table would hold 900 million cells."""
    n = 60_000
    found = clustering_metrics(None, np.arange(n) // 2, (np.arange(n) + 1) // 2)
    classes = np.log(n / 2)
    clusters = (n - 2) / n * np.log(n / 2) + 2 / n * np.log(n)
    assert found["nmi"] == pytest.approx((classes + clusters - np.log(n)) / ((classes + clusters) / 2), abs=1e-9)
    assert found["f1"] == 0


def test_kmeans_finds_separated_classes() -> None:
    x, labels = clusters(400, 16, 3, noise=0.05)
    assert max(clustering_metrics(x, labels, seed=seed)["ami"] for seed in range(5)) == 1
    assert clustering_metrics(torch.from_numpy(x), labels.tolist()) == clustering_metrics(x, labels)


def test_seed_decides_and_input_is_not_changed() -> None:
    x, labels = clusters(200, 8, 10, noise=2.0)
    copy = x.copy()
    runs = [clustering_metrics(x, labels, seed=seed) for seed in (0, 0, 1, 2, 3)]
    assert runs[0] == runs[1]
    assert len({run["nmi"] for run in runs}) > 1
    np.testing.assert_array_equal(x, copy)


def test_few_rows_leave_the_terminal_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    """faiss warns on stderr below 39 rows per cluster unless told otherwise."""
    clustering_metrics(*clusters(40, 6, 4, noise=1.0))
    assert capfd.readouterr() == ("", "")


def test_degenerate_input() -> None:
    x, _ = clusters(12, 4, 1, noise=1.0)
    perfect = {"nmi": 1.0, "ami": 1.0, "f1": 1.0}
    assert clustering_metrics(x, ["car"] * 12) == perfect
    assert clustering_metrics(x, range(12)) == perfect
    assert clustering_metrics(x[:1], ["car"]) == perfect
    same = clustering_metrics(np.ones((12, 4)), [0, 1, 2] * 4)
    assert (same["nmi"], same["ami"]) == (0, 0)
    assert same["f1"] == pytest.approx(2 * 18 / (66 + 18))
    assert clustering_metrics(None, ["car"] * 4, [0, 1, 2, 3]) == {"nmi": 0, "ami": 0, "f1": 0}
    assert clustering_metrics(None, [0, 1, 2, 3], [0, 0, 1, 1])["f1"] == 0


X = np.eye(4)


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((np.where(X == 1, np.nan, X), [0, 0, 1, 1]), {}, "The embeddings row 0 holds NaN or infinity"),
        ((X * [[1], [0], [1], [1]], [0, 0, 1, 1]), {}, "The embeddings row 1 is all zeros"),
        ((X[0], [0]), {}, r"shape \(rows, dimensions\) but has shape \(4,\)"),
        ((X, [0, 0, 1]), {}, "labels has size 3 but must hold one label for each of the 4 embeddings"),
        ((X, [None, float("nan"), "", "(unlabeled)"]), {}, "No row of labels has a label"),
        ((X, [0, 0, 1, 1], [0, 1]), {}, "assignments has size 2"),
        ((X, [0, 0, 1, 1], [0, 1, np.nan, 1]), {}, "assignments row 2 has no group"),
        ((None, [], []), {}, "labels is empty"),
        ((X, [0, 0, 1, 1]), {"metric": "dot"}, "metric 'dot' is unknown"),
        ((X, [0, 0, 1, 1]), {"seed": -1}, "The seed is -1"),
        ((X, [0, 0, 1, 1]), {"seed": 2**31}, "The seed is 2147483648"),
    ],
)
def test_bad_input_is_named(arguments: tuple, keywords: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        clustering_metrics(*arguments, **keywords)
