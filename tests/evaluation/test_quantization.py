"""What smaller vectors lose, against plain NumPy."""

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.evaluation import quantization_losses, retrieval_metrics
from likeness.search import overlap
from likeness.space import Space
from made_rows import clusters, unit


def decoded(rows: np.ndarray) -> dict[str, np.ndarray]:
    """What each precision stands for."""
    low, step = rows.min(axis=0), np.ptp(rows, axis=0) / 255
    return {"cosine": rows, "int8": low + (np.floor((rows - low) / step) + 0.5) * step, "binary:candidates=0": np.where(rows > 0, 1.0, -1.0)}


def test_neighbors_and_scores_are_those_of_the_decoded_vectors() -> None:
    """With an odd number of dimensions, no two images differ from a third in as many bits and are its kth and next: rare enough among 24 of them."""
    rows, labels = clusters(150, 64, 8, 1.5)
    vectors = unit(rows.astype(np.float64)).astype(np.float32)
    found = quantization_losses(rows, labels, k=5).set_index("ranking")
    assert found["bytes_per_image"].to_dict() == {"cosine": 256, "int8": 64, "binary:candidates=0": 8, "binary": 264}
    assert found.loc["cosine", "neighbors_kept"] == 1
    for name, values in decoded(vectors).items():
        tolerance = 1e-12 if name == "cosine" else 0.01  # products of decoded rows are not divided by their lengths
        scores = retrieval_metrics(values, labels, (1,), only=["recall_at_1", "map_at_r"])
        assert found.loc[name, "neighbors_kept"] == pytest.approx(overlap(vectors, values, 5), abs=tolerance), name
        assert found.loc[name, ["recall_at_1", "map_at_r"]].tolist() == pytest.approx([scores["recall_at_1"], scores["map_at_r"]], abs=tolerance), (
            name
        )
    kept = found["neighbors_kept"]
    assert kept["binary:candidates=0"] < 0.8 < kept["int8"] < kept["cosine"]
    assert kept["binary"] > 0.99  # of 150 images 100 are compared


def test_without_labels_of_a_space_and_of_a_sample() -> None:
    space = Space(clusters(90, 16, 3, 1.0)[0])
    found = quantization_losses(space)
    assert list(found) == ["ranking", "bytes_per_image", "neighbors_kept"]
    sample = quantization_losses(space, sample=20, seed=1)
    assert sample["neighbors_kept"].to_numpy() == pytest.approx(found["neighbors_kept"].to_numpy(), abs=0.15)
    assert quantization_losses(space, k=500)["neighbors_kept"].eq(1).all()
    with pytest.raises(InputError, match="No image is left to search"):
        quantization_losses(np.ones((1, 4)))
    with pytest.raises(InputError, match="No row of labels has a label"):
        quantization_losses(space, [None] * 90)
    with pytest.raises(InputError, match="labels has size"):
        quantization_losses(space, ["a"])
