from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.notions import PCA, Identity, InDiReCT, LinearAutoencoder, RandomEmbedding
from likeness.spaces import Space, transformed


def _table(n: int) -> ImageTable:
    return ImageTable("photos", Path("."), pd.DataFrame({"path": [f"{i}.png" for i in range(n)]}))


def _vectors(n: int, d: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_a_space_needs_one_finite_row_per_image() -> None:
    with pytest.raises(InputError, match=r"shape \(3, 8\) for 4 images; give one row per image"):
        Space("raw", _table(4), _vectors(3, 8))
    broken = _vectors(4, 8)
    broken[2, 1] = np.nan
    with pytest.raises(InputError, match="NaN or infinite values, first in row 2"):
        Space("raw", _table(4), broken)


def test_the_key_follows_the_vectors_and_not_the_name() -> None:
    assert Space("a", _table(4), _vectors(4, 8)).key == Space("b", _table(4), _vectors(4, 8)).key
    assert Space("a", _table(4), _vectors(4, 8)).key != Space("a", _table(4), _vectors(4, 8, seed=1)).key


def test_the_key_of_a_lineage_stands_above_last_digits() -> None:
    vectors = _vectors(4, 8)
    nearly = np.nextafter(vectors, 2, dtype=np.float32)
    assert Space("a", _table(4), vectors, lineage="x").key == Space("a", _table(4), nearly, lineage="x").key
    assert Space("a", _table(4), vectors, lineage="x").key != Space("a", _table(4), vectors, lineage="y").key


def test_a_transformed_space_sees_images_texts_and_new_images_alike() -> None:
    vectors = _vectors(6, 8)
    base = Space("raw", _table(6), vectors, embed_texts=lambda texts: vectors[: len(texts)], embed_images=lambda images: vectors[: len(images)])
    estimator = InDiReCT(dim=3).fit(_vectors(5, 8, seed=2))
    space = transformed(base, "notion", estimator)
    assert space.embed_texts is not None
    assert space.embed_images is not None
    np.testing.assert_allclose(space.embed_texts(["a", "b"]), space.vectors[:2], atol=1e-6)
    np.testing.assert_allclose(space.embed_images([Path("x")] * 3), space.vectors[:3], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(space.vectors, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("estimator", [PCA(dim=3), LinearAutoencoder(dim=3)])
def test_a_transformed_space_has_unit_rows_whatever_the_estimators_are(estimator: PCA | LinearAutoencoder) -> None:
    import torch

    from likeness.saliency import ImageModel

    class Tower:
        def embed(self, pixels: torch.Tensor) -> torch.Tensor:
            return pixels

    vectors = _vectors(6, 8)
    codes = estimator.fit(_vectors(5, 8, seed=2)).transform(vectors)
    assert not np.allclose(np.linalg.norm(codes, axis=1), 1, atol=0.01)
    base = Space("raw", _table(6), vectors, embed_images=lambda images: vectors[: len(images)], differentiable=lambda: ImageModel(Tower()))  # type: ignore[arg-type]
    space = transformed(base, "notion", estimator)
    np.testing.assert_allclose(space.vectors, codes / np.linalg.norm(codes, axis=1, keepdims=True), atol=1e-6)
    assert space.embed_images is not None
    assert space.differentiable is not None
    np.testing.assert_allclose(space.embed_images([Path("x")] * 2), space.vectors[:2], atol=1e-6)
    np.testing.assert_allclose(space.differentiable().embed(torch.tensor(vectors)).numpy(), space.vectors, atol=1e-6)


def test_a_space_without_a_text_side_stays_without_one() -> None:
    assert transformed(Space("raw", _table(4), _vectors(4, 8)), "notion", Identity().fit(_vectors(4, 8))).embed_texts is None


def test_a_transformed_space_is_differentiable_where_base_and_estimator_are() -> None:
    import torch

    from likeness.saliency import ImageModel

    class Tower:
        def embed(self, pixels: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.normalize(pixels.flatten(1), dim=1)

    tower, loads, vectors = Tower(), [], _vectors(4, 12)
    base = Space("raw", _table(4), vectors, differentiable=lambda: loads.append(1) or ImageModel(tower))  # type: ignore[arg-type, func-returns-value]
    estimator = InDiReCT(dim=3).fit(_vectors(5, 12, seed=2))
    space = transformed(base, "notion", estimator)
    assert not loads
    assert space.differentiable is not None
    model = space.differentiable()
    assert model.tower is tower
    assert model.embed(torch.tensor(vectors).reshape(4, 3, 2, 2)).numpy() == pytest.approx(space.vectors, abs=1e-6)
    assert transformed(base, "by chance", RandomEmbedding(dim=3)).differentiable is None
    assert transformed(Space("raw", _table(4), vectors), "notion", estimator).differentiable is None
