import numpy as np
import pandas as pd
import pytest

import likeness as lk
from experiments.analyses.composed_queries import _average_precision, composed_choice, composed_queries, composed_table
from experiments.analyses.query_fusions import CHOSEN, CONTROL, FUSIONS, TermSimilarities
from likeness.errors import InputError


def test_average_precision_is_that_of_scikit_learn() -> None:
    from sklearn.metrics import average_precision_score

    rng = np.random.default_rng(0)
    scores, relevant = rng.normal(size=60).astype(np.float32), rng.random(60) < 0.2
    relevant[5] = False
    rest = np.arange(60) != 5
    assert _average_precision(scores, relevant, 5) == pytest.approx(average_precision_score(relevant[rest], scores[rest]))


def test_words_help_and_wrong_words_do_not() -> None:
    runs = composed_queries(lk.embed("cars", "cars"), [0], queries=2)
    found = runs.pivot_table(index="fusion", columns="kind", values="map")
    for kind in ("and", "and and", "and not"):
        assert found.loc[CHOSEN, kind] > 2 * found.loc["image alone", kind]
        assert found.loc[CHOSEN, kind] > 2 * found.loc[CONTROL, kind]
    assert set(found.index) == {*FUSIONS, CONTROL}
    assert list(composed_table(runs).columns) == ["fusion", "and", "and and", "not", "and not"]


def test_the_study_scores_as_the_search_does() -> None:
    space = lk.embed("cars", "cars")
    text = space.text_query("a red car")
    plain = np.vstack([space.vectors[[7]], text]) @ space.vectors.T
    scores = FUSIONS[CHOSEN](TermSimilarities(plain, plain, [1.0, -1.0], 7))
    scores[7] = -1
    rows = space.nearest(lk.Query([(1, 7), (-1, "a red car")]), 50).rows
    assert len(np.intersect1d(rows, np.argsort(-scores)[:50])) >= 48  # there the image itself is part of the statistics


def test_a_product_of_rectified_similarities_by_hand() -> None:
    centered = np.array([[1.0, 0.4, 0.8, -0.2], [0.1, 0.5, 0.25, -0.5]])
    terms = TermSimilarities(centered, centered, [1.0, -1.0], 0)
    np.testing.assert_allclose(np.exp(FUSIONS["product, centered and rectified"](terms))[1:], [0.5 * 1e-6, 1 * 0.5, 1e-6 * 1], rtol=1e-5)
    np.testing.assert_allclose(FUSIONS["Harris criterion"](terms)[1:3], [0.0 - 0.1 * 0.25, 0.5 - 0.1 * 2.25])


def test_the_choice_is_made_where_it_is_not_judged() -> None:
    scores = {("a", "and"): (0.9, 0.1), ("a", "not"): (0.2, 0.3), ("b", "and"): (0.2, 0.4)}
    runs = pd.DataFrame(
        [{"images": i, "kind": k, "seed": 0, "fusion": f, "map": v} for (i, k), values in scores.items() for f, v in zip("xy", values, strict=True)]
    )
    assert composed_choice(runs)["chosen"].tolist() == ["y", "x", "x"]


def test_two_attributes_are_needed() -> None:
    table = lk.embed("cars", "cars").table
    space = lk.embed("cars", "cars").replace(images=type(table)(table.name, table.root, table.frame[["path", "car_color"]]))
    with pytest.raises(InputError, match="need two attributes whose values are a notion's aspects; 'Synthetic Cars' has car_color"):
        composed_queries(space)
