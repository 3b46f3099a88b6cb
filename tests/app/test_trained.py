"""Trained runs as spaces: offered in the sidebar, embedded in the background, used by every page."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app_page import Page
from likeness.data import ImageTable, read_cars
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.progress import Progress
from likeness.space import Space
from likeness.training.config import read_config, with_changes
from likeness.training.data.run_images import run_images
from likeness.training.loop.train import train
from likeness.training.runs.run_folder import RunFolder
from parts import trained
from server.jobs import jobs
from worlds import dataset, draw

NAME = "run tiny_one"
PAGES = ("explore", "methods", "saliency", "notions", "train", "runs", "semantics", "images")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run on the shipped images in `run`, and in `cache` what its training and its embedding leave behind."""
    folder = tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIKENESS_CACHE", str(folder / "cache"))
        train(with_changes(read_config("shipped-cars-elg"), {"name": "tiny", "epochs": 1, "evaluate_every": 1, "data.per_class": 4}), folder / "run")
        embed(read_cars(), f"run:{folder / 'run'}")
    return folder


@pytest.fixture
def run(kept: Path, app: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """That run in the app's folder of runs."""
    monkeypatch.setenv("LIKENESS_CACHE", str(kept / "cache"))
    return RunFolder(shutil.copytree(kept / "run", tmp_path / "runs" / "tiny_one"))


def _choose(app: Page, box: str = "a", name: str = NAME) -> Page:
    app.run().set(box, name).wait("run spaces")
    assert not app.error
    return app


def _a(app: Page) -> Space:
    space: Space = app.session_state["view"].a
    return space


def test_a_run_with_weights_is_a_space_beside_others(app: Page, run: RunFolder) -> None:
    RunFolder(run.path.parent / "bare").create(read_config("shipped-cars-elg"))
    app.run()
    for box in ("a", "b"):
        assert {"Run tiny_one", "Run bare"} & set(app.at(box).options) == {"Run tiny_one"}
    assert (_a(_choose(app)).name, _a(app).vectors.shape) == (NAME, (2000, 128))
    np.testing.assert_array_equal(_a(app).vectors, embed(read_cars(), f"run:{run.path}").vectors)
    assert app.subheader[0].value == "2,000 images"
    assert (app.at("text").disabled, app.at("text").placeholder) == (True, "These images cannot be searched with words")
    app.set("b", "car color").session_state["query"] = 5
    assert app.run().says("Agreement").subheader[0].value.startswith("Neighbors of ")


def test_a_run_of_a_sweep_is_a_space_too(app: Page, run: RunFolder) -> None:
    shutil.copytree(run.path, run.path.parent / "rates" / "runs" / "trial-0003")
    assert _a(_choose(app, name="run rates/runs/trial-0003")).name == "run rates/runs/trial-0003"


def test_a_link_shows_the_run_until_it_is_gone_and_it_stays_behind_with_the_images_that_it_was_trained_on(
    app: Page, run: RunFolder, tmp_path: Path
) -> None:
    assert _a(app.visit(show=NAME).wait("run spaces").hides("not on these images")).name == NAME
    assert "show" not in app.query_params
    other = app.fresh("layout").visit(a="Run tiny_one").visit(open=dataset(draw(tmp_path / "mine", 4), "cars-small").id)
    assert [other.at(key).value for key in ("a", "b")] == ["Raw encoder", "None"]
    other.set("a", NAME).says("trained on “Synthetic Cars”, not on these images")
    shutil.rmtree(run.path)
    assert not app.run().error
    others = [app.fresh("layout").visit(**{parameter: name}) for parameter, name in (("show", NAME), ("a", "Run tiny_one"))]
    assert [_a(page).name for page in (app, *others)] == ["Raw encoder"] * 3


def test_other_weights_are_embedded_anew(app: Page, run: RunFolder) -> None:
    from safetensors.torch import load_file, save_file

    before = _a(_choose(app)).vectors
    weights = load_file(run.best)
    save_file(weights | {"head.weight": weights["head.weight"].flip(1).contiguous()}, run.best)
    after = _a(app.run().wait("run spaces")).vectors
    assert len(jobs().all("run spaces")) == 2
    np.testing.assert_array_equal(after, embed(read_cars(), f"run:{run.path}").vectors)
    assert np.abs(after - before).max() > 0.05


def test_every_page_takes_the_run_as_a_space_and_saliency_looks_into_it(app: Page, run: RunFolder) -> None:
    app.session_state["saliency_samples"], app.session_state["saliency_show"] = 1, "Maps"
    app.session_state["rows"] = np.array([3])
    _choose(app).open("saliency").wait("saliency")
    assert app.at("looked_at").value == [NAME]
    job = app.session_state["saliency_shown"].work().find()
    assert job is not None
    assert [each.name for each in job.result] == [NAME, "Raw encoder"]
    assert np.abs(job.result[0].maps - job.result[1].maps).max() > 0.01
    assert not app.set("saliency_show", "Differences").error  # beside the raw encoder, as the page opens
    for spaces in ({}, {"b": NAME, "a": "car color"}):
        for key, name in spaces.items():
            app.set(key, name)
        assert [app.open(page).errors for page in PAGES] == [[]] * len(PAGES)


def test_a_text_search_leaves_the_run_out_beside_a_space_that_reads_it(app: Page, run: RunFolder) -> None:
    _choose(app.run().set("text", "a red car")).says("Neither map can be searched with texts")  # typed before the run was chosen
    assert (_a(app).name, app.subheader[0].value) == (NAME, "Images for “a red car”")
    app = app.fresh("layout").visit(a="Run tiny_one", b="Car color")
    assert not app.at("text").disabled
    (section,) = app.set("text", "a red car").sent("nearest")["sections"]
    assert app.subheader[0].value == "Images for “a red car”"
    assert (app.session_state["view"].frame["car_color"].iloc[section["rows"]] == "red").mean() > 0.5


def test_semantics_takes_the_classes_that_the_run_has_not_seen(app: Page, run: RunFolder) -> None:
    images = run_images(run.config().data, 0)
    _choose(app).open("semantics").wait("semantics")
    assert len(app.metric) == 4
    tested = app.at("semantic_query").options
    assert len(tested) == len(images.names) - len(images.train_classes) == 51
    assert "black pickup" not in tested  # the first half in the alphabet trains
    assert len(app.set("semantic_unseen", False).wait("semantics").at("semantic_query").options) == len(images.names)
    app.set("semantic_unseen", True).set("semantic_classes", ["body_type"]).says("Only classes unseen in training").hides("--", str(run.path))
    app.set("semantic_unseen", False).wait("semantics")
    assert (len(app.metric), len(app.at("semantic_query").options)) == (4, 6)
    assert not app.set("a", "Raw encoder").toggle


def test_an_embedding_is_watched_stopped_and_gone_on_with(app: Page, run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    going = threading.Event()

    def endless(table: ImageTable, encoder: str, progress: Progress, should_stop: Callable[[], bool], **_: object) -> Space:
        while not should_stop():
            progress(500, 2000)
            going.set()
        return embed(table, "cars")

    monkeypatch.setattr(trained, "embed", endless)
    app.visit(a="Run tiny_one")
    assert going.wait(600)
    assert "tiny_one sees them: 500 of 2,000 images" in app.run().bars
    assert _a(app.fresh("layout").run().set("a", "Raw encoder")).name == "Raw encoder"  # another space can be chosen meanwhile
    (job,) = jobs().all("run spaces")
    assert not job.finished
    app.press("Stop")
    assert job.wait(600)
    app.run().says("Stopped. What was embedded is kept")
    monkeypatch.setattr(trained, "embed", embed)
    assert _a(app.press("Resume").wait("run spaces")).vectors.shape == (2000, 128)


def test_an_embedding_that_fails_is_told_and_tried_again(app: Page, run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def partly(table: ImageTable, encoder: str, **options: object) -> Space:
        whole = embed(table, encoder)
        part = ImageTable(table.name, table.root, table.frame.iloc[3:])
        return whole.replace(images=part, vectors=whole.vectors[3:])

    def fail(*given: object, **options: object) -> Space:
        raise InputError("The disk is full; make room.")

    monkeypatch.setattr(trained, "embed", partly)
    (error,) = app.visit(a="Run tiny_one").wait("run spaces").errors
    assert "'tiny_one' cannot read 3 of the images" in error
    monkeypatch.setattr(trained, "embed", fail)
    assert app.press("Try again").wait("run spaces").errors == ["The disk is full; make room."]
    monkeypatch.setattr(trained, "embed", embed)
    assert _a(app.press("Try again").wait("run spaces")).name == NAME
    (run.path / "config.yaml").write_text("epoch: 3")
    other = app.fresh("layout").visit(a="Run tiny_one").wait("run spaces")
    assert "'epoch'" in other.errors[0]
    assert not other.set("a", "Raw encoder").error
    assert _a(other).name == "Raw encoder"
