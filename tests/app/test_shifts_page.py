"""The page Shifts without a browser: how far classes lie apart, step by step, what it says where it can't, and benchmarks while they fill."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from app_page import Page
from likeness.data import image_classes, read_cars
from likeness.evaluation import by_split, generalization_scores
from likeness.io.paths import assets_dir
from likeness.shifts import SplitFile, choose_steps, class_mean_features, read_splits, reference_distances, split_file, split_steps, write_splits
from likeness.studies import study as studies
from likeness.studies.study import Cell, StudyConfig
from likeness.studies.study_folder import StudyFolder
from likeness.training.config import read_config
from likeness.training.runs.run_folder import RunFolder, Status
from worlds import cars, dataset, draw

BODY = ["body_type"]
Make = Callable[..., StudyFolder]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, app: Page) -> None:
    """Without references, which take seconds, but where a test asks for them."""
    from pages.shifts import splits as shift_splits

    names = ["this split", shift_splits.RANDOM_CLASSES, shift_splits.SAME_CLASSES]
    table = pd.DataFrame({"reference": names, "measure": ["class means"] * 3, "distance": [0.2, 0.125, 0.03125]})
    monkeypatch.setattr(shift_splits, "reference_distances", lambda *given, **options: table)


def _finished(app: Page) -> Page:
    return app.wait("splits", "shift references")


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
        base = {
            "data": {"source": "cars", "attribute": "body_type", "image_size": 96},
            "backbone": {"name": "clip:cars", "dim": 16, "head_only": True},
            "epochs": 1,
            "matched_classes": 2,
        }
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


def _finish(cell: Cell) -> None:
    run = RunFolder(cell.folder)
    run.create(cell.config)
    run.write_report({"name": cell.row, "seconds": 1.0, "steps": 1, "last": {"step": 1} | _scores(cell)})
    run.report_status(Status("finished", 1, 1))


def _figures(app: Page) -> list[dict[str, Any]]:
    return [{trace["name"]: trace for trace in traces if trace.get("name")} for traces in app.charts]


def _metrics(app: Page) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def _names() -> list[str]:
    return image_classes(read_cars(), BODY).names


def _steps() -> list[Any]:
    classes = image_classes(read_cars(), BODY)
    means = class_mean_features(cars().vectors, classes.labels, len(classes.names))
    half = len(classes.names) // 2
    return split_steps(means, range(half), range(half, len(classes.names)))


def _places(figure: dict[str, Any]) -> dict[str, tuple[float, float]]:
    found = [zip(figure[side]["hovertext"], zip(figure[side]["x"], figure[side]["y"], strict=True)) for side in ("Trains", "Tests")]  # noqa: B905
    return {name: place for part in found for name, place in part}


def test_each_step_has_the_distance_that_python_gives_its_colors_and_words(page: Page) -> None:
    steps, names = _steps(), _names()
    slider = page.at("shift_step")
    assert (slider.options, slider.value) == ([step.name for step in steps], "start")
    before = _figures(page)[1]
    assert before["Trains"]["hovertext"] == names[:3]
    for step in steps:
        page.set("shift_step", step.name)
        assert _metrics(page) == {
            "Distance between train and test": f"{step.split.distance:.3g}",
            "Classes that train": str(len(step.split.train)),
            "Classes that test": str(len(step.split.test)),
        }
    page.set("shift_step", "swap 1")
    curve, after = _figures(page)
    assert (curve["Chosen"]["x"], curve["Chosen"]["y"]) == ([1], [pytest.approx(steps[1].split.distance)])
    assert curve["Classes exchanged"]["y"] == pytest.approx([step.split.distance for step in steps if step.kind in ("start", "swap")])
    assert curve["Classes drawn at random"]["y"] == [0.125, 0.125]
    assert curve["Same classes on both sides"]["y"] == [0.03125, 0.03125]
    assert "Dashed lines" in page.texts
    split = next(step.split for step in steps if step.name == "swap 1")
    assert sorted(after["Trains"]["hovertext"]) == sorted(names[row] for row in split.train)
    assert _places(before) == _places(after)  # no position changes
    gone = {names[row] for row in split.test} & set(names[:3])
    came = {names[row] for row in split.train} - set(names[:3])
    assert f"In this step, **{came.pop()}** moves to train and **{gone.pop()}** moves to test." in page.texts
    page.set("shift_step", "removal 1")
    assert len(_figures(page)[1]["Taken out"]["hovertext"]) == 2
    assert "are removed." in page.texts


def test_references_are_core_s(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.shifts import splits as shift_splits

    monkeypatch.setattr(shift_splits, "reference_distances", reference_distances)
    app.session_state["shift_classes"] = BODY
    _finished(app.open("shifts"))
    classes, step = image_classes(read_cars(), BODY), _steps()[0]
    with threadpool_limits(1, "blas"):  # many times faster while something else uses the cores
        table = reference_distances(cars().vectors, classes.labels, step.split.train, step.split.test)
    expected = table[table["measure"] == "class means"]["distance"].tolist()
    curve = _figures(app)[0]
    assert [curve[name]["y"][0] for name in ("Classes drawn at random", "Same classes on both sides")] == pytest.approx(expected[1:])


def test_the_shipped_images_have_combined_classes_at_first_and_a_way_back(app: Page) -> None:
    _finished(app.open("shifts"))
    classes = app.at("shift_classes")
    assert classes.value == ["car_color", "body_type"]
    assert not {"yaw", "Yaw"} & set(classes.options)  # it has a value for each image
    _finished(app.set("shift_easier", True))
    options = app.at("shift_step").options
    assert options[0].startswith("easier")
    assert app.at("shift_step").value == "start"
    assert "start" in options[1:]
    app.at("shift_easier").set_value(False)
    _finished(app.set("shift_classes", ["car_color"]))
    before = app.metric[0].value
    _finished(app.set("shift_random", True))  # random halves are another start
    assert app.metric[0].value != before


def test_what_cannot_be_split_or_kept_is_one_sentence(page: Page) -> None:
    for key, value, said in (
        ("shift_classes", ["sun_height"], "sun height there are 2 classes"),
        ("shift_classes", [], "Choose what makes a class"),
    ):
        (error,) = page.set(key, value).errors
        assert said in error
    page.set("shift_classes", BODY)
    (error,) = _finished(page.set("shift_per_step", 5)).errors
    assert "3 classes, too few to give 5" in error
    _finished(page.set("shift_per_step", 1))
    page.set("shift_name_synthetic-cars-body-type", "a/b")
    assert page.at("shift_keep").disabled
    assert "without slashes" in page.texts


def test_splits_are_kept_and_opened_again(page: Page, cache: Path) -> None:
    page.set("shift_count", 3).click("shift_keep")
    kept = read_splits(cache / "splits" / "synthetic-cars-body-type.json")
    expected = split_file(choose_steps(_steps(), 3), _names(), dataset="Synthetic Cars")
    assert [(split.name, split.train, split.distance) for split in kept] == [(split.name, split.train, split.distance) for split in expected]
    assert (kept.attribute, kept.rule, kept.per_step) == ("body_type", "paper", 1)
    page.set("shift_splits", "kept:synthetic-cars-body-type")
    assert page.at("shift_step").options == [split.name for split in kept]
    assert "Distances as the file has them, by features of cars." in page.texts
    assert len(page.charts) == 2


def test_shipped_splits_of_other_images_say_so_and_start_no_benchmark(page: Page) -> None:
    page.set("shift_splits", "shipped:cars196-oodml")
    (warning,) = page.warnings
    assert "cars196, by car model, which Synthetic Cars does not have" in warning
    assert page.at("shift_step").options == [split.name for split in read_splits("cars196-oodml")]
    assert len(page.charts) == 1
    page.session_state["shifts"] = "What holds up"
    (error,) = _open_form(page).errors
    assert "which Synthetic Cars does not have" in error


def test_a_file_is_opened_where_it_fits_and_else_one_error(page: Page) -> None:
    page.set("shift_splits", "opened")
    assert not page.error

    def upload(content: bytes) -> list[str]:
        page.get("file_uploader")[0].set_value(("mine.json", content, "application/json")).run()
        return page.errors

    for content, said in ((b"{", "no JSON"), (b"[]", "holds no splits"), (b'{"splits": [], "version": 9}', "is of version 9")):
        (error,) = upload(content)
        assert f"'mine.json' {said}" in error.replace("'mine.json' is no", "'mine.json' no")
    assert not upload(json.dumps(_two_splits().model_dump(mode="json")).encode())
    assert page.at("shift_step").options == ["start", "swap 1"]
    assert _metrics(page)["Distance between train and test"] == "0.2"


def test_without_benchmarks_the_one_that_ships_is_open(holds: Page) -> None:
    shipped = {file.stem: pd.read_csv(file) for file in (assets_dir() / "results").glob("*.csv")}
    grow = {f"shipped:{name}" for name, table in shipped.items() if {"split", "distance"} <= set(table) and table["distance"].nunique() > 1}
    assert {f"shipped:{name}" for name, table in shipped.items() if "split" in table} - grow, "studies of halves that are swapped ship, too"
    assert _finished(holds.open("shifts")).at("benchmark").value in grow


def _open_form(app: Page) -> Page:
    app.session_state["benchmark_form"] = True
    return _finished(app.open("shifts"))


def _scored(app: Page) -> dict[str, float]:
    (trace,) = [trace for traces in app.charts for trace in traces if trace["type"] == "bar" and trace.get("orientation") == "h"]
    return dict(zip(trace["y"], trace["x"], strict=True))


def test_a_benchmark_that_fills_shows_what_is_there_and_stops_when_asked(holds: Page, make: Make) -> None:
    folder = make("mine", 3, Status("running", 3, 6, "Margin, swap 1, seed 0", os.getpid()))
    holds.open("shifts")
    assert "**mine**  :material/play_circle: Running  :gray[3 of 6 runs; now Margin, swap 1, seed 0]" in holds.texts
    assert _scored(holds) == {"Raw encoder": pytest.approx(0.45)}  # Margin lacks a split
    _finish(folder.cells()[3])
    holds.run()
    assert "4 of 6 runs" in holds.texts
    assert _scored(holds) == {"Raw encoder": pytest.approx(0.45), "Margin": pytest.approx(0.65)}
    assert holds.at("act_benchmark_mine").label == "Stop"
    holds.click("act_benchmark_mine")
    assert folder.stop_requested()
    assert holds.at("act_benchmark_mine").label == "Stopping"
    assert holds.at("act_benchmark_mine").disabled


def test_results_are_those_that_python_gives(holds: Page, make: Make) -> None:
    folder = make("mine", 6, Status("finished", 6, 6))
    holds.open("shifts")
    cells = [(cell, cell.split) for cell in folder.cells() if cell.split]
    every = pd.DataFrame(
        [{"row": cell.row, "seed": cell.seed, "split": split.name, "distance": split.distance} | _scores(cell) for cell, split in cells]
    )
    assert not holds.has("act_benchmark_mine")
    for figure in ("recall_at_1", "map_at_1000", "matched_recall_at_1"):
        holds.set("benchmark_figure", figure)
        found, scores = by_split(every, figure), generalization_scores(every, figure)
        lines = {trace["name"]: trace["y"] for trace in holds.charts[0] if trace["xaxis"] == "x"}
        assert lines == {row: pytest.approx(found[found["row"] == row]["mean"].tolist()) for row in ("Raw encoder", "Margin")}
        assert _scored(holds) == {row: pytest.approx(ags) for row, ags in zip(scores["row"], scores["ags"], strict=True)}
    assert "with the same number of test classes on every split" in holds.texts
    assert len(holds.charts) == 5
    holds.set("benchmark_shots_of", "Margin")
    bars = next(figure for figure in _figures(holds) if "After adaptation" in figure)
    assert bars["Before"]["y"] == pytest.approx([0.75, 0.65])
    assert bars["After adaptation"]["y"] == pytest.approx([1.125, 0.975])
    assert bars["After adaptation"]["text"] == ["+50%", "+50%"]


def test_a_benchmark_says_how_it_stands_and_what_can_be_done(holds: Page, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    monkeypatch.setattr(StudyFolder, "begin", lambda folder: begun.append(folder.path.name) or 0)
    stands = {
        "new": (None, "Not started", "Start"),
        "stopped": (Status("stopped", 2, 6), "Stopped", "Resume"),
        "gone": (Status("running", 2, 6, "Margin, start, seed 0", 999_999_999), "Interrupted", "Resume"),
        "failed": (Status("failed", 2, 6, "1 of 6 runs failed: Margin. The first one: no images."), "Failed", "Resume"),
    }
    for name, (status, _, _) in stands.items():
        make(name, 2, status)
    holds.open("shifts")
    for name, (status, said, action) in stands.items():
        holds.set("benchmark", f"own:{name}")
        assert f"{said}  :gray[2 of 6 runs]" in holds.texts
        assert holds.errors == ([status.message] if status and status.state == "failed" else [])
        assert holds.at(f"act_benchmark_{name}").label == action
        holds.click(f"act_benchmark_{name}")
    assert begun == list(stands)


def test_benchmarks_that_cannot_be_shown_are_left_out_or_named(holds: Page, make: Make, tmp_path: Path) -> None:
    lost = make("lost", 1)
    (lost.path / "splits.json").unlink()
    make("mine", 0)
    StudyFolder(tmp_path / "runs" / "plain").create(StudyConfig(name="plain", rows={"a": {}}))  # it has no splits
    broken = tmp_path / "runs" / "broken" / "study.yaml"
    broken.parent.mkdir()
    broken.write_text("rows: 3")
    holds.open("shifts").set("benchmark", "own:mine")
    assert "plain" not in str(holds.at("benchmark").options)
    assert "mine" in str(holds.at("benchmark").options)
    assert "'broken' cannot be read" in holds.texts
    assert "Nothing measured yet." in holds.texts
    (error,) = holds.set("benchmark", "own:lost").errors
    assert "There is no file of splits" in error


def test_a_benchmark_is_started_with_what_was_chosen(holds: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Path] = []
    monkeypatch.setattr(StudyFolder, "begin", lambda folder: begun.append(folder.path) or 0)
    _open_form(holds)
    holds.set("benchmark_methods", ["Raw encoder", "R-margin", "Margin + uniform prior", "DiVA", "Margin + ELG"])
    holds.set("benchmark_count", 2).set("benchmark_seeds", 3).set("benchmark_epochs", 4)
    assert "26 runs on 2 splits: start (0.195), removal 1 (0.288)." in holds.texts
    holds.set("benchmark_name_shifts", "my shifts").click("benchmark_start")
    assert begun == [tmp_path / "runs" / "my shifts"]
    wanted = StudyFolder(begun[0]).cells()
    assert len(wanted) == 26
    assert {cell.config.epochs for cell in wanted} == {0, 4}
    assert {cell.config.matched_classes for cell in wanted} == {2}
    assert {cell.config.batch.per_class for cell in wanted} == {48}
    assert wanted[0].split is not None
    assert wanted[0].split.train == tuple(_names()[:3])
    assert {cell.row: cell.config.objective.name for cell in wanted}["R-margin"] == "r-margin"
    assert {cell.row: cell.config.objective.diva is not None for cell in wanted}["DiVA"]
    assert holds.at("benchmark").value == "own:my shifts"
    assert not holds.session_state["benchmark_form"]


def test_a_name_that_is_taken_no_method_and_too_few_images_are_one_message_each(holds: Page, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.shifts import benchmark_form

    make("shifts", 0)
    _open_form(holds)
    assert holds.at("benchmark_name_shifts-2").value == "shifts-2"
    (warning,) = holds.set("benchmark_name_shifts-2", "shifts").warnings
    assert "There is a benchmark or run shifts already" in warning
    assert holds.at("benchmark_start").disabled
    holds.set("benchmark_name_shifts-2", "shifts-2")
    assert holds.set("benchmark_methods", []).warnings == ["Choose at least one method."]
    holds.set("benchmark_methods", ["Margin"])
    monkeypatch.setattr(benchmark_form, "SHOTS", 100_000)
    (told,) = holds.run().warnings
    assert "few-shot needs 100002: 100000 to adapt to and 2 to find" in told
    assert not holds.set("benchmark_few_shot", False).warnings


def _choose_network(app: Page, name: str, part: str = "Embedding layer") -> Page:
    _type_network(app, name).set_value(name)
    return app.set("benchmark_part", part)


def _type_network(app: Page, name: str) -> Any:
    """The field of the network, which takes this name: AppTest forgets with each run what was typed."""
    (field,) = [field for field in app.selectbox if field.label == "Network"]
    if field.format_func(name) not in field.options:
        field.options.append(name)
    return field


def _offered(app: Page) -> list[str]:
    """Networks in their order, as shown."""
    return [option for field in app.selectbox if field.label == "Network" for option in field.options]


def _begun(app: Page, network: str, monkeypatch: pytest.MonkeyPatch) -> StudyFolder:
    """The folder of a benchmark that is started with what the form has."""
    begun: list[StudyFolder] = []
    monkeypatch.setattr(StudyFolder, "begin", lambda folder: begun.append(folder) or 0)
    assert app.warnings == []
    _type_network(app, network)
    app.click("benchmark_start")
    (folder,) = begun
    return folder


PAPER = read_config("oodml-cars196")


@pytest.mark.parametrize(
    ("name", "part", "size", "batch", "words"),
    [
        ("clip:cars", "Embedding layer", 96, 96, "Cars (shipped), the embedding layer alone, on images of 96 px."),
        ("photos", "Whole network", 224, 96, "Photos (shipped), every layer, on images of 224 px."),
        ("resnet18", "Embedding layer", 224, 96, "ResNet-18, the embedding layer alone, on images of 224 px."),
        ("vit_small_patch14_dinov2.lvd142m", "Whole network", 518, 24, "vit_small_patch14_dinov2.lvd142m, every layer, on images of 518 px."),
    ],
)
def test_a_benchmark_trains_the_chosen_network_on_images_of_its_size(
    holds: Page, monkeypatch: pytest.MonkeyPatch, name: str, part: str, size: int, batch: int, words: str
) -> None:
    _open_form(holds)
    assert _offered(holds)[:3] == ["Cars (shipped)", "Photos (shipped)", "Cars, smaller (shipped)"]
    _choose_network(holds, name, part)
    folder = _begun(holds, name, monkeypatch)
    assert folder.study().note.endswith(f"splits; {words}")
    for cell in folder.cells():
        config = cell.config
        assert (config.backbone.name, config.backbone.head_only, config.data.image_size) == (name, part == "Embedding layer", size)
        assert (config.batch.size, config.batch.per_class) == (batch, batch // 2)
        raw = cell.row == "Raw encoder"
        assert config.backbone.dim == (None if raw else 128)
        assert (config.few_shot is None) == raw
        if part == "Whole network":
            assert (config.optimizer, config.epochs) == (PAPER.optimizer, 0 if raw else PAPER.epochs)
            assert config.objective.proxy_rate == PAPER.objective.proxy_rate
        else:
            assert (config.optimizer.rate, config.epochs) == (0.001, 0 if raw else 5)


def test_a_strangers_photos_are_trained_on_with_the_network_that_embedded_them(app: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    photos = dataset(draw(tmp_path / "photos", 30, ("ant", "bee", "cow", "dog", "eel", "fox")), "photos")
    app.query_params["dataset"] = photos.name
    app.session_state["shifts"] = "What holds up"
    _open_form(app)
    assert _offered(app)[0] == "Photos (shipped)"
    app.set("benchmark_part", "Whole network")
    cells = _begun(app, "photos", monkeypatch).cells()
    assert {cell.config.data.source for cell in cells} == {photos.source}
    assert {(cell.config.data.attribute, cell.config.data.image_size, cell.config.backbone.name) for cell in cells} == {("class", 224, "photos")}
    assert {(cell.config.batch.size, cell.config.batch.per_class) for cell in cells} == {(24, 12)}  # at worst, ten images train


def test_an_encoder_that_no_training_begins_from_gives_way_to_photos(holds: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.space import Space

    for encoder, said in (("run:/somewhere", "a trained run"), ("", "no network that can be trained"), ("local-dir:/nowhere", "'/nowhere'")):
        monkeypatch.setattr(Space, "encoder_name", encoder)
        _open_form(holds)
        assert _offered(holds)[0] == "Photos (shipped)"
        (told,) = [caption.value for caption in holds.caption if said in caption.value]
        assert "Photos (shipped)" in told


def test_a_network_that_is_not_there_is_refused_before_a_start(holds: Page) -> None:
    _open_form(holds)
    for name, said in (
        ("resnet19", "no timm model 'resnet19'; the nearest names are resnet18"),
        ("clip:ViT-B-32/mine", "'ViT-B-32' has no weights 'mine'"),
        ("clip:something", "no network 'clip:something' to train"),
        ("clip:hf-hub:nobody/nothing", "'hf-hub:nobody/nothing' is not on this machine"),
        ("local-dir:/etc", "no network 'local-dir:/etc' to train"),
    ):
        (warning,) = _choose_network(holds, name).warnings
        assert said in warning
        assert holds.at("benchmark_start").disabled
        assert not _choose_network(holds, "photos").warnings
        assert not holds.at("benchmark_start").disabled


def test_a_method_that_reads_feature_maps_is_refused_where_the_network_has_none(holds: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.shifts.benchmark_methods import METHODS, BenchmarkMethod

    monkeypatch.setitem(METHODS, "Margin", BenchmarkMethod("", {"objective.s2sd": {"target_dims": [8], "pooling": "average+max"}}))
    (warning,) = _choose_network(_open_form(holds), "clip:cars", "Whole network").warnings
    assert warning.startswith("Margin ")
    assert "clip:cars does not give; choose a timm CNN such as resnet50" in warning
    assert holds.at("benchmark_start").disabled
    assert not _choose_network(holds, "resnet50", "Whole network").warnings


def test_time_is_told_only_where_the_speed_of_the_network_was_measured(holds: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.shifts import benchmark_network

    _choose_network(_open_form(holds), "photos", "Whole network")
    assert "from minutes to days" in holds.texts
    assert "at least" not in holds.texts
    monkeypatch.setattr(benchmark_network, "remembered_speeds", lambda: {"photos": 1000.0})
    holds.set("benchmark_epochs_whole", 1)
    images, runs = 2000, 3 * 4 * 2  # about half of the images train, each of which counts three times; the others test
    told = next(caption.value for caption in holds.caption if "All runs together" in caption.value)
    seconds = int(told.partition("at least ")[2].partition(" s ")[0])
    assert runs * 0.5 * images / 1000 < seconds < (runs * 3 + 4) * images / 1000
    assert "1,000 images a second" in told
    _choose_network(holds, "photos")
    assert "at least 2 s at the 1,000 images a second" in holds.texts


def test_shipped_results_are_offered_and_shown(holds: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Make) -> None:
    from pages.shifts import benchmarks

    def write(name: str, lines: list[dict[str, Any]]) -> None:
        (tmp_path / "results").mkdir(exist_ok=True)
        pd.DataFrame(lines).to_csv(tmp_path / "results" / f"{name}.csv", index=False)

    cells = [cell for cell in make("made", 0).cells() if cell.split]
    write("far", [{"row": cell.row, "seed": cell.seed, "split": cell.split.name, "distance": cell.split.distance} | _scores(cell) for cell in cells])
    write("plain", [{"row": "a"}])
    for name, last in (("rises", 0.6), ("falls", 0.2)):
        splits = (("start", 0.1, 0.9), ("swap 4", 0.2, 0.3), ("removal 2", 0.4, last))
        write(name, [{"row": "Margin", "seed": 0, "split": split, "distance": at, "recall_at_1": r, "seconds": 1.0} for split, at, r in splits])
    for module in (benchmarks, studies):
        monkeypatch.setattr(module, "assets_dir", lambda: tmp_path)
    holds.open("shifts")
    assert "far (shipped results)" in holds.at("benchmark").options
    assert not any("plain" in option for option in holds.at("benchmark").options)
    assert _scored(holds.set("benchmark", "shipped:far")) == {"Margin": pytest.approx(0.7), "Raw encoder": pytest.approx(0.45)}
    why = "the hardest to tell apart"  # where scores rise as classes are removed
    assert "R@1 rises from 0.300 on swap 4 to 0.600 on removal 2" in holds.set("benchmark", "shipped:rises").texts
    assert why in holds.texts
    assert why not in holds.set("benchmark", "shipped:falls").texts
