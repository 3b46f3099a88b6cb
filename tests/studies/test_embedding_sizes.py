from typing import Any

import numpy as np
import pytest

from likeness.evaluation import retrieval_metrics
from likeness.notions import PCA, Identity, InDiReCT, Notion, RandomTransform
from likeness.space import Space
from likeness.studies import embedding_sizes

QUICK = ("raw", "random-transform", "pca", "exact")


def _direct(base: Space, notion: Notion, estimator: Any, texts: Any) -> dict[str, float]:
    fitted = estimator.fit(texts.vectors(base.encoder, notion.prompts))
    return retrieval_metrics(fitted.transform(base.vectors), base.table.frame[notion.attribute])


def test_every_run_equals_the_estimator_and_the_metric_called_directly(base: Space, color: Notion, shape: Notion, texts: Any) -> None:
    runs = embedding_sizes(base, [color, shape], QUICK, sizes=(2, 3, 8), seeds=(0, 4))
    makers = {
        "raw": lambda dim, seed: Identity(),
        "random-transform": RandomTransform,
        "pca": PCA,
        "exact": lambda dim, seed: InDiReCT(dim, seed=seed),
    }
    done = runs[runs["refused"] == ""]
    for run in done.itertuples():
        notion = color if run.notion == color.name else shape
        expected = _direct(base, notion, makers[str(run.method)](dim=run.dim, seed=run.seed), texts)
        assert (run.map_at_r, run.precision_at_1) == pytest.approx((expected["map_at_r"], expected["precision_at_1"]), abs=1e-12)
    # raw once; the others at three sizes with two seeds, PCA (no seed) at 2 and 3 of four prompts and at 2 of three
    assert done.groupby(["notion", "method"]).size().to_dict() == {
        (name, method): count
        for name, pca in ((color.name, 2), (shape.name, 1))
        for method, count in {"raw": 1, "random-transform": 6, "pca": pca, "exact": 6}.items()
    }


def test_what_is_too_large_is_refused_with_the_reason_and_not_clipped(base: Space, color: Notion) -> None:
    runs = embedding_sizes(base, [color], ("raw", "pca", "exact"), sizes=(2, 4, 24, 25), seeds=(0,)).set_index(["method", "dim"])
    assert runs.loc[("exact", 25), "refused"] == "dim is 25, but the encoder has 24 dimensions; choose a whole number from 1 to 24."
    assert np.isnan(runs.loc[("exact", 25), "map_at_r"])
    assert runs.loc[("exact", 24), "refused"] == ""
    assert runs.loc[("pca", 4), "refused"].startswith("PCA to 4 dimensions needs more than 4 prompts, but there are 4;")
    assert runs.loc[("raw", 24), "refused"] == ""
    assert sorted(dim for method, dim in runs.index if method != "raw") == [2, 2, 4, 4, 24, 24, 25, 25]
