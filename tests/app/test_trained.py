"""Trained runs as spaces: offered in the sidebar, embedded in the background, used by every page."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from background import jobs
from likeness.data import DatasetEntry, ImageTable, add_dataset, read_cars
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.progress import Progress
from likeness.space import Space
from likeness.training.config import read_config, with_changes
from likeness.training.data.run_images import run_images
from likeness.training.loop.train import train
from likeness.training.runs.run_folder import RunFolder
from shared import trained

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
def run(kept: Path, app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """That run in the app's folder of runs."""
    monkeypatch.setenv("LIKENESS_CACHE", str(kept / "cache"))
    return RunFolder(shutil.copytree(kept / "run", tmp_path / "runs" / "tiny_one"))


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.error, app.warning, app.info) for element in kind)


def _bars(app: AppTest) -> str:
    return "\n".join(element.proto.text for element in app.get("progress"))


def _job() -> Any:
    (job,) = jobs().all("run spaces")
    return job


def _choose(app: AppTest, box: str = "a", name: str = NAME) -> AppTest:
    app.run()
    app.selectbox(key=box).select(name).run()
    return _embedded(app)


def _embedded(app: AppTest) -> AppTest:
    assert _job().wait(600)
    app.run()
    assert not app.exception
    assert not app.error
    return app


def _open(app: AppTest, page: str) -> AppTest:
    app.switch_page(f"pages/{page}/page.py").run()
    assert not app.exception
    return app


def test_a_run_with_weights_is_offered_as_a_space_and_one_without_is_not(app: AppTest, run: RunFolder) -> None:
    RunFolder(run.path.parent / "bare").create(read_config("shipped-cars-elg"))
    app.run()
    for box in ("a", "b"):
        assert "Run tiny_one" in app.selectbox(key=box).options
        assert "Run bare" not in app.selectbox(key=box).options


def test_a_run_of_a_sweep_is_a_space_too(app: AppTest, run: RunFolder) -> None:
    place = run.path.parent / "rates" / "runs" / "trial-0003"
    shutil.copytree(run.path, place)
    _choose(app, name="run rates/runs/trial-0003")
    space = app.session_state["view"].a
    assert space.name == "run rates/runs/trial-0003"
    assert space.vectors.shape == (2000, 128)


def test_the_runs_space_is_what_its_best_weights_give(app: AppTest, run: RunFolder) -> None:
    _choose(app)
    space = app.session_state["view"].a
    assert space.name == NAME
    np.testing.assert_array_equal(space.vectors, embed(read_cars(), f"run:{run.path}").vectors)
    assert space.vectors.shape == (2000, 128)
    assert app.subheader[0].value == "2,000 images"


def test_a_link_shows_the_run(app: AppTest, run: RunFolder) -> None:
    app.query_params["show"] = NAME
    app.run()
    _embedded(app)
    assert app.session_state["view"].a.name == NAME
    assert "show" not in app.query_params


def test_a_link_to_a_run_without_weights_shows_the_raw_encoder(app: AppTest, run: RunFolder) -> None:
    run.best.unlink()
    for parameter, name in (("show", NAME), ("a", "Run tiny_one")):
        app.query_params[parameter] = name
        app.run()
        assert not app.exception
        assert app.session_state["view"].a.name == "Raw encoder"


def test_a_run_stays_behind_with_the_images_that_it_was_trained_on_and_says_so_elsewhere(app: AppTest, run: RunFolder, tmp_path: Path) -> None:
    _choose(app)
    assert "not on these images" not in _texts(app)
    for number in range(4):
        (tmp_path / "mine").mkdir(exist_ok=True)
        Image.new("RGB", (20, 20), (60 * number, 90, 60)).save(tmp_path / "mine" / f"{number}.png")
    add_dataset(DatasetEntry("mine", "Mine", str(tmp_path / "mine"), "cars-small"))
    app.query_params["open"] = "mine"
    app.run()
    assert [app.selectbox(key=key).value for key in ("a", "b")] == ["Raw encoder", "None"]
    app.selectbox(key="a").select(NAME).run()
    assert "Run tiny_one was trained on “Synthetic Cars”, not on these images." in _texts(app)


def test_a_run_that_is_removed_while_it_is_shown_gives_way_to_the_raw_encoder(app: AppTest, run: RunFolder) -> None:
    _choose(app)
    shutil.rmtree(run.path)
    app.run()
    assert not app.exception
    assert not app.error
    assert app.session_state["view"].a.name == "Raw encoder"


def test_other_weights_are_embedded_anew(app: AppTest, run: RunFolder) -> None:
    from safetensors.torch import load_file, save_file

    _choose(app)
    before = app.session_state["view"].a.vectors
    weights = load_file(run.best)
    save_file(weights | {"head.weight": weights["head.weight"].flip(1).contiguous()}, run.best)
    app.run()

    assert len(jobs().all("run spaces")) == 2
    assert jobs().all("run spaces")[-1].wait(120)
    app.run()
    assert not app.exception
    after = app.session_state["view"].a.vectors
    np.testing.assert_array_equal(after, embed(read_cars(), f"run:{run.path}").vectors)
    assert np.abs(after - before).max() > 0.05


def test_every_page_takes_the_run_as_a_space(app: AppTest, run: RunFolder) -> None:
    _choose(app)
    app.session_state["saliency_samples"] = 1
    app.session_state["saliency_show"] = "Maps"
    for page in PAGES:
        _open(app, page)
        assert [error.value for error in app.error] == []
    app.selectbox(key="b").select(NAME).run()
    app.selectbox(key="a").select("car color").run()
    for page in PAGES:
        _open(app, page)
        assert [error.value for error in app.error] == []


def test_a_run_reads_no_text(app: AppTest, run: RunFolder) -> None:
    _choose(app)
    assert app.text_input(key="text").disabled
    assert app.text_input(key="text").placeholder == "This space reads no text"


def test_a_text_that_was_typed_before_the_run_was_chosen_breaks_nothing(app: AppTest, run: RunFolder) -> None:
    app.run()
    app.text_input(key="text").input("a red car").run()
    _choose(app)
    assert app.session_state["view"].a.name == NAME
    assert not app.exception
    assert app.subheader[0].value == "Images for “a red car”"
    assert "No space shown here reads a text" in _texts(app)


def test_a_text_search_leaves_the_run_out_beside_a_space_that_reads_it(app: AppTest, run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    from components.gallery import Section
    from shared import neighbors

    drawn: list[list[Section]] = []
    find = neighbors.find
    monkeypatch.setattr(neighbors, "find", lambda *given, **options: drawn.append(find(*given, **options)) or drawn[-1])
    _choose(app)
    app.selectbox(key="b").select("car color").run()
    assert not app.text_input(key="text").disabled
    app.text_input(key="text").input("a red car").run()
    assert not app.exception
    assert app.subheader[0].value == "Images for “a red car”"
    assert [each.space.name for each in drawn[-1]] == ["car color"]
    reds = app.session_state["view"].frame["car_color"].iloc[drawn[-1][0].rows]
    assert (reds == "red").mean() > 0.5


def test_an_image_as_query_has_neighbors_in_both(app: AppTest, run: RunFolder) -> None:
    _choose(app)
    app.selectbox(key="b").select("car color").run()
    app.session_state["query"] = 5
    app.run()
    assert not app.exception
    assert app.subheader[0].value.startswith("Neighbors of ")
    assert "Agreement" in _texts(app)


def _explained(app: AppTest, show: str) -> AppTest:

    app.session_state["saliency_samples"] = 1
    app.session_state["saliency_show"] = show
    app.session_state["rows"] = np.array([3])
    _choose(app)
    _open(app, "saliency")
    for job in jobs().all("saliency"):
        assert job.wait(600)
        assert job.error is None
    app.run()
    assert not app.exception
    return app


def test_saliency_looks_into_the_run(app: AppTest, run: RunFolder) -> None:
    from pages.saliency import job as saliency_job

    _explained(app, "Maps")
    assert not app.error
    assert app.multiselect(key="looked_at").value == [NAME]
    job = saliency_job.find(app.session_state["saliency_shown"])
    assert job is not None
    assert [each.name for each in job.result] == [NAME, "Raw encoder"]
    assert np.abs(job.result[0].maps - job.result[1].maps).max() > 0.01


def test_saliency_shows_the_run_beside_the_raw_encoder_as_the_page_opens(app: AppTest, run: RunFolder) -> None:
    _explained(app, "Differences")
    assert [error.value for error in app.error] == []


def _measured(app: AppTest) -> AppTest:
    for job in jobs().all("semantics"):
        assert job.wait(600)
        assert job.error is None
    app.run()
    assert not app.exception
    return app


def test_semantics_takes_the_classes_that_the_run_has_not_seen(app: AppTest, run: RunFolder) -> None:
    images = run_images(run.config().data, 0)
    _choose(app)
    _measured(_open(app, "semantics"))
    assert len(app.metric) == 4
    tested = app.selectbox(key="semantic_query").options
    assert len(tested) == len(images.names) - len(images.train_classes) == 51
    assert "black pickup" not in tested  # the first half in the alphabet trains
    app.toggle(key="semantic_unseen").set_value(False).run()
    _measured(app)
    assert len(app.selectbox(key="semantic_query").options) == len(images.names)


def test_semantics_on_other_classes_than_the_runs_says_which_it_was_trained_on(app: AppTest, run: RunFolder) -> None:
    _choose(app)
    _open(app, "semantics")
    app.multiselect(key="semantic_classes").set_value(["body_type"]).run()
    assert not app.exception
    assert "Car color and Body type" in _texts(app)
    assert "Only classes unseen in training" in _texts(app)
    assert "--" not in _texts(app)
    assert str(run.path) not in _texts(app)
    app.toggle(key="semantic_unseen").set_value(False).run()
    _measured(app)
    assert len(app.metric) == 4
    assert len(app.selectbox(key="semantic_query").options) == 6


def test_semantics_without_a_run_has_no_unseen_classes(app: AppTest, run: RunFolder) -> None:
    _open(app, "semantics")
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


def test_an_embedding_is_watched_stopped_and_gone_on_with(
    app: AppTest, run: RunFolder, begun: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.query_params["a"] = "Run tiny_one"
    app.run()
    assert begun.wait(600)
    app.run()
    assert not app.exception
    assert "Images as the run tiny_one sees them: 500 of 2,000 images" in _bars(app)
    next(button for button in app.button if button.label == "Stop").click().run()
    assert _job().wait(600)
    app.run()
    assert not app.exception
    assert "Stopped; what was embedded is kept." in _texts(app)
    monkeypatch.setattr(trained, "embed", embed)
    next(button for button in app.button if button.label == "Go on").click().run()
    _embedded(app)
    assert app.session_state["view"].a.vectors.shape == (2000, 128)


def test_another_space_can_be_chosen_while_the_run_is_embedded(app: AppTest, run: RunFolder, begun: threading.Event) -> None:
    app.query_params["a"] = "Run tiny_one"
    app.run()
    app.selectbox(key="a").select("Raw encoder").run()
    assert not app.exception
    assert app.session_state["view"].a.name == "Raw encoder"
    assert not _job().finished


def test_an_embedding_that_fails_is_told_and_tried_again(app: AppTest, run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object, **options: object) -> Space:
        raise InputError("The disk is full; make room.")

    monkeypatch.setattr(trained, "embed", fail)
    app.query_params["a"] = "Run tiny_one"
    app.run()
    assert not app.exception
    assert [error.value for error in app.error] == ["The disk is full; make room."]
    monkeypatch.setattr(trained, "embed", embed)
    next(button for button in app.button if button.label == "Try again").click().run()
    _embedded(app)
    assert app.session_state["view"].a.name == NAME


def test_images_that_the_run_cannot_read_are_counted(app: AppTest, run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def partly(table: ImageTable, encoder: str, **options: object) -> Space:
        whole = embed(table, encoder)
        part = ImageTable(table.name, table.root, table.frame.iloc[3:])
        return whole.replace(images=part, vectors=whole.vectors[3:])

    monkeypatch.setattr(trained, "embed", partly)
    app.query_params["a"] = "Run tiny_one"
    app.run()
    assert not app.exception
    assert _job_error(app) == "The run 'tiny_one' cannot read 3 of the images; take them out of the dataset."


def _job_error(app: AppTest) -> str:
    for job in jobs().all("run spaces"):
        assert job.wait(600)
        app.run()
    assert not app.exception
    return str(app.error[0].value)


def test_a_run_with_damaged_settings_is_told_and_another_space_can_be_chosen(app: AppTest, run: RunFolder) -> None:
    (run.path / "config.yaml").write_text("epoch: 3")
    app.query_params["a"] = "Run tiny_one"
    app.run()
    assert "there is no key 'epoch'" in _job_error(app)
    app.selectbox(key="a").select("Raw encoder").run()
    assert not app.exception
    assert not app.error
    assert app.session_state["view"].a.name == "Raw encoder"
