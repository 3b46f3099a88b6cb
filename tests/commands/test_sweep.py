"""`likeness sweep` as a person meets it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from tests.training.conftest import one_thread, write_images  # noqa: F401

from likeness.studies import SweepFolder, read_sweep
from likeness.training import RunFolder
from worlds import Run


@pytest.fixture
def rates(tmp_path: Path) -> Path:
    """A file of a sweep of three trials, of runs of a second."""
    data = {"source": str(write_images(tmp_path / "photos", classes=8)), "image_size": 16, "train_classes": 0.7, "validation": 2}
    base = {"data": data, "backbone": {"name": "test_resnet", "weights": "none", "dim": 8}, "batch": {"size": 4, "per_class": 2}, "epochs": 1}
    space = {"optimizer.rate": {"low": 1e-5, "high": 1e-2, "log": True}, "objective.name": ["margin", "contrastive"]}
    file = tmp_path / "rates.yaml"
    file.write_text(yaml.safe_dump({"base": base, "space": space, "trials": 3, "seeds": [0, 1]}, sort_keys=False))
    return file


def test_a_sweep_is_run_printed_written_and_shown_again(run: Run, ok: Any, rates: Path, tmp_path: Path) -> None:
    folder = tmp_path / "rates"
    assert f"There is no sweep in '{folder}'" in run("sweep", str(rates), "--out", str(folder), "--show")[2]
    assert not folder.exists()
    printed, err = ok("sweep", rates, "--out", folder, "--format", "csv", "--set", "checkpoint_every=2")
    assert "1 of 3: trial 0, optimizer.rate " in err
    trials, figures = printed.strip().split("\n\n")
    head, *lines = trials.splitlines()
    assert head == "trial,optimizer.rate,objective.name,validation_recall_at_1,state"
    assert len(lines) == 3
    best = SweepFolder(folder).best()
    assert lines[0].startswith(f"{best.number},")
    head, *lines = figures.splitlines()
    assert head == "row,runs,validation_recall_at_1,recall_at_1,map_at_1000,nmi"
    assert [line.split(",")[:2] for line in lines] == [["base", "2"], [f"trial {best.number}", "2"]]
    every = pd.read_csv(folder / "figures.csv").query("row == 'base'")["nmi"]
    assert f"{every.mean():.3f} ± {every.std():.3f}" in lines[0]
    assert "metrics without validation_ are of test images" in err
    assert len(pd.read_csv(folder / "trials.csv")) == 3
    status, again, err = run("sweep", str(folder), "--show", "--format", "csv")
    assert (status, again) == (0, printed), err
    assert "trial 0," not in err
    printed, err = ok("runs", tmp_path, "--format", "csv")
    assert "rates/runs/trial-0000" in printed


def test_more_trials_go_on_in_the_folder(ok: Any, rates: Path, tmp_path: Path) -> None:
    _, err = ok("sweep", rates, "--out", tmp_path / "rates", "--trials", "1")
    printed, err = ok("sweep", tmp_path / "rates", "--trials", "2", "--format", "csv")
    assert "2 of 2: trial 1" in err
    assert "trial 0, optimizer.rate" not in err
    assert len(printed.split("\n\n")[0].splitlines()) == 3


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_an_interruption_is_one_sentence_and_the_next_call_goes_on(run: Run, rates: Path, tmp_path: Path) -> None:
    folder = tmp_path / "rates"
    call = [sys.executable, "-m", "likeness", "sweep", str(rates), "--out", str(folder), "--set", "epochs=400", "--trials", "1"]
    process = subprocess.Popen(call, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)
    limit, trial = time.monotonic() + 300, RunFolder(folder / "runs" / "trial-0000")
    while len(trial.metrics()) < 3 and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert err.strip().splitlines()[-1] == "Stopped; finished work is kept."
    assert SweepFolder(folder).status().state == "stopped"
    assert [each.state for each in SweepFolder(folder).history.trials()] == ["running"]
    assert trial.status().state == "stopped"


def test_what_is_missing_is_named(run: Run, rates: Path, tmp_path: Path) -> None:
    SweepFolder(tmp_path / "rates").create(read_sweep(rates))
    assert "remove --out" in run("sweep", str(tmp_path / "rates"), "--out", str(tmp_path / "other"))[2]
