"""Distillation from an encoder's stored embeddings, against a slow loop."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from tests.training.conftest import resumed

import likeness as lk
from likeness.errors import InputError
from likeness.progress import no_progress
from likeness.training.config import config_from
from likeness.training.data.run_images import run_images
from likeness.training.guidance.guided_loss import LanguageGuidance
from likeness.training.guidance.teacher import build_teacher
from likeness.training.loop.train import train


def _teacher(content: dict[str, Any], **options: Any) -> tuple[LanguageGuidance, Any]:
    config = config_from(content | {"distill": {"teacher": "cars"} | options})
    images = run_images(config.data, 0)
    assert config.distill is not None
    return build_teacher(config.distill, images, no_progress, None, "cpu"), images


def _divergence(student: NDArray[np.float64], teacher: NDArray[np.float64], temperature: float) -> float:
    """T^2 KL(softmax(S_t / T) || softmax(S / T)) by loops over rows and columns."""
    total = 0.0
    for i in range(len(student)):
        ours, theirs = ([np.exp(float(rows[i] @ each) / temperature) for each in rows] for rows in (student, teacher))
        for a, b in zip(ours, theirs, strict=True):
            total += b / sum(theirs) * np.log((b / sum(theirs)) / (a / sum(ours)))
    return temperature**2 * total / len(student)


@pytest.mark.parametrize("temperature", [1.0, 0.2])
def test_it_is_the_divergence_of_similarities_from_those_of_the_stored_embeddings(content: dict[str, Any], temperature: float) -> None:
    teacher, images = _teacher(content, temperature=temperature)
    space = lk.embed(images.table, "cars", device="cpu")  # another width than the student's
    rows = images.train[[0, 7, 3, 12, 5]]
    embeddings = torch.nn.functional.normalize(torch.randn(5, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64), dim=1)
    embeddings.requires_grad_(True)
    loss = teacher.double()(embeddings, torch.zeros(5), torch.from_numpy(rows))
    loss.backward()
    vectors = np.asarray(space.vectors)[rows].astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert float(loss.detach()) == pytest.approx(_divergence(embeddings.detach().numpy(), vectors, temperature), rel=1e-4)
    assert embeddings.grad is not None
    assert embeddings.grad.abs().max() > 0
    assert not list(teacher.parameters())
    assert float(teacher(torch.from_numpy(vectors), torch.zeros(5), torch.from_numpy(rows))) == pytest.approx(0, abs=1e-6)


def test_embeddings_that_are_stored_are_not_computed_again(content: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    first, images = _teacher(content)
    monkeypatch.setattr("likeness.encoders.store.images.load_encoder", lambda *_: pytest.fail("the encoder was loaded"))
    vectors, again = (dict(each.named_buffers())["targets.vectors"] for each in (first, _teacher(content)[0]))
    assert torch.equal(vectors, again)
    assert not vectors[images.test].any()  # test images are not shown to a teacher


def test_an_image_that_it_cannot_read_and_a_stop_are_told(content: dict[str, Any], photos: Path) -> None:
    config = config_from(content | {"distill": {"teacher": "cars"}})
    images = run_images(config.data, 0)
    assert config.distill is not None
    with pytest.raises(InputError, match=r"The teacher 'cars' has embedded \d+ of 18 images: it was stopped; resume the run"):
        build_teacher(config.distill, images, no_progress, lambda: True, "cpu")
    (photos / "class 1" / "2.png").write_bytes(b"no image")
    with pytest.raises(InputError, match="The teacher 'cars' has embedded 17 of 18 images: "):
        build_teacher(config.distill, images, no_progress, None, "cpu")


def test_a_run_adds_it_with_its_weight_comes_nearer_to_the_teacher_and_resumes(content: dict[str, Any], tmp_path: Path) -> None:
    changes = {"distill": {"teacher": "cars", "weight": 3.0}}
    metrics = resumed(config_from(content | changes), tmp_path / "resumed").metrics().dropna(subset=["loss_distill"])
    np.testing.assert_allclose(metrics["loss"], metrics["loss_objective"] + 3 * metrics["loss_distill"], rtol=1e-4)
    ends = []
    for weight in (0.0, 300.0):
        config = config_from(content | {"epochs": 12, "evaluate_every": 12, "distill": {"teacher": "cars", "weight": weight}})
        ends.append(train(config, tmp_path / str(weight)).metrics()["loss_distill"].iloc[-6:].mean())
    assert ends[1] < ends[0]


def test_it_stands_beside_language_guidance_and_objectives_on_distances(content: dict[str, Any], tmp_path: Path) -> None:
    both = content | {"distill": {"teacher": "cars"}, "guidance": {"language": "clip:cars"}, "epochs": 1}
    assert {"loss_guidance", "loss_distill"} <= set(train(config_from(both), tmp_path / "both").metrics())
    head = both | {"guidance": None, "backbone": content["backbone"] | {"head_only": True}}
    assert "loss_distill" in train(config_from(head), tmp_path / "head").metrics()
