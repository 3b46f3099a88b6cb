"""Whole trainings on a few generated cars: they learn, stop and go on, and tell what does not fit."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file

from experiments.captioning.captioned import Captioned, captioned_from
from experiments.captioning.car_captions import with_car_captions
from experiments.captioning.config import CaptioningConfig, captioning_config_from, with_captioning_changes
from experiments.captioning.folder import CaptioningFolder
from experiments.captioning.metrics import SCORES, caption_scores
from experiments.captioning.train import Features, train_captioner
from experiments.captioning.training import Training
from experiments.clip.captions import encode_attributes
from experiments.clip.phrases import VALUES
from likeness.data import ImageTable, read_cars
from likeness.errors import InputError
from likeness.progress import Progress

SMALL: dict[str, Any] = {
    "name": "small",
    "data": {"each": 3},
    "decoder": {"hidden": 24, "embedding": 12, "attention": 8, "dropout": 0.1},
    "min_count": 2,
    "longest": 10,
    "xe": {"epochs": 2, "batch": 8, "per_image": 2, "rate": 0.01, "sampling": 0.2, "sampling_every": 1, "smoothing": 0.05},
    "rl": {"epochs": 1, "batch": 8, "samples": 2, "rate": 0.002},
    "checkpoint_every": 3,
    "device": "cpu",
}


def cars(count: int, each: int = 3) -> Captioned:
    whole = read_cars()
    return captioned_from(with_car_captions(ImageTable(whole.name, whole.root, whole.frame.iloc[:count]), each), 0.2, 0.2)


def by_heart(table: ImageTable, captions: list[list[str]], grid: NDArray[np.float16]) -> tuple[Captioned, Features]:
    """The same images train, choose and test, under other row numbers, so that what is measured is learning by heart."""
    order = np.tile(np.arange(len(table)), 3)
    thrice = ImageTable("Thrice", table.root, table.frame.iloc[order])
    return Captioned(thrice, [captions[row] for row in order], *np.split(np.arange(len(order)), 3)), Features("attributes", "0", grid[order])


def attributes(captioned: Captioned) -> NDArray[np.float16]:
    """Features that know each car: four places with two attributes each, one of many numbers each."""
    codes = encode_attributes(captioned.table.frame)
    sizes = [len(values) for values in VALUES.values()]
    onehot = np.concatenate([np.eye(size)[codes[:, i]] for i, size in enumerate(sizes)], 1)
    return np.stack([onehot * (np.arange(onehot.shape[1]) % 4 == place) for place in range(4)], 1).astype(np.float16)


@pytest.fixture(scope="module")
def captioned() -> Captioned:
    return cars(30)


@pytest.fixture
def features(captioned: Captioned) -> Features:
    return Features("attributes", "0", attributes(captioned))


@pytest.fixture
def config() -> CaptioningConfig:
    return captioning_config_from(SMALL)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    found = torch.load(folder / "checkpoint.pt", weights_only=True)["model"]
    for stage in ("xe", "rl"):
        found |= {f"{stage} {name}": value for name, value in load_file(folder / f"best-{stage}.safetensors").items()}
    return dict(found)


def check_same(a: Path, b: Path) -> None:
    ours, theirs = weights(a), weights(b)
    assert list(ours) == list(theirs)
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    reports = [CaptioningFolder(folder).report() for folder in (a, b)]
    for report in reports:
        assert report is not None
        del report["seconds"]
    assert reports[0] == reports[1]
    left, right = (CaptioningFolder(folder).standing.metrics().drop(columns="seconds") for folder in (a, b))
    assert left.equals(right)


def test_a_report_with_both_stages(config: CaptioningConfig, captioned: Captioned, features: Features, tmp_path: Path) -> None:
    said: list[tuple[int, int, str]] = []
    before = torch.random.get_rng_state()
    report = train_captioner(config, captioned, features, tmp_path / "a", lambda *told: said.append(told))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert report is not None
    assert (report["model"], report["features"], report["steps"]) == ("topdown", "attributes", 9)
    assert said[8] == (9, 9, "Training")
    place = CaptioningFolder(tmp_path / "a")
    assert place.standing.status().state == "finished"
    measured = place.standing.metrics()
    assert measured["step"].tolist() == list(range(1, 10))
    assert measured["stage"].tolist() == ["xe"] * 6 + ["rl"] * 3
    for stage in ("xe", "rl"):
        own = measured[measured["stage"] == stage]
        assert report[stage]["step"] == own.loc[own["cider_d"].idxmax(), "step"]
        assert report[stage]["validation"]["cider_d"] == pytest.approx(own["cider_d"].max())
        captions = place.captions(stage)
        assert [each["path"] for each in captions] == list(captioned.table.frame["path"].iloc[captioned.test])
        scores = caption_scores([each["caption"] for each in captions], [each["references"] for each in captions])
        assert tuple(report[stage]["test"]) == SCORES
        assert report[stage]["test"] == pytest.approx(scores)
    # a second call only reads
    assert train_captioner(config, captioned, features, tmp_path / "a") == report


class KilledError(Exception):
    """What no handler expects."""


@pytest.mark.parametrize("kind", ["att2all2", "topdown"])
def test_killed_and_interrupted_runs_end_as_an_undisturbed_one(
    config: CaptioningConfig, captioned: Captioned, features: Features, tmp_path: Path, kind: str
) -> None:
    config = with_captioning_changes(config, {"decoder.kind": kind})
    train_captioner(config, captioned, features, tmp_path / "whole")

    def at(step: int, error: type[BaseException]) -> Progress:
        def progress(done: int, total: int, stage: str = "") -> None:
            if done == step and stage == "Training":
                raise error

        return progress

    # interrupted between steps, killed two steps after a checkpoint, killed at the end of a stage, interrupted in the second one
    for step, error in ((2, KeyboardInterrupt), (5, KilledError), (6, KilledError), (8, KeyboardInterrupt)):
        with pytest.raises(error):
            train_captioner(config, captioned, features, tmp_path / "broken", at(step, error))
        state = CaptioningFolder(tmp_path / "broken").standing.status().state
        assert state == ("stopped" if error is KeyboardInterrupt else "failed")
    assert torch.load(tmp_path / "broken" / "checkpoint.pt", weights_only=True)["step"] == 8
    train_captioner(config, captioned, features, tmp_path / "broken")
    check_same(tmp_path / "whole", tmp_path / "broken")


def test_from_a_damaged_checkpoint_it_goes_on_from_the_one_before(
    config: CaptioningConfig, captioned: Captioned, features: Features, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    train_captioner(config, captioned, features, tmp_path / "whole")
    place = CaptioningFolder(tmp_path / "a")
    stop = lambda done, total, stage: place.standing.request_stop() if done == 6 else None  # noqa: E731
    assert train_captioner(config, captioned, features, place.path, stop) is None
    content = bytearray(place.checkpoint.read_bytes())
    content[len(content) // 2] ^= 1
    place.checkpoint.write_bytes(content)
    train_captioner(config, captioned, features, place.path)
    assert "resuming from the previous one" in caplog.text
    check_same(tmp_path / "whole", place.path)
    content = bytearray((place.path / "best-xe.safetensors").read_bytes())
    content[len(content) // 2] ^= 1
    (place.path / "best-xe.safetensors").write_bytes(content)
    with pytest.raises(InputError, match=r"'best-xe.safetensors' cannot be read"):
        place.load_best("xe", torch.nn.Identity())


def test_an_interruption_within_a_step_does_not_save_half_of_it(
    config: CaptioningConfig, captioned: Captioned, features: Features, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_captioner(config, captioned, features, tmp_path / "whole")
    plain = Training._evaluate

    def interrupted(self: Training, *given: Any) -> dict[str, float]:
        found = plain(self, *given)
        if self.step == 5:  # weights have moved, the step is not counted
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(Training, "_evaluate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train_captioner(config, captioned, features, tmp_path / "broken")
    monkeypatch.undo()
    assert torch.load(tmp_path / "broken" / "checkpoint.pt", weights_only=True)["step"] == 3
    train_captioner(config, captioned, features, tmp_path / "broken")
    check_same(tmp_path / "whole", tmp_path / "broken")


def test_a_stop_that_is_asked_for(config: CaptioningConfig, captioned: Captioned, features: Features, tmp_path: Path) -> None:
    place = CaptioningFolder(tmp_path / "a")
    stop = lambda done, total, stage: place.standing.request_stop() if done == 4 else None  # noqa: E731
    assert train_captioner(config, captioned, features, place.path, stop) is None
    assert (place.standing.status().state, place.standing.status().step) == ("stopped", 5)
    assert place.report() is None
    assert train_captioner(config, captioned, features, place.path) is not None


def overfitted(kind: str) -> CaptioningConfig:
    decoder = {"kind": kind, "hidden": 48, "embedding": 24, "attention": 24, "dropout": 0.0}
    xe = {"epochs": 40, "batch": 12, "per_image": 1, "rate": 0.015, "every": 15}
    content = {"decoder": decoder, "min_count": 1, "longest": 20, "xe": xe, "rl": {"epochs": 0}}
    return captioning_config_from(content | {"evaluate_every": 20, "checkpoint_every": 1000, "device": "cpu"})


def test_sixty_cars_are_learnt_by_heart(kind: str, tmp_path: Path) -> None:
    """One sentence each: CIDEr-D near 0 untrained, a point of ten, or many, after 300 steps."""
    whole = cars(60, each=1)
    captioned, features = by_heart(whole.table, whole.captions, attributes(whole))
    config = with_captioning_changes(overfitted(kind), {"xe.epochs": 60})
    untrained = train_captioner(with_captioning_changes(config, {"xe.epochs": 1, "xe.rate": 1e-9}), captioned, features, tmp_path / "untrained")
    trained = train_captioner(config, captioned, features, tmp_path / "trained")
    assert untrained is not None
    assert trained is not None
    assert "rl" not in trained
    assert untrained["xe"]["test"]["cider_d"] < 0.1
    assert trained["xe"]["test"]["cider_d"] > 0.6
    assert trained["xe"]["test"]["bleu_4"] > 0.1


def test_rewards_rise_in_self_critical_training(kind: str, tmp_path: Path) -> None:
    """Three colors by three bodies, in two wordings of which the metric rewards what both share."""
    names = [f"{color} {body}" for color in ("red", "green", "blue") for body in ("van", "truck", "coupe")]
    captions = [[f"there is a {name} on the road", f"we see one {name} on the wide road", f"a {name} on the road"] for name in names]
    grid = np.zeros((9, 2, 6), np.float16)
    for number in range(9):
        grid[number, 0, number // 3] = grid[number, 1, 3 + number % 3] = 3
    table = ImageTable("Nine", Path(), read_cars().frame.iloc[:9])
    captioned, features = by_heart(table, captions, grid)
    xe, rl = {"epochs": 70, "batch": 9, "per_image": 3, "rate": 0.01, "every": 20}, {"epochs": 40, "batch": 9, "samples": 5, "rate": 0.002}
    config = with_captioning_changes(overfitted(kind), {"xe": xe, "rl": rl, "evaluate_every": 35, "longest": 10})
    report = train_captioner(config, captioned, features, tmp_path / "a")
    assert report is not None
    measured = CaptioningFolder(tmp_path / "a").standing.metrics()
    rewards = measured["reward"].dropna().to_numpy()
    assert rewards[-10:].mean() > rewards[:10].mean() + 0.3
    # the unlike wordings take from each other, so that 10 is out of reach
    assert report["rl"]["test"]["cider_d"] > 8


def test_what_does_not_fit_is_told(config: CaptioningConfig, captioned: Captioned, features: Features, tmp_path: Path) -> None:
    silent = Captioned(captioned.table, [["..."], *captioned.captions[1:]], captioned.train, captioned.validation, captioned.test)
    with pytest.raises(InputError, match=r"The captions of 'images/00000\.webp' have no words"):
        train_captioner(config, silent, features, tmp_path / "silent")
    with pytest.raises(InputError, match="There are features of 5 images and captions of 30"):
        train_captioner(config, captioned, Features("attributes", "0", features.grid[:5]), tmp_path / "a")
    train_captioner(with_captioning_changes(config, {"rl.epochs": 0}), captioned, features, tmp_path / "a")
    for other, own in ((config, features), (with_captioning_changes(config, {"rl.epochs": 0}), Features("attributes", "1", features.grid))):
        with pytest.raises(InputError, match="holds a captioning model of another config or other features; choose another folder"):
            train_captioner(other, captioned, own, tmp_path / "a")
    with pytest.raises(InputError, match=r"The loss of step \d+ is nan; use a smaller learning rate"):
        train_captioner(config, captioned, Features("attributes", "0", features.grid * np.float16(np.nan)), tmp_path / "nan")
    place = CaptioningFolder(tmp_path / "nan")
    assert place.standing.status().state == "failed"
    place.checkpoint.write_bytes(b"no checkpoint")
    with pytest.raises(InputError, match=r"The checkpoint '.*' cannot be read"):
        train_captioner(config, captioned, Features("attributes", "0", features.grid * np.float16(np.nan)), tmp_path / "nan")
