import numpy as np
import pytest
import torch

from likeness.errors import InputError
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


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (np.ones((2, 3)), "have 3 dimensions, but the notion was fitted in 2"),
        (np.array([[1.0, 1], [0, 0]]), "image embeddings row 1 is all zeros"),
        (np.array([[1.0, np.nan]]), "image embeddings row 0 holds NaN"),
    ],
)
def test_unusable_images_are_refused(images: np.ndarray, message: str) -> None:
    with pytest.raises(InputError, match=message):
        project(images, np.eye(2))


def test_transform_before_fit_is_refused() -> None:
    with pytest.raises(InputError, match=r"InDiReCT is not fitted yet; call fit\(text\)"):
        InDiReCT().transform(np.eye(3))


def test_tensors_go_where_images_go() -> None:
    rng = np.random.default_rng(0)
    notion = InDiReCT(dim=3).fit(rng.standard_normal((5, 6)))
    images = rng.standard_normal((7, 6))
    rows = torch.tensor(images / np.linalg.norm(images, axis=1, keepdims=True))
    assert notion.transform_tensor(rows).numpy() == pytest.approx(notion.transform(images), abs=1e-12)
    assert notion.transform_tensor(rows.float()).dtype == torch.float32


def test_gradients_through_the_projection_equal_finite_differences() -> None:
    rng = np.random.default_rng(1)
    notion = InDiReCT(dim=3).fit(rng.standard_normal((5, 6)))
    rows = torch.tensor(rng.standard_normal((4, 6)), requires_grad=True)
    assert torch.autograd.gradcheck(notion.transform_tensor, rows)


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


def test_tensors_before_fit_or_of_another_width_are_refused() -> None:
    with pytest.raises(InputError, match="This InDiReCT is not fitted yet"):
        InDiReCT().transform_tensor(torch.ones(1, 4))
    with pytest.raises(InputError, match="have 4 dimensions, but the notion was fitted in 3"):
        InDiReCT(dim=2).fit(np.eye(3)).transform_tensor(torch.ones(1, 4))
