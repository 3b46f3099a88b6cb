"""Runs that train the image and the text side of a CLIP on captions."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import open_clip
import pandas as pd
import pytest
import torch
from open_clip.loss import ClipLoss, SigLipLoss
from tests.training.conftest import resumed

import likeness as lk
from likeness.data import captions_cell, read_cars
from likeness.encoders import load_encoder, reads_text
from likeness.errors import InputError
from likeness.evaluation import image_text_metrics
from likeness.exports import export
from likeness.losses import make_objective
from likeness.reports import run_report
from likeness.samplers import ShuffledBatches
from likeness.training.config import RunConfig, config_from, with_changes
from likeness.training.dist_context import SINGLE_PROCESS
from likeness.training.loop.given_objects import NOTHING_GIVEN
from likeness.training.loop.mix import mix_run
from likeness.training.loop.module import RunModule
from likeness.training.loop.prepare import prepare_run
from likeness.training.loop.train import train
from likeness.training.runs.query_figures import query_table
from likeness.training.runs.run_encoder import load_network


@pytest.fixture
def captioned(tmp_path: Path) -> Path:
    """A table of shipped cars with one or two captions each."""
    frame = read_cars().frame.iloc[:48]
    color, model = frame["car_color"].astype(str), frame["body_type"].astype(str)
    cells = [
        captions_cell([f"a {one} {other}", f"a photo of a {other}"][: 1 + row % 2]) for row, (one, other) in enumerate(zip(color, model, strict=True))
    ]
    table = pd.DataFrame({"path": [str(path) for path in read_cars().paths()[:48]], "captions": cells, "body_type": model})
    table.to_csv(tmp_path / "cars.csv", index=False)
    return tmp_path / "cars.csv"


@pytest.fixture
def config(captioned: Path) -> RunConfig:
    return config_from(
        {
            "data": {"source": str(captioned), "image_size": 64, "split": "images", "test_images": 16, "validation": 8},
            "backbone": {"name": "clip:cars-small", "dim": None, "text": "train"},
            "objective": {"name": "image-text"},
            "batch": {"size": 8},
            "optimizer": {"kind": "sgd", "rate": 0.01},
            "epochs": 2,
            "checkpoint_every": 2,
            "augment": False,
            "device": "cpu",
        }
    )


@pytest.mark.parametrize(("name", "oracle"), [("image-text", ClipLoss()), ("image-text-sigmoid", SigLipLoss())])
def test_losses_are_those_of_open_clip(name: str, oracle: Any) -> None:
    rows = torch.nn.functional.normalize(torch.randn(2, 6, 5, generator=torch.Generator().manual_seed(0)), dim=2)
    images, texts = rows[0].requires_grad_(True), rows[1]
    objective: Any = make_objective(name)
    bias = {} if objective.bias is None else {"logit_bias": objective.bias}
    expected = oracle(images, texts, logit_scale=objective.log_scale.exp(), **bias)
    found = objective(images, torch.zeros(6), texts)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(*(torch.autograd.grad(each, images)[0] for each in (found, expected)))


def test_recall_of_images_and_texts_is_that_of_a_slow_loop() -> None:
    rng = np.random.default_rng(0)
    images, texts = (rng.normal(size=(count, 4)).astype(np.float32) for count in (12, 20))
    images, texts = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (images, texts))
    owners = np.concatenate([np.arange(12), rng.integers(0, 12, 8)])
    found = image_text_metrics(images, texts, owners, (1, 5))
    for k in (1, 5):
        first = [np.argsort(-(images @ text))[:k] for text in texts]
        assert found[f"text_to_image_recall_at_{k}"] == np.mean([owner in rows for owner, rows in zip(owners, first, strict=True)])
        first = [np.argsort(-(texts @ image))[:k] for image in images]
        assert found[f"image_to_text_recall_at_{k}"] == np.mean([row in owners[rows] for row, rows in enumerate(first)])
    with pytest.raises(InputError, match="Each of 12 images needs a text"):
        image_text_metrics(images, texts[:3], owners[:3])


def test_each_epoch_has_every_image_once_in_an_order_of_its_own() -> None:
    batches = ShuffledBatches(10, 3, seed=1)
    epochs = [[batches.batch(number).tolist() for number in range(start, start + 3)] for start in (0, 3)]
    for epoch in epochs:
        assert len({row for batch in epoch for row in batch}) == 9
    assert epochs[0] != epochs[1]
    assert ShuffledBatches(10, 3, seed=1).batch(4).tolist() == epochs[1][1]
    with pytest.raises(InputError, match="A batch of 11 images does not fit 10"):
        ShuffledBatches(10, 11)


def test_both_sides_learn_and_the_run_reads_texts(config: RunConfig, tmp_path: Path) -> None:
    run = train(config, tmp_path / "run")
    measured = run.metrics()
    assert {"text_to_image_recall_at_1", "image_to_text_recall_at_10", "validation_text_to_image_recall_at_5"} <= set(measured)
    assert measured["best_of"].notna().any()
    raw: Any = load_encoder("cars-small", "cpu")
    trained, name = load_network(run), f"run:{run.path}"
    for own, before in ((trained.backbone.visual, load_encoder("cars-small", "cpu").model.visual), (trained.text.model, raw.model)):  # type: ignore[union-attr]
        known = dict(before.named_parameters())
        assert any(not torch.equal(value, known[key]) for key, value in own.named_parameters())  # type: ignore[union-attr]
    assert reads_text(name)
    encoder = load_encoder(name, "cpu")
    rows = encoder.encode_texts(["a red sedan", "a bus"])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)
    assert encoder.token_count("car " * 99) == raw.token_count("car " * 99)  # type: ignore[attr-defined]
    assert encoder.unknown_words("a zzyzx car") == raw.unknown_words("a zzyzx car")
    assert not np.allclose(rows, raw.encode_texts(["a red sedan", "a bus"]), atol=1e-4)
    space = lk.embed(config.data.source, name)
    assert space.embed_texts is not None
    np.testing.assert_allclose(space.embed_texts(["a red sedan"]), rows[:1], atol=1e-6)


def test_the_untrained_run_is_the_clip_itself(config: RunConfig, tmp_path: Path) -> None:
    run = train(with_changes(config, {"epochs": 0}), tmp_path / "run")
    raw: Any = load_encoder("cars-small", "cpu")
    table = pd.read_csv(config.data.source)
    test = table.iloc[-16:]
    images = load_encoder(f"run:{run.path}", "cpu").encode_images([Path(path) for path in test["path"]])
    sentences = [json.loads(cell) for cell in test["captions"]]
    texts = raw.encode_texts([each for cell in sentences for each in cell])
    owners = np.repeat(np.arange(16), [len(cell) for cell in sentences])
    expected = image_text_metrics(images, texts, owners)
    found = run.metrics().iloc[0]
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def _gradients(config: RunConfig, tmp_path: Path) -> tuple[float, dict[str, torch.Tensor]]:
    ready = prepare_run(config, SINGLE_PROCESS, NOTHING_GIVEN, lambda *_: None)
    module: RunModule = ready.module
    loss = module.training_step(ready.data[0].cut(64), 0)
    loss.backward()
    return float(loss.detach()), {name: each.grad for name, each in module.named_parameters() if each.grad is not None}


def test_a_batch_in_chunks_has_the_gradients_of_the_whole_batch(config: RunConfig, tmp_path: Path) -> None:
    expected, whole = _gradients(config, tmp_path)
    loss, found = _gradients(with_changes(config, {"batch.chunk": 3}), tmp_path)
    assert loss == pytest.approx(expected, rel=1e-5)
    assert {name.split(".")[1] for name in found if name.startswith("network")} == {"backbone", "head", "text"}
    assert found.keys() == whole.keys()
    for name, each in whole.items():
        torch.testing.assert_close(found[name], each, rtol=1e-3, atol=1e-5, msg=name)


def test_texts_that_are_kept_do_not_change_and_guidance_stands_beside(config: RunConfig, tmp_path: Path) -> None:
    kept = with_changes(
        config,
        {
            "backbone.text": "keep",
            "objective.name": "image-text-sigmoid",
            "data.split": "classes",
            "data.attribute": "body_type",
            "data.validation": 0,
            "guidance": {"kind": "elg", "language": ["cars-small"]},
            "epochs": 1,
        },
    )
    run = train(kept, tmp_path / "run")
    own, raw = load_network(run).text, load_encoder("cars-small", "cpu")
    assert own is not None
    before = dict(raw.model.named_parameters())  # type: ignore[attr-defined]
    assert all(torch.equal(value, before[key]) for key, value in own.model.named_parameters())
    assert {"recall_at_1", "text_to_image_recall_at_1", "loss_guidance"} <= set(run.metrics())


def test_it_is_resumed_mixed_and_exported_with_its_texts(config: RunConfig, tmp_path: Path) -> None:
    run = resumed(config, tmp_path)
    table = run_report(run, encoder="cars-small").tables[0]
    assert table.columns[1:] == ["Text to image R@1", "Image to text R@1"]
    assert len(table.rows) == 3
    by_body = query_table(run, "body_type")
    found = np.average(by_body["best"], weights=by_body["queries"])
    assert found == pytest.approx(run.best_figures()["image_to_text_recall_at_1"])
    mixed = mix_run(run, tmp_path / "mixed", (0.0, 0.5, 1.0))
    assert mixed["validation_text_to_image_recall_at_1"].iloc[0] == run.metrics()["validation_text_to_image_recall_at_1"].iloc[0]
    export(run, "open_clip", tmp_path / "clip")
    model, _ = open_clip.create_model_from_pretrained(f"local-dir:{tmp_path / 'clip'}")
    tokens = open_clip.get_tokenizer(f"local-dir:{tmp_path / 'clip'}")(["a red sedan"])
    with torch.inference_mode():
        texts = model.encode_text(tokens, normalize=True).numpy()
    np.testing.assert_allclose(texts, load_encoder(f"run:{run.path}", "cpu").encode_texts(["a red sedan"]), atol=1e-5)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"backbone.text": None}, "image-text needs backbone.text"),
        ({"backbone.name": "test_resnet"}, "text needs the size of a CLIP's texts"),
        ({"backbone.dim": 8}, "text needs the size of a CLIP's texts"),
        ({"guidance": {"kind": "elg"}}, "guidance needs classes"),
        ({"objective.s2sd": {}}, "s2sd needs an objective on classes, but image-text is on captions"),
    ],
)
def test_what_does_not_fit_is_told(config: RunConfig, changes: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        with_changes(config, changes)
