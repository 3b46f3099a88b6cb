"""Retrieval metrics against the reference numbers, pytorch-metric-learning, a slow loop, hand-computed cases and laws."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from likeness.errors import InputError
from likeness.evaluation import _ranks, _scratch, retrieval_metrics, retrieval_scores
from made_rows import clusters

PML_NAMES = {
    "precision_at_1": "precision_at_1",
    "r_precision": "r_precision",
    "map_at_r": "mean_average_precision_at_r",
    "map": "mean_average_precision",
    "mrr": "mean_reciprocal_rank",
}
ALL_KEEPING = ("map_at_1000", "recall_at_1", "recall_at_2", "recall_at_4", "recall_at_8")


@pytest.fixture(scope="module")
def reference() -> dict[str, np.ndarray]:
    with np.load(Path(__file__).parent / "data" / "retrieval_metrics.npz") as file:
        return dict(file)


@pytest.fixture(params=["sorting", "counting", "device"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs the test with each way to find ranks; the device's on the processor."""
    monkeypatch.setattr(_ranks, "SORTED_UP_TO", 10**12 if request.param == "sorting" else 0)
    if request.param == "device":
        monkeypatch.setattr("likeness.evaluation.retrieval.device_of", lambda embeddings: torch.device("cpu"))
    return request.param


def slow_scores(similarities: np.ndarray, relevant: np.ndarray, class_size: int, ks: tuple[int, ...]) -> dict[str, float]:
    """One query in plain loops: similarities (n,) to the other items, which of them are relevant (n,)."""
    ranking = sorted(range(len(similarities)), key=lambda item: (-similarities[item], item))
    hits = [bool(relevant[item]) for item in ranking]
    total = sum(hits)
    precision = [sum(hits[: i + 1]) / (i + 1) for i in range(len(hits))]
    scores = {f"recall_at_{k}": float(any(hits[:k])) for k in ks}
    scores["map_at_1000"] = sum(p for p, hit in zip(precision[:1000], hits, strict=False) if hit) / max(class_size, 1)
    if total:
        scores["precision_at_1"] = float(hits[0])
        scores["r_precision"] = precision[total - 1]
        scores["map_at_r"] = sum(p for p, hit in zip(precision[:total], hits, strict=False) if hit) / total
        scores["map"] = sum(p for p, hit in zip(precision, hits, strict=True) if hit) / total
        scores["mrr"] = 1 / (hits.index(True) + 1)
    return scores


def slow_metrics(x: np.ndarray, labels: np.ndarray, ks: tuple[int, ...] = (1, 2, 4, 8)) -> dict[str, float]:
    """Cosine similarities in float64, every query by `slow_scores`."""
    unit = x.astype(np.float64) / np.linalg.norm(x, axis=1, keepdims=True)
    rows = []
    for query in range(len(x)):
        others = np.delete(np.arange(len(x)), query)
        rows.append(slow_scores(unit[others] @ unit[query], labels[others] == labels[query], int((labels == labels[query]).sum()), ks))
    return dict(pd.DataFrame(rows).mean())


def test_equals_pml_reference(reference: dict[str, np.ndarray], engine: str) -> None:
    x, unnormalised, labels, lone = (reference[name] for name in ("embeddings", "embeddings_unnormalised", "labels", "labels_with_lone"))
    split = int(reference["n_query"])
    cases = {
        "all": retrieval_metrics(x, labels),
        "unnorm": retrieval_metrics(unnormalised, labels, metric="euclidean"),
        "lone": retrieval_metrics(x, lone),
        "queryref": retrieval_metrics(x[split:], labels[split:], query_embeddings=x[:split], query_labels=labels[:split]),
    }
    for case, found in cases.items():
        for ours, theirs in PML_NAMES.items():
            tolerance = 1e-7 if ours == "mrr" else 1e-9
            assert found[ours] == pytest.approx(float(reference[f"pml_{case}_kNone_{theirs}"]), abs=tolerance), (case, ours)


def test_equals_authors_reference(reference: dict[str, np.ndarray], engine: str) -> None:
    x, unnormalised, labels, lone = (reference[name] for name in ("embeddings", "embeddings_unnormalised", "labels", "labels_with_lone"))
    cases = {
        "official_": retrieval_metrics(x, labels),
        "official_unnorm_": retrieval_metrics(unnormalised, labels, metric="euclidean"),
        "official_unnorm_cosine_": retrieval_metrics(unnormalised, labels),
        "official_lone_": retrieval_metrics(x, lone),
    }
    for case, found in cases.items():
        for name in ALL_KEEPING:
            assert found[name] == pytest.approx(float(reference[case + name]), abs=1e-9), (case, name)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
@pytest.mark.parametrize("separate", [False, True])
def test_equals_pytorch_metric_learning(separate: bool, engine: str) -> None:
    from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator

    x, labels = clusters(600, 24, 30, noise=2.0)
    unit = torch.nn.functional.normalize(torch.from_numpy(x))
    calculator = AccuracyCalculator(include=tuple(PML_NAMES.values()), k=None, device=torch.device("cpu"))
    codes = torch.from_numpy(labels)
    if separate:
        theirs = calculator.get_accuracy(unit[:150], codes[:150], unit[150:], codes[150:])
        ours = retrieval_metrics(x[150:], labels[150:], query_embeddings=x[:150], query_labels=labels[:150])
    else:
        theirs, ours = calculator.get_accuracy(unit, codes), retrieval_metrics(x, labels)
    for name, their_name in PML_NAMES.items():
        assert ours[name] == pytest.approx(theirs[their_name], abs=1e-6), name


@pytest.mark.parametrize(("classes", "noise"), [(3, 3.0), (40, 1.0), (120, 2.0)])
def test_equals_slow_loop(classes: int, noise: float, engine: str) -> None:
    x, labels = clusters(200, 16, classes, noise)
    found, expected = retrieval_metrics(x, labels, ks=(1, 3, 500)), slow_metrics(x, labels, ks=(1, 3, 500))
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name


def test_only_the_first_thousand_count_in_map_at_1000(engine: str) -> None:
    """Every second of 1,300 is relevant, ranks 2, 4, ...: each precision is 1/2, and 500 of the 650 hits count."""
    angles = np.linspace(0.01, 1.5, 1300)
    gallery = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    found = retrieval_metrics(gallery, np.arange(1300) % 2, query_embeddings=[[1, 0]], query_labels=[1])
    assert found["map"] == pytest.approx(1 / 2)
    assert found["map_at_1000"] == pytest.approx(500 / 2 / 650)


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    x, labels = clusters(300, 8, 9, noise=1.5)
    whole = retrieval_metrics(x, labels)
    monkeypatch.setattr(_ranks, "BLOCK_BYTES", 1_000_000)
    assert retrieval_metrics(x, labels) == pytest.approx(whole, abs=1e-12)


def test_hand_case(engine: str) -> None:
    """Relevant items at ranks 1, 3 and 5 of 6 (R = 3): precisions 1, 2/3, 3/5."""
    angles = np.radians([10, 20, 30, 40, 50, 60])
    gallery = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    found = retrieval_metrics(gallery, list("abacaf"), ks=(1, 2), query_embeddings=[[1.0, 0.0]], query_labels=["a"])
    assert found == pytest.approx(
        {
            "precision_at_1": 1,
            "r_precision": 2 / 3,
            "map_at_r": (1 + 2 / 3) / 3,
            "map": (1 + 2 / 3 + 3 / 5) / 3,
            "mrr": 1,
            "map_at_1000": (1 + 2 / 3 + 3 / 5) / 3,
            "recall_at_1": 1,
            "recall_at_2": 1,
        }
    )


@pytest.mark.parametrize(("hits", "r_precision", "map_at_r"), [([1], 10, 10), ([1, 10], 20, 12), ([1, 2], 20, 20), (range(1, 11), 100, 100)])
def test_examples_of_the_map_at_r_paper(hits: list[int], r_precision: float, map_at_r: float, engine: str) -> None:
    """R = 10; precision@1 is 100 % each time and hides what the other two show (A Metric Learning Reality Check, toy rankings)."""
    labels = ["other"] * 100
    for rank in [*hits, *range(100, 90 + len(hits), -1)]:
        labels[rank - 1] = "same"
    angles = np.linspace(0.01, 1.5, 100)
    found = retrieval_metrics(np.stack([np.cos(angles), np.sin(angles)], 1), labels, query_embeddings=[[1, 0]], query_labels=["same"])
    assert found["precision_at_1"] == 1
    assert 100 * found["r_precision"] == pytest.approx(r_precision)
    assert 100 * found["map_at_r"] == pytest.approx(map_at_r)


def test_perfect_ranking_is_one(engine: str) -> None:
    x, labels = np.repeat(np.eye(5), 6, axis=0), np.repeat(np.arange(5), 6)
    found = retrieval_metrics(x, labels)
    assert found.pop("map_at_1000") == pytest.approx(5 / 6)
    assert set(found.values()) == {1.0}


def test_rotation_permutation_and_length_change_nothing(engine: str) -> None:
    x, labels = clusters(150, 12, 6, noise=1.5)
    rng = np.random.default_rng(1)
    turn, order = np.linalg.qr(rng.standard_normal((12, 12)))[0], rng.permutation(150)
    expected = pytest.approx(retrieval_metrics(x, labels), abs=1e-9)
    assert retrieval_metrics(x @ turn, labels) == expected
    assert retrieval_metrics(x[order], labels[order]) == expected
    assert retrieval_metrics(x * rng.uniform(1e-15, 1e15, (150, 1)), labels) == expected


def test_euclidean_ignores_a_common_offset() -> None:
    x, labels = clusters(150, 12, 6, noise=1.5)
    shifted = retrieval_metrics(x.astype(np.float64) + 1000, labels, metric="euclidean")
    assert shifted == pytest.approx(retrieval_metrics(x, labels, metric="euclidean"), abs=2e-3)


@pytest.mark.parametrize(
    "convert",
    [
        list,
        tuple,
        pd.Series,
        pd.Index,
        pd.Categorical,
        torch.tensor,
        lambda codes: [f"class {code}" for code in codes],
        lambda codes: [(code, "x") for code in codes],
        lambda codes: [code if code % 2 else str(code) for code in codes],
        lambda codes: pd.Series(codes).astype(str).to_numpy(),
        lambda codes: pd.Series(codes, index=codes[::-1]),
    ],
)
def test_labels_of_any_kind(convert: object) -> None:
    x, labels = clusters(60, 6, 4, noise=1.0)
    assert retrieval_metrics(torch.from_numpy(x), convert(labels.tolist())) == retrieval_metrics(x, labels)


def test_lone_queries_are_left_out_or_count_as_zero(engine: str) -> None:
    found = retrieval_metrics(np.eye(3)[[0, 0, 1, 2]], ["a", "a", "b", "c"])
    assert (found["precision_at_1"], found["map_at_r"], found["recall_at_1"], found["map_at_1000"]) == (1, 1, 0.5, 0.25)


def test_degenerate_label_sets(engine: str) -> None:
    x, _ = clusters(12, 4, 1, noise=1.0)
    singles = retrieval_metrics(x, range(12))
    assert all(np.isnan(singles[name]) for name in PML_NAMES)
    assert all(singles[name] == 0 for name in ALL_KEEPING)
    one_class = retrieval_metrics(x, ["car"] * 12)
    assert one_class.pop("map_at_1000") == pytest.approx(11 / 12)
    assert set(one_class.values()) == {1.0}
    assert np.isnan(retrieval_metrics(x[:1], ["car"])["map"])
    absent = retrieval_metrics(x, ["car"] * 12, query_embeddings=x[:1], query_labels=["van"])
    assert (absent["recall_at_8"], absent["map_at_1000"]) == (0, 0)
    assert np.isnan(absent["mrr"])


def test_scores_average_to_the_metrics() -> None:
    x, labels = clusters(120, 6, 5, noise=2.0)
    names = np.array(["a", "b", "c", "d", "e"])[labels]
    scores = retrieval_scores(x, names)
    assert list(scores["label"]) == list(names)
    assert dict(scores.drop(columns="label").mean()) == pytest.approx(retrieval_metrics(x, names))


def test_rows_choose_queries_and_leave_the_gallery_whole() -> None:
    x, labels = clusters(120, 6, 5, noise=2.0)
    everything = retrieval_scores(x, labels)
    pd.testing.assert_frame_equal(retrieval_scores(x, labels, rows=[7, 3, 99]), everything.loc[[7, 3, 99]])
    assert retrieval_metrics(x, labels, rows=labels == 2) == pytest.approx(dict(everything[labels == 2].drop(columns="label").mean()))


def test_euclidean_of_rows_of_any_unit() -> None:
    """Nothing changes with the unit, until squares leave float32, which is said."""
    x, labels = clusters(150, 12, 6, noise=1.5)
    expected = retrieval_metrics(x, labels, metric="euclidean")
    for scale in (2.0**-50, 2.0**50):
        assert retrieval_metrics(x * scale, labels, metric="euclidean") == expected
    with pytest.raises(InputError, match=r"An embedding is 1e\+19 from the mean, beyond what float32 can square"):
        retrieval_metrics(x * 2.0**60, labels, metric="euclidean")


def test_only_some_scores_are_those_of_all(engine: str) -> None:
    """Also where most ranks are beyond what is asked for."""
    x, labels = clusters(400, 12, 4, noise=3.0)
    everything = retrieval_scores(x, labels, ks=(1, 30))
    for only in (["recall_at_1"], ["map_at_r", "mrr"], ["recall_at_30", "precision_at_1"], ["map_at_1000"], ["r_precision", "map"]):
        found = retrieval_scores(x, labels, ks=(1, 30), only=only)
        assert set(found.columns) == {"label", *only}
        pd.testing.assert_frame_equal(found, everything[found.columns])


def test_progress_is_told_and_a_stop_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    x, labels = clusters(300, 8, 9, noise=1.5)
    monkeypatch.setattr(_ranks, "SORTED_UP_TO", 0)
    monkeypatch.setattr(_ranks, "MOST_QUERIES", 100)
    told: list[tuple[int, int]] = []
    retrieval_metrics(x, labels, progress=lambda done, total: told.append((done, total)))
    assert told == [(100, 300), (200, 300), (300, 300)]
    with pytest.raises(InputError, match="Stopped after 200 of 300 queries"):
        retrieval_metrics(x, labels, should_stop=iter([False, True]).__next__)


def test_a_full_disk_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def __enter__(self) -> "Full":
            return self

        def __exit__(self, *_: object) -> None:
            return None

        def write(self, _: object) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(_ranks, "SORTED_UP_TO", 0)
    monkeypatch.setattr(_scratch, "MOST_IN_MEMORY", 0)
    monkeypatch.setattr(_scratch.tempfile, "TemporaryFile", Full)
    with pytest.raises(InputError, match=r"no room for 0.0 GB of scratch .*\(No space left on device\); free some, or set TMPDIR"):
        retrieval_metrics(*clusters(300, 8, 9, noise=1.5))


X = np.eye(4)
NAN = np.where(np.arange(4)[:, None] == 2, np.nan, X)


BAD_KEYWORDS = [("metric", "dot", "metric 'dot' is unknown"), ("rows", [4], "0 to 3"), ("rows", [], "at least one"), ("only", ["x"], "no score 'x'")]


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((NAN, [0, 0, 1, 1]), {}, "The embeddings row 2 holds NaN or infinity"),
        ((X * [[1], [0], [1], [1]], [0, 0, 1, 1]), {}, "The embeddings row 1 is all zeros"),
        ((X, [0, 0, 1]), {}, "labels has size 3 but must hold one label for each of the 4 embeddings"),
        ((X, np.zeros((4, 2))), {}, r"labels has size \(4, 2\)"),
        ((X, [None, float("nan"), "", "(unlabeled)"]), {}, "No row of labels has a label"),
        ((X[0], [0]), {}, r"shape \(rows, dimensions\) but has shape \(4,\)"),
        ((X[:0], []), {}, r"has shape \(0, 4\)"),
        ((X, [0, 0, 1, 1], (0, 1)), {}, r"cut-offs ks are \[0, 1\]"),
        ((X, [0, 0, 1, 1], (1,), X), {}, "query_embeddings and query_labels belong together"),
        ((X, [0, 0, 1, 1], (1,), X[:, :3], [0, 0, 1, 1]), {}, "have 3 dimensions, the embeddings 4"),
        ((X, [0, 0, 1, 1], (1,), NAN, [0, 0, 1, 1]), {}, "The query embeddings row 2 holds NaN"),
        *(((X, [0, 0, 1, 1]), {name: value}, message) for name, value, message in BAD_KEYWORDS),
    ],
)
def test_bad_input_is_named(arguments: tuple, keywords: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        retrieval_metrics(*arguments, **keywords)
