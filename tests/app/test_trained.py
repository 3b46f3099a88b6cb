"""Trained runs as spaces: offered in the sidebar, embedded in the background, used by every page."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app_page import Page
from background import jobs
from likeness.data import ImageTable, read_cars
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.progress import Progress
from likeness.space import Space
from likeness.training.config import read_config, with_changes
from likeness.training.data.run_images import run_images
from likeness.training.loop.train import train
from likeness.training.runs.run_folder import RunFolder
from shared import trained
from worlds import dataset, draw

NAME = "run tiny_one"
PAGES = ("explore", "compare", "saliency", "notions", "train", "runs", "semantics", "your_images")


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


def _job() -> Any:
    (job,) = jobs().all("run spaces")
    return job


def _choose(app: Page, box: str = "a", name: str = NAME) -> Page:
    app.run().set(box, name).wait("run spaces")
    assert not app.error
    return app


def test_a_run_with_weights_is_a_space_beside_others(app: Page, run: RunFolder) -> None:
    RunFolder(run.path.parent / "bare").create(read_config("shipped-cars-elg"))
    app.run()
    for box in ("a", "b"):
        assert "Run tiny_one" in app.selectbox(key=box).options
        assert "Run bare" not in app.selectbox(key=box).options
    _choose(app)
    space = app.session_state["view"].a
    assert space.name == NAME
    np.testing.assert_array_equal(space.vectors, embed(read_cars(), f"run:{run.path}").vectors)
    assert space.vectors.shape == (2000, 128)
    assert app.subheader[0].value == "2,000 images"
    assert app.text_input(key="text").disabled
    assert app.text_input(key="text").placeholder == "This space reads no text"
    app.set("b", "car color")
    app.session_state["query"] = 5
    app.run()
    assert app.subheader[0].value.startswith("Neighbors of ")
    assert "Agreement" in app.texts


def test_a_run_of_a_sweep_is_a_space_too(app: Page, run: RunFolder) -> None:
    place = run.path.parent / "rates" / "runs" / "trial-0003"
    shutil.copytree(run.path, place)
    _choose(app, name="run rates/runs/trial-0003")
    space = app.session_state["view"].a
    assert space.name == "run rates/runs/trial-0003"
    assert space.vectors.shape == (2000, 128)


def test_a_link_shows_the_run_until_it_is_gone(app: Page, run: RunFolder) -> None:
    app.visit(show=NAME).wait("run spaces")
    assert app.session_state["view"].a.name == NAME
    assert "show" not in app.query_params
    shutil.rmtree(run.path)
    app.run()
    assert not app.error
    assert app.session_state["view"].a.name == "Raw encoder"
    for parameter, name in (("show", NAME), ("a", "Run tiny_one")):
        other = app.fresh("layout")
        other.query_params[parameter] = name
        assert other.run().session_state["view"].a.name == "Raw encoder"


def test_a_run_stays_behind_with_the_images_that_it_was_trained_on_and_says_so_elsewhere(app: Page, run: RunFolder, tmp_path: Path) -> None:
    _choose(app)
    assert "not on these images" not in app.texts
    app.visit(open=dataset(draw(tmp_path / "mine", 4), "cars-small").id)
    assert [app.selectbox(key=key).value for key in ("a", "b")] == ["Raw encoder", "None"]
    app.set("a", NAME)
    assert "Run tiny_one was trained on “Synthetic Cars”, not on these images." in app.texts


def test_other_weights_are_embedded_anew(app: Page, run: RunFolder) -> None:
    from safetensors.torch import load_file, save_file

    _choose(app)
    before = app.session_state["view"].a.vectors
    weights = load_file(run.best)
    save_file(weights | {"head.weight": weights["head.weight"].flip(1).contiguous()}, run.best)
    app.run()

    assert len(jobs().all("run spaces")) == 2
    assert jobs().all("run spaces")[-1].wait(120)
    app.run()
    after = app.session_state["view"].a.vectors
    np.testing.assert_array_equal(after, embed(read_cars(), f"run:{run.path}").vectors)
    assert np.abs(after - before).max() > 0.05


def test_every_page_takes_the_run_as_a_space(app: Page, run: RunFolder) -> None:
    _choose(app)
    app.session_state["saliency_samples"] = 1
    app.session_state["saliency_show"] = "Maps"
    for page in PAGES:
        app.open(page)
        assert app.errors == []
    app.set("b", NAME).set("a", "car color")
    for page in PAGES:
        app.open(page)
        assert app.errors == []


def test_a_text_that_was_typed_before_the_run_was_chosen_breaks_nothing(app: Page, run: RunFolder) -> None:
    app.run().set("text", "a red car")
    _choose(app)
    assert app.session_state["view"].a.name == NAME
    assert app.subheader[0].value == "Images for “a red car”"
    assert "No space shown here reads a text" in app.texts


def test_a_text_search_leaves_the_run_out_beside_a_space_that_reads_it(app: Page, run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    from components.gallery import Section
    from shared import neighbors

    drawn: list[list[Section]] = []
    find = neighbors.find
    monkeypatch.setattr(neighbors, "find", lambda *given, **options: drawn.append(find(*given, **options)) or drawn[-1])
    _choose(app)
    app.set("b", "car color")
    assert not app.text_input(key="text").disabled
    app.set("text", "a red car")
    assert app.subheader[0].value == "Images for “a red car”"
    assert [each.space.name for each in drawn[-1]] == ["car color"]
    reds = app.session_state["view"].frame["car_color"].iloc[drawn[-1][0].rows]
    assert (reds == "red").mean() > 0.5


def test_saliency_looks_into_the_run(app: Page, run: RunFolder) -> None:
    from pages.saliency import job as saliency_job

    app.session_state["saliency_samples"], app.session_state["saliency_show"] = 1, "Maps"
    app.session_state["rows"] = np.array([3])
    _choose(app).open("saliency").wait("saliency")
    assert not app.error
    assert app.multiselect(key="looked_at").value == [NAME]
    job = saliency_job.find(app.session_state["saliency_shown"])
    assert job is not None
    assert [each.name for each in job.result] == [NAME, "Raw encoder"]
    assert np.abs(job.result[0].maps - job.result[1].maps).max() > 0.01
    app.set("saliency_show", "Differences")  # beside the raw encoder, as the page opens
    assert not app.error


def test_semantics_takes_the_classes_that_the_run_has_not_seen(app: Page, run: RunFolder) -> None:
    images = run_images(run.config().data, 0)
    _choose(app)
    app.open("semantics").wait("semantics")
    assert len(app.metric) == 4
    tested = app.selectbox(key="semantic_query").options
    assert len(tested) == len(images.names) - len(images.train_classes) == 51
    assert "black pickup" not in tested  # the first half in the alphabet trains
    app.set("semantic_unseen", False).wait("semantics")
    assert len(app.selectbox(key="semantic_query").options) == len(images.names)
    app.set("semantic_unseen", True).set("semantic_classes", ["body_type"])
    assert "Car color and Body type" in app.texts
    assert "Only classes unseen in training" in app.texts
    assert "--" not in app.texts
    assert str(run.path) not in app.texts
    app.set("semantic_unseen", False).wait("semantics")
    assert len(app.metric) == 4
    assert len(app.selectbox(key="semantic_query").options) == 6
    app.set("a", "Raw encoder")
    assert not app.toggle


Slow = Callable[..., Space]


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Embedding that goes on until it is stopped; set once it has begun."""
    going, over = threading.Event(), threading.Event()

    def endless(table: ImageTable, encoder: str, progress: Progress, should_stop: Callable[[], bool], **_: object) -> Space:
        while not (should_stop() or over.is_set()):
            progress(500, 2000)
            going.set()
            time.sleep(0.01)
        return embed(table, "cars")

    monkeypatch.setattr(trained, "embed", endless)
    yield going
    over.set()


def test_an_embedding_is_watched_stopped_and_gone_on_with(app: Page, run: RunFolder, begun: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    app.visit(a="Run tiny_one")
    assert begun.wait(600)
    app.run()
    assert "Images as the run tiny_one sees them: 500 of 2,000 images" in app.bars
    other = app.fresh("layout").run().set("a", "Raw encoder")  # another space can be chosen meanwhile
    assert other.session_state["view"].a.name == "Raw encoder"
    assert not _job().finished
    app.press("Stop")
    assert _job().wait(600)
    app.run()
    assert "Stopped; what was embedded is kept." in app.texts
    monkeypatch.setattr(trained, "embed", embed)
    app.press("Go on").wait("run spaces")
    assert app.session_state["view"].a.vectors.shape == (2000, 128)


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
    app.press("Try again").wait("run spaces")
    assert app.session_state["view"].a.name == NAME


def test_a_run_with_damaged_settings_is_told_and_another_space_can_be_chosen(app: Page, run: RunFolder) -> None:
    (run.path / "config.yaml").write_text("epoch: 3")
    app.visit(a="Run tiny_one")
    assert "'epoch'" in app.wait("run spaces").errors[0]
    app.set("a", "Raw encoder")
    assert not app.error
    assert app.session_state["view"].a.name == "Raw encoder"
