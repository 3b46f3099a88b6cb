"""`likeness runs`: the list, and what is done with a run."""

import csv
import io
from pathlib import Path

import pytest

from likeness.training import RunConfig, RunFolder, Status
from worlds import Run


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """A run of three evaluations, the second the best, in the folder of runs."""
    monkeypatch.setenv("LIKENESS_RUNS", str(tmp_path / "runs"))
    found = RunFolder(tmp_path / "runs" / "first")
    found.create(RunConfig(name="first"))
    for step, recall, best in ((1, 0.5, 0.5), (2, 0.75, 0.75), (3, 0.625, None)):
        found.append_metrics({"step": step, "epoch": step, "recall_at_1": recall, "nmi": 1 - recall} | ({"best_of": best} if best else {}))
    found.report_status(Status("finished", 3, 3))
    return found


def test_the_list_says_whose_weights_its_figures_are_of(run: Run, place: RunFolder) -> None:
    for arguments, which, epoch, recall, nmi in (
        (("runs",), "best", "2", "0.75", "0.25"),
        (("runs", "--figures", "last"), "last", "3", "0.625", "0.375"),
    ):
        status, out, err = run(*arguments, "--format", "csv")
        assert status == 0, err
        (line,) = csv.DictReader(io.StringIO(out))
        assert (line["epoch"], line[f"{which} recall_at_1"], line[f"{which} nmi"]) == (epoch, recall, nmi)
    assert run("runs", "list", str(place.path.parent))[0] == 0
    status, _, err = run("runs", "--figures", "middle")
    assert (status, "--figures is 'middle'; choose best or last" in " ".join(err.split())) == (2, True)


def test_a_run_is_renamed(run: Run, place: RunFolder) -> None:
    status, out, err = run("runs", "rename", "first", "second")
    assert status == 0, err
    assert "renamed to" in out
    assert not place.path.exists()
    assert RunFolder(place.path.with_name("second")).status().step == 3
    assert run("runs", "rename", str(place.path.with_name("second")), "third")[0] == 0
    assert run("runs", "rename", "second", "x")[0] == 2


def test_a_run_is_deleted_after_a_question(run: Run, place: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("likeness.commands.runs.agreed", lambda question: bool(asked.append(question)))
    status, _, err = run("runs", "delete", "first")
    assert (status, "Nothing was deleted" in err) == (2, True)
    assert asked == ["Delete the run 'first' with its weights and figures? This cannot be undone."]
    assert place.path.is_dir()
    assert run("runs", "delete", "first", "--yes")[0] == 0
    assert not place.path.exists()
    assert run("runs", "delete", "first", "--yes")[0] == 2
    assert len(asked) == 1
