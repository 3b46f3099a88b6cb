import numpy as np
import pytest
import torch

from likeness.notions import InDiReCT
from likeness.notions.projection import project


def test_equals_the_authors_transform(reference: dict) -> None:
    for n in (40, 100):
        images, U = reference[f"n{n}_image_embeddings"], reference[f"n{n}_k16_U0"].T
        assert project(images, U) == pytest.approx(reference[f"n{n}_transformed_images_with_U0"], abs=1e-6)


def test_length_of_images_and_scale_of_the_matrix_do_not_matter() -> None:
    rng = np.random.default_rng(0)
    images, U = rng.standard_normal((4, 6)), rng.standard_normal((6, 3))
    assert project(images * [[1e-3], [1], [7], [1e9]], 1e-8 * U) == pytest.approx(project(images, U), abs=1e-12)


def test_an_image_at_a_right_angle_to_the_space_becomes_zero() -> None:
    placed = project(np.array([[0.0, 0, 5], [2, 0, 5]], np.float32), np.eye(3)[:, :2])
    assert placed == pytest.approx(np.array([[0, 0], [1, 0]]))


def test_so_does_one_whose_place_would_be_made_of_rounding() -> None:
    rng = np.random.default_rng(0)
    U = np.linalg.qr(rng.standard_normal((64, 3)))[0]
    images = rng.standard_normal((20, 64))
    codes = (images - images @ U @ U.T).astype(np.float32) @ U.astype(np.float32)
    assert (codes != 0).any(axis=1).all()
    assert not project((images - images @ U @ U.T).astype(np.float32), U).any()


def test_kind_and_precision_of_the_images_come_back() -> None:
    assert project(np.ones((1, 2), np.float32), torch.eye(2)).dtype == np.float32
    assert isinstance(project(torch.ones(1, 2), np.eye(2)), torch.Tensor)


def test_a_tensor_at_a_right_angle_to_the_space_becomes_zero_without_a_gradient() -> None:
    notion = InDiReCT(dim=2)
    notion.U = np.eye(3)[:, :2]
    rows = torch.tensor([[0.0, 0, 1], [0.6, 0, 0.8]], requires_grad=True)
    placed = notion.transform_tensor(rows)
    placed.sum().backward()
    assert placed.tolist() == [[0, 0], [1, 0]]
    assert rows.grad is not None
    assert rows.grad[0].tolist() == [0, 0, 0]
    assert torch.isfinite(rows.grad).all()
