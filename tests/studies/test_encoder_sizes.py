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


def test_it_stops_between_runs_and_before_the_next_encoder(cars: ImageTable, color: Notion, embed: Embed) -> None:
    made: list[str] = []
    rows: list[dict[str, Any]] = []
    runs = encoder_sizes(
        cars,
        ["small", "large"],
        [color],
        ("raw", "exact"),
        dim=4,
        seeds=(0, 1),
        embed=lambda table, encoder: made.append(encoder) or embed(table, encoder),  # type: ignore[func-returns-value]
        should_stop=lambda: len(rows) == 2,
        on_run=rows.append,
    )
    assert list(zip(runs["encoder"], runs["method"], strict=True)) == [("small", "raw"), ("small", "exact")]
    assert made == ["small"]


def test_stopped_at_once_it_has_its_columns_and_refuses_nothing(cars: ImageTable, color: Notion) -> None:
    def stopped(table: ImageTable, encoder: str) -> Space:
        raise InputError("The embedding was stopped before its first image; start it again.")

    runs = encoder_sizes(cars, ["small"], [color], embed=stopped, should_stop=lambda: True)
    assert (len(runs), list(runs.columns[:3]), list(runs.columns[-2:])) == (0, ["encoder", "notion", "method"], ["map_at_r", "precision_at_1"])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"encoders": []}, "There is no encoder to measure"),
        ({"encoders": ["small", "small"]}, "The encoder 'small' stands twice"),
        ({"methods": ("best",)}, "There is no method 'best'"),
        ({"notions": []}, "There is no notion to measure"),
        ({"notions": [Notion("age", "a {} car", ("new", "old"), attribute="age")]}, "The notion 'age' is judged by the attribute 'age'"),
        ({"metrics": ("accuracy",)}, "There is no metric 'accuracy'"),
    ],
)
def test_bad_input_is_named_before_anything_is_embedded(cars: ImageTable, color: Notion, changed: dict[str, Any], said: str) -> None:
    def never(table: ImageTable, encoder: str) -> Space:
        raise AssertionError("embedded before the check")

    with pytest.raises(InputError, match=said):
        encoder_sizes(cars, **({"encoders": ["small"], "notions": [color], "embed": never} | changed))


def test_by_default_the_store_embeds(cars: ImageTable, color: Notion, texts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    space = Space(np.random.default_rng(2).standard_normal((72, 24)).astype(np.float32), cars, name="Raw encoder")
    monkeypatch.setattr("likeness.embedding.embed", lambda table, encoder, should_stop: space.replace(encoder=encoder))
    runs = encoder_sizes(cars, ["any"], [color], ("raw",))
    assert runs["map_at_r"].item() == pytest.approx(retrieval_metrics(space.vectors, cars.frame["color"])["map_at_r"], abs=1e-12)
