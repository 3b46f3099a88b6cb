"""IsoCLIP: its matrices against a plain evaluation of the authors' projection, and its rows by labels."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from experiments.analyses import isoclip
from experiments.analyses.isoclip import isoclip_summary, isoclip_table, kept_directions, projections, shared_directions
from likeness.errors import InputError
from likeness.notions import Notion

RNG = np.random.default_rng(0)


def test_features_are_not_needed() -> None:
    """The authors project features f by W U U^T (src/retrieval.py); the same from f W alone."""
    features, image, text = RNG.normal(size=(7, 20)), RNG.normal(size=(20, 6)), RNG.normal(size=(9, 6))
    directions = shared_directions(image, text)
    operator = image @ text.T
    np.testing.assert_allclose(np.linalg.norm(operator.T @ directions, axis=0), np.linalg.svd(operator, compute_uv=False)[:6])
    band = directions[:, 1:4]
    np.testing.assert_allclose(features @ image @ kept_directions(image, band), features @ band @ band.T @ image, atol=1e-10)


def test_all_directions_keep_everything_where_both_sides_have_full_rank() -> None:
    image, text = RNG.normal(size=(20, 6)), RNG.normal(size=(9, 6))
    np.testing.assert_allclose(kept_directions(image, shared_directions(image, text)), np.eye(6), atol=1e-10)


@pytest.mark.parametrize("encoder", ["cars-small", "photos"])
def test_the_projections_of_shipped_encoders_end_in_their_space(encoder: str) -> None:
    image, text = projections(encoder)
    assert image.shape[1] == text.shape[1] == {"cars-small": 512, "photos": 384}[encoder]
    assert shared_directions(image, text).shape[1] == {"cars-small": 64, "photos": 381}[encoder]


def test_an_encoder_without_linear_projections_is_refused() -> None:
    with pytest.raises(InputError, match="no linear projection on both sides"):
        projections(SimpleNamespace(encode_images=lambda images: np.zeros((len(images), 2)), encode_texts=lambda texts: np.zeros((len(texts), 2))))


def test_each_row_keeps_what_its_directions_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Images show a color in one direction, and more strongly something else in another, which the text side weighs most."""
    color, other = np.repeat([0, 1], 40), RNG.normal(size=80)
    vectors = np.zeros((80, 16))
    vectors[:, 8], vectors[:, 9], vectors[:, 0] = np.where(color, 1.0, -1.0), 0.3 * RNG.normal(size=80), 3 * other
    strengths = np.concatenate([np.linspace(20, 10, 5), np.linspace(2, 1, 11)])
    monkeypatch.setattr(isoclip, "projections", lambda encoder: (np.eye(16), np.diag(strengths)))
    words = {"red": 1.0, "blue": -1.0}
    texts = lambda prompts: np.array([np.eye(16)[8] * words.get(text.split()[1], 0) + 0.1 * np.eye(16)[9] for text in prompts])  # noqa: E731
    space = lk.Space(vectors, labels={"color": np.where(color, "red", "blue")}, embed_texts=texts)
    runs = isoclip_table(space, [Notion("color", "a {} thing", ["red", "blue"], attribute="color")], seeds=range(2))
    score = runs.groupby("row")["map_at_r"].mean()
    assert score["IsoCLIP"] > score["raw encoder"]
    assert score["IsoCLIP"] > score["strongest directions"]
    assert score["all shared directions"] == pytest.approx(score["raw encoder"])
    assert runs.set_index("row").loc["IsoCLIP", "dim"] == 16 - 5 - 2
    table = isoclip_summary(runs.assign(images="made up")).set_index("row")
    assert table.loc["IsoCLIP", "above raw"] == "1 of 1"
    assert table.loc["random projection", "map_at_r"] == pytest.approx(score["random projection"])
    pd.testing.assert_series_equal(table["map_at_r"], score, check_names=False, check_like=True)
