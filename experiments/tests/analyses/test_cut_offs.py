"""The study of cut-offs: what the methods without answers give, controls, and the table."""

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from experiments.analyses.cut_offs import cut_offs, cut_offs_table
from experiments.analyses.query_cutoffs import LabeledQuery, after_answers, flat_thresholds, otsu, two_normals
from likeness.errors import InputError
from likeness.notions import get_notion


def _query(separation: float, seed: int, share: float = 0.4, shift: float = 0.0) -> LabeledQuery:
    rng = np.random.default_rng(seed)
    truth = rng.random(1000) < share
    return LabeledQuery(str(seed), shift + rng.normal(size=1000) + separation * truth, None, truth)


def test_thresholds_against_a_loop_on_two_clear_groups_and_on_other_queries() -> None:
    query = _query(1.5, 0)
    loop = max(query.f1(query.similarities >= each) for each in query.similarities)
    assert query.best_f1 == pytest.approx(loop)
    query = _query(8, 1)
    for rule in (otsu, two_normals):
        assert query.f1(query.similarities >= rule(query.similarities)) > 0.99
    thresholds = flat_thresholds([_query(8, 0), _query(8, 1), _query(8, 2, shift=100)], lambda each: each.similarities)
    assert thresholds[2] < 20  # by the other two, which is useless here
    assert np.isnan(flat_thresholds([_query(8, 0)], lambda each: each.similarities)).all()


def test_a_run_tells_whether_what_was_promised_held() -> None:
    from likeness.cutoffs import CutoffFinder

    query = _query(6, 3, share=0.1)
    rows = after_answers(query, CutoffFinder(query.similarities), (30, 0))
    assert [row["answers"] for row in rows] == [0, 30]
    assert "promised_fdr" not in rows[0]
    assert rows[1]["promised_fdr"] <= 0.1


def test_words_and_images_are_judged_beside_a_control() -> None:
    space = lk.embed(lk.read("cars"), "cars-small")
    rows: list[dict[str, object]] = []
    words = cut_offs(space, [get_notion("viewpoint")], counts=(0, 10), seeds=[0], on_run=rows.append)
    assert len(rows) == len(words)
    table = cut_offs_table(words).set_index(["space", "method", "answers"])
    assert table.loc[("notion", "cut-off, negatives", 10), "ratio"] > table.loc[("notion", "another query", 10), "ratio"] + 0.5
    assert set(words["method"]) == {"flat", "flat, negatives", "Otsu", "two normals", "cut-off", "cut-off, negatives", "another query"}
    images = cut_offs(space, by="body_type", queries=3, counts=(0,), seeds=[0, 1])
    assert set(images["space"]) == {"raw"}
    assert "cut-off, negatives" not in set(images["method"])


def test_the_table_weighs_by_queries_and_by_promises() -> None:
    same: dict[str, object] = {
        "space": "raw",
        "method": "cut-off",
        "seed": 0,
        "answers": 30,
        "precision_held": 1.0,
        "recall_held": 1.0,
        "within": 1.0,
    }
    same |= {"attribute": [*"abc"], "queries": [3, 1, 4], "ratio": [1.0, 0.6, 0.9], "promise": [1 / 3, 1.0, 0.0]}
    missing = {"promised_fdr": [0.3, 0.1, np.nan], "broken": [1.0, 0.0, np.nan], "promised_recall": [0.5, 0.5, np.nan]}  # nothing was promised
    runs = pd.DataFrame(same | missing)
    row = cut_offs_table(runs).iloc[0]
    assert row["queries"] == 8
    assert row["ratio"] == pytest.approx((3 + 0.6 + 3.6) / 8)
    assert row["promise"] == pytest.approx(2 / 8)
    assert row["promised_fdr"] == pytest.approx(0.2)
    assert row["broken"] == pytest.approx(0.5)


def test_what_cannot_be_judged_is_refused() -> None:
    space = lk.embed(lk.read("cars"), "cars-small")
    with pytest.raises(InputError, match="No notion has aspects"):
        cut_offs(space, [])
    with pytest.raises(InputError, match="No value of 'yaw'"):
        cut_offs(space, by="yaw")
