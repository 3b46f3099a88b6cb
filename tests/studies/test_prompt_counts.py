from typing import Any

import numpy as np
import pytest

from likeness.arrays import unit_rows
from likeness.evaluation import retrieval_metrics
from likeness.notions import InDiReCT, Notion, Oracle, suggest_dim
from likeness.space import Space
from likeness.studies import prompt_counts
from likeness.studies.prompt_counts import prompt_sample


def test_samples_of_a_seed_are_nested_and_those_of_others_differ(shades: Notion) -> None:
    samples = {(seed, count): prompt_sample(shades, count, seed).prompts for seed in range(4) for count in (2, 7, 20, 40)}
    for (seed, count), prompts in samples.items():
        assert len(set(prompts)) == len(prompts) == count
        assert set(prompts) <= set(shades.prompts)
        assert prompts == samples[seed, 40][:count]
    assert len({frozenset(samples[seed, 7]) for seed in range(4)}) == 4
    assert all(set(samples[seed, 40]) == set(shades.prompts) for seed in range(4))


def test_every_prompt_is_drawn_equally_often(shades: Notion) -> None:
    # 1,000 samples of 10 of 40: each prompt in 250 +- 14 of them; five deviations
    drawn = [prompt for seed in range(1000) for prompt in prompt_sample(shades, 10, seed).prompts]
    counts = np.array([drawn.count(prompt) for prompt in shades.prompts])
    assert counts.sum() == 10_000
    assert (np.abs(counts - 250) < 70).all()


def test_every_run_equals_a_fit_on_the_sample(base: Space, shades: Notion, texts: Any) -> None:
    runs = prompt_counts(base, shades, (3, 12), ("exact",), dim=5, seeds=(1, 2))
    assert list(runs.columns[:6]) == ["prompts", "rank", "notion", "method", "dim", "seed"]
    assert list(zip(runs["prompts"], runs["seed"], strict=True)) == [(3, 1), (3, 2), (12, 1), (12, 2)]
    assert set(runs["notion"]) == {"shades"}
    for run in runs.itertuples():
        chosen = np.random.default_rng(run.seed).permutation(40)[: run.prompts]
        rows = texts.vectors("made-up", [shades.prompts[i] for i in chosen])
        fitted = InDiReCT(5, seed=run.seed).fit(rows)
        expected = retrieval_metrics(fitted.transform(base.vectors), base.table.frame["color"])
        assert (run.map_at_r, run.precision_at_1) == pytest.approx((expected["map_at_r"], expected["precision_at_1"]), abs=1e-12)
    assert runs["map_at_r"].nunique() == 4


def test_the_rank_of_the_text_side_stands_beside_the_runs(base: Space, shades: Notion, texts: Any) -> None:
    """Of an encoder whose texts lie in six directions, more prompts than that span no more."""
    rows = []
    flat = np.linalg.qr(np.random.default_rng(0).standard_normal((base.vectors.shape[1], 6)))[0]
    of_full_rank = texts.vectors
    texts.vectors = lambda encoder, given: unit_rows(of_full_rank(encoder, given) @ flat @ flat.T, "The prompts")
    runs = prompt_counts(base, shades, (3, 6, 20), ("raw", "exact"), dim=6, seeds=(0, 1), on_run=rows.append)
    assert runs.groupby("prompts")["rank"].unique().map(list).to_dict() == {0: [0], 3: [3], 6: [6], 20: [6]}
    assert [row["rank"] for row in rows] == runs["rank"].tolist()
    kept = runs[(runs["method"] == "exact") & (runs["prompts"] == 20)]["map_at_r"]
    assert kept.nunique() == 1  # to as many dimensions as the rank all that any prompts say is kept


def test_what_reads_no_prompt_stands_at_zero_prompts_once_per_seed(base: Space, shades: Notion) -> None:
    runs = prompt_counts(base, shades, (3, 12), ("raw", "exact", "oracle"), dim=4, seeds=(0, 1))
    assert runs.groupby(["method", "prompts"]).size().to_dict() == {
        ("raw", 0): 1,
        ("oracle", 0): 2,
        ("exact", 3): 2,
        ("exact", 12): 2,
    }
    labels = base.table.frame["color"]
    expected = retrieval_metrics(Oracle(4, seed=1).fit(base.vectors, labels).transform(base.vectors), labels)
    oracle = runs[(runs["method"] == "oracle") & (runs["seed"] == 1)]
    assert oracle["map_at_r"].item() == pytest.approx(expected["map_at_r"], abs=1e-12)


def test_a_method_that_a_sample_is_too_small_for_is_refused(base: Space, shades: Notion) -> None:
    runs = prompt_counts(base, shades, (5, 6), ("pca",), dim=5, seeds=(0,))
    assert runs["refused"].tolist() == [
        "PCA to 5 dimensions needs more than 5 prompts, but there are 5; choose at most 4 dimensions, give more prompts, or use InDiReCT.",
        "",
    ]


def test_the_suggested_dimension_is_that_of_each_sample(base: Space, shades: Notion, texts: Any) -> None:
    runs = prompt_counts(base, shades, (3, 30), ("exact",), dim="suggested", seeds=(0, 1))
    assert runs["dim"].tolist() == [
        suggest_dim(texts.vectors("made-up", prompt_sample(shades, count, seed).prompts)) for count in (3, 30) for seed in (0, 1)
    ]


def test_all_prompts_are_embedded_in_one_call_before_the_samples(base: Space, shades: Notion, texts: Any) -> None:
    prompt_counts(base, shades, (3, 12), ("raw", "exact"), dim=4, seeds=(0, 1))
    encoder, first = texts.calls[0]
    assert (encoder, first) == ("made-up", tuple(shades.prompts))
    assert all(set(asked) <= set(first) for _, asked in texts.calls)
