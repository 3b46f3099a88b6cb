"""The page Shifts without a browser: how far classes lie apart, step by step, what it says where it can't, and benchmarks while they fill."""

import functools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from app_page import Page
from likeness.data import image_classes, read_cars
from likeness.evaluation import by_split, generalization_scores
from likeness.io.paths import assets_dir
from likeness.shifts import SplitFile, choose_steps, class_mean_features, read_splits, split_file, split_steps, write_splits
from likeness.space import Space
from likeness.studies import study as studies
from likeness.studies.study import Cell, StudyConfig
from likeness.studies.study_folder import StudyFolder
from likeness.training.config import read_config
from likeness.training.runs.run_folder import RunFolder, Status
from worlds import cars, dataset, draw

BODY = ["body_type"]
REFERENCES = ("Classes drawn at random", "Same classes on both sides")
PAPER = read_config("oodml-cars196")
Make = Callable[..., StudyFolder]


Asked = list[tuple[Any, ...]]


@pytest.fixture(autouse=True)
def references(monkeypatch: pytest.MonkeyPatch, app: Page) -> Asked:
    """What references are asked for; they take seconds, so that a table takes their place."""
    from pages.shifts import splits as shift_splits

    asked: Asked = []
    names = ["this split", shift_splits.RANDOM_CLASSES, shift_splits.SAME_CLASSES]
    table = pd.DataFrame({"reference": names, "measure": ["class means"] * 3, "distance": [0.2, 0.125, 0.03125]})
    monkeypatch.setattr(shift_splits, "reference_distances", lambda *given, **options: asked.append(given) or table)
    return asked


def _finished(app: Page) -> Page:
    return app.wait("splits")


@pytest.fixture
def page(app: Page) -> Page:
    """The page with body types as classes, which are few."""
    app.session_state["shift_classes"] = BODY
    return _finished(app.open("shifts"))


@pytest.fixture
def holds(app: Page) -> Page:
    """The page's second part."""
    app.session_state["shift_classes"] = BODY
    app.session_state["shifts"] = "What holds up"
    return app


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes a benchmark of two methods on two splits, of which some runs are done, standing as `status` says."""

    def make(name: str, done: int, status: Status | None = None) -> StudyFolder:
        folder = StudyFolder(tmp_path / "runs" / name)
        write_splits(folder.path / "splits.json", _two_splits())
        data = {"source": "cars", "attribute": "body_type", "image_size": 96}
        base = {"data": data, "backbone": {"name": "clip:cars", "dim": 16, "head_only": True}, "epochs": 1, "matched_classes": 2}
        rows: dict[str, dict[str, Any]] = {"Raw encoder": {"epochs": 0, "backbone.dim": None}, "Margin": {"objective.name": "margin"}}
        study = {"name": name, "base": base, "seeds": [0, 1], "rows": rows, "splits": str(folder.path / "splits.json")}
        folder.create(StudyConfig.model_validate(study))
        for cell in folder.cells()[:done]:
            _finish(cell)
        if status:
            RunFolder(folder.path).report_status(status)
        return folder

    return make


def _two_splits() -> SplitFile:
    names = _names()
    content = [("start", 0.2, names[:3], names[3:]), ("swap 1", 0.4, [names[0], names[1], names[4]], [names[2], names[3], names[5]])]
    splits = [{"name": name, "distance": distance, "train": train, "test": test} for name, distance, train, test in content]
    return SplitFile.model_validate({"dataset": "Synthetic Cars", "attribute": "body_type", "splits": splits})


def _scores(cell: Cell) -> dict[str, float]:
    score = 0.5 + 0.2 * (cell.row == "Margin") + 0.1 * cell.seed - 0.1 * (cell.config.data.shift != "start")
    matched = {"matched_recall_at_1": score + 0.05, "structure_inter": 1 - score}
    return {"recall_at_1": score, "map_at_1000": score / 2, "zero_shot_2": score, "few_shot_2": 1.5 * score} | matched


def _line(cell: Cell) -> dict[str, Any]:
    assert cell.split is not None
    return {"row": cell.row, "seed": cell.seed, "split": cell.split.name, "distance": cell.split.distance} | _scores(cell)


def _finish(cell: Cell) -> None:
    run = RunFolder(cell.folder)
    run.create(cell.config)
    run.write_report({"name": cell.row, "seconds": 1.0, "steps": 1, "last": {"step": 1} | _scores(cell)})
    run.report_status(Status("finished", 1, 1))


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[StudyFolder]:
    """The benchmarks that are begun."""
    folders: list[StudyFolder] = []
    monkeypatch.setattr(StudyFolder, "begin", lambda folder: folders.append(folder) or 0)
    return folders


def _figures(app: Page) -> list[dict[str, Any]]:
    return [{trace["name"]: trace for trace in traces if trace.get("name")} for traces in app.charts]


def _names() -> list[str]:
    return image_classes(read_cars(), BODY).names


@functools.cache
def _steps() -> list[Any]:
    classes = image_classes(read_cars(), BODY)
    means = class_mean_features(cars().vectors, classes.labels, len(classes.names))
    half = len(classes.names) // 2
    return split_steps(means, range(half), range(half, len(classes.names)), images=np.bincount(classes.labels))


def _places(figure: dict[str, Any]) -> dict[str, tuple[float, float]]:
    sides = [figure[side] for side in ("Trains", "Tests")]
    return {name: (x, y) for side in sides for name, x, y in zip(side["hovertext"], side["x"], side["y"], strict=True)}


def test_each_step_has_the_distance_that_python_gives_its_colors_and_words(page: Page, references: Asked) -> None:
    steps, names = _steps(), _names()
    ((vectors, labels, train, test, *_),) = references
    np.testing.assert_array_equal(vectors, cars().vectors)
    np.testing.assert_array_equal(labels, image_classes(read_cars(), BODY).labels)
    assert [sorted(train), sorted(test)] == [sorted(steps[0].split.train), sorted(steps[0].split.test)]
    assert (page.at("shift_step").options, page.at("shift_step").value) == ([step.name for step in steps], "start")
    before = _figures(page)[1]
    assert before["Trains"]["hovertext"] == names[:3]
    split = next(step.split for step in steps if step.name == "swap 1")
    curve, after = _figures(page.set("shift_step", "swap 1"))
    assert list(page.metrics.values()) == [f"{split.distance:.3g}", str(len(split.train)), str(len(split.test))]
    assert (curve["Chosen"]["x"], curve["Chosen"]["y"]) == ([1], [pytest.approx(split.distance)])
    assert curve["Classes exchanged"]["y"] == pytest.approx([step.split.distance for step in steps if step.kind in ("start", "swap")])
    assert [curve[name]["y"] for name in REFERENCES] == [[0.125, 0.125], [0.03125, 0.03125]]
    assert sorted(after["Trains"]["hovertext"]) == sorted(names[row] for row in split.train)
    assert _places(before) == _places(after)  # no position changes
    (gone,) = {names[row] for row in split.test} & set(names[:3])
    (came,) = {names[row] for row in split.train} - set(names[:3])
    assert f"**{came}** moves to train and **{gone}** moves to test." in page.texts
    page.set("shift_step", "removal 1")
    assert len(_figures(page)[1]["Taken out"]["hovertext"]) == 2
    page.says("are removed.")


def test_what_cannot_be_split_or_kept_is_one_sentence(page: Page) -> None:
    for key, value, said in (
        ("shift_classes", ["sun_height"], "sun height there are 2 classes"),
        ("shift_classes", [], "Choose at least one label"),
        ("shift_classes", BODY, None),
        ("shift_per_step", 5, "3 classes, too few for 5"),
        ("shift_per_step", 1, None),
    ):
        errors = _finished(page.set(key, value)).errors
        assert len(errors) == (said is not None)
        assert said is None or said in errors[0]
    page.set("shift_name_synthetic-cars-body-type", "a/b")
    assert page.at("shift_keep").disabled


def test_the_shipped_images_have_combined_classes_at_first_and_a_way_back(app: Page) -> None:
    classes = _finished(app.open("shifts")).at("shift_classes")
    assert classes.value == ["car_color", "body_type"]
    assert not {"yaw", "Yaw"} & set(classes.options)  # it has a value for each image
    app.at("shift_easier").set_value(True)
    step = _finished(app.set("shift_classes", ["car_color"])).at("shift_step")
    assert step.options[0].startswith("easier")
    assert step.value == "start"
    assert "start" in step.options[1:]
    before = app.metric[0].value
    assert _finished(app.set("shift_random", True)).metric[0].value != before  # random halves are another start


def test_splits_are_kept_and_opened_again_by_name_or_from_a_file_where_it_fits(page: Page, cache: Path) -> None:
    page.set("shift_count", 3).click("shift_keep")
    kept = read_splits(cache / "splits" / "synthetic-cars-body-type.json")
    expected = split_file(choose_steps(_steps(), 3), _names(), dataset="Synthetic Cars")
    assert [(split.name, split.train, split.distance) for split in kept] == [(split.name, split.train, split.distance) for split in expected]
    assert (kept.attribute, kept.rule, kept.per_step) == ("body_type", "paper", 1)
    page.set("shift_splits", "kept:synthetic-cars-body-type")
    assert page.at("shift_step").options == [split.name for split in kept]
    page.says("by features of cars")
    assert len(page.charts) == 2
    assert not page.set("shift_splits", "opened").error
    fits = json.dumps(_two_splits().model_dump(mode="json")).encode()
    for content, said in ((b"{", "is not valid JSON"), (b'{"splits": [], "version": 9}', "has version 9"), (fits, None)):
        page.get("file_uploader")[0].set_value(("mine.json", content, "application/json")).run()
        assert [f"'mine.json' {said}" in error for error in page.errors] == ([True] if said else [])
    assert page.at("shift_step").options == ["start", "swap 1"]
    assert page.metrics["Distance between train and test"] == "0.2"


def test_shipped_splits_of_other_images_say_so_and_start_no_benchmark(page: Page) -> None:
    (warning,) = page.set("shift_splits", "shipped:cars196-oodml").warnings
    assert "cars196, by car model" in warning
    assert page.at("shift_step").options == [split.name for split in read_splits("cars196-oodml")]
    assert len(page.charts) == 1
    page.session_state["shifts"] = "What holds up"
    assert "which Synthetic Cars does not have" in _open_form(page).errors[0]


def test_without_benchmarks_one_that_ships_is_open_and_an_encoder_that_no_training_begins_from_gives_way_to_photos(
    holds: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = {file.stem: pd.read_csv(file) for file in (assets_dir() / "results").glob("*.csv")}
    grow = {f"shipped:{name}" for name, table in shipped.items() if {"split", "distance"} <= set(table) and table["distance"].nunique() > 1}
    assert {f"shipped:{name}" for name, table in shipped.items() if "split" in table} - grow, "studies of halves that are swapped ship, too"
    assert _finished(holds.open("shifts")).at("benchmark").value in grow
    for encoder, said in (("run:/somewhere", "a trained run"), ("", "no network that can be trained"), ("local-dir:/nowhere", "'/nowhere'")):
        monkeypatch.setattr(Space, "encoder_name", encoder)
        assert _offered(_open_form(holds))[0] == "Photos (shipped)"
        (told,) = [caption.value for caption in holds.caption if said in caption.value]
        assert "Photos (shipped)" in told


def _open_form(app: Page) -> Page:
    app.session_state["benchmark_form"] = True
    return _finished(app.open("shifts"))


def _scored(app: Page) -> dict[str, float]:
    (trace,) = [trace for traces in app.charts for trace in traces if trace["type"] == "bar" and trace.get("orientation") == "h"]
    return dict(zip(trace["y"], trace["x"], strict=True))


def test_a_benchmark_that_fills_shows_what_is_there_stops_when_asked_and_has_the_results_that_python_gives(holds: Page, make: Make) -> None:
    folder = make("mine", 3, Status("running", 3, 6, "Margin, swap 1, seed 0", os.getpid()))
    holds.open("shifts").says("**mine**  :material/play_circle: Running  :gray[3 of 6 runs; now Margin, swap 1, seed 0]")
    assert _scored(holds) == {"Raw encoder": pytest.approx(0.45)}  # Margin lacks a split
    _finish(folder.cells()[3])
    assert holds.at("act_benchmark_mine").label == "Stop"
    button = holds.click("act_benchmark_mine").says("4 of 6 runs").at("act_benchmark_mine")
    assert _scored(holds) == {"Raw encoder": pytest.approx(0.45), "Margin": pytest.approx(0.65)}
    assert (folder.stop_requested(), button.label, button.disabled) == (True, "Stopping", True)
    for cell in folder.cells()[4:]:
        _finish(cell)
    RunFolder(folder.path).report_status(Status("finished", 6, 6))
    every = pd.DataFrame([_line(cell) for cell in folder.cells() if cell.split])
    for figure in ("map_at_1000", "matched_recall_at_1"):
        holds.set("benchmark_figure", figure)
        found, scores = by_split(every, figure), generalization_scores(every, figure)
        lines = {trace["name"]: trace["y"] for trace in holds.charts[0] if trace["xaxis"] == "x"}
        assert lines == {row: pytest.approx(found[found["row"] == row]["mean"].tolist()) for row in ("Raw encoder", "Margin")}
        assert _scored(holds) == {row: pytest.approx(ags) for row, ags in zip(scores["row"], scores["ags"], strict=True)}
    assert not holds.says("with the same number of test classes on every split").has("act_benchmark_mine")
    assert len(holds.set("benchmark_shots_of", "Margin").charts) == 5
    bars = next(figure for figure in _figures(holds) if "After adaptation" in figure)
    assert [bars[name]["y"] for name in ("Before", "After adaptation")] == [pytest.approx([0.75, 0.65]), pytest.approx([1.125, 0.975])]
    assert bars["After adaptation"]["text"] == ["+50%", "+50%"]


def test_a_benchmark_says_how_it_stands_and_what_can_be_done_and_one_that_cannot_be_shown_is_left_out_or_named(
    holds: Page, make: Make, begun: list[StudyFolder], tmp_path: Path
) -> None:
    stands = {
        "new": (None, "Not started", "Start"),
        "stopped": (Status("stopped", 2, 6), "Stopped", "Resume"),
        "gone": (Status("running", 2, 6, "Margin, start, seed 0", 999_999_999), "Interrupted", "Resume"),
        "failed": (Status("failed", 2, 6, "1 of 6 runs failed: Margin."), "Failed", "Resume"),
    }
    for name, (status, _, _) in stands.items():
        make(name, 2, status)
    (make("lost", 1).path / "splits.json").unlink()
    make("empty", 0)
    StudyFolder(tmp_path / "runs" / "plain").create(StudyConfig(name="plain", rows={"a": {}}))  # it has no splits
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "study.yaml").write_text("rows: 3")
    holds.open("shifts")
    for name, (status, said, action) in stands.items():
        holds.set("benchmark", f"own:{name}").says(f"{said}  :gray[2 of 6 runs]")
        assert holds.errors == ([status.message] if status and status.state == "failed" else [])
        assert holds.at(f"act_benchmark_{name}").label == action
        holds.click(f"act_benchmark_{name}")
    assert [folder.path.name for folder in begun] == list(stands)
    options = str(holds.set("benchmark", "own:empty").says("'broken' cannot be read", "Nothing measured yet.").at("benchmark").options)
    assert [name in options for name in ("empty", "plain")] == [True, False]
    assert "There is no file of splits" in holds.set("benchmark", "own:lost").errors[0]


def test_a_benchmark_is_started_with_what_was_chosen(holds: Page, tmp_path: Path, begun: list[StudyFolder]) -> None:
    methods = ["Raw encoder", "R-margin", "Margin + uniform prior", "DiVA", "Margin + ELG"]
    _open_form(holds).enter(benchmark_methods=methods, benchmark_count=2, benchmark_seeds=3, benchmark_epochs=4)
    holds.says("26 runs on 2 splits: start (0.195), removal 1 (0.288).")
    holds.set("benchmark_name_shifts", "my shifts").click("benchmark_start")
    assert [folder.path for folder in begun] == [tmp_path / "runs" / "my shifts"]
    wanted = begun[0].cells()
    assert len(wanted) == 26
    assert {(cell.config.epochs, cell.config.matched_classes, cell.config.batch.per_class) for cell in wanted} == {(0, 2, 48), (4, 2, 48)}
    assert wanted[0].split is not None
    assert wanted[0].split.train == tuple(_names()[:3])
    objectives = {cell.row: cell.config.objective for cell in wanted}
    assert objectives["R-margin"].name == "r-margin"
    assert objectives["DiVA"].diva is not None
    assert holds.at("benchmark").value == "own:my shifts"
    assert not holds.session_state["benchmark_form"]


def test_what_cannot_be_started_is_one_message(holds: Page, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.studies import ShiftMethod
    from pages.shifts.benchmark_form import METHODS

    make("shifts", 0)
    _open_form(holds)
    assert holds.at("benchmark_name_shifts-2").value == "shifts-2"
    _check_warning(holds.set("benchmark_name_shifts-2", "shifts"), "There already is a benchmark or run named shifts")
    holds.at("benchmark_name_shifts-2").set_value("shifts-2")
    assert holds.set("benchmark_methods", []).warnings == ["Choose at least one method."]
    holds.at("benchmark_methods").set_value(["Margin"])
    for name, said in (
        ("resnet19", "no timm model 'resnet19'; the nearest names are resnet18"),
        ("clip:hf-hub:nobody/nothing", "'hf-hub:nobody/nothing' is not on this machine"),
        ("local-dir:/etc", "no network 'local-dir:/etc' to train"),
    ):
        _check_warning(_choose_network(holds, name), said)
    assert not _choose_network(holds, "photos").warnings
    assert not holds.at("benchmark_start").disabled
    with monkeypatch.context() as patch:  # a method that reads feature maps, where the network has none
        patch.setitem(METHODS, "Margin", ShiftMethod("", {"objective.s2sd": {"target_dims": [8], "pooling": "average+max"}}))
        _check_warning(_choose_network(holds, "clip:cars", "Whole network"), "Margin ", "clip:cars does not have; choose a timm CNN such as resnet50")
        assert not _choose_network(holds, "resnet50", "Whole network").warnings


def _check_warning(app: Page, *said: str) -> None:
    (warning,) = app.warnings
    assert all(each in warning for each in said)
    assert app.at("benchmark_start").disabled


def _choose_network(app: Page, name: str, part: str = "Embedding layer") -> Page:
    _offer(app, name).set_value(name)
    return app.set("benchmark_part", part)


def _offer(app: Page, name: str) -> Any:
    """The field of the network, which takes this name: AppTest forgets with each run what was typed."""
    (field,) = [field for field in app.selectbox if field.label == "Network"]
    if field.format_func(name) not in field.options:
        field.options.append(name)
    return field


def _offered(app: Page) -> list[str]:
    """Networks in their order, as shown."""
    return [option for field in app.selectbox if field.label == "Network" for option in field.options]


@pytest.mark.parametrize(
    ("name", "part", "size", "words"),
    [
        ("clip:cars", "Embedding layer", 96, "Cars (shipped), the embedding layer alone, on images of 96 px."),
        ("resnet18", "Whole network", 224, "ResNet-18, every layer, on images of 224 px."),
    ],
)
def test_a_benchmark_trains_the_chosen_network_on_images_of_its_size(
    holds: Page, begun: list[StudyFolder], name: str, part: str, size: int, words: str
) -> None:
    assert _offered(_open_form(holds))[:3] == ["Cars (shipped)", "Photos (shipped)", "Cars, smaller (shipped)"]
    assert not _choose_network(holds, name, part).warnings
    _offer(holds, name)
    (folder,) = holds.click("benchmark_start") and begun
    assert folder.study().note.endswith(f"splits; {words}")
    whole = part == "Whole network"
    for cell in folder.cells():
        config, raw = cell.config, cell.row == "Raw encoder"
        assert (config.backbone.name, config.backbone.head_only, config.data.image_size) == (name, not whole, size)
        assert (config.backbone.dim, config.few_shot is None) == (None if raw else 128, raw)
        assert config.epochs == (0 if raw else PAPER.epochs if whole else 5)


def test_a_strangers_photos_are_trained_on_with_the_network_that_embedded_them(app: Page, tmp_path: Path, begun: list[StudyFolder]) -> None:
    photos = dataset(draw(tmp_path / "photos", 30, ("ant", "bee", "cow", "dog", "eel", "fox")), "photos")
    app.query_params["dataset"] = photos.name
    app.session_state["shifts"] = "What holds up"
    assert _offered(_open_form(app))[0] == "Photos (shipped)"
    app.set("benchmark_part", "Whole network").click("benchmark_start")
    configs = [cell.config for cell in begun[0].cells()]
    assert {(config.data.source, config.data.attribute, config.data.image_size) for config in configs} == {(photos.source, "class", 224)}
    assert {(config.backbone.name, config.batch.size, config.batch.per_class) for config in configs} == {("photos", 24, 12)}  # at worst, ten images


def test_time_is_told_only_where_the_speed_of_the_network_was_measured(holds: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.shifts import benchmark_form

    _choose_network(_open_form(holds), "photos", "Whole network").hides("at least")
    monkeypatch.setattr(benchmark_form, "remembered_speeds", lambda: {"photos": 1000.0})
    holds.set("benchmark_epochs_whole", 1)
    told = next(caption.value for caption in holds.caption if "All runs together" in caption.value)
    number, unit = told.partition("at least ")[2].split()[:2]
    seconds = int(number) * {"s": 1, "min": 60}[unit]
    images, runs = 2000, 3 * 4 * 2  # about half of the images train, each of which counts three times; the others test
    assert runs * 0.5 * images / 1000 < seconds < (runs * 3 + 4) * images / 1000
    _choose_network(holds, "photos").says("at least 2 s at the 1,000 images a second")


def test_shipped_results_are_offered_and_shown(holds: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Make) -> None:
    from pages.shifts import benchmarks

    def write(name: str, lines: list[dict[str, Any]]) -> None:
        pd.DataFrame(lines).to_csv(tmp_path / "results" / f"{name}.csv", index=False)

    (tmp_path / "results").mkdir()
    write("far", [_line(cell) for cell in make("made", 0).cells() if cell.split])
    write("plain", [{"row": "a"}])
    for name, last in (("rises", 0.6), ("falls", 0.2)):
        splits = (("start", 0.1, 0.9), ("swap 4", 0.2, 0.3), ("removal 2", 0.4, last))
        write(name, [{"row": "Margin", "seed": 0, "split": split, "distance": at, "recall_at_1": r, "seconds": 1.0} for split, at, r in splits])
    for module in (benchmarks, studies):
        monkeypatch.setattr(module, "assets_dir", lambda: tmp_path)
    options = holds.open("shifts").at("benchmark").options
    assert [any(name in option for option in options) for name in ("far (shipped results)", "plain")] == [True, False]
    assert _scored(holds.set("benchmark", "shipped:far")) == {"Margin": pytest.approx(0.7), "Raw encoder": pytest.approx(0.45)}
    why = "the hardest to tell apart"  # where scores rise as classes are removed
    assert "R@1 rises from 0.300 on swap 4 to 0.600 on removal 2" in holds.set("benchmark", "shipped:rises").texts
    holds.says(why)
    assert why not in holds.set("benchmark", "shipped:falls").texts
