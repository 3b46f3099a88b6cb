"""The run: it can be interrupted, its model loads with open_clip alone, and its card says what was measured."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import torch

from experiments.clip import renders as renders_module, run as run_module, train as train_module
from experiments.clip.recipe import ClipRecipe
from experiments.clip.run import CHECKPOINT, Run, learning_rate
from experiments.clip.train import train_clip
from likeness.errors import InputError

_SMALL = {"image_size": 32, "embed_dim": 16, "text_width": 16, "text_layers": 1, "text_heads": 2, "threads": 1}
_SHORT = {"renders": 16, "watch_renders": 8, "card_renders": 8, "batch": 8, "described": 4, "steps": 6, "warmup": 1, "save_every": 2}
TINY = ClipRecipe.model_validate(_SMALL | _SHORT)


class StopError(Exception):
    """Ends a run from outside."""


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renders_module, "CHUNK", 8)


def stop_at(step: int, done: int, _: int, stage: str) -> None:
    if stage == "Training" and done == step:
        raise StopError


def weights(folder: Path) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    return load_file(folder / "open_clip_model.safetensors")


def test_an_interrupted_run_ends_like_an_undisturbed_one(tmp_path: Path) -> None:
    calls: list[tuple[int, int, str]] = []
    figures: dict[int, Mapping[str, float]] = {}
    whole = train_clip(tmp_path / "whole", TINY, progress=lambda *told: calls.append(told), on_step=figures.__setitem__)
    assert [done for done, total, stage in calls if stage == "Training" and total == 6] == list(range(1, 7)) == list(figures)
    assert {stage for *_, stage in calls} == {"Rendering", "Training"}
    assert all("loss" in each for each in figures.values())
    with pytest.raises(StopError):
        train_clip(tmp_path / "parts", TINY, progress=lambda *args: stop_at(3, *args))
    assert (tmp_path / "parts" / CHECKPOINT).is_file()
    assert (tmp_path / "parts" / "open_clip_config.json").is_file()
    parts = train_clip(tmp_path / "parts", TINY)
    for name, value in weights(whole).items():
        torch.testing.assert_close(weights(parts)[name], value, rtol=0, atol=2e-3)
    assert not (parts / CHECKPOINT).exists()
    assert ClipRecipe.model_validate_json((parts / "recipe.json").read_text()) == TINY
    assert json.loads((parts / "open_clip_config.json").read_text())["model_cfg"]["vision_cfg"]["image_size"] == 32
    card = (parts / "README.md").read_text()
    for text in ("6 steps of 8 pictures", "| body_type | 6 |", "unseen sentence", "On 8 renders of seed 103", "569 prompts"):
        assert text in card


def test_from_a_damaged_checkpoint_it_goes_on_from_the_one_before(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    steps: list[int] = []
    with pytest.raises(StopError):
        train_clip(tmp_path, TINY, progress=lambda *args: stop_at(5, *args))
    content = bytearray((tmp_path / CHECKPOINT).read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / CHECKPOINT).write_bytes(content)
    train_clip(tmp_path, TINY, on_step=lambda step, _: steps.append(step))
    assert steps == [3, 4, 5, 6]
    assert "resuming from the previous one" in caplog.text
    assert not list(tmp_path.glob("checkpoint*"))


def test_other_recipes_and_towers_that_there_are_not_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StopError):
        train_clip(tmp_path, TINY, progress=lambda *args: stop_at(2, *args))
    with pytest.raises(InputError, match=r"another recipe \(batch 8 became 4\)"):
        train_clip(tmp_path, TINY.model_copy(update={"batch": 4}))
    with pytest.raises(InputError, match="Cannot build a model with the tower 'nope'"):
        train_clip(tmp_path / "m", ClipRecipe(tower="nope", renders=2, steps=1))
    assert not (tmp_path / "m").exists()


def test_the_saved_model_is_the_averaged_one_and_loads_with_open_clip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import open_clip

    kept: list[dict[str, torch.Tensor]] = []
    monkeypatch.setattr(train_module, "write_card", lambda *_: None)
    monkeypatch.setattr(train_module, "zero_shot_report", lambda *_: None)
    original = run_module.export
    monkeypatch.setattr(run_module, "export", lambda state, *rest: (kept.append({k: v.clone() for k, v in state.items()}), original(state, *rest)))
    train_clip(tmp_path, TINY)
    run = Run(tmp_path / "other", TINY, resume=False)
    run.averaged = kept[-1]
    expected = run.averaged_model()
    loaded, preprocess = open_clip.create_model_from_pretrained(f"local-dir:{tmp_path}")
    loaded.eval()
    tokens = open_clip.get_tokenizer(f"local-dir:{tmp_path}")(["a red car", "a photo of a van seen from above"])
    pixels = torch.rand(2, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        texts, images = loaded.encode_text(tokens, normalize=True), loaded.encode_image(pixels, normalize=True)
        torch.testing.assert_close(texts, expected.encode_text(tokens, normalize=True), atol=5e-3, rtol=0)
        torch.testing.assert_close(images, expected.encode_image(pixels, normalize=True), atol=5e-3, rtol=0)
    # pooled at the end mark: the words must matter
    assert float(torch.nn.functional.cosine_similarity(texts[0], texts[1], dim=0)) < 0.999
    assert preprocess is not None


def test_the_learning_rate_rises_stays_and_falls() -> None:
    recipe = ClipRecipe(steps=100, warmup=9, cooldown=0.4, learning_rate=1.0)
    rates = [learning_rate(recipe, step) for step in range(101)]
    assert rates[0] == pytest.approx(0.1)
    np.testing.assert_allclose(rates[9:61], 1.0)
    assert rates[80] == pytest.approx(0.5)
    assert rates[100] == pytest.approx(0.0)
    assert (np.diff(rates[60:]) < 0).all()
