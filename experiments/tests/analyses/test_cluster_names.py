"""The study of cluster names, on images whose words are known."""

import numpy as np
import pandas as pd
import pytest

from experiments.analyses.cluster_names import _general, _judged, cluster_names, cluster_names_table, label_columns
from likeness import Space
from likeness.clusters import ClusterName, Clusters
from likeness.errors import InputError

WORDS = ["poodle", "collie", "sparrow", "owl", "car", "bus"]
DIM = 64


def embed_texts(texts: list[str]) -> np.ndarray:
    rows = [np.random.default_rng(int.from_bytes(text.split()[-1].encode(), "little") % 2**32).normal(size=DIM) for text in texts]
    return np.array(rows, np.float32) / np.linalg.norm(rows, axis=1, keepdims=True).astype(np.float32)


@pytest.fixture(scope="module")
def space() -> Space:
    truth = np.repeat(WORDS, 60)
    rows = embed_texts(list(truth)) + np.random.default_rng(0).normal(size=(len(truth), DIM)) * 0.04
    return Space(rows, labels={"what": truth}, embed_texts=embed_texts)


@pytest.fixture(scope="module")
def runs(space: Space) -> pd.DataFrame:
    seen = []
    found = cluster_names(
        space, label_columns(space, ["what"], {"dog": WORDS[:2], "bird": WORDS[2:4], "vehicle": WORDS[4:]}), [0], on_run=seen.append
    )
    pd.testing.assert_frame_equal(pd.DataFrame(seen), found)
    return found


def of(runs: pd.DataFrame, clusters_of: str, names_of: str, label: str = "what") -> pd.DataFrame:
    return runs[(runs["clusters_of"] == clusters_of) & (runs["names_of"] == names_of) & (runs["label"] == label)]


def test_names_of_what_is_known_fit_and_controls_do_not(runs: pd.DataFrame) -> None:
    runs = runs.query("depth == 0")  # about as many clusters as words; deeper ones divide what has one label
    own = of(runs, "HDBSCAN", "words").iloc[0]
    assert own["ami"] > 0.9
    assert own["exact"] > 0.7
    # each of the six words once, whatever the number of clusters
    assert of(runs, "HDBSCAN", "class list")["exact"].iloc[0] == pytest.approx(6 / own["clusters"])
    assert of(runs, "HDBSCAN", "words, labels shuffled").iloc[0]["ami"] < 0.1
    for control in ("words, shuffled", "words, labels shuffled"):
        assert of(runs, "HDBSCAN", control)["exact"].max() < 0.7


def test_shares_add_up_and_the_table_has_the_means_over_seeds(runs: pd.DataFrame) -> None:
    assert np.allclose(runs[["exact", "synonym", "kind", "hypernym"]].sum(axis=1), runs["fits"])
    assert (runs["fits"] <= runs["named"] + 1e-9).all()
    assert (runs["fits"] <= runs["three"] + 1e-9).all()
    assert set(runs["label"]) == {"what", "group"}
    twice = pd.concat([runs, runs.assign(seed=1, fits=runs["fits"] / 2)])
    table = cluster_names_table(twice)
    first = table.iloc[0]
    assert first["fits"] == pytest.approx(0.75 * runs.iloc[0]["fits"])
    assert "seed" not in table


def test_shares_by_hand_without_what_fits_everything() -> None:
    labels = np.array([0, 0, 0, 1, 1, 2])
    values = np.array(["dog", "dog", "cat", "maple_tree", "maple_tree", "car"], dtype=object)
    clusters = Clusters(labels[:, None], np.ones((6, 1), bool), (np.full(3, -1),))
    names = [ClusterName("poodle", 1, ("poodle",)), ClusterName("maple", 1, ("maple",)), ClusterName("", 0.5, ("car",))]
    found = _judged("HDBSCAN", "words", clusters, 0, names, values, _general(values))
    assert [found[key] for key in ("exact", "synonym", "kind", "hypernym")] == [0, 1 / 3, 1 / 3, 0]
    assert found["fits"] == found["three"] == found["named"] == pytest.approx(2 / 3)
    assert found["purity"] == pytest.approx((2 / 3 + 1 + 1) / 3)
    values = np.array(["poodle", "poodle", "owl"], dtype=object)
    clusters = Clusters(np.array([[0], [0], [1]]), np.ones((3, 1), bool), (np.full(2, -1),))
    found = _judged(
        "HDBSCAN", "words", clusters, 0, [ClusterName("dog", 1, ("dog",)), ClusterName("animal", 1, ("animal",))], values, _general(values)
    )
    assert found["hypernym"] == 0.5


def test_no_labels_are_refused(space: Space) -> None:
    with pytest.raises(InputError, match="Pass labels"):
        cluster_names(space, {})
