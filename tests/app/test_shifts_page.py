"""The page Shifts without a browser: how far classes lie apart, step by step, what it says where it can't, and benchmarks while they fill."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest
from threadpoolctl import threadpool_limits

from background import jobs
from likeness.data import image_classes, read_cars
from likeness.data.catalog import add_dataset, new_entry
from likeness.embedding import embed
from likeness.evaluation import by_split, generalization_scores
from likeness.io.paths import assets_dir
from likeness.shifts import SplitFile, choose_steps, class_mean_features, read_splits, reference_distances, split_file, split_steps, write_splits
from likeness.studies.study import Cell, StudyConfig
from likeness.studies.study_folder import StudyFolder
from likeness.training.config import read_config
from likeness.training.runs.run_folder import RunFolder, Status

BODY = ["body_type"]
Make = Callable[..., StudyFolder]


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache folder of the test's own, where splits are kept."""
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, app: AppTest) -> None:
    """Without references, which take seconds, but where a test asks for them."""
    from pages.shifts import splits as shift_splits

    table = pd.DataFrame(
        {
            "reference": ["this split", shift_splits.RANDOM_CLASSES, shift_splits.SAME_CLASSES],
            "measure": ["class means"] * 3,
            "distance": [0.2, 0.125, 0.03125],
        }
    )
    monkeypatch.setattr(shift_splits, "reference_distances", lambda *given, **options: table)


@pytest.fixture
def page(app: AppTest) -> AppTest:
    """The page with body types as classes, which are few."""
    app.session_state["shift_classes"] = BODY
    return _finished(app.switch_page("pages/shifts/page.py").run())


@pytest.fixture
def holds(app: AppTest) -> AppTest:
    """The page's second part."""
    app.session_state["shift_classes"] = BODY
    app.session_state["shifts"] = "What holds up"
    return app


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes a benchmark of two methods on two splits, of which some runs are done, standing as `status` says."""

    def make(name: str, done: int, status: Status | None = None, **options: Any) -> StudyFolder:
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
        folder.create(StudyConfig.model_validate(study | options))
        for cell in folder.cells()[:done]:
            _finish(cell)
        if status:
            RunFolder(folder.path).report_status(status)
        return folder

    return make


def _two_splits() -> SplitFile:
    names = image_classes(read_cars(), BODY).names
    content = [("start", 0.2, names[:3], names[3:]), ("swap 1", 0.4, [names[0], names[1], names[4]], [names[2], names[3], names[5]])]
    splits = [{"name": name, "distance": distance, "train": train, "test": test} for name, distance, train, test in content]
    return SplitFile.model_validate({"dataset": "Synthetic Cars", "attribute": "body_type", "splits": splits})


def _scores(cell: Cell) -> dict[str, float]:
    score = 0.5 + 0.2 * (cell.row == "Margin") + 0.1 * cell.seed - 0.1 * (cell.config.data.shift != "start")
    return {
        "recall_at_1": score,
        "map_at_1000": score / 2,
        "matched_recall_at_1": score + 0.05,
        "structure_inter": 1 - score,
        "zero_shot_2": score,
        "few_shot_2": 1.5 * score,
    }


def _finish(cell: Cell) -> None:
    run = RunFolder(cell.folder)
    run.create(cell.config)
    run.write_report({"name": cell.row, "seconds": 1.0, "steps": 1, "last": {"step": 1} | _scores(cell)})
    run.report_status(Status("finished", 1, 1))


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.error, app.warning, app.info) for element in kind)


def _finished(app: AppTest) -> AppTest:
    for kind in ("splits", "shift references"):
        for job in jobs().all(kind):
            assert job.wait(600)
    app.run()
    assert not app.exception
    return app


def _open(app: AppTest) -> AppTest:
    app.switch_page("pages/shifts/page.py").run()
    assert not app.exception
    return app


def _figures(app: AppTest) -> list[dict[str, Any]]:
    return [{trace["name"]: trace for trace in json.loads(chart.proto.spec)["data"] if trace.get("name")} for chart in app.get("plotly_chart")]


def _metrics(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def _step(app: AppTest, name: str) -> AppTest:
    app.select_slider(key="shift_step").set_value(name).run()
    assert not app.exception
    return app


def _names(attributes: list[str]) -> list[str]:
    return image_classes(read_cars(), attributes).names


def _steps(attributes: list[str]) -> list[Any]:
    space, classes = embed(read_cars()), image_classes(read_cars(), attributes)
    means = class_mean_features(space.vectors, classes.labels, len(classes.names))
    half = len(classes.names) // 2
    return split_steps(means, range(half), range(half, len(classes.names)))


def test_the_steps_and_their_distances_are_those_that_python_gives(page: AppTest) -> None:
    steps = _steps(BODY)
    assert page.select_slider(key="shift_step").options == [step.name for step in steps]
    assert page.select_slider(key="shift_step").value == "start"
    for step in steps:
        _step(page, step.name)
        assert _metrics(page) == {
            "Distance between train and test": f"{step.split.distance:.3g}",
            "Classes that train": str(len(step.split.train)),
            "Classes that test": str(len(step.split.test)),
        }


def test_the_curve_marks_the_step_and_has_the_references(page: AppTest) -> None:
    steps = _steps(BODY)
    _step(page, "swap 1")
    curve = _figures(page)[0]
    assert (curve["Chosen"]["x"], curve["Chosen"]["y"]) == ([1], [pytest.approx(steps[1].split.distance)])
    assert curve["Classes exchanged"]["y"] == pytest.approx([step.split.distance for step in steps if step.kind in ("start", "swap")])
    assert curve["Classes drawn at random"]["y"] == [0.125, 0.125]
    assert curve["Same classes on both sides"]["y"] == [0.03125, 0.03125]
    assert "Dashed lines" in _texts(page)


def test_references_are_core_s(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.shifts import splits as shift_splits

    monkeypatch.setattr(shift_splits, "reference_distances", reference_distances)
    app.session_state["shift_classes"] = BODY
    _finished(app.switch_page("pages/shifts/page.py").run())
    classes, step = image_classes(read_cars(), BODY), _steps(BODY)[0]
    with threadpool_limits(1, "blas"):  # many times faster while something else uses the cores
        table = reference_distances(embed(read_cars()).vectors, classes.labels, step.split.train, step.split.test)
    expected = table[table["measure"] == "class means"]["distance"].tolist()
    curve = _figures(app)[0]
    assert [curve[name]["y"][0] for name in ("Classes drawn at random", "Same classes on both sides")] == pytest.approx(expected[1:])


def test_a_step_changes_colors_and_words_but_no_position(page: AppTest) -> None:
    names = _names(BODY)
    before, steps = _figures(page)[1], {step.name: step.split for step in _steps(BODY)}
    assert before["Trains"]["hovertext"] == names[:3]
    _step(page, "swap 1")
    after, split = _figures(page)[1], steps["swap 1"]
    assert sorted(after["Trains"]["hovertext"]) == sorted(names[row] for row in split.train)
    assert _places(before) == _places(after)
    gone = {names[row] for row in split.test} & set(names[:3])
    came = {names[row] for row in split.train} - set(names[:3])
    assert f"In this step, **{came.pop()}** moves to train and **{gone.pop()}** moves to test." in _texts(page)
    _step(page, "removal 1")
    assert len(_figures(page)[1]["Taken out"]["hovertext"]) == 2
    assert "are removed." in _texts(page)


def _places(figure: dict[str, Any]) -> dict[str, tuple[float, float]]:
    found = [zip(figure[side]["hovertext"], zip(figure[side]["x"], figure[side]["y"], strict=True)) for side in ("Trains", "Tests")]  # noqa: B905
    return {name: place for part in found for name, place in part}


def test_the_shipped_images_have_combined_classes_at_first_and_a_way_back(app: AppTest) -> None:
    _finished(app.switch_page("pages/shifts/page.py").run())
    assert app.multiselect(key="shift_classes").value == ["car_color", "body_type"]
    app.toggle(key="shift_easier").set_value(True).run()
    _finished(app)
    options = app.select_slider(key="shift_step").options
    assert options[0].startswith("easier")
    assert app.select_slider(key="shift_step").value == "start"
    assert "start" in options[1:]


def test_attributes_with_a_value_for_each_image_are_not_offered(page: AppTest) -> None:
    assert "car_color" in page.multiselect(key="shift_classes").options or "Car color" in page.multiselect(key="shift_classes").options
    assert not {"yaw", "Yaw"} & set(page.multiselect(key="shift_classes").options)


def test_too_few_classes_and_none_are_one_sentence(page: AppTest) -> None:
    page.multiselect(key="shift_classes").set_value(["sun_height"]).run()
    assert [error.value for error in page.error] == [
        "By sun height there are 2 classes, but two must train and two must test; choose another class of an image."
    ]
    page.multiselect(key="shift_classes").set_value([]).run()
    assert [error.value for error in page.error] == ["Choose what makes a class."]
    assert not page.exception


def test_too_many_classes_in_a_step_are_one_sentence(page: AppTest) -> None:
    page.number_input(key="shift_per_step").set_value(5).run()
    _finished(page)
    assert [error.value for error in page.error] == ["The train side has 3 classes, too few to give 5 in a step; give it more."]


def test_splits_are_kept_and_opened_again(page: AppTest, cache: Path) -> None:
    page.number_input(key="shift_count").set_value(3).run()
    names, steps = _names(BODY), _steps(BODY)
    page.button(key="shift_keep").click().run()
    assert not page.exception
    kept = read_splits(cache / "splits" / "synthetic-cars-body-type.json")
    expected = split_file(choose_steps(steps, 3), names, dataset="Synthetic Cars")
    assert [(split.name, split.train, split.distance) for split in kept] == [(split.name, split.train, split.distance) for split in expected]
    assert (kept.attribute, kept.rule, kept.per_step) == ("body_type", "paper", 1)
    page.selectbox(key="shift_splits").set_value("kept:synthetic-cars-body-type").run()
    assert not page.exception
    assert page.select_slider(key="shift_step").options == [split.name for split in kept]
    assert "Distances as the file has them, by features of cars." in _texts(page)
    assert len(_figures(page)) == 2


def test_shipped_splits_of_other_images_say_so_and_show_their_distances(page: AppTest) -> None:
    page.selectbox(key="shift_splits").set_value("shipped:cars196-oodml").run()
    assert not page.exception
    assert [warning.value for warning in page.warning] == [
        "These splits are of cars196, by car model, which Synthetic Cars does not have. Only their distances are shown. Choose their images in the "
        "sidebar to see the classes."
    ]
    assert page.select_slider(key="shift_step").options == [split.name for split in read_splits("cars196-oodml")]
    assert len(_figures(page)) == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{", "'mine.json' is no JSON"),
        (b"[]", "'mine.json' holds no splits"),
        (b'{"splits": [], "version": 9}', "'mine.json' is of version 9, and this program reads version 1"),
    ],
)
def test_a_file_that_does_not_fit_is_one_error(page: AppTest, content: bytes, told: str) -> None:
    page.selectbox(key="shift_splits").set_value("opened").run()
    assert not page.error
    page.get("file_uploader")[0].set_value(("mine.json", content, "application/json")).run()
    assert not page.exception
    assert len(page.error) == 1
    assert told in page.error[0].value


def test_a_file_that_fits_is_opened(page: AppTest) -> None:
    page.selectbox(key="shift_splits").set_value("opened").run()
    content = json.dumps(_two_splits().model_dump(mode="json")).encode()
    page.get("file_uploader")[0].set_value(("mine.json", content, "application/json")).run()
    assert not page.exception
    assert page.select_slider(key="shift_step").options == ["start", "swap 1"]
    assert _metrics(page)["Distance between train and test"] == "0.2"


def test_names_that_are_no_file_names_are_refused(page: AppTest) -> None:
    page.text_input(key="shift_name_synthetic-cars-body-type").set_value("a/b").run()
    assert page.button(key="shift_keep").disabled
    assert "Give the splits a name without slashes" in _texts(page)


def test_without_benchmarks_the_one_that_ships_is_open(holds: AppTest) -> None:
    shipped = {file.stem: pd.read_csv(file) for file in (assets_dir() / "results").glob("*.csv")}
    grow = {f"shipped:{name}" for name, table in shipped.items() if {"split", "distance"} <= set(table) and table["distance"].nunique() > 1}
    halves = {f"shipped:{name}" for name, table in shipped.items() if "split" in table} - grow
    _finished(_open(holds))
    (opened,) = {holds.selectbox(key="benchmark").value} & grow
    assert halves, "studies of halves that are swapped ship, and do not belong here"
    assert opened not in halves


def _open_form(app: AppTest) -> AppTest:
    app.session_state["benchmark_form"] = True
    return _finished(_open(app))


def test_a_benchmark_that_fills_shows_what_is_there(holds: AppTest, make: Make) -> None:
    folder = make("mine", 3, Status("running", 3, 6, "Margin, swap 1, seed 0", os.getpid()))
    _open(holds)
    assert "**mine**  :material/play_circle: Running  :gray[3 of 6 runs; now Margin, swap 1, seed 0]" in _texts(holds)
    assert holds.button(key="act_benchmark_mine").label == "Stop"
    assert _scored(holds) == {"Raw encoder": pytest.approx(0.45)}  # Margin lacks a split
    _finish(folder.cells()[3])
    holds.run()
    assert not holds.exception
    assert "4 of 6 runs" in _texts(holds)
    assert _scored(holds) == {"Raw encoder": pytest.approx(0.45), "Margin": pytest.approx(0.65)}


def _scored(app: AppTest) -> dict[str, float]:
    traces = [trace for chart in app.get("plotly_chart") for trace in json.loads(chart.proto.spec)["data"]]
    (trace,) = [trace for trace in traces if trace["type"] == "bar" and trace.get("orientation") == "h"]
    return dict(zip(trace["y"], trace["x"], strict=True))


def test_results_are_those_that_python_gives(holds: AppTest, make: Make) -> None:
    folder = make("mine", 6, Status("finished", 6, 6))
    _open(holds)
    every = pd.DataFrame(
        [
            {"row": cell.row, "seed": cell.seed, "split": cell.split.name, "distance": cell.split.distance} | _scores(cell)
            for cell in folder.cells()
            if cell.split
        ]
    )
    assert "act_benchmark_mine" not in {button.key for button in holds.button}
    for figure in ("recall_at_1", "map_at_1000", "matched_recall_at_1"):
        holds.segmented_control(key="benchmark_figure").set_value(figure).run()
        assert not holds.exception
        found, scores = by_split(every, figure), generalization_scores(every, figure)
        shown = json.loads(holds.get("plotly_chart")[0].proto.spec)["data"]
        lines = {trace["name"]: trace["y"] for trace in shown if trace["xaxis"] == "x"}
        assert lines == {row: pytest.approx(found[found["row"] == row]["mean"].tolist()) for row in ("Raw encoder", "Margin")}
        assert _scored(holds) == {row: pytest.approx(ags) for row, ags in zip(scores["row"], scores["ags"], strict=True)}
    assert "with the same number of test classes on every split" in _texts(holds)
    assert len(holds.get("plotly_chart")) == 5


def test_few_shot_bars_are_of_all_methods_or_of_one(holds: AppTest, make: Make) -> None:
    make("mine", 6, Status("finished", 6, 6))
    _open(holds)
    holds.selectbox(key="benchmark_shots_of").set_value("Margin").run()
    bars = next(figure for figure in _figures(holds) if "After adaptation" in figure)
    assert bars["Before"]["y"] == pytest.approx([0.75, 0.65])
    assert bars["After adaptation"]["y"] == pytest.approx([1.125, 0.975])
    assert bars["After adaptation"]["text"] == ["+50%", "+50%"]


@pytest.mark.parametrize(
    ("status", "said", "action"),
    [
        (None, "Not started", "Start"),
        (Status("stopped", 2, 6), "Stopped", "Resume"),
        (Status("running", 2, 6, "Margin, start, seed 0", 999_999_999), "Interrupted", "Resume"),
        (Status("failed", 2, 6, "1 of 6 runs failed: Margin. The first one: no images."), "Failed", "Resume"),
    ],
)
def test_a_benchmark_says_how_it_stands_and_what_can_be_done(
    holds: AppTest, make: Make, status: Status | None, said: str, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Path] = []
    make("mine", 2, status)
    _open(holds)
    assert f"{said}  :gray[2 of 6 runs]" in _texts(holds)
    assert [error.value for error in holds.error] == ([status.message] if status and status.state == "failed" else [])
    monkeypatch.setattr(StudyFolder, "begin", lambda folder: begun.append(folder.path) or 0)
    assert holds.button(key="act_benchmark_mine").label == action
    holds.button(key="act_benchmark_mine").click().run()
    assert not holds.exception
    assert [path.name for path in begun] == ["mine"]


def test_a_stop_is_asked_for_once(holds: AppTest, make: Make) -> None:
    folder = make("mine", 2, Status("running", 2, 6, "Margin, start, seed 0", os.getpid()))
    _open(holds)
    holds.button(key="act_benchmark_mine").click().run()
    assert folder.stop_requested()
    assert holds.button(key="act_benchmark_mine").label == "Stopping"
    assert holds.button(key="act_benchmark_mine").disabled


def test_studies_without_splits_are_left_out_and_broken_ones_named(holds: AppTest, make: Make, tmp_path: Path) -> None:
    make("mine", 0)
    plain = StudyFolder(tmp_path / "runs" / "plain")
    plain.create(StudyConfig(name="plain", rows={"a": {}}))
    broken = tmp_path / "runs" / "broken" / "study.yaml"
    broken.parent.mkdir()
    broken.write_text("rows: 3")
    _open(holds)
    assert "plain" not in str(holds.selectbox(key="benchmark").options)
    assert "mine" in str(holds.selectbox(key="benchmark").options)
    assert "The benchmark 'broken' cannot be read, so it is left out." in _texts(holds)
    assert "Nothing measured yet." in _texts(holds)


def test_a_benchmark_whose_splits_are_gone_is_one_error(holds: AppTest, make: Make) -> None:
    folder = make("mine", 1)
    (folder.path / "splits.json").unlink()
    _open(holds)
    assert len(holds.error) == 1
    assert "There is no file of splits" in holds.error[0].value


def test_a_benchmark_is_started_with_what_was_chosen(holds: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Path] = []
    monkeypatch.setattr(StudyFolder, "begin", lambda folder: begun.append(folder.path) or 0)
    _open_form(holds)
    holds.pills(key="benchmark_methods").set_value(["Raw encoder", "R-margin", "Margin + uniform prior", "DiVA", "Margin + ELG"]).run()
    holds.number_input(key="benchmark_count").set_value(2).run()
    holds.number_input(key="benchmark_seeds").set_value(3).run()
    holds.number_input(key="benchmark_epochs").set_value(4).run()
    assert "26 runs on 2 splits: start (0.195), removal 1 (0.288)." in _texts(holds)
    holds.text_input(key="benchmark_name_shifts").set_value("my shifts").run()
    holds.button(key="benchmark_start").click().run()
    assert not holds.exception
    assert begun == [tmp_path / "runs" / "my shifts"]
    folder = StudyFolder(begun[0])
    wanted = folder.cells()
    assert len(wanted) == 26
    assert {cell.config.epochs for cell in wanted} == {0, 4}
    assert {cell.config.matched_classes for cell in wanted} == {2}
    assert {cell.config.batch.per_class for cell in wanted} == {48}
    names = _names(BODY)
    assert wanted[0].split is not None
    assert wanted[0].split.train == tuple(names[:3])
    assert {cell.row: cell.config.objective.name for cell in wanted}["R-margin"] == "r-margin"
    assert {cell.row: cell.config.objective.diva is not None for cell in wanted}["DiVA"]
    assert holds.selectbox(key="benchmark").value == "own:my shifts"
    assert not holds.session_state["benchmark_form"]


def test_a_name_that_exists_is_one_message(holds: AppTest, make: Make) -> None:
    make("shifts", 0)
    _open_form(holds)
    assert holds.text_input(key="benchmark_name_shifts-2").value == "shifts-2"
    holds.text_input(key="benchmark_name_shifts-2").set_value("shifts").run()
    assert [warning.value for warning in holds.warning] == ["There is a benchmark or run shifts already; choose another name."]
    assert holds.button(key="benchmark_start").disabled


def test_no_method_and_a_class_with_too_few_images_are_one_message_each(holds: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.shifts import benchmark_form

    _open_form(holds)
    holds.pills(key="benchmark_methods").set_value([]).run()
    assert [warning.value for warning in holds.warning] == ["Choose at least one method."]
    holds.pills(key="benchmark_methods").set_value(["Margin"]).run()
    monkeypatch.setattr(benchmark_form, "SHOTS", 100_000)
    holds.run()
    (told,) = [warning.value for warning in holds.warning]
    assert "images, and few-shot needs 100002: 100000 to adapt to and 2 to find. Switch few-shot off" in told
    holds.toggle(key="benchmark_few_shot").set_value(False).run()
    assert not holds.warning
    assert not holds.exception


def _choose_network(app: AppTest, name: str, part: str = "Embedding layer") -> AppTest:
    _type_network(app, name).set_value(name)
    app.segmented_control(key="benchmark_part").set_value(part).run()
    assert not app.exception
    return app


def _type_network(app: AppTest, name: str) -> Any:
    """The field of the network, which takes this name: AppTest forgets with each run what was typed."""
    (field,) = [field for field in app.selectbox if field.label == "Network"]
    if field.format_func(name) not in field.options:
        field.options.append(name)
    return field


def _offered(app: AppTest) -> list[str]:
    """Networks in their order, as shown."""
    return [option for field in app.selectbox if field.label == "Network" for option in field.options]


def _begun(app: AppTest, network: str, monkeypatch: pytest.MonkeyPatch) -> StudyFolder:
    """The folder of a benchmark that is started with what the form has."""
    begun: list[StudyFolder] = []
    monkeypatch.setattr(StudyFolder, "begin", lambda folder: begun.append(folder) or 0)
    assert [warning.value for warning in app.warning] == []
    _type_network(app, network)
    app.button(key="benchmark_start").click().run()
    assert not app.exception
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
    holds: AppTest, monkeypatch: pytest.MonkeyPatch, name: str, part: str, size: int, batch: int, words: str
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


@pytest.fixture
def photos(tmp_path: Path, app: AppTest) -> str:
    """Six classes of five images each, chosen in the sidebar, as a stranger has them."""
    for number, name in enumerate(("ant", "bee", "cow", "dog", "eel", "fox")):
        (tmp_path / "photos" / name).mkdir(parents=True)
        for image in range(5):
            Image.new("RGB", (24, 24), (50 * number, 50 * image, 90)).save(tmp_path / "photos" / name / f"{image}.png")
    entry = new_entry("Photos", str((tmp_path / "photos").resolve()), "photos")
    add_dataset(entry)
    app.query_params["dataset"] = entry.name
    app.session_state["shifts"] = "What holds up"
    return entry.source


def test_a_strangers_photos_are_trained_on_with_the_network_that_embedded_them(app: AppTest, photos: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _open_form(app)
    assert _offered(app)[0] == "Photos (shipped)"
    app.segmented_control(key="benchmark_part").set_value("Whole network").run()
    folder = _begun(app, "photos", monkeypatch)
    (config,) = {
        cell.config.model_dump_json(include={"data": {"source", "attribute", "image_size"}, "backbone": {"name"}}) for cell in folder.cells()
    }
    assert json.loads(config) == {"data": {"source": photos, "attribute": "class", "image_size": 224}, "backbone": {"name": "photos"}}
    assert {(cell.config.batch.size, cell.config.batch.per_class) for cell in folder.cells()} == {
        (24, 12)
    }  # there are ten images to train with at worst


@pytest.mark.parametrize(
    ("encoder", "said"),
    [
        ("run:/somewhere", "What made these vectors is a trained run, and a training begins from published weights."),
        ("", "What made these vectors has no network that can be trained."),
        ("local-dir:/nowhere", "The encoder '/nowhere' is not here"),
    ],
)
def test_an_encoder_that_no_training_begins_from_gives_way_to_photos(
    holds: AppTest, encoder: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from likeness.space import Space

    monkeypatch.setattr(Space, "encoder_name", encoder)
    _open_form(holds)
    assert _offered(holds)[0] == "Photos (shipped)"
    (told,) = [caption.value for caption in holds.caption if said in caption.value]
    assert told.endswith("Photos (shipped) is offered in its place.")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("resnet19", "There is no timm model 'resnet19'; the nearest names are resnet18"),
        ("clip:ViT-B-32/mine", "The model 'ViT-B-32' has no weights 'mine'"),
        ("clip:something", "There is no network 'clip:something' to train; write 'photos', the name of a timm model"),
        ("clip:hf-hub:nobody/nothing", "'hf-hub:nobody/nothing' is not on this machine"),
        ("local-dir:/etc", "There is no network 'local-dir:/etc' to train"),
    ],
)
def test_a_network_that_is_not_there_is_refused_before_a_start(holds: AppTest, name: str, said: str) -> None:
    _choose_network(_open_form(holds), name)
    (warning,) = holds.warning
    assert said in warning.value
    assert holds.button(key="benchmark_start").disabled
    _choose_network(holds, "photos")
    assert not holds.warning
    assert not holds.button(key="benchmark_start").disabled


def test_a_method_that_reads_feature_maps_is_refused_where_the_network_has_none(holds: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.shifts.benchmark_methods import METHODS, Method

    monkeypatch.setitem(METHODS, "Margin", Method("", {"objective.s2sd": {"target_dims": [8], "pooling": "average+max"}}))
    _choose_network(_open_form(holds), "clip:cars", "Whole network")
    (warning,) = holds.warning
    assert warning.value.startswith("Margin can't be trained so:")
    assert "reads feature maps, which clip:cars does not give; choose a timm CNN such as resnet50" in warning.value
    assert holds.button(key="benchmark_start").disabled
    _choose_network(holds, "resnet50", "Whole network")
    assert not holds.warning


def test_time_is_told_only_where_the_speed_of_the_network_was_measured(holds: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.shifts import benchmark_network

    _choose_network(_open_form(holds), "photos", "Whole network")
    assert "All runs together can take from minutes to days." in _texts(holds)
    assert "at least" not in _texts(holds)
    monkeypatch.setattr(benchmark_network, "remembered_speeds", lambda: {"photos": 1000.0})
    holds.number_input(key="benchmark_epochs_whole").set_value(1).run()
    images, runs = 2000, 3 * 4 * 2  # about half of the images train, each of which counts three times; the others test
    told = next(caption.value for caption in holds.caption if "All runs together" in caption.value)
    seconds = int(told.partition("at least ")[2].partition(" s ")[0])
    assert runs * 0.5 * images / 1000 < seconds < (runs * 3 + 4) * images / 1000
    assert "at the 1,000 images a second that were measured here" in told
    _choose_network(holds, "photos")
    assert "Features are computed once, which takes at least 2 s at the 1,000 images a second" in _texts(holds)


def test_splits_of_other_images_start_no_benchmark(holds: AppTest) -> None:
    holds.session_state["shift_splits"] = "shipped:cars196-oodml"
    _open_form(holds)
    assert len(holds.error) == 1
    assert "which Synthetic Cars does not have" in holds.error[0].value


def test_shipped_results_are_offered_and_shown(holds: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Make) -> None:
    from likeness.studies import study
    from pages.shifts import benchmarks

    (tmp_path / "results").mkdir()
    cells = make("made", 0).cells()
    places = [
        {"row": cell.row, "seed": cell.seed, "split": cell.config.data.shift, "distance": 0.2 if "start" in str(cell.folder) else 0.4}
        for cell in cells
    ]
    frame = pd.DataFrame([place | _scores(cell) for place, cell in zip(places, cells, strict=True)])
    frame.to_csv(tmp_path / "results" / "far.csv", index=False)
    pd.DataFrame({"row": ["a"]}).to_csv(tmp_path / "results" / "plain.csv", index=False)
    for module in (benchmarks, study):
        monkeypatch.setattr(module, "assets_dir", lambda: tmp_path)
    _open(holds)
    assert "far (shipped results)" in holds.selectbox(key="benchmark").options
    assert not any("plain" in option for option in holds.selectbox(key="benchmark").options)
    holds.selectbox(key="benchmark").set_value("shipped:far").run()
    assert not holds.exception
    assert _scored(holds) == {"Margin": pytest.approx(0.7), "Raw encoder": pytest.approx(0.45)}


def test_why_scores_rise_where_classes_are_removed_stands_beside_them(holds: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.studies import study
    from pages.shifts import benchmarks

    (tmp_path / "results").mkdir()
    for name, last in (("rises", 0.6), ("falls", 0.2)):
        splits = (("start", 0.1, 0.9), ("swap 4", 0.2, 0.3), ("removal 2", 0.4, last))
        lines = [{"row": "Margin", "seed": 0, "split": split, "distance": place, "recall_at_1": score} for split, place, score in splits]
        pd.DataFrame(lines).assign(seconds=1.0).to_csv(tmp_path / "results" / f"{name}.csv", index=False)
    for module in (benchmarks, study):
        monkeypatch.setattr(module, "assets_dir", lambda: tmp_path)
    _open(holds)
    said = {}
    for name in ("rises", "falls"):
        holds.selectbox(key="benchmark").set_value(f"shipped:{name}").run()
        assert not holds.exception
        said[name] = [caption.value for caption in holds.caption if "the hardest to tell apart" in caption.value]
    assert "R@1 rises from 0.300 on swap 4 to 0.600 on removal 2" in said["rises"][0]
    assert said["falls"] == []


def test_random_halves_are_another_start(app: AppTest) -> None:
    app.session_state["shift_classes"] = ["car_color"]
    page = _finished(app.switch_page("pages/shifts/page.py").run())
    before = page.metric[0].value
    page.toggle(key="shift_random").set_value(True)
    _finished(page.run())
    assert page.metric[0].value != before
