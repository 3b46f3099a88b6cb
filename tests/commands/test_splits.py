"""`likeness splits` as a person meets it."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data.conftest import save_image

from likeness.commands.splits import sides_at_start
from likeness.data import ImageClasses
from likeness.shifts import read_splits
from likeness.studies import cells, read_study


def test_splits_are_built_shown_and_measured(ok: Any, tmp_path: Path) -> None:
    file = tmp_path / "cars.json"
    printed, err = ok("splits", "build", "--out", file, "--count", "4", "--encoder", "cars-small", "--per-step", "2", "--easier")
    made = read_splits(file)
    assert (made.dataset, made.attribute, made.encoder, made.per_step) == ("Synthetic Cars", ("car_color", "body_type"), "cars-small", 2)
    assert len(made.splits) == 4
    assert "4 of" in err
    for split in made:
        assert split.name in printed
    printed, err = ok("splits", "show", file, "--moved")
    moved = made.splits[-1].changes_from(made.splits[-2])["removed"]
    assert moved[0] in printed
    printed, err = ok("splits", "distance", "--splits", file, "--split", "start", "--encoder", "cars-small", "--repeats", "2")
    assert "classes drawn at random" in printed


def test_removals_have_random_controls_and_leave_half_of_the_images_or_of_the_classes(ok: Any, tmp_path: Path) -> None:
    found = {}
    for half in ("images", "classes"):
        file = tmp_path / f"{half}.json"
        options = ("--encoder", "cars-small", "--per-step", "6", "--start", "random", "--half", half)
        _, err = ok("splits", "build", "--out", file, *options, "--control", "--all")
        made = found[half] = read_splits(file)
        sizes = {kind: [len(split.train) for split in made if split.name.startswith(kind)] for kind in ("removal", "random")}
        assert sorted(sizes["removal"]) == sorted(sizes["random"])
        assert f"{len(sizes['random'])} random removals" in err
        assert made.half == half
    least = {half: min(len(split.train) for split in made) for half, made in found.items()}
    assert least["classes"] == 27  # of 51; by images fewer classes go, since those with many images go first
    assert least["images"] > 27


def test_the_seed_draws_the_random_halves() -> None:
    classes = ImageClasses([str(number) for number in range(20)], np.arange(20))
    first, again, other = (sides_at_start("random", "", "class", classes, seed) for seed in (3, 3, 4))
    assert first == again != other
    assert sorted(first[0] + first[1]) == list(range(20))


def test_what_ships_is_named(ok: Any) -> None:
    printed, _ = ok("splits", "show")
    assert "cars196-oodml" in printed
    printed, _ = ok("splits", "show", "cars196-oodml", "--format", "csv")
    assert printed.splitlines()[1] == "start,8.5912,98,98,25"


BIRDS = ("001.Shiny_Cowbird", "002.Anna_Hummingbird", "003.Black_Tern", "004.Arctic_Tern", "005.Least_Auklet", "006.Brown_Pelican")


def birds(root: Path) -> Path:
    """CUB200 with six species in an order that is not that of their names, two images of each."""
    paths = [f"{name}/{name[4:]}_{number}.png" for name in BIRDS for number in (1, 2)]
    for number, path in enumerate(paths):
        save_image(root / "images" / path, number * 7)
    labels = [number for number in range(1, 7) for _ in (1, 2)]
    for file, values in (("images.txt", paths), ("image_class_labels.txt", labels), ("classes.txt", BIRDS)):
        (root / file).write_text("".join(f"{number} {value}\n" for number, value in enumerate(values, 1)), encoding="utf-8")
    return root


def test_splits_of_a_study_are_computed_from_the_official_halves_by_its_own_command(ok: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    birds(tmp_path / "data" / "cub200")
    study = read_study("oodml-cub200")
    small = ("backbone.name=test_resnet", "backbone.weights=none", "data.image_size=16")
    command = study.splits_command.split()[1:]
    command[command.index("--per-step") + 1], command[command.index("--count") + 1] = "1", "2"  # there are six classes only
    ok(*command, *(f"--set={each}" for each in small))
    start = read_splits("data/cub200-oodml.json").named("start")
    assert sorted(start.train) == ["Anna Hummingbird", "Black Tern", "Shiny Cowbird"]  # the first half by number, not by name
    assert {cell.split.name for cell in cells(study, tmp_path) if cell.split} >= {"start"}


def test_a_pickle_with_names_of_folders_is_imported_by_the_command_of_the_study(ok: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    birds(tmp_path / "data" / "cub200")
    content = {3: {"train": list(BIRDS[:3]), "test": list(BIRDS[3:]), "fid": 52.6}}
    Path("cub200_splits.pkl").write_bytes(pickle.dumps(content))
    note = " ".join(read_study("oodml-cub200").note.split())
    command = "splits import" + note.partition("likeness splits import")[2].partition(". ")[0]
    ok(*command.split())
    assert read_splits("data/cub200-oodml.json").named("split 3").test == ("Arctic Tern", "Least Auklet", "Brown Pelican")


def test_a_name_that_is_no_text_is_kept_as_it_is_shown(ok: Any, tmp_path: Path) -> None:
    (tmp_path / "a.pkl").write_bytes(pickle.dumps({0: {"train": ["x", "y"], "test": ["z", "w"], "fid": 1.0}}))
    ok("splits", "import", str(tmp_path / "a.pkl"), "--dataset", "caf\udce9", "-a", "\udcff", "--out", str(tmp_path / "a.json"))
    found = read_splits(tmp_path / "a.json")
    assert (found.dataset, found.attribute) == ("caf\ufffdE9", "\ufffdFF")
