"""`python -m experiments.photos` from photos and captions to an encoder, with a network of random weights."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from typer.testing import CliRunner

from experiments.command_line import command_line
from experiments.photos import train
from experiments.photos.features import photo_features
from experiments.photos.head import HeadRecipe, PhotoFeatures
from experiments.photos.judge import JUDGED, judge_captions
from experiments.photos.material import captioned_photos, class_definitions, class_names
from experiments.photos.train import caption_vectors, name_vectors
from likeness.encoders import load_encoder
from likeness.errors import InputError
from likeness.io import assets_dir

WEIGHTS = assets_dir() / "photos" / "network.safetensors"
COLORS = {"red": (220, 30, 30), "green": (30, 160, 40), "blue": (30, 60, 220), "white": (240, 240, 240)}


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """24 plain photos of four colors, with two captions each, a row per caption."""
    folder = tmp_path_factory.mktemp("photos")
    rows = []
    for number in range(24):
        name, color = list(COLORS.items())[number % 4]
        pixels = np.clip(np.array(color) + np.random.default_rng(number).normal(0, 12, (60, 80, 3)), 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{number}.png")
        rows += [{"path": f"{number}.png", "caption": caption} for caption in (f"a {name} wall", f"everything here is {name}")]
    pd.DataFrame(rows).to_csv(folder / "captions.csv", index=False)
    return folder


def test_the_command_makes_an_encoder_that_knows_its_photos(photos: Path, tmp_path: Path) -> None:
    judge = tmp_path / "judge"
    for name, color in COLORS.items():
        (judge / name).mkdir(parents=True)
        Image.new("RGB", (40, 40), color).save(judge / name / "a.png")
    out = tmp_path / "mine"
    arguments = ["photos", str(out), "--captions", str(photos / "captions.csv"), "--weights", str(WEIGHTS), "--judge", str(judge)]
    result = CliRunner().invoke(command_line(), arguments)
    assert result.exit_code == 0, result.output
    assert f"use it as photos:{out}" in result.output
    encoder = load_encoder(f"photos:{out}", "cpu")
    texts = encoder.encode_texts([f"a {name} wall" for name in COLORS])
    images = encoder.encode_images([photos / f"{number}.png" for number in range(24)])
    assert ((images @ texts.T).argmax(1) == np.arange(24) % 4).mean() > 0.9
    card = (out / "README.md").read_text()
    assert "| judge | 4 | 4 |" in card
    assert "| 12 | 12 |" in card  # a half of the photos judges
    assert "Apache License 2.0" in card
    assert json.loads((out / "recipe.json").read_text())["temperature"] == HeadRecipe().temperature


def test_photos_that_are_left_out_train_nothing_and_are_named(photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[set[str]] = []

    def features(paths: list[Path], *_: object, **__: object) -> PhotoFeatures:
        trained.append({path.name for path in paths})
        rng = np.random.default_rng(len(trained))
        return PhotoFeatures(rng.normal(size=(len(paths), 1280)), rng.normal(size=(len(paths), 1000)))

    monkeypatch.setattr(train, "photo_features", features)
    monkeypatch.setattr(train, "name_vectors", lambda: np.random.default_rng(0).normal(size=(1000, 384)))
    for seed in (0, 1):
        train.train_photos(tmp_path / str(seed), photos / "captions.csv", WEIGHTS, leave_out=4, seed=seed)
    for seed in (0, 1):
        away = (tmp_path / str(seed) / "left_out.txt").read_text().split()
        assert len(away) == 4
        assert trained[2 * seed] == {f"{number}.png" for number in range(24)} - set(away)
    assert trained[0] != trained[2]
    card = (tmp_path / "0" / "README.md").read_text()
    assert "| 20 photos with captions, and the names of ImageNet's classes; 4 other photos of the same set trained nothing" in card
    with pytest.raises(InputError, match="24 of 24 photos cannot be held out; keep at least one for training"):
        train.train_photos(tmp_path / "none", photos / "captions.csv", WEIGHTS, leave_out=24)


def test_the_recipe_finds_photos_that_trained_nothing(shared: Path, tmp_path: Path) -> None:
    """120 real photos, 60 of which judge: chance of R@10 is .17; the shipped card's figures need all 700."""
    import zipfile

    with zipfile.ZipFile(shared / "data" / "flickr8k_700.zip") as archive:
        frame = pd.read_csv(archive.open("flickr8k_700/captions.csv"))
        paths = frame["path"].unique()[:120]
        for path in paths:
            archive.extract(f"flickr8k_700/{path}", tmp_path)
    frame[frame["path"].isin(paths)].to_csv(tmp_path / "flickr8k_700" / "captions.csv", index=False)
    files, sentences = captioned_photos(tmp_path / "flickr8k_700" / "captions.csv")
    features = photo_features(files, WEIGHTS)
    figures = judge_captions(features, features, caption_vectors(sentences), name_vectors(), HeadRecipe())
    assert [each.trained for each in figures] == [30, 45, 60, 60]
    assert figures[2].judged == 60 < JUDGED
    assert figures[2].mean[2] > 0.5


def test_captions_of_a_photo_come_together_and_uneven_ones_are_refused(photos: Path, tmp_path: Path) -> None:
    files, sentences = captioned_photos(photos / "captions.csv")
    assert [file.name for file in files] == [f"{number}.png" for number in range(24)]
    assert sentences[1] == ["a green wall", "everything here is green"]
    frame = pd.read_csv(photos / "captions.csv")[:-1]
    frame["path"] = [str(photos / path) for path in frame["path"]]
    frame.to_csv(tmp_path / "captions.csv", index=False)
    with pytest.raises(InputError, match="have 1 to 2 captions each; each photo needs the same number"):
        captioned_photos(tmp_path / "captions.csv")
    with pytest.raises(InputError, match="5 photos are too few to fit and evaluate a head; use at least 20"):
        judge_captions(None, None, np.zeros((5, 2, 384)), np.zeros((1000, 384)), HeadRecipe())


def test_classes_are_those_of_imagenet() -> None:
    assert class_names()[0] == ["tench", "Tinca tinca"]
    assert class_definitions()[999].startswith("a soft thin absorbent paper")
    assert len(class_names()) == len(class_definitions()) == 1000
