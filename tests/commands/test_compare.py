"""`likeness compare` as a person meets it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image

import likeness as lk
from experiments.renders.cars import render_scenes, sample_scenes
from likeness.comparisons import neighborhood_changes, query_changes
from likeness.errors import InputError
from likeness.notions import get_notion
from worlds import Run, cars


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Eight rendered cars in two folders."""
    for number in range(8):
        file = tmp_path / "old" / "ab"[number % 2] / f"{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(render_scenes(sample_scenes(1, seed=number))[0]).save(file)
    return tmp_path / "old"


def test_what_moved_is_what_the_package_finds(ok: Any, tmp_path: Path) -> None:
    out = tmp_path / "moved.csv"
    printed, err = ok("compare", "moved", "cars", "--to", "car-color@cars-small", "--count", "3", "--out", out)
    raw = cars()
    expected = neighborhood_changes(raw, lk.embed(lk.read("cars"), "cars-small").refit(get_notion("car color")))
    assert f"an image keeps {expected.kept.mean():.1%} on average, from 'raw' to 'car-color@cars-small'; chance: 0.5%" in err
    assert f"A random projection to 6 dimensions keeps {expected.noise.mean():.1%}" in err
    assert "2,000 rows in all" in err
    found = pd.read_csv(out)
    frame = expected.frame(raw.table)
    assert found["path"].tolist() == frame["path"].tolist()
    assert found["kept"].tolist() == frame["kept"].tolist()
    assert frame["path"][2] in printed
    assert frame["path"][3] not in printed


def test_queries_are_judged_by_the_label_of_the_notion(ok: Any) -> None:
    printed, err = ok("compare", "queries", "cars", "--to", "car-color", "--format", "csv", "--count", "2000")
    raw = cars()
    expected = query_changes(raw, raw.refit(get_notion("car color")), "car_color")
    figures = expected.summary()
    assert f"Average precision: {figures['mean_a']:.3f} in 'raw', {figures['mean_b']:.3f} in 'car-color'" in err
    assert f"over classes {figures['class_low']:+.3f} to {figures['class_high']:+.3f}" in err
    assert f"A random projection of 'raw' to 6 dimensions has {figures['control']:.3f}" in err
    assert len(printed.splitlines()) == 2001
    line = "compare queries cars --to car-color --per-class --count 1 --format csv --seeds 0"
    (worst, _), (best, _) = ok(*line.split()), ok(*line.split(), "--best")
    classes = expected.per_class()
    assert worst.splitlines()[1].startswith(classes["label"].iloc[0])
    assert best.splitlines()[1].startswith(classes["label"].iloc[-1])


def test_versions_tell_what_came_and_went(run: Run, ok: Any, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new, out = tmp_path / "new", tmp_path / "changes.csv"
    shutil.copytree(folder, new)
    (new / "a" / "0.png").unlink()
    (new / "a" / "2.png").rename(new / "b" / "2.png")
    words = ("compare", "versions", str(folder), str(new), "-e", "cars", "--format", "csv")
    printed, err = ok(*words, "--notions", "car-color", "--out", out)
    assert "same 6; changed 0; renamed 1; came 0; went 1; relabeled: class 1 images." in err
    lines = printed.splitlines()
    assert [line.split(",")[0] for line in lines] == ["space", "Raw encoder", "car color"]
    found = pd.read_csv(out, keep_default_na=False)
    assert found[["change", "old_path", "new_path", "relabeled"]].to_numpy().tolist() == [
        ["went", "a/0.png", "", ""],
        ["renamed", "a/2.png", "b/2.png", "class"],
    ]
    printed, err = ok(*words, "--by", "class")
    found = pd.read_csv(pd.io.common.StringIO(printed)).set_index("value")
    assert found.loc["a", ["old", "new", "came", "went"]].tolist() == [4, 2, 0, 2]
    assert found.loc["b", ["old", "new", "came", "went"]].tolist() == [4, 5, 1, 0]
    assert ok(*words, "--by", "class", "--count", "1")[1].endswith("... 2 rows in all; --count shows more\n")

    # 8 images are too few to be judged; the exit status says what is found of more
    assert run(*words, "--fail-above", "0.5")[0] == 2
    spaces = {"space": ["hue", "shape"], "auc": [0.7, 0.52], "low": [0.65, 0.49], "seen": 0.56, "images": 90, "drifted": [True, False]}
    monkeypatch.setattr("likeness.comparisons.version_drift", lambda *_: pd.DataFrame(spaces))
    for limit, expected in (("0.5", 1), ("0.64", 1), ("0.66", 0)):
        status, printed, err = run(*words[:-1], "json", "--fail-above", limit)
        assert (status, "Drifted: hue (70%)" in err) == (expected, True)
    assert [line["drifted"] for line in json.loads(printed)] == [True, False]

    def refuse(*_: Any) -> None:
        raise InputError("There is no drift.")

    # changes are written also where a drift cannot be measured
    shutil.rmtree(new / "b")
    monkeypatch.setattr("likeness.comparisons.version_drift", refuse)
    status, _, err = run(*words, "--out", str(out), "--force")
    assert (status, "no drift" in err, len(pd.read_csv(out))) == (2, True, 6)  # two of eight are left
