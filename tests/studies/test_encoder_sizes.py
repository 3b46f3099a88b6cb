from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.notions import Notion, suggest_dim
from likeness.space import Space
from likeness.studies import compare, encoder_sizes

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
    made: list[str] = []

    def noting(table: ImageTable, encoder: str) -> Space:
        made.append(encoder)
        return embed(table, encoder)

    runs = encoder_sizes(cars, ["small", "large"], [color, shape], dim=4, seeds=(0, 3), embed=noting)
    assert made == ["small", "large"]
    expected = [
        compare(embed(cars, encoder), [color, shape], ("raw", "exact", "oracle"), (4,), (0, 3), metrics=["map_at_r", "precision_at_1"])
        for encoder in made
    ]
    expected = pd.concat([each.assign(encoder=encoder)[list(runs)] for encoder, each in zip(made, expected, strict=True)], ignore_index=True)
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

    monkeypatch.setattr("likeness.encoders.embed_texts", fails_for_small)
    runs = encoder_sizes(cars, ["small", "large"], [color], ("raw", "exact"), dim=4, seeds=(0,), embed=embed)
    assert runs["refused"].tolist() == ["The encoder 'small' has no text side."] * 2 + ["", ""]
    read_nothing = encoder_sizes(cars, ["small"], [color], ("raw", "oracle"), dim=4, seeds=(0,), embed=embed)
    assert (read_nothing["refused"] == "").all()
