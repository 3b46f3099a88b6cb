"""Scores of presence on planted images, and thresholds that the other half sets."""

import numpy as np
import pandas as pd
import pytest

from experiments.analyses.presence_scores import ALL, OFFSET, scores, scores_summary


def _unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)


def test_every_score_is_larger_where_images_show_the_text() -> None:
    random = np.random.default_rng(0)
    texts = _unit(random.normal(size=(40, 32)))
    kinds = texts[1:9][random.integers(8, size=300)]
    absent = _unit(kinds + 0.1 * random.normal(size=kinds.shape))
    shown = np.concatenate([absent[:270], _unit(texts[:1] + 0.1 * random.normal(size=(30, 32)))])
    elsewhere = _unit(random.normal(size=(100, 32)))
    with_it, without = (scores(images, texts[0], texts[1:], elsewhere) for images in (shown, absent))
    assert [name for name in with_it if with_it[name] <= without[name]] == []
    assert with_it["best similarity"] == pytest.approx(float((shown @ texts[0]).max()))
    assert with_it["10 best"] == pytest.approx(float(np.sort(shown @ texts[0])[-10:].mean()))


def test_thresholds_come_from_the_other_half_and_middles_from_each_word() -> None:
    random, rows = np.random.default_rng(1), []
    for half in ("even", "odd"):
        for word in range(20):
            offset = 3 * random.normal()
            for draw in range(10):
                for shown in (True, False):
                    own = offset + shown + 0.1 * random.normal()
                    noise = random.normal() + 5 * (half == "odd")
                    rows.append({"half": half, "draw": draw, "query": f"{half} {word}", "shown": shown, "10 best": own, "moved": noise})
    table = scores_summary(pd.DataFrame(rows)).set_index("score")
    assert table.loc["moved", "shown: absent, worse half"] == 1  # even words are all below the threshold of the odd ones
    assert table.loc["10 best", "AUC"] < 0.8
    assert table.loc[OFFSET, "AUC"] == 1
    assert table.loc[OFFSET, "absent: absent"] == 1
    assert table.loc[ALL, "queries"] == 400
