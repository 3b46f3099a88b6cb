from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pytest
import torch

from likeness.errors import InputError
from likeness.evaluation import _inputs, _ranks, retrieval_metrics, retrieval_scores
from likeness.search import find_ranking
from made_rows import clusters, unit

PML_NAMES = {name: name for name in ("precision_at_1", "r_precision")} | {"map_at_r": "mean_average_precision_at_r"}
PML_NAMES |= {"map": "mean_average_precision", "mrr": "mean_reciprocal_rank"}
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


def test_equals_the_references_of_pml_and_the_authors(reference: dict[str, np.ndarray], engine: str) -> None:
    x, unnormalised, labels, lone = (reference[name] for name in ("embeddings", "embeddings_unnormalised", "labels", "labels_with_lone"))
    split = int(reference["n_query"])
    plain, euclidean, alone = retrieval_metrics(x, labels), retrieval_metrics(unnormalised, labels, metric="euclidean"), retrieval_metrics(x, lone)
    across = retrieval_metrics(x[split:], labels[split:], query_embeddings=x[:split], query_labels=labels[:split])
    for case, found in {"all": plain, "unnorm": euclidean, "lone": alone, "queryref": across}.items():
        for ours, theirs in PML_NAMES.items():
            tolerance = 1e-7 if ours == "mrr" else 1e-9
            assert found[ours] == pytest.approx(float(reference[f"pml_{case}_kNone_{theirs}"]), abs=tolerance), (case, ours)
    cases = {"official_": plain, "official_unnorm_": euclidean, "official_lone_": alone}
    for case, found in (cases | {"official_unnorm_cosine_": retrieval_metrics(unnormalised, labels)}).items():
        for name in ALL_KEEPING:
            assert found[name] == pytest.approx(float(reference[case + name]), abs=1e-9), (case, name)


def angles_from_the_query(count: int) -> np.ndarray:
    """Rows (count, 2) that a query of (1, 0) finds in their order."""
    angles = np.linspace(0.01, 1.5, count)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_only_the_first_thousand_count_in_map_at_1000(engine: str) -> None:
    """Every second of 1,300 is relevant, ranks 2, 4, ...: each precision is 1/2, and 500 of the 650 hits count."""
    found = retrieval_metrics(angles_from_the_query(1300), np.arange(1300) % 2, query_embeddings=[[1, 0]], query_labels=[1])
    assert found["map"] == pytest.approx(1 / 2)
    assert found["map_at_1000"] == pytest.approx(500 / 2 / 650)


@pytest.mark.parametrize(("hits", "r_precision", "map_at_r"), [([1], 10, 10), ([1, 10], 20, 12), ([1, 2], 20, 20), (range(1, 11), 100, 100)])
def test_examples_of_the_map_at_r_paper(hits: list[int], r_precision: float, map_at_r: float, engine: str) -> None:
    """R = 10; precision@1 is 100 % each time and hides what the other two show (A Metric Learning Reality Check, toy rankings)."""
    labels = ["other"] * 100
    for rank in [*hits, *range(100, 90 + len(hits), -1)]:
        labels[rank - 1] = "same"
    found = retrieval_metrics(angles_from_the_query(100), labels, query_embeddings=[[1, 0]], query_labels=["same"])
    assert [found[name] for name in ("precision_at_1", "r_precision", "map_at_r")] == pytest.approx([1, r_precision / 100, map_at_r / 100])


def test_rotation_permutation_and_length_change_nothing(engine: str) -> None:
    x, labels = clusters(150, 12, 6, noise=1.5)
    rng = np.random.default_rng(1)
    turn, order = np.linalg.qr(rng.standard_normal((12, 12)))[0], rng.permutation(150)
    expected = pytest.approx(retrieval_metrics(x, labels), abs=1e-9)
    assert retrieval_metrics(x @ turn, labels) == expected
    assert retrieval_metrics(x[order], labels[order]) == expected
    assert retrieval_metrics(x * rng.uniform(1e-15, 1e15, (150, 1)), labels) == expected


@pytest.mark.parametrize(
    "convert",
    [
        *(list, tuple, pd.Series, pd.Index, pd.Categorical, torch.tensor),
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


def test_degenerate_label_sets(engine: str) -> None:
    found = retrieval_metrics(np.eye(3)[[0, 0, 1, 2]], ["a", "a", "b", "c"])  # lone queries are left out, or count as zero
    assert (found["precision_at_1"], found["map_at_r"], found["recall_at_1"], found["map_at_1000"]) == (1, 1, 0.5, 0.25)
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


def test_euclidean_of_rows_of_any_unit() -> None:
    """Nothing changes with the unit, until squares leave float32, which is said, and little with a common offset."""
    x, labels = clusters(150, 12, 6, noise=1.5)
    expected = retrieval_metrics(x, labels, metric="euclidean")
    assert retrieval_metrics(x.astype(np.float64) + 1000, labels, metric="euclidean") == pytest.approx(expected, abs=2e-3)
    for scale in (2.0**-50, 2.0**50):
        assert retrieval_metrics(x * scale, labels, metric="euclidean") == expected
    with pytest.raises(InputError, match=r"An embedding is 1e\+19 from the mean, beyond what float32 can square"):
        retrieval_metrics(x * 2.0**60, labels, metric="euclidean")


def test_scores_average_to_the_metrics_and_some_rows_or_scores_are_those_of_all(engine: str) -> None:
    """Also where most ranks are beyond what is asked for."""
    x, labels = clusters(400, 12, 4, noise=3.0)
    everything = retrieval_scores(x, labels, ks=(1, 30))
    means = everything.drop(columns="label").mean()
    assert list(everything["label"]) == list(labels)
    assert means.to_dict() == pytest.approx(retrieval_metrics(x, labels, ks=(1, 30)))
    pd.testing.assert_frame_equal(retrieval_scores(x, labels, ks=(1, 30), rows=[7, 3, 99]), everything.loc[[7, 3, 99]])
    own = everything[labels == 2].drop(columns="label").mean()
    assert retrieval_metrics(x, labels, ks=(1, 30), rows=labels == 2) == pytest.approx(own.to_dict())
    for only in (["recall_at_1"], ["map_at_r", "mrr"], ["recall_at_30", "precision_at_1"], ["map_at_1000"], ["r_precision", "map"]):
        found = retrieval_scores(x, labels, ks=(1, 30), only=only)
        assert set(found.columns) == {"label", *only}
        pd.testing.assert_frame_equal(found, everything[found.columns])


def test_a_stop_is_heard_between_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ranks, "SORTED_UP_TO", 0)
    monkeypatch.setattr(_ranks, "MOST_QUERIES", 100)
    with pytest.raises(InputError, match="Stopped after 200 of 300 queries"):
        retrieval_scores(*clusters(300, 8, 9, noise=1.5), should_stop=iter([False, True]).__next__)


def test_a_full_disk_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    full = MagicMock()
    full.return_value.__enter__.return_value.write.side_effect = OSError(28, "No space left on device")
    monkeypatch.setattr(_ranks, "SORTED_UP_TO", 0)
    monkeypatch.setattr(_inputs, "MOST_IN_MEMORY", 0)
    monkeypatch.setattr(_inputs.tempfile, "TemporaryFile", full)
    with pytest.raises(InputError, match=r"no room for a scratch file of 0.0 GB .*\(No space left on device\); free some space, or set TMPDIR"):
        retrieval_metrics(*clusters(300, 8, 9, noise=1.5))


X = np.eye(4)
NAN = np.where(np.arange(4)[:, None] == 2, np.nan, X)


GIVEN = (X, [0, 0, 1, 1])


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
        ((*GIVEN, (0, 1)), {}, r"cut-offs ks are \[0, 1\]"),
        ((*GIVEN, (1,), X), {}, "Pass both query_embeddings and query_labels"),
        ((*GIVEN, (1,), X[:, :3], [0, 0, 1, 1]), {}, "have 3 dimensions, the embeddings 4"),
        ((*GIVEN, (1,), NAN, [0, 0, 1, 1]), {}, "The query embeddings row 2 holds NaN"),
        (GIVEN, {"metric": "dot"}, "metric 'dot' is unknown"),
        (GIVEN, {"rows": [4]}, "0 to 3"),
        (GIVEN, {"rows": []}, "at least one"),
        (GIVEN, {"only": ["x"]}, "no score 'x'"),
        ((*GIVEN, (1,), X, [0, 0, 1, 1]), {"cameras": [0, 0, 1, 1]}, "Pass query_cameras with queries"),
        (GIVEN, {"cameras": [0, 0]}, "cameras has size 2"),
    ],
)
def test_bad_input_is_named(arguments: tuple, keywords: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        retrieval_metrics(*arguments, **keywords)


@pytest.mark.parametrize("name", ["k-reciprocal:k1=6,k2=3", "alpha-qe:n=4,database=true", "int8", "binary:candidates=5"])
def test_by_a_ranking_ranks_are_those_of_its_similarities(name: str) -> None:
    """Also of some rows, with unlabeled ones, and of queries that are not in the gallery."""
    rows, codes = clusters(80, 6, 4, 0.7)
    labels = np.where(np.arange(80) % 9 == 0, None, codes.astype(object))
    known = np.flatnonzero(labels != None)  # noqa: E711
    chosen, vectors = known[[3, 17, 40]], unit(rows[known])

    def first_hits(queries: np.ndarray, own: np.ndarray, wanted: np.ndarray) -> list[float]:
        found = np.vstack([block for _, block in find_ranking(name)(vectors, queries, own)])
        found[own >= 0, own[own >= 0]] = -np.inf
        order = np.argsort(-found, axis=1, kind="stable")
        return [1 / (1 + int(np.argmax(codes[known][line] == label))) for line, label in zip(order, wanted, strict=True)]

    own = np.searchsorted(known, chosen)
    scores = retrieval_scores(rows, labels, rows=chosen, metric=name)
    assert scores.index.tolist() == chosen.tolist()
    assert scores["mrr"].tolist() == pytest.approx(first_hits(vectors[own], own, codes[chosen]))
    new, wanted = clusters(7, 6, 4, 0.7, seed=0)
    across = retrieval_scores(rows, labels, query_embeddings=new, query_labels=wanted, metric=name)
    assert across["mrr"].tolist() == pytest.approx(first_hits(unit(new), np.full(7, -1), wanted))


@pytest.mark.parametrize("apart", [False, True], ids=["all are queries", "queries apart"])
def test_rows_of_the_same_label_and_camera_are_not_ranked(apart: bool, engine: str) -> None:
    """Against a slow loop, as Market-1501 is evaluated; with rows without label, and without camera."""
    rng = np.random.default_rng(0)
    rows, codes = clusters(90, 6, 4, 1.2)
    labels = np.where(np.arange(90) % 11 == 0, None, codes.astype(object))
    cameras = np.where(np.arange(90) % 7 == 0, None, rng.integers(0, 3, 90).astype(object))
    asking, gallery = (np.arange(20), np.arange(20, 90)) if apart else (np.arange(90), np.arange(90))
    vectors, expected = unit(rows), list[list[float]]()
    for query in (each for each in asking if labels[each] is not None):
        kept = [row for row in gallery if row != query and labels[row] is not None]
        kept = [row for row in kept if cameras[query] is None or (labels[row], cameras[row]) != (labels[query], cameras[query])]
        order = sorted(kept, key=lambda row: -float(vectors[query] @ vectors[row]))
        hits = np.array([labels[row] == labels[query] for row in order])
        precision = np.cumsum(hits) / np.arange(1, len(hits) + 1)
        expected.append([float(hits[:1].any()), float(hits[:4].any()), (precision * hits).sum() / hits.sum() if hits.any() else np.nan])
    queries = {"query_embeddings": rows[asking], "query_labels": labels[asking], "query_cameras": cameras[asking]} if apart else {}
    found = retrieval_scores(rows[gallery], labels[gallery], (1, 4), cameras=cameras[gallery], **queries)
    np.testing.assert_allclose(found[["recall_at_1", "recall_at_4", "map"]], expected)
    chosen = found.index[[2, 5]]
    some = retrieval_scores(rows[gallery], labels[gallery], (1, 4), cameras=cameras[gallery], rows=chosen, **queries)
    pd.testing.assert_frame_equal(some, found.loc[chosen])


@pytest.mark.parametrize("metric", ["nearness", "k-reciprocal:k1=0", None])
def test_a_metric_or_ranking_that_is_none(metric: str) -> None:
    with pytest.raises(
        InputError, match=r"The metric '(nearness|None)' is unknown; choose 'cosine', 'euclidean', or a ranking: k-rec|k1 is 0; choose"
    ):
        retrieval_metrics(np.eye(3), [0, 0, 1], metric=metric)
