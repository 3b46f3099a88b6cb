"""Clustering metrics against the reference numbers, pytorch-metric-learning, scikit-learn, slow loops, hand-computed cases and laws."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import assume, given, settings, strategies as st

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


def information(a: list[int], b: list[int]) -> float:
    """Mutual information in nats, in plain loops."""
    n = len(a)
    total = 0.0
    for u, v in set(zip(a, b, strict=True)):
        both = sum(x == u and y == v for x, y in zip(a, b, strict=True))
        total += both / n * np.log(n * both / (a.count(u) * b.count(v)))
    return total


def slow_f1(a: list[int], b: list[int]) -> float:
    """Over all pairs in plain loops; 0 where no pair is right."""
    pairs = list(itertools.combinations(range(len(a)), 2))
    found = [b[i] == b[j] for i, j in pairs]
    correct = [a[i] == a[j] for i, j in pairs]
    right = sum(f and c for f, c in zip(found, correct, strict=True))
    if right == 0:
        return 0.0
    precision, recall = right / sum(found), right / sum(correct)
    return 2 * precision * recall / (precision + recall)


def same_partition(a: list[int], b: list[int]) -> bool:
    return len(set(a)) == len(set(b)) == len(set(zip(a, b, strict=True)))


def test_equals_reference_on_given_assignments(reference: dict[str, np.ndarray]) -> None:
    labels = reference["labels"]
    fixed = clustering_metrics(None, labels, reference["cluster_assignments"])
    random = clustering_metrics(np.ones((400, 2)), labels, reference["purely_random_assignments"])
    assert fixed["nmi"] == pytest.approx(float(reference["official_nmi"]), abs=1e-9)
    assert fixed["ami"] == pytest.approx(float(reference["pml_all_kNone_AMI"]), abs=1e-9)
    assert fixed["f1"] == pytest.approx(float(reference["official_f1"]), abs=1e-9)
    assert random["nmi"] == pytest.approx(float(reference["official_nmi_random"]), abs=1e-9)
    assert random["f1"] == pytest.approx(float(reference["official_f1_random"]), abs=1e-9)
    assert random["ami"] == pytest.approx(float(reference["ami_random"]), abs=1e-9)


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
    from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score

    labels, assignments = drawn
    assume(not same_partition(labels, assignments))
    found = clustering_metrics(None, labels, assignments)
    assert found["nmi"] == pytest.approx(normalized_mutual_info_score(labels, assignments), abs=1e-9)
    assert found["ami"] == pytest.approx(adjusted_mutual_info_score(labels, assignments), abs=1e-9)
    assert found["f1"] == pytest.approx(slow_f1(labels, assignments), abs=1e-12)


@pytest.mark.parametrize(
    ("labels", "assignments"),
    [
        ([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]),
        ([0, 0, 0, 1, 1], [0, 1, 0, 1, 2]),
        ([0, 1, 2, 3, 4], [0, 0, 1, 1, 2]),
        ([0, 0, 0, 0, 1], [1, 0, 0, 0, 0]),
    ],
)
def test_expected_information_is_the_mean_over_all_orders(labels: list[int], assignments: list[int]) -> None:
    orders = [information(labels, list(order)) for order in itertools.permutations(assignments)]
    entropy = (information(labels, labels) + information(assignments, assignments)) / 2
    expected = (information(labels, assignments) - np.mean(orders)) / (entropy - np.mean(orders))
    assert clustering_metrics(None, labels, assignments)["ami"] == pytest.approx(expected, abs=1e-12)


def test_hand_case() -> None:
    """Two classes of two, clusters of three and one: MI = 3/2 ln 2 - 3/4 ln 3; 1 of 3 found pairs is right and 1 of 2 correct ones is found."""
    found = clustering_metrics(None, list("aabb"), [0, 0, 0, 1])
    mutual = 1.5 * np.log(2) - 0.75 * np.log(3)
    entropy = (np.log(2) + 2 * np.log(2) - 0.75 * np.log(3)) / 2
    assert found["nmi"] == pytest.approx(mutual / entropy)
    assert found["f1"] == pytest.approx(2 / 5)
    # Whichever item is alone, the information is the same, so chance expects exactly it.
    assert found["ami"] == pytest.approx(0, abs=1e-12)


@settings(max_examples=60)
@given(groupings, st.randoms(use_true_random=False))
def test_laws(drawn: tuple[list[int], list[int]], random: object) -> None:
    """Order and names do not matter, the two sides may be swapped, values stay in range."""
    labels, assignments = drawn
    found = clustering_metrics(None, labels, assignments)
    both = list(zip([f"class {9 - label}" for label in labels], [-3 * cluster for cluster in assignments], strict=True))
    random.shuffle(both)  # type: ignore[attr-defined]
    assert clustering_metrics(None, *zip(*both, strict=True)) == pytest.approx(found, abs=1e-9)
    assert clustering_metrics(None, assignments, labels) == pytest.approx(found, abs=1e-9)
    assert 0 <= found["nmi"] <= 1
    assert 0 <= found["f1"] <= 1
    assert found["ami"] <= 1
    assert (found["f1"] == 1) == same_partition(labels, assignments)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_perfect_clusters_give_one(labels: list[int]) -> None:
    assert clustering_metrics(None, labels, [-label for label in labels]) == {"nmi": 1.0, "ami": 1.0, "f1": 1.0}


def test_random_clusters_give_an_ami_of_about_zero() -> None:
    rng = np.random.default_rng(0)
    found = pd.DataFrame([clustering_metrics(None, rng.integers(0, 9, 300), rng.integers(0, 20, 300)) for _ in range(50)]).mean()
    assert abs(found["ami"]) < 0.005
    assert found["nmi"] > 0.1


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


def test_cosine_clusters_directions_and_euclidean_places() -> None:
    directions = np.repeat(np.eye(2), 20, axis=0)
    lengths = np.tile([1.0, 50.0], 20)[:, None]
    x = directions * lengths
    by_direction, by_length = np.repeat([0, 1], 20), np.tile([0, 1], 20)
    assert clustering_metrics(x, by_direction)["ami"] == 1
    assert clustering_metrics(x, by_length)["ami"] < 0.1
    near = np.array([[1.0, 0], [0, 1.0], [1.02, 0], [0, 1.02], [50, 50], [50, 50.1]])
    assert clustering_metrics(near, [0, 0, 0, 0, 1, 1], metric="euclidean")["ami"] == 1


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
