from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from safetensors.torch import load_file

from likeness.embedding import embed
from likeness.errors import InputError
from likeness.training import RunFolder, config_from, mix_run, train, with_changes
from likeness.training.network.backbones import build_network


@pytest.fixture
def tuned(content: dict[str, Any], tmp_path: Path) -> RunFolder:
    photos, rng = tmp_path / "alike", np.random.default_rng(0)
    for number in range(10):
        color = rng.integers(110, 146, 3)
        (photos / f"class {number}").mkdir(parents=True)
        for image in range(6):
            pixels = np.clip(color + rng.normal(0, 20, (20, 20, 3)), 0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(photos / f"class {number}" / f"{image}.png")
    changes = {"data.source": str(photos), "data.validation": 2, "backbone.dim": None, "optimizer.rate": 0.05, "epochs": 2, "evaluate_every": 1}
    return train(with_changes(config_from(content), changes), tmp_path / "tuned")


def test_the_best_mixture_on_held_out_images_is_kept_as_a_run(tuned: RunFolder, tmp_path: Path) -> None:
    found = mix_run(tuned, tmp_path / "mixed", (0.5, 0.0, 1.0, 0.25))
    assert found["alpha"].tolist() == [0, 0.25, 0.5, 1]
    scores = found["validation_recall_at_1"]
    assert found["kept"].tolist() == [number == int(np.argmax(scores)) for number in range(4)]
    metrics = tuned.metrics().dropna(subset=["recall_at_1"])
    best = metrics.loc[metrics["validation_recall_at_1"][1:].idxmax()]
    for name in ("validation_recall_at_1", "validation_map_at_r"):
        assert found[name].iloc[0] == pytest.approx(metrics[name].iloc[0])
        assert found[name].iloc[-1] == pytest.approx(best[name])
    assert found["recall_at_1"].notna().tolist() == found["kept"].tolist()  # the test images are for the one that is kept
    whole = mix_run(tuned, tmp_path / "whole", (1.0,)).iloc[0]
    assert [whole[name] for name in ("recall_at_1", "map_at_r", "nmi")] == pytest.approx([best[name] for name in ("recall_at_1", "map_at_r", "nmi")])

    torch.manual_seed(tuned.config().seed)
    start, trained = build_network(tuned.config().backbone).state_dict(), load_file(tuned.best)
    half = mix_run(tuned, tmp_path / "half", (0.5,))
    assert half["kept"].tolist() == [True]
    for name, value in load_file(tmp_path / "half" / "best.safetensors").items():
        if value.is_floating_point():
            torch.testing.assert_close(value, (start[name] + trained[name]) / 2)
    run = RunFolder(tmp_path / "half")
    assert run.metrics()[["epoch", "alpha"]].to_numpy().tolist() == [[best["epoch"], 0.5]]
    assert "alpha" not in run.best_figures()
    assert (run.status().state, run.config()) == ("finished", tuned.config())
    assert run.best_figures()["recall_at_1"] == pytest.approx(half["recall_at_1"].iloc[0])
    photos = tuned.config().data.source
    assert embed(photos, f"run:{run.path}").vectors.shape == embed(photos, f"run:{tuned.path}").vectors.shape


def test_a_run_that_falls_below_its_start_says_so_at_once(tuned: RunFolder, content: dict[str, Any], tmp_path: Path) -> None:
    scores = tuned.metrics()["validation_recall_at_1"].dropna().tolist()
    assert scores[-1] < scores[0]  # by a rate that is far too high
    message = tuned.status().message
    assert f"R@1 of the validation images is worse than before training ({scores[-1]:.3g}, it was {scores[0]:.3g});" in message
    assert "`likeness runs mix` finds weights between" in message
    calm = train(with_changes(tuned.config(), {"optimizer.rate": 1e-9}), tmp_path / "calm")
    assert "before training" not in calm.status().message


def test_what_cannot_be_mixed(tuned: RunFolder, content: dict[str, Any], tmp_path: Path) -> None:
    mix_run(tuned, tmp_path / "mixed", (0.5,))
    with pytest.raises(InputError, match="exists already; choose another folder"):
        mix_run(tuned, tmp_path / "mixed")
    plain = train(with_changes(config_from(content), {"backbone.dim": None, "epochs": 1}), tmp_path / "plain")
    with pytest.raises(InputError, match="held no images out to choose by"):
        mix_run(plain, tmp_path / "other")
    drawn = train(with_changes(config_from(content), {"epochs": 1}), tmp_path / "drawn")
    with pytest.raises(InputError, match="started at random"):
        mix_run(drawn, tmp_path / "other")
    empty = RunFolder(tmp_path / "empty")
    empty.create(plain.config())
    with pytest.raises(InputError, match="has no weights yet"):
        mix_run(empty, tmp_path / "other")
