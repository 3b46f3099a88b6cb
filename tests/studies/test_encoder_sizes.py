from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.evaluation import retrieval_metrics
from likeness.notions import Identity, InDiReCT, Notion, Oracle, suggest_dim
from likeness.space import Space
from likeness.studies import encoder_sizes

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


def test_every_run_equals_the_estimator_on_that_encoder(cars: ImageTable, color: Notion, shape: Notion, embed: Embed, texts: Any) -> None:
    runs = encoder_sizes(cars, ["small", "large"], [color, shape], dim=4, seeds=(0, 3), embed=embed)
    assert list(runs.columns) == ["encoder", "notion", "method", "dim", "seed", "left_out", "fit_seconds", "refused", "map_at_r", "precision_at_1"]
    assert runs.groupby(["encoder", "notion", "method"], sort=False).size().to_dict() == {
        (encoder, notion, method): count
        for encoder in ("small", "large")
        for notion in ("car color", "car shape")
        for method, count in {"raw": 1, "exact": 2, "oracle": 2}.items()
    }
    for run in runs.itertuples():
        notion = color if run.notion == "car color" else shape
        vectors, labels = embed(cars, str(run.encoder)).vectors, cars.frame[notion.attribute]
        prompts = texts.vectors(run.encoder, notion.prompts)
        fitted = {
            "raw": lambda: Identity().fit(prompts),  # noqa: B023
            "exact": lambda: InDiReCT(4, seed=run.seed).fit(prompts),  # noqa: B023
            "oracle": lambda: Oracle(4, seed=run.seed).fit(vectors, labels),  # noqa: B023
        }[str(run.method)]()
        expected = retrieval_metrics(fitted.transform(vectors), labels)
        assert (run.map_at_r, run.precision_at_1) == pytest.approx((expected["map_at_r"], expected["precision_at_1"]), abs=1e-12)


def test_the_suggested_dimension_is_that_of_each_encoder(cars: ImageTable, color: Notion, embed: Embed, texts: Any) -> None:
    runs = encoder_sizes(cars, ["small", "ViT-B-32/openai", "large"], [color], ("exact",), dim="suggested", seeds=(0,), embed=embed)
    sizes = [suggest_dim(texts.vectors(encoder, color.prompts)) for encoder in ("small", "large")]
    assert runs["dim"].tolist() == [sizes[0], 0, sizes[1]]


def test_an_encoder_without_weights_is_refused_and_the_rest_goes_on(cars: ImageTable, color: Notion, shape: Notion, embed: Embed) -> None:
    rows: list[dict[str, Any]] = []
    steps: list[tuple[int, int]] = []
    runs = encoder_sizes(
        cars,
        ["small", "ViT-B-32/openai", "large"],
        [color, shape],
        ("raw", "exact"),
        dim=4,
        seeds=(0,),
        embed=embed,
        on_run=rows.append,
        progress=lambda done, total: steps.append((done, total)),
    )
    absent = runs[runs["encoder"] == "ViT-B-32/openai"]
    assert set(absent["refused"]) == {"The weights of 'ViT-B-32/openai' cannot be downloaded; connect to the network."}
    assert list(zip(absent["notion"], absent["method"], strict=True)) == [
        ("car color", "raw"),
        ("car color", "exact"),
        ("car shape", "raw"),
        ("car shape", "exact"),
    ]
    assert absent[["map_at_r", "precision_at_1"]].isna().all(axis=None)
    assert (runs.loc[runs["encoder"] != "ViT-B-32/openai", "refused"] == "").all()
    assert [row["encoder"] for row in rows] == runs["encoder"].tolist()
    assert steps == sorted(steps)
    assert (steps[0], steps[-1]) == ((0, 12), (12, 12))


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


def test_images_are_embedded_once_per_encoder(cars: ImageTable, color: Notion, shape: Notion, embed: Embed) -> None:
    made: list[str] = []
    encoder_sizes(
        cars,
        ["small", "large"],
        [color, shape],
        ("raw", "exact"),
        dim=4,
        seeds=(0, 1),
        embed=lambda table, encoder: made.append(encoder) or embed(table, encoder),  # type: ignore[func-returns-value]
    )
    assert made == ["small", "large"]


def test_if_none_can_be_used_the_first_reason_is_told(cars: ImageTable, color: Notion, embed: Embed) -> None:
    with pytest.raises(InputError, match=r"None of the encoders a, b can be used; the first reason: The weights of 'a' cannot be downloaded"):
        encoder_sizes(cars, ["a", "b"], [color], embed=embed)
