from pathlib import Path

import numpy as np
import pytest
import torch

from likeness.errors import InputError
from likeness.notions import InDiReCT, projection
from likeness.notions.projection import project
from made_rows import unit


def test_equals_the_authors_transform(reference: dict) -> None:
    for n in (40, 100):
        images, U = reference[f"n{n}_image_embeddings"], reference[f"n{n}_k16_U0"].T
        assert project(images, U) == pytest.approx(reference[f"n{n}_transformed_images_with_U0"], abs=1e-6)


def test_an_image_at_a_right_angle_to_the_space_becomes_zero_and_one_whose_place_would_be_made_of_rounding() -> None:
    placed = project(np.array([[0.0, 0, 5], [2, 0, 5]], np.float32), np.eye(3)[:, :2])
    assert placed == pytest.approx(np.array([[0, 0], [1, 0]]))
    rng = np.random.default_rng(0)
    U = np.linalg.qr(rng.standard_normal((64, 3)))[0]
    images = rng.standard_normal((20, 64))
    beside = (images - images @ U @ U.T).astype(np.float32)
    assert (beside @ U.astype(np.float32) != 0).any(axis=1).all()
    assert not project(beside, U).any()


def test_a_tensor_at_a_right_angle_to_the_space_becomes_zero_without_a_gradient() -> None:
    notion = InDiReCT(dim=2)
    notion.U = np.eye(3)[:, :2]
    rows = torch.tensor([[0.0, 0, 1], [0.6, 0, 0.8]], requires_grad=True)
    assert project(np.ones((1, 2), np.float32), torch.eye(2)).dtype == np.float32
    placed = notion.transform_tensor(rows)
    placed.sum().backward()
    assert placed.tolist() == [[0, 0], [1, 0]]
    assert rows.grad is not None
    assert rows.grad[0].tolist() == [0, 0, 0]
    assert torch.isfinite(rows.grad).all()


def test_blocks_mapped_files_and_very_long_and_short_rows_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projection, "_BLOCK", 7)
    rows, U = np.random.default_rng(0).standard_normal((40, 6)).astype(np.float32), np.random.default_rng(1).standard_normal((6, 3))
    np.save(tmp_path / "rows.npy", rows)
    np.testing.assert_array_equal(project(np.load(tmp_path / "rows.npy", mmap_mode="r"), U), project(rows, U))
    for scale in (1, 1e-30, 1e30):
        rows[23] *= np.float32(scale)
        np.testing.assert_allclose(project(rows, 1e-8 * U), unit(rows.astype(np.float64) @ U), atol=1e-6)
        rows[23] /= np.float32(scale)
    for value, told in ((np.nan, "row 23 holds NaN or infinity"), (np.inf, "row 23 holds NaN or infinity"), (0, "row 23 is all zeros")):
        rows[23] = value
        with pytest.raises(InputError, match=told):
            project(rows, U)
