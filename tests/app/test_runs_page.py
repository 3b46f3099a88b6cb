"""The page Runs without a browser: how runs stand, what differs between them, what can be done with them."""

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from likeness import training
from likeness.data.catalog import add_dataset, new_entry
from likeness.errors import InputError
from likeness.training.config import RunConfig, read_config, with_changes
from likeness.training.runs import background as background_runs
from likeness.training.runs.run_folder import RunFolder, Status
from server_settings import ServerSettings

Make = Callable[..., RunFolder]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes a run of this name, status and settings, with this many evaluations."""

    def make(name: str, status: Status | None = None, evaluations: int = 0, changes: dict[str, Any] | None = None) -> RunFolder:
        run = RunFolder(tmp_path / "runs" / name)
        run.create(with_changes(read_config("shipped-cars-elg"), {"name": name} | (changes or {})))
        if status:
            run.report_status(status)
        for number in range(1, 2 * evaluations + 1):
            best = {"best_of": 0.5 + number / 100}
            row = {"step": number, "epoch": number / 2, "loss": 3 / number, "loss_objective": 2 / number, "loss_guidance": 0.2}
            found = {"recall_at_1": 0.5 + number / 100, "map_at_1000": 0.4, "map_at_r": 0.3, "nmi": 0.9, "f1": 0.7}
            run.append_metrics(row | (found | best if number % 2 == 0 else {}))
        return run

    return make


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.error, app.warning, app.info) for element in kind)


def _open(app: AppTest) -> AppTest:
    app.switch_page("pages/runs/page.py").run()
    assert not app.exception
    return app


def _chosen(app: AppTest) -> list[str]:
    return list(app.multiselect(key="runs").value)


def _choose(app: AppTest, names: list[str]) -> AppTest:
    app.multiselect(key="runs").set_value(names).run()
    assert not app.exception
    return app


def _show(app: AppTest, metric: str) -> AppTest:
    app.segmented_control(key="runs_metric").set_value(metric).run()
    assert not app.exception
    return app


def _curves(app: AppTest) -> dict[str, list[float]]:
    """Name -> values of each curve drawn."""
    import json

    (chart,) = app.get("plotly_chart")
    return {trace["name"]: _values(trace["y"]) for trace in json.loads(chart.proto.spec)["data"]}


def _values(stored: Any) -> list[float]:
    import base64

    import numpy as np

    if isinstance(stored, dict):
        return [float(each) for each in np.frombuffer(base64.b64decode(stored["bdata"]), stored["dtype"])]
    return [float(each) for each in stored]


def _ended_process() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_without_runs_the_page_says_where_to_begin(app: AppTest) -> None:
    _open(app)
    assert "**No runs yet.**" in _texts(app)
    assert [link.proto.label for link in app.get("page_link")] == ["Train a network"]


@pytest.mark.parametrize(
    ("status", "said", "action"),
    [
        (None, ":material/schedule: Not started  :gray[no step yet, 0 s]", "Start"),
        (Status("finished", 10, 10, seconds=120), ":material/check_circle: Finished  :gray[10 of 10 steps, 2 min]", ""),
        (Status("stopped", 4, 10, seconds=3), ":material/pause_circle: Stopped  :gray[4 of 10 steps, 3 s]", "Resume"),
        (Status("failed", 4, 10, "The loss is not finite."), ":material/error: Failed  :gray[4 of 10 steps, 0 s]", "Resume"),
        (Status("running", 4, 10, pid=os.getpid(), seconds=2), ":material/play_circle: Running  :gray[4 of 10 steps, 3 s left]", "Stop"),
    ],
)
def test_a_run_says_how_it_stands_and_what_can_be_done(app: AppTest, make: Make, status: Status | None, said: str, action: str) -> None:
    make("first", status)
    _open(app)
    assert f"**first**  {said}" in _texts(app)
    assert [button.label for button in app.button if button.key == "act_first"] == ([action] if action else [])
    assert [error.value for error in app.error] == (["The loss is not finite."] if status and status.state == "failed" else [])


def test_a_run_whose_process_is_gone_says_so_with_its_last_words(app: AppTest, make: Make) -> None:
    run = make("gone", Status("running", 4, 10, pid=_ended_process()))
    _open(app)
    assert "**gone**  :material/warning: Interrupted" in _texts(app)
    assert "Its process was ended from outside" in app.warning[0].value
    assert "out of memory" not in "".join(code.value for code in app.code)
    (run.path / "output.log").write_text("one\ntwo\nthree\nout of memory\n")
    app.run()
    assert [code.value for code in app.code if "memory" in code.value] == ["two\nthree\nout of memory"]
    assert app.button(key="act_gone").label == "Resume"


def test_a_run_that_has_measured_nothing_has_an_empty_figure(app: AppTest, make: Make) -> None:
    make("first", Status("running", 0, 10, "Reading images", os.getpid()))
    _open(app)
    assert "Reading images" in _texts(app)
    assert "Nothing measured yet." in _texts(app)
    assert not app.get("plotly_chart")
    line = app.dataframe[0].value.iloc[0]
    assert line[["recall_at_1", "nmi"]].isna().all()
    assert line["Guidance"] == "ELG, omega 5"


def test_a_run_that_begins_while_its_card_is_drawn_is_watched_to_its_end(app: AppTest, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    make("first")
    begun, intervals, fragment = threading.Event(), list[float | None](), st.fragment

    def watched(drawn: Callable[..., None], *, run_every: float | None = None) -> Callable[..., None]:
        if drawn.__module__ == "shared.run_card":
            intervals.append(run_every)
            begun.set()
        return fragment(drawn, run_every=run_every)

    status = Status("running", 0, 10, "Reading images", os.getpid())
    monkeypatch.setattr(RunFolder, "status", lambda self: status if begun.is_set() else Status())
    monkeypatch.setattr(st, "fragment", watched)
    _open(app)
    assert "Reading images" in _texts(app)
    assert (intervals[0], intervals[-1]) == (None, 1.0)


def test_a_run_shows_its_curve_and_the_figures_of_its_best_weights(app: AppTest, make: Make) -> None:
    run = make("first", Status("finished", 6, 6), evaluations=3)
    run.write_report({"name": "first", "seconds": 1.0, "steps": 6})
    _open(app)
    assert _curves(app) == {"first": [0.52, 0.54, 0.56]}
    line = app.dataframe[0].value.iloc[0]
    assert (line["Run"], line["State"], line["done"], line["recall_at_1"], line["nmi"]) == ("first", "Finished", 1.0, 0.56, 0.9)
    assert "car_color" in app.code[0].value


def test_the_table_agrees_with_the_weights_that_are_chosen(app: AppTest, make: Make) -> None:
    run = make("first", Status("finished", 8, 8), evaluations=2, changes={"data.select_on_test": True})
    row = {"recall_at_1": 0.51, "map_at_1000": 0.1, "map_at_r": 0.1, "nmi": 0.95, "f1": 0.1}
    run.append_metrics({"step": 6, "epoch": 3.0} | row)
    _open(app)
    best = app.dataframe[0].value.iloc[0]
    assert (best["epoch"], best["recall_at_1"], best["nmi"]) == (2.0, 0.54, 0.9)  # NMI was higher later: not of these weights
    assert "so far on the test images, as the settings say, which flatters these figures" in _texts(app)
    app.segmented_control(key="runs_figures").set_value("last").run()
    last = app.dataframe[0].value.iloc[0]
    assert (last["epoch"], last["recall_at_1"], last["nmi"]) == (3.0, 0.51, 0.95)
    assert "Figures of the last evaluation so far" in _texts(app)


def test_with_validation_images_the_best_weights_are_said_to_be_theirs(app: AppTest, make: Make) -> None:
    make("held", Status("finished", 4, 4), evaluations=1, changes={"data.validation": 0.2})
    make("plain", Status("finished", 4, 4), evaluations=1)
    _open(app)
    _choose(app, ["held"])
    assert "so far on validation images, which neither train nor test" in _texts(app)
    assert "the latest" not in _texts(app)
    _choose(app, ["held", "plain"])
    assert "or the latest, since no images are held out to choose by (data.validation)" in _texts(app)


def test_the_untrained_network_is_the_first_point(app: AppTest, make: Make) -> None:
    run = make("first", Status("running", 0, 4, pid=os.getpid()))
    run.append_metrics({"step": 0, "epoch": 0.0, "recall_at_1": 0.25})
    _open(app)
    assert _curves(app) == {"first": [0.25]}
    assert "Epoch 0 is the network before training." in _texts(app)


def test_a_run_is_renamed_and_stays_chosen(app: AppTest, make: Make, tmp_path: Path) -> None:
    for name in ("first", "other"):
        make(name, Status("finished", 4, 4), evaluations=1)
    _open(app)
    _choose(app, ["first"])
    app.text_input(key="name_first").set_value("other").run()
    assert "There is already a 'other'" in app.toast[0].value
    app.text_input(key="name_first").set_value("renamed").run()
    assert not app.exception
    assert _chosen(app) == ["renamed"]
    assert list(_curves(app)) == ["renamed"]
    assert sorted(folder.name for folder in (tmp_path / "runs").iterdir()) == ["other", "renamed"]


def test_a_run_of_a_sweep_is_shown_renamed_exported_and_deleted_as_any_other(app: AppTest, make: Make, tmp_path: Path) -> None:
    trial = make("rates/runs/trial-0001", Status("finished", 4, 4), evaluations=1)
    make("rates/runs/trial-0002", Status("running", 2, 4, pid=os.getpid()), evaluations=1)
    _open(app)
    _choose(app, ["rates/runs/trial-0001"])
    assert list(_curves(app)) == ["rates/runs/trial-0001"]
    trial.best.write_bytes(b"")
    app.run()
    assert any(button.proto.label == "Download" and not button.proto.disabled for button in app.get("download_button"))
    app.text_input(key="name_rates/runs/trial-0001").set_value("mine").run()
    assert not app.exception
    assert _chosen(app) == ["rates/runs/mine"]
    assert (tmp_path / "runs" / "rates" / "runs" / "mine").is_dir()
    app.button(key="delete_rates/runs/mine").click().run()
    app.button(key="delete_yes_rates/runs/mine").click().run()
    assert not app.exception
    assert not (tmp_path / "runs" / "rates" / "runs" / "mine").exists()


def test_a_run_is_deleted_after_a_question(app: AppTest, make: Make) -> None:
    runs = [make(name, Status("finished", 4, 4), evaluations=1) for name in ("first", "other")]
    _open(app)
    _choose(app, ["first", "other"])
    app.button(key="delete_first").click().run()
    assert "Delete first with its weights and figures? This cannot be undone." in _texts(app)
    app.button(key="delete_no_first").click().run()
    assert "Delete first" not in _texts(app)
    app.button(key="delete_first").click().run()
    app.button(key="delete_yes_first").click().run()
    assert not app.exception
    assert [run.path.exists() for run in runs] == [False, True]
    assert _chosen(app) == ["other"]


def test_a_run_can_be_exported_once_it_has_weights(app: AppTest, make: Make) -> None:
    run = make("first", Status("finished", 4, 4), evaluations=1)
    _open(app)
    (download,) = app.get("download_button")
    assert download.proto.disabled
    run.best.write_bytes(b"")
    app.run()
    (download,) = app.get("download_button")
    assert (download.proto.label, download.proto.disabled) == ("Download", False)


def test_a_run_that_goes_on_is_neither_renamed_nor_deleted(app: AppTest, make: Make) -> None:
    make("going", Status("running", 1, 4, pid=os.getpid()))
    _open(app)
    assert app.button(key="delete_going").disabled
    assert app.text_input(key="name_going").disabled


def test_another_metric_draws_another_curve_and_says_what_it_is(app: AppTest, make: Make) -> None:
    make("first", Status("finished", 4, 4), evaluations=2)
    _open(app)
    assert app.segmented_control(key="runs_metric").options == ["R@1", "mAP@1000", "MAP@R", "NMI", "Loss", "Objective", "Guidance"]
    assert "R@1: The share of images" in _texts(app)
    _show(app, "loss_objective")
    assert _curves(app) == {"first": [2, 1, 2 / 3, 0.5]}
    assert "on the labels alone" in _texts(app)


def test_a_metric_that_the_next_run_lacks_gives_way_to_one_that_it_has(app: AppTest, make: Make) -> None:
    make("measured", Status("finished", 4, 4), evaluations=2)
    make("fresh", Status("stopped", 0, 4))
    _open(app)
    _choose(app, ["measured"])
    _show(app, "loss")
    _choose(app, ["fresh"])
    assert "Nothing measured yet." in _texts(app)
    assert app.segmented_control(key="runs_metric").value == "recall_at_1"


def test_many_points_are_averaged(app: AppTest, make: Make) -> None:
    run = make("long", Status("finished", 1000, 1000))
    for step in range(1, 1001):
        run.append_metrics({"step": step, "epoch": step / 10, "loss": float(step)})
    _open(app)
    _show(app, "loss")
    drawn = _curves(app)["long"]
    assert len(drawn) == 400
    assert drawn[0] == 2  # of steps 1, 2 and 3
    assert sum(drawn) / 400 == pytest.approx(500.5, rel=1e-3)


def test_two_runs_are_drawn_together_and_told_apart_by_their_settings(app: AppTest, make: Make) -> None:
    make("plain", Status("finished", 4, 4), evaluations=2, changes={"guidance": None, "note": "no guidance"})
    make("guided", Status("finished", 4, 4), evaluations=1, changes={"epochs": 30})
    make("third", Status("stopped", 1, 4), changes={"guidance.omega": 1})
    _open(app)
    _choose(app, ["plain", "guided"])
    assert {name: len(values) for name, values in _curves(app).items()} == {"plain": 2, "guided": 1}
    differences = app.dataframe[1].value.set_index("Setting")
    assert list(differences.columns) == ["plain", "guided"]
    assert differences.loc["epochs"].tolist() == ["20", "30"]
    assert differences.loc["guidance.omega"].tolist() == ["none", "5"]
    assert not {"name", "note", "seed"} & set(differences.index)
    assert (differences["plain"] != differences["guided"]).all()
    _choose(app, ["guided", "plain", "third"])
    assert app.dataframe[1].value.set_index("Setting").loc["epochs"].tolist() == ["30", "20", "20"]


def test_runs_with_the_same_settings_say_so(app: AppTest, make: Make) -> None:
    for name in ("a", "b"):
        make(name, Status("finished", 4, 4), evaluations=1)
    _open(app)
    assert "Nothing: the runs have the same settings." in _texts(app)


def test_a_run_without_points_is_drawn_beside_one_that_has_some(app: AppTest, make: Make) -> None:
    make("fresh", Status("running", 0, 4, pid=os.getpid()))
    make("measured", Status("finished", 4, 4), evaluations=2)
    _open(app)
    _choose(app, ["fresh", "measured"])
    assert _curves(app)["measured"] == [0.52, 0.54]
    assert len(app.dataframe[0].value) == 2


def test_runs_that_go_on_are_shown_first(app: AppTest, make: Make) -> None:
    make("done", Status("finished", 4, 4))
    make("going", Status("running", 1, 4, pid=os.getpid()))
    _open(app)
    assert _chosen(app) == ["going"]
    assert set(app.multiselect(key="runs").options) == {"done", "going"}


def test_of_many_runs_the_newest_seven_are_shown(app: AppTest, make: Make) -> None:
    for number in range(9):
        run = make(f"run-{number}", Status("finished", 4, 4), evaluations=1)
        os.utime(run.path / "config.yaml", (1e9 + number, 1e9 + number))
    _open(app)
    assert _chosen(app) == [f"run-{number}" for number in range(8, 1, -1)]
    assert len(_curves(app)) == 7
    assert len(app.multiselect(key="runs").options) == 9


def test_a_link_to_more_runs_than_can_be_shown_shows_some(app: AppTest, make: Make) -> None:
    for number in range(9):
        make(f"run-{number}", Status("finished", 4, 4), evaluations=1)
    app.query_params["runs"] = [f"run-{number}" for number in range(9)]
    _open(app)
    assert 1 <= len(_chosen(app)) <= 7


def test_a_link_names_the_run_to_watch(app: AppTest, make: Make) -> None:
    for name in ("a", "b"):
        make(name, Status("finished", 4, 4))
    app.query_params["watch"] = "a"
    _open(app)
    assert _chosen(app) == ["a"]
    assert "watch" not in app.query_params


def test_a_link_to_a_run_that_is_gone_asks_to_choose(app: AppTest, make: Make) -> None:
    make("a", Status("finished", 4, 4))
    app.query_params["watch"] = "gone"
    _open(app)
    assert _chosen(app) == []
    assert "Choose at least one run above." in _texts(app)
    assert [each.value for each in app.warning] == ["There is no run “gone” here. Choose among the runs below."]


def test_a_run_that_is_removed_while_it_is_shown_leaves_the_others(app: AppTest, make: Make) -> None:
    import shutil

    runs = [make(name, Status("finished", 4, 4), evaluations=1) for name in ("a", "b")]
    _open(app)
    _choose(app, ["a", "b"])
    shutil.rmtree(runs[0].path)
    app.run()
    assert not app.exception
    assert _chosen(app) == ["b"]
    assert list(_curves(app)) == ["b"]


def test_stop_asks_the_run_to_stop(app: AppTest, make: Make) -> None:
    run = make("going", Status("running", 1, 4, pid=os.getpid()))
    _open(app)
    app.button(key="act_going").click().run()
    assert not app.exception
    assert run.stop_requested()
    assert app.button(key="act_going").label == "Stopping"
    assert app.button(key="act_going").disabled
    run.report_status(Status("stopped", 2, 4))
    app.run()
    assert app.button(key="act_going").label == "Resume"


@pytest.mark.parametrize("state", ["stopped", "failed", "lost", "new"])
def test_resume_begins_the_run_again(app: AppTest, make: Make, monkeypatch: pytest.MonkeyPatch, state: str) -> None:
    asked: list[RunFolder] = []

    def begin(run: RunFolder, config: RunConfig | None = None) -> int:
        assert config is None
        asked.append(run)
        run.report_status(Status("running", 1, 4, pid=os.getpid()))
        return os.getpid()

    monkeypatch.setattr(training, "start_run", begin)
    status = {"lost": Status("running", 1, 4, pid=_ended_process()), "new": None}.get(state, Status(state, 1, 4, "Why."))
    run = make("again", status)
    _open(app)
    app.button(key="act_again").click().run()
    assert not app.exception
    assert [each.path for each in asked] == [run.path]
    assert app.button(key="act_again").label == "Stop"


@pytest.fixture
def photos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one root of a shared server that trains."""
    folder = tmp_path / "photos"
    (folder / "birds").mkdir(parents=True)
    monkeypatch.setenv("LIKENESS_SERVER", ServerSettings(shared=True, roots={"photos": folder}, training=True).as_text())
    monkeypatch.setattr("visitors._browser", lambda: "0" * 32)
    return folder


def test_a_run_that_names_its_files_by_a_root_is_resumed_with_their_paths(
    app: AppTest, make: Make, photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = photos / "weights.safetensors"
    changes = {"data.source": "photos/birds", "data.attribute": "class", "backbone.weights": "photos/weights.safetensors", "guidance": None}
    run = make("again", Status("stopped", 1, 4), changes=changes)
    before = run.config()
    commands: list[list[str]] = []

    def spawn(folder: Path, *arguments: str) -> int:
        commands.append(list(arguments))
        return os.getpid()

    monkeypatch.setattr(background_runs, "spawn", spawn)
    _open(app)
    app.button(key="act_again").click().run()
    assert not app.exception
    assert not app.toast
    assert commands == [["train", str(run.path / "config.yaml"), "--out", str(run.path)]]
    resolved = {"data.source": str(photos / "birds"), "backbone.weights": str(weights)}
    assert run.config() == with_changes(before, resolved)
    assert run.status().state == "running"


def test_on_a_shared_server_only_who_began_a_run_renames_and_deletes_it(
    app: AppTest, make: Make, photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import trainings

    operators = make("operators", Status("finished", 4, 4), evaluations=1)
    trainings.begin_training(operators.path.with_name("mine"), lambda: make("mine", Status("finished", 4, 4), evaluations=1))
    trainings.begin_training(operators.path, lambda: None)  # to resume a run makes nobody its owner
    _open(app)
    _choose(app, ["mine", "operators"])
    assert {name: app.button(key=f"delete_{name}").disabled for name in ("mine", "operators")} == {"mine": False, "operators": True}
    app.button(key="delete_mine").click().run()
    monkeypatch.setattr("visitors._browser", lambda: "1" * 32)  # somebody else's click
    app.button(key="delete_yes_mine").click().run()
    assert "Only the person who started a run can rename or delete it here" in app.toast[0].value
    assert app.button(key="delete_mine").disabled
    assert app.text_input(key="name_mine").disabled
    assert (operators.path.with_name("mine") / "config.yaml").is_file()
    assert "0" * 32 not in (operators.path.with_name("mine") / "owner").read_text()


def test_an_export_tells_no_path_of_a_shared_server(make: Make, photos: Path) -> None:
    from shared import run_changes

    run = make("mine", changes={"data.source": str(photos / "birds"), "data.attribute": "class", "guidance": None})
    assert run_changes.shown_config(run).data.source == "photos/birds"


def test_a_run_outside_of_the_roots_is_not_resumed(app: AppTest, make: Make, photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make("again", Status("stopped", 1, 4), changes={"data.source": "photos/../secret", "data.attribute": "class"})
    before = run.config()
    monkeypatch.setattr(background_runs, "spawn", lambda *arguments: pytest.fail("it was begun"))
    _open(app)
    app.button(key="act_again").click().run()
    assert not app.exception
    assert "cannot be reached here" in app.toast[0].value
    assert run.config() == before
    assert run.status().state == "stopped"


def test_a_resume_that_fails_is_told(app: AppTest, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(run: RunFolder, config: RunConfig | None = None) -> int:
        raise InputError("The disk is full; make room.")

    make("again", Status("stopped", 1, 4))
    monkeypatch.setattr(training, "start_run", begin)
    _open(app)
    app.button(key="act_again").click().run()
    assert not app.exception
    assert [toast.value for toast in app.toast] == ["The disk is full; make room."]


def test_a_run_with_weights_links_to_its_space(app: AppTest, make: Make, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    here = make("here", Status("finished", 4, 4))
    elsewhere = make("elsewhere", Status("finished", 4, 4), changes={"data.source": str(tmp_path / "photos")})
    _open(app)
    _choose(app, ["here"])
    assert not app.get("page_link")
    here.best.write_bytes(b"")
    app.run()
    (link,) = app.get("page_link")
    assert (link.proto.label, link.proto.query_string) == ("Explore its space", "open=cars&show=run+here")
    elsewhere.best.write_bytes(b"")
    _choose(app, ["elsewhere"])
    assert not app.get("page_link")
    assert "Add its images under Your images to explore its space." in _texts(app)
    entry = new_entry("Photos", str((tmp_path / "photos").resolve()), "cars")
    add_dataset(entry)
    app.run()
    assert app.get("page_link")[0].proto.query_string == f"open={entry.id}&show=run+elsewhere"


def test_a_line_that_is_being_written_is_left_out(app: AppTest, make: Make) -> None:
    run = make("first", Status("running", 4, 10, pid=os.getpid()), evaluations=2)
    with (run.path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 5, "epoch": 2.5, "rec')
    _open(app)
    assert _curves(app) == {"first": [0.52, 0.54]}


DAMAGED = ["epoch: 3", "name: [", "", "\x01"]


def test_a_run_with_damaged_settings_is_named_and_the_others_stay(app: AppTest, make: Make) -> None:
    make("sound", Status("finished", 4, 4), evaluations=1)
    run = make("broken", Status("finished", 4, 4), evaluations=1)
    run.best.write_bytes(b"")
    _open(app)
    _choose(app, ["broken", "sound"])
    for text in DAMAGED:
        (run.path / "config.yaml").write_text(text)
        app.run()
        assert not app.exception
        assert not app.error
        assert [warning.value for warning in app.warning if "The settings of the run 'broken' cannot be read" in warning.value]
        assert list(_curves(app)) == ["sound"]
    _choose(app, ["broken"])
    assert "The settings of the run 'broken' cannot be read" in _texts(app)
    assert not app.get("plotly_chart")


def test_a_damaged_status_counts_as_not_started(app: AppTest, make: Make) -> None:
    run = make("first", Status("finished", 4, 4), evaluations=1)
    (run.path / "status.json").write_text("{")
    _open(app)
    assert "Not started" in _texts(app)
    assert _curves(app) == {"first": [0.52]}


def test_a_run_on_labels_on_a_scale_is_judged_by_them(app: AppTest, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "runs" / "views")
    run.create(read_config("shipped-cars-viewpoint"))
    for step, distance in ((1, 60.5), (2, 40.25)):
        run.append_metrics(
            {"step": step, "epoch": float(step), "loss": 1.0, "loss_objective": 1.0, "mean_label_distance_at_1": distance, "ndcg_at_10": 0.1 * step}
            | {"best_of": 0.1 * step}
        )
    run.report_status(Status("finished", 2, 2, "", 0, 3.0))
    _open(app)
    (table,) = app.dataframe
    assert table.value["mean_label_distance_at_1"].tolist() == [40.25]  # smaller is better
    assert table.value["ndcg_at_10"].tolist() == [0.2]
    assert "recall_at_1" not in table.value
    assert "labels of the top 1 images lie from the query's" in _texts(app)
    assert _curves(app) == {"views": [60.5, 40.25]}
    assert _curves(_show(app, "ndcg_at_10")) == {"views": [0.1, 0.2]}
