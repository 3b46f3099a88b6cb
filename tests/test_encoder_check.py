"""Whether an encoder sees anything in a set of images, without labels."""

import csv
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import likeness as lk
from likeness.commands.cli import command_line
from likeness.encoder_check import IMAGES, EncoderCheck, Sight, check_encoder, crops, images_to_check, measure_sight, own_sight
from likeness.errors import InputError
from made_rows import unit
from worlds import copy_cars, draw

COUNT = 60


def test_the_figures_equal_loops() -> None:
    rng = np.random.default_rng(0)
    whole, first, second = (unit(rng.normal(size=(20, 6)) * np.arange(1, 7)) for _ in range(3))
    same = [first[i] @ second[i] for i in range(20)]
    others = [first[i] @ second[j] for i in range(20) for j in range(20) if i != j]
    eigenvalues = np.linalg.eigvalsh(np.cov(whole.T))
    found = measure_sight(whole, first, second)
    assert found.gap == pytest.approx(np.mean(same) - np.mean(others))
    assert found.rank == pytest.approx(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())
    assert found.agreement == np.mean([max(range(20), key=lambda j: first[i] @ second[j]) == i for i in range(20)])
    apart = np.eye(40)
    assert measure_sight(apart, apart, apart) == Sight(40, 1.0, pytest.approx(39.0), 1.0)
    one = np.tile(np.eye(40)[:1], (40, 1))
    blind = measure_sight(one, one, one)
    assert (blind.gap, blind.rank) == (0.0, 0.0)


def test_crops_are_opposite_corners() -> None:
    image = Image.fromarray(np.arange(8 * 4, dtype=np.uint8).reshape(4, 8)).convert("RGB")
    first, second = crops(image)
    assert first.size == second.size == (6, 3)
    assert first.getpixel((0, 0)) == image.getpixel((0, 0))
    assert second.getpixel((5, 2)) == image.getpixel((7, 3))
    assert all(crop.size == (1, 1) for crop in crops(image.resize((1, 1))))


@pytest.mark.parametrize(("score", "sees"), [(0.63, False), (0.65, True), (None, True)])
def test_the_verdict_and_its_sentence(score: float | None, sees: bool) -> None:
    own = None if score is None else Sight(100, 1.0, 10.0, 1.0)
    found = EncoderCheck("mine", Sight(100, score or 1.0, 10 * (score or 1.0), score or 0.7), own, 0.25)
    assert found.sees == sees
    assert ("hardly" in found.sentence) != sees
    assert ("'photos', or a published encoder" in found.sentence) != sees
    assert "cannot tell 25% of the prompts" in found.sentence


def _folder(place: Path, shared: Path, archive: str) -> Path:
    """Photos drawn from an archive."""
    place.mkdir()
    with zipfile.ZipFile(shared / "data" / archive) as content:
        names = sorted(name for name in content.namelist() if name.endswith((".jpg", ".png")))
        for name in np.random.default_rng(0).choice(names, COUNT, replace=False):
            Image.open(io.BytesIO(content.read(name))).convert("RGB").save(place / f"{Path(name).stem}.png")
    return place


@pytest.mark.parametrize("archive", ["flickr8k_700.zip", "cub100_160.zip", "cifar100_300.zip", "lsp_pose_2600.zip"])
def test_photos_are_seen_by_the_encoder_for_photos_and_not_by_that_for_cars(archive: str, shared: Path, tmp_path: Path) -> None:
    table = lk.read(_folder(tmp_path / "photos", shared, archive))
    assert check_encoder(lk.embed(table, "photos")).sees
    blind = check_encoder(lk.embed(table, "cars"))
    assert not blind.sees
    assert blind.sentence.startswith("'cars' hardly tells these images apart")
    assert "Use 'photos'" in blind.sentence


def test_prompts_that_are_one_to_the_encoder() -> None:
    space = lk.embed(lk.read("cars"), "cars")
    assert check_encoder(space, ["a red car", "a blue car", "a green car", "a red car"]).same_prompts == 0
    assert check_encoder(space, ["a qwxz car", "a frobnicate car", "a red car", "a blue car"]).same_prompts == 0.5
    notion = space.refit(lk.Notion("color", "a {} car", ["red", "green", "blue"]))
    assert check_encoder(notion).sight == check_encoder(space).sight  # what is behind the notion is checked
    assert check_encoder(space).same_prompts is None


def test_the_command(tmp_path: Path) -> None:
    folder = copy_cars(tmp_path / "renders", range(0, 2000, 2000 // COUNT))
    seen = CliRunner().invoke(command_line(), ["check", str(folder), "--encoder", "cars", "--notion", "car-color", "--format", "csv"])
    assert seen.exit_code == 0, seen.output
    assert seen.stdout.startswith(f"images,encoder,gap,own gap,rank,own rank,agreement,own agreement,score,sees\n{folder},cars,")
    assert ",yes\n" in seen.stdout
    assert "tells these images apart" in seen.stdout
    both = CliRunner().invoke(command_line(), ["check", str(folder), "cars", "-e", "cars", "-e", "photos", "--format", "csv"])
    assert both.exit_code == 1
    rows = list(csv.DictReader(both.stdout.splitlines()[:5]))
    expected = [(str(folder), "cars", "yes"), (str(folder), "photos", "no"), ("cars", "cars", "yes"), ("cars", "photos", "no")]
    assert [(row["images"], row["encoder"], row["sees"]) for row in rows] == expected
    assert f"{folder}: 'photos' hardly tells these images apart" in both.stdout
    assert "'cars' for rendered cars" in both.stdout


def test_no_more_images_are_embedded_than_are_looked_at() -> None:
    table = lk.read("cars")
    some = images_to_check(table, seed=3)
    assert len(some) == IMAGES
    assert set(some.frame["path"]) != set(images_to_check(table, seed=4).frame["path"])
    whole, drawn = (check_encoder(lk.embed(each, "cars"), seed=3) for each in (table, some))
    assert whole.sight.agreement == drawn.sight.agreement
    assert (whole.sight.gap, whole.sight.rank) == pytest.approx((drawn.sight.gap, drawn.sight.rank), rel=1e-3)


def test_what_cannot_be_checked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no encoder behind 'Vectors' to check"):
        check_encoder(lk.Space(np.eye(40)))
    draw(tmp_path / "few", 29)
    with pytest.raises(InputError, match="29 images are too few to check an encoder; pass at least 30"):
        check_encoder(lk.embed(lk.read(tmp_path / "few"), "cars"))


def test_an_encoder_without_figures_of_its_own(tiny_clip: Path) -> None:
    (tiny_clip / "sight.json").write_text(json.dumps({"images": "many"}))
    assert own_sight(f"local-dir:{tiny_clip}") is None
    (tiny_clip / "sight.json").unlink()
    assert own_sight("ViT-B-32/openai") is own_sight(f"local-dir:{tiny_clip}") is None
