"""The page Runs without a browser: how runs stand, what differs between them, what can be done with them."""

import base64
import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from app_page import Page
from likeness import training
from likeness.errors import InputError
from likeness.training.config import RunConfig, read_config, with_changes
from likeness.training.runs import background as background_runs
from likeness.training.runs.run_folder import RunFolder, Status
from parts import run_card
from worlds import ADA, BEN, dataset, make_run, serve, visit

Make = Callable[..., RunFolder]
DONE, STOPPED = Status("finished", 4, 4), Status("stopped", 1, 4)
GOING = Status("running", 1, 4, pid=os.getpid())


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes a run of this name, status and settings, with this many evaluations."""
    return lambda name, *given, **options: make_run(tmp_path / "runs" / name, *given, **options)


def _curves(app: Page) -> dict[str, list[float]]:
    """Name -> values of each curve drawn."""
    (traces,) = app.charts
    return {trace["name"]: _values(trace["y"]) for trace in traces}


def _values(stored: Any) -> list[float]:
    if isinstance(stored, dict):
        stored = np.frombuffer(base64.b64decode(stored["bdata"]), stored["dtype"])
    return [float(each) for each in stored]


def _ended_process() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


STANDING = {
    "new": (None, ":material/schedule: Not started  :gray[no step yet, 0 s]", "Start"),
    "finished": (Status("finished", 10, 10, seconds=120), ":material/check_circle: Finished  :gray[10 of 10 steps, 2 min]", ""),
    "stopped": (Status("stopped", 4, 10, seconds=3), ":material/pause_circle: Stopped  :gray[4 of 10 steps, 3 s]", "Resume"),
    "failed": (Status("failed", 4, 10, "The loss is not finite."), ":material/error: Failed  :gray[4 of 10 steps, 0 s]", "Resume"),
    "going": (Status("running", 4, 10, pid=os.getpid(), seconds=2), ":material/play_circle: Running  :gray[4 of 10 steps, 3 s left]", "Stop"),
    "gone": (Status("running", 4, 10, pid=_ended_process()), ":material/warning: Interrupted", "Resume"),
}


def test_each_run_says_how_it_stands_and_what_can_be_done(app: Page, make: Make) -> None:
    assert [link.proto.label for link in app.open("runs").links] == ["Train a network"]  # without runs
    runs = {name: make(name, status) for name, (status, _, _) in STANDING.items()}
    (runs["failed"].path / "output.log").write_text("one\ntwo\nthree\nout of memory\n")
    app.run().set("runs", list(STANDING))
    for name, (_, said, action) in STANDING.items():
        app.says(f"**{name}**  {said}")
        assert [button.label for button in app.button if button.key == f"act_{name}"] == ([action] if action else [])
    assert app.errors == ["The loss is not finite."]
    assert "The process was stopped from outside" in app.warnings[0]
    assert not [code.value for code in app.code if "memory" in code.value]  # the last words of what failed stand in its message
    shutil.copy(runs["failed"].path / "output.log", runs["gone"].path)
    (runs["stopped"].path / "status.json").write_text("{")
    app.run().says("**stopped**  :material/schedule: Not started")
    assert [code.value for code in app.code if "memory" in code.value] == ["two\nthree\nout of memory"]


def test_the_classes_of_a_run_that_measured_its_queries_are_shown(app: Page, make: Make) -> None:
    run = make("first", DONE)
    app.open("runs")
    assert not any("Gain" in each.value for each in app.dataframe)  # computed once it is open
    app.session_state["runs_by_class"] = True
    app.run().says("The run 'first' has no figures of its queries")
    values = {"class": ["cat", "cat", "dog"], "untrained recall_at_1": [1.0, 0, 0], "best recall_at_1": [0.0, 0, 1]}
    pd.DataFrame({"row": [0, 1, 2], "path": ["a", "b", "c"], **values}).to_parquet(run.path / "queries.parquet")
    with (run.path / "metrics.jsonl").open("a") as file:
        file.write("\n")  # as an evaluation adds to it
    app.run()
    shown = next(each.value for each in app.dataframe if "Gain" in each.value)
    assert shown[["Class", "Images", "Before", "Best weights", "Gain"]].to_numpy().tolist() == [["cat", 2, 0.5, 0, -0.5], ["dog", 1, 0, 1, 1]]


def test_a_run_is_drawn_from_its_first_figures_on_and_watched_from_when_it_begins(app: Page, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, intervals, poll = threading.Event(), list[float | None](), run_card.poll
    status = Status("running", 0, 10, "Reading images", os.getpid())
    run = make("first", status)

    def watched(*given: Any, every: float | None) -> None:
        intervals.append(every)
        begun.set()
        poll(*given, every=every)

    with monkeypatch.context() as patch:  # it begins while its card is drawn
        patch.setattr(RunFolder, "status", lambda self: status if begun.is_set() else Status())
        patch.setattr(run_card, "poll", watched)
        app.open("runs").says("Reading images")
    assert (intervals[0], intervals[-1]) == (None, 1.0)
    assert not app.says("Nothing measured yet").charts
    line = app.dataframe[0].value.iloc[0]
    assert line[["recall_at_1", "nmi"]].isna().all()
    assert line["Guidance"] == "ELG, omega 5"
    run.append_metrics({"step": 0, "epoch": 0.0, "recall_at_1": 0.25})
    with (run.path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 5, "epoch": 2.5, "rec')  # a line that is being written
    assert _curves(app.run()) == {"first": [0.25]}


def test_a_run_shows_its_curve_and_the_figures_of_its_best_weights(app: Page, make: Make) -> None:
    run = make("first", Status("finished", 8, 8), evaluations=3, changes={"data.select_on_test": True})
    run.write_report({"name": "first", "seconds": 1.0, "steps": 8})
    run.append_metrics({"step": 8, "epoch": 4.0, "recall_at_1": 0.51, "map_at_1000": 0.1, "map_at_r": 0.1, "nmi": 0.95, "f1": 0.1})
    make("held", DONE, evaluations=1, changes={"data.validation": 0.2})
    make("plain", DONE, evaluations=1)
    app.open("runs").set("runs", ["first"]).says("so far on the test images")
    assert _curves(app) == {"first": [0.52, 0.54, 0.56, 0.51]}
    best = app.dataframe[0].value.iloc[0]
    assert (best["Run"], best["State"], best["done"]) == ("first", "Finished", 1.0)
    assert (best["epoch"], best["recall_at_1"], best["nmi"]) == (3.0, 0.56, 0.9)  # NMI was higher later: not of these weights
    assert "car_color" in app.code[0].value
    last = app.set("runs_figures", "last").dataframe[0].value.iloc[0]
    assert (last["epoch"], last["recall_at_1"], last["nmi"]) == (4.0, 0.51, 0.95)
    app.at("runs_figures").set_value("best")
    app.set("runs", ["held"]).says("so far on validation images").hides("the latest")
    app.set("runs", ["held", "plain"]).says("or the latest")


def test_another_metric_draws_another_curve_and_says_what_it_is(app: Page, make: Make) -> None:
    make("first", DONE, evaluations=2)
    make("fresh", Status("stopped", 0, 4))
    long = make("long", Status("finished", 1000, 1000))
    for step in range(1, 1001):
        long.append_metrics({"step": step, "epoch": step / 10, "loss": float(step)})
    app.open("runs").set("runs", ["first"])
    assert app.at("runs_metric").options == ["R@1", "mAP@1000", "MAP@R", "NMI", "Loss", "Objective", "Guidance"]
    app.says("R@1: Share of images")
    assert _curves(app.set("runs_metric", "loss_objective")) == {"first": [2, 1, 2 / 3, 0.5]}
    drawn = _curves(app.set("runs", ["long"]).set("runs_metric", "loss"))["long"]  # many points are averaged
    assert (len(drawn), drawn[0]) == (400, 2)  # of steps 1, 2 and 3
    assert sum(drawn) / 400 == pytest.approx(500.5, rel=1e-3)
    assert app.set("runs", ["fresh"]).at("runs_metric").value == "recall_at_1"  # it has no loss, so another metric takes its place


def test_a_run_on_labels_on_a_scale_is_judged_by_them(app: Page, tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "runs" / "views")
    run.create(read_config("shipped-cars-viewpoint"))
    for step, distance in ((1, 60.5), (2, 40.25)):
        figures = {"mean_label_distance_at_1": distance, "ndcg_at_10": 0.1 * step, "best_of": 0.1 * step}
        run.append_metrics({"step": step, "epoch": float(step), "loss": 1.0, "loss_objective": 1.0} | figures)
    run.report_status(Status("finished", 2, 2, "", 0, 3.0))
    (table,) = app.open("runs").dataframe
    assert table.value[["mean_label_distance_at_1", "ndcg_at_10"]].to_numpy().tolist() == [[40.25, 0.2]]  # smaller is better
    assert "recall_at_1" not in table.value
    assert _curves(app) == {"views": [60.5, 40.25]}
    assert _curves(app.set("runs_metric", "ndcg_at_10")) == {"views": [0.1, 0.2]}


def test_runs_are_drawn_together_and_told_apart_by_their_settings(app: Page, make: Make) -> None:
    make("plain", DONE, evaluations=2, changes={"guidance": None, "note": "no guidance"})
    make("guided", DONE, evaluations=1, changes={"epochs": 30})
    make("third", STOPPED, changes={"guidance.omega": 1})
    make("twin", DONE, evaluations=1, changes={"epochs": 30})
    app.open("runs").set("runs", ["plain", "guided"])
    differences = app.dataframe[1].value.set_index("Setting")
    assert list(differences.columns) == ["plain", "guided"]
    assert differences.loc[["epochs", "guidance.omega"]].to_numpy().tolist() == [["20", "30"], ["none", "5"]]
    assert not {"name", "note", "seed"} & set(differences.index)
    assert (differences["plain"] != differences["guided"]).all()
    app.set("runs", ["guided", "plain", "third"])
    assert app.dataframe[1].value.set_index("Setting").loc["epochs"].tolist() == ["30", "20", "20"]
    assert {name: len(values) for name, values in _curves(app).items()} == {"guided": 1, "plain": 2, "third": 0}
    assert len(app.dataframe[0].value) == 3
    app.set("runs", ["guided", "twin"]).says("None. The runs")


def test_runs_that_go_on_are_shown_first_or_the_newest_or_those_of_a_link(app: Page, make: Make) -> None:
    every = [f"run-{number}" for number in range(9)]
    for number, name in enumerate(every):
        os.utime(make(name, DONE, evaluations=1).path / "config.yaml", (1e9 + number, 1e9 + number))
    assert app.open("runs").at("runs").value == list(_curves(app)) == every[:1:-1]
    assert len(app.at("runs").options) == 9

    def linked(**parameters: Any) -> Page:
        return app.fresh("layout").open("runs", **parameters)

    assert 1 <= len(linked(runs=every).at("runs").value) <= 7  # more than can be shown
    watched = linked(watch="run-0")
    assert watched.at("runs").value == ["run-0"]
    assert "watch" not in watched.query_params
    gone = linked(watch="gone")
    assert gone.at("runs").value == []
    (warning,) = gone.warnings
    assert "“gone”" in warning
    make("going", GOING)
    again = linked()
    assert (again.at("runs").value, len(again.at("runs").options)) == (["going"], 10)


@pytest.mark.parametrize("name", ["first", "rates/runs/trial-0001"])
def test_a_run_also_of_a_sweep_is_renamed_exported_and_deleted_after_a_question(app: Page, make: Make, tmp_path: Path, name: str) -> None:
    runs, parent = tmp_path / "runs", name[: name.rfind("/") + 1]
    run, renamed, other = make(name, DONE, evaluations=1), f"{parent}mine", make(f"{parent}other", DONE, evaluations=1)
    app.open("runs").set("runs", [name])
    assert list(_curves(app)) == [name]
    assert [each.proto.disabled for each in app.get("download_button")] == [True]
    run.best.write_bytes(b"")
    assert "There is already a" in app.set(f"name_{name}", "other").toasts[0]
    assert [each.proto.disabled for each in app.get("download_button")] == [False]
    app.set(f"name_{name}", "mine")
    assert app.at("runs").value == list(_curves(app)) == [renamed]
    assert [path.is_dir() for path in (runs / renamed, run.path)] == [True, False]
    app.set("runs", [renamed, f"{parent}other"]).hides("with its weights").set(f"deleting_{renamed}", True)
    app.says(f"Delete {renamed} with its weights and figures?").click(f"delete_yes_{renamed}")
    assert [path.exists() for path in (runs / renamed, other.path)] == [False, True]
    assert app.at("runs").value == [f"{parent}other"]


def test_runs_that_are_removed_or_damaged_while_they_are_shown_leave_the_others(app: Page, make: Make) -> None:
    runs = [make(name, DONE, evaluations=1) for name in ("gone", "broken", "sound")]
    runs[1].best.write_bytes(b"")
    app.open("runs").set("runs", ["gone", "broken", "sound"])
    shutil.rmtree(runs[0].path)
    assert app.run().at("runs").value == ["broken", "sound"]
    for text in ("epoch: 3", "name: [", ""):
        (runs[1].path / "config.yaml").write_text(text)
        assert not app.run().error
        assert any("'broken'" in warning for warning in app.warnings)
        assert list(_curves(app)) == ["sound"]
    assert not app.set("runs", ["broken"]).says("'broken' cannot be read").charts


def test_resume_begins_the_run_again(app: Page, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def begin(run: RunFolder, config: RunConfig | None = None) -> int:
        assert config is None
        asked.append(run.name)
        if len(asked) == 1:
            raise InputError("The disk is full; make room.")
        run.report_status(GOING)
        return os.getpid()

    monkeypatch.setattr(training, "start_run", begin)
    states = {"new": None, "lost": Status("running", 1, 4, pid=_ended_process()), "failed": Status("failed", 1, 4, "Why.")}
    for state, status in states.items():
        make(state, status)
    app.open("runs").set("runs", list(states))
    assert app.click("act_new").toasts == ["The disk is full; make room."]
    for state in states:
        assert app.click(f"act_{state}").at(f"act_{state}").label == "Stop"
    assert asked == ["new", *states]
    run = make("going", GOING)
    app.run().set("runs", ["going"])  # which is neither renamed nor deleted, and stops when asked
    assert [app.at(f"{what}_going").disabled for what in ("deleting", "name")] == [True, True]
    app.click("act_going")
    assert run.stop_requested()
    assert (app.at("act_going").label, app.at("act_going").disabled) == ("Stopping", True)
    run.report_status(STOPPED)
    assert app.run().at("act_going").label == "Resume"


@pytest.fixture
def photos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one root of a shared server that trains."""
    folder = tmp_path / "photos"
    (folder / "birds").mkdir(parents=True)
    serve(monkeypatch, shared=True, roots={"photos": str(folder)}, training=True)
    visit(monkeypatch)
    return folder


def test_a_run_that_names_its_files_by_a_root_is_resumed_with_their_paths_and_another_is_not(
    app: Page, make: Make, photos: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from parts import run_card

    changes = {"data.source": "photos/birds", "data.attribute": "class", "backbone.weights": "photos/weights.safetensors", "guidance": None}
    run, outside = make("again", STOPPED, changes=changes), make("outside", STOPPED, changes=changes | {"data.source": "photos/../secret"})
    before = run.config()
    commands: list[list[str]] = []
    monkeypatch.setattr(background_runs, "spawn", lambda folder, *arguments: commands.append(list(arguments)) or os.getpid())
    app.open("runs").set("runs", ["again", "outside"]).click("act_again")
    assert not app.toast
    assert commands == [["train", str(run.path / "config.yaml"), "--out", str(run.path)]]
    resolved = {"data.source": str(photos / "birds"), "backbone.weights": str(photos / "weights.safetensors")}
    assert run.config() == with_changes(before, resolved)
    assert run.status().state == "running"
    assert run_card.shown_config(run).data.source == "photos/birds"  # also in an export
    run.report_status(STOPPED)  # a visitor may train one at a time
    before = outside.config()
    assert "cannot be reached here" in app.click("act_outside").toasts[0]
    assert (outside.config(), outside.status().state, len(commands)) == (before, "stopped", 1)


def test_on_a_shared_server_only_who_began_a_run_renames_and_deletes_it(app: Page, make: Make, photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from server import trainings

    operators = make("operators", DONE, evaluations=1)
    mine = operators.path.with_name("mine")
    trainings.begin_training(mine, lambda: make("mine", DONE, evaluations=1))
    trainings.begin_training(operators.path, lambda: None)  # to resume a run makes nobody its owner
    app.open("runs").set("runs", ["mine", "operators"])
    assert [app.at(f"deleting_{name}").disabled for name in ("mine", "operators")] == [False, True]
    app.set("deleting_mine", True)
    visit(monkeypatch, BEN)  # somebody else's click
    assert "Only the person who started this run" in app.click("delete_yes_mine").toasts[0]
    assert [app.at(f"{what}_mine").disabled for what in ("deleting", "name")] == [True, True]
    assert (mine / "config.yaml").is_file()
    assert ADA not in (mine / "owner").read_text()


def test_a_run_with_weights_links_to_its_space(app: Page, make: Make, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    here = make("here", DONE)
    elsewhere = make("elsewhere", DONE, changes={"data.source": str(tmp_path / "photos")})
    app.open("runs").set("runs", ["here"])
    assert not app.links
    here.best.write_bytes(b"")
    (link,) = app.run().links
    assert (link.proto.label, link.proto.query_string) == ("Explore it", "open=cars&show=run+here")
    elsewhere.best.write_bytes(b"")
    app.set("runs", ["elsewhere"])
    assert not app.links
    app.says("Add its images on the page Images")
    entry = dataset(tmp_path / "photos")
    assert app.run().links[0].proto.query_string == f"open={entry.id}&show=run+elsewhere"
