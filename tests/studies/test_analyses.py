from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
import pytest

from likeness.arrays import unit_rows
from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.notions import Notion, suggest_dim
from likeness.space import Space
from likeness.studies import compare, encoder_sizes, prompt_counts
from likeness.studies.prompt_counts import prompt_sample


def test_samples_of_a_seed_are_nested_and_every_prompt_is_drawn_equally_often(shades: Notion) -> None:
    samples = {(seed, count): prompt_sample(shades, count, seed).prompts for seed in range(4) for count in (2, 7, 20, 40)}
    for (seed, count), prompts in samples.items():
        assert len(set(prompts)) == count
        assert prompts == samples[seed, 40][:count]
    assert len({frozenset(samples[seed, 7]) for seed in range(4)}) == 4
    assert all(set(samples[seed, 40]) == set(shades.prompts) for seed in range(4))
    # 1,000 samples of 10 of 40: each prompt in 250 +- 14 of them; five deviations
    drawn = [prompt for seed in range(1000) for prompt in prompt_sample(shades, 10, seed).prompts]
    counts = np.array([drawn.count(prompt) for prompt in shades.prompts])
    assert (np.abs(counts - 250) < 70).all()


def test_every_run_is_the_comparison_on_the_sample_and_all_prompts_are_embedded_at_once(base: Space, shades: Notion, texts: Any) -> None:
    runs = prompt_counts(base, shades, (3, 12), ("exact",), dim=5, seeds=(1, 2))
    assert texts.calls[0] == ("made-up", tuple(shades.prompts))
    assert all(set(asked) <= set(shades.prompts) for _, asked in texts.calls)
    assert list(runs.columns[:6]) == ["prompts", "rank", "notion", "method", "dim", "seed"]
    places = [(3, 1), (3, 2), (12, 1), (12, 2)]
    assert list(zip(runs["prompts"], runs["seed"], strict=True)) == places
    metrics = ["map_at_r", "precision_at_1"]
    samples = [replace(shades, aspects=tuple(shades.aspects[row] for row in np.random.default_rng(s).permutation(40)[:n])) for n, s in places]
    expected = [compare(base, [each], ("exact",), (5,), (s,), metrics=metrics) for each, (_, s) in zip(samples, places, strict=True)]
    pd.testing.assert_frame_equal(runs[["notion", "dim", *metrics]], pd.concat(expected, ignore_index=True)[["notion", "dim", *metrics]])
    assert runs["map_at_r"].nunique() == 4
    refused = prompt_counts(base, shades, (5, 6), ("pca",), dim=5, seeds=(0,))["refused"].tolist()
    assert refused[0].startswith("PCA to 5 dimensions needs more than 5 prompts, but there are 5;")
    assert refused[1] == ""
    sized = prompt_counts(base, shades, (3, 30), ("exact",), dim="suggested", seeds=(0, 1))["dim"].tolist()
    every = [prompt_sample(shades, count, seed) for count in (3, 30) for seed in (0, 1)]
    assert sized == [suggest_dim(texts.vectors("made-up", each.prompts)) for each in every]


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
    assert runs.groupby(["method", "prompts"]).size().to_dict() == {("raw", 0): 1, ("oracle", 0): 2, ("exact", 3): 2, ("exact", 12): 2}
    expected = compare(base, [shades], ("oracle",), (4,), (0, 1), metrics=["map_at_r"])["map_at_r"].tolist()
    assert runs.loc[runs["method"] == "oracle", "map_at_r"].tolist() == expected


Embed = Callable[[ImageTable, str], Space]


@pytest.fixture
def embed(base: Space) -> Embed:
    """Two encoders, "small" and "large", of which the small one sees the images less sharply; no other has weights."""

    def make(table: ImageTable, encoder: str) -> Space:
        if encoder not in ("small", "large"):
            raise InputError(f"The weights of '{encoder}' cannot be downloaded; connect to the network.")
        blur = {"small": 0.6, "large": 0.1}[encoder] * np.random.default_rng(1).standard_normal(base.vectors.shape).astype(np.float32)
        return base.replace(images=table, vectors=base.vectors + blur, encoder=encoder)

    return make


def test_runs_are_those_of_the_comparison_on_each_encoder_which_embeds_once(
    cars: ImageTable, color: Notion, shape: Notion, embed: Embed, texts: Any
) -> None:
    noting, made = MagicMock(side_effect=embed), ["small", "large"]
    runs = encoder_sizes(cars, made, [color, shape], dim=4, seeds=(0, 3), embed=noting)
    assert [call.args[1] for call in noting.call_args_list] == made
    asked, metrics = ([color, shape], ("raw", "exact", "oracle"), (4,), (0, 3)), ["map_at_r", "precision_at_1"]
    every = [compare(embed(cars, encoder), *asked, metrics=metrics).assign(encoder=encoder) for encoder in made]
    expected = pd.concat(every, ignore_index=True)[list(runs)]
    pd.testing.assert_frame_equal(runs.drop(columns="fit_seconds"), expected.drop(columns="fit_seconds"))
    assert list(runs)[:2] == ["encoder", "notion"]
    sized = encoder_sizes(cars, ["small", "ViT-B-32/openai", "large"], [color], ("exact",), dim="suggested", seeds=(0,), embed=embed)
    sizes = [suggest_dim(texts.vectors(encoder, color.prompts)) for encoder in made]
    assert sized["dim"].tolist() == [sizes[0], 0, sizes[1]]


def test_an_encoder_without_weights_is_refused_and_the_rest_goes_on(cars: ImageTable, color: Notion, shape: Notion, embed: Embed) -> None:
    rows: list[dict[str, Any]] = []
    steps: list[tuple[int, int]] = []
    options: dict[str, Any] = {"dim": 4, "seeds": (0,), "embed": embed, "on_run": rows.append, "progress": lambda *step: steps.append(step)}
    runs = encoder_sizes(cars, ["small", "ViT-B-32/openai", "large"], [color, shape], ("raw", "exact"), **options)
    gone = runs["encoder"] == "ViT-B-32/openai"
    assert set(runs.loc[gone, "refused"]) == {"The weights of 'ViT-B-32/openai' cannot be downloaded; connect to the network."}
    assert runs.loc[gone, ["notion", "method"]].to_numpy().tolist() == [
        [f"car {what}", how] for what in ("color", "shape") for how in ("raw", "exact")
    ]
    assert runs.loc[gone, ["map_at_r", "precision_at_1"]].isna().all(axis=None)
    assert (runs.loc[~gone, "refused"] == "").all()
    assert [row["encoder"] for row in rows] == runs["encoder"].tolist()
    assert steps == sorted(steps)
    assert (steps[0], steps[-1]) == ((0, 12), (12, 12))
    with pytest.raises(InputError, match=r"None of the encoders a, b can be used; the first reason: The weights of 'a' cannot be downloaded"):
        encoder_sizes(cars, ["a", "b"], [color], embed=embed)


def test_prompts_that_an_encoder_cannot_read_refuse_it(
    cars: ImageTable, color: Notion, embed: Embed, texts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails_for_small(encoder: str, prompts: Any) -> Any:
        if encoder == "small":
            raise InputError("The encoder 'small' has no text side.")
        return texts(encoder, prompts)

    monkeypatch.setattr(import_module("likeness.studies.encoder_sizes"), "embed_texts", fails_for_small)
    runs = encoder_sizes(cars, ["small", "large"], [color], ("raw", "exact"), dim=4, seeds=(0,), embed=embed)
    assert runs["refused"].tolist() == ["The encoder 'small' has no text side."] * 2 + ["", ""]
    read_nothing = encoder_sizes(cars, ["small"], [color], ("raw", "oracle"), dim=4, seeds=(0,), embed=embed)
    assert (read_nothing["refused"] == "").all()
