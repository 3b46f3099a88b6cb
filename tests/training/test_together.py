import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil
import pytest
import torch
from filelock import FileLock
from tests.training import together
from tests.training.conftest import same, stop_at, weights, write_images

from likeness.errors import InputError
from likeness.training.config import RunConfig, as_yaml, config_from, read_config, with_changes
from likeness.training.dist_context import DistContext
from likeness.training.loop.launch import _check_end as end_of
from likeness.training.loop.train import train
from likeness.training.loop.trainer import dist_context_of
from likeness.training.runs.background import start_run, tail_log
from likeness.training.runs.run_folder import RunFolder, Status
from waiting import wait_until

# Seconds; some six processes come up one after the other, each in some seconds of an idle core.
_LIMIT = 600
# 10 steps, of which every second one is evaluated and saved; the rate falls where R@1 does not rise.
_RUN: dict[str, Any] = {
    "backbone": {"name": "test_resnet", "weights": "none", "dim": 8},
    "objective": {"name": "margin", "options": {"learn_beta": True}},
    "batch": {"size": 4, "per_class": 2},
    "optimizer": {"kind": "sgd", "rate": 0.01, "plateau": 1, "factor": 0.5},
    "epochs": 5,
    "checkpoint_every": 2,
    "device": "cpu",
}


class Pair(NamedTuple):
    """What two processes found (`together.main`), and the same runs in one, whose config differs in `devices`: of each process `together.Found`
    of each case as dicts, and how each run ended; how a launched run stood after it was interrupted, and after one of its processes was killed."""

    folder: Path
    config: RunConfig
    cases: list[dict[str, dict[str, Any]]]
    told: list[dict[str, str]]
    launched: list[Status]

    def run(self, name: str) -> RunFolder:
        return RunFolder(self.folder / name)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Made once, also where several workers of pytest-xdist run the tests of this file; the first one makes it, the others wait."""
    shared = tmp_path_factory.getbasetemp()
    folder = (shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared) / "pair"
    with FileLock(f"{folder}.lock"):
        if not (folder / "launched.json").is_file():
            shutil.rmtree(folder, ignore_errors=True)  # of one who failed
            folder.mkdir()
            _make_pair(folder)
    cases = [torch.load(folder / f"cases-{rank}.pt", weights_only=True) for rank in (0, 1)]
    told = [json.loads((folder / f"told-{rank}.json").read_text()) for rank in (0, 1)]
    launched = [Status(**each) for each in json.loads((folder / "launched.json").read_text())]
    return Pair(folder, with_changes(read_config(folder / "config.yaml"), {"devices": 1}), cases, told, launched)


def _make_pair(folder: Path) -> None:
    data = {"source": str(write_images(folder / "photos")), "image_size": 16, "per_class": 5, "train_classes": 0.7, "validation": 2}
    config = config_from(_RUN | {"data": data})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIKENESS_CACHE", str(folder / "cache"))
        torch.set_num_threads(1)
        train(config, folder / "one")
        patch.setattr(RunFolder, "append_metrics", stop_at(4))
        train(config, folder / "one-to-two")
        two = with_changes(config, {"devices": 2})
        launched = _disturbed(two, RunFolder(folder / "launched"))
    (folder / "config.yaml").write_text(as_yaml(two))
    _as_two(folder)
    (folder / "launched.json").write_text(json.dumps([asdict(status) for status in launched]))


def _disturbed(config: RunConfig, run: RunFolder) -> list[Status]:
    """How it stood, begun as by the app, after the waiting process was interrupted, as from the keyboard, and after one of two was killed.

    A run may end before it can be disturbed; it is then begun anew.
    """
    for _ in range(5):
        found = [_disturbed_at(run, step, whom, how, config) for step, whom, how in ((2, 0, signal.SIGINT), (5, 2, signal.SIGKILL))]
        if None not in found:
            return [status for status in found if status]
        shutil.rmtree(run.path)
    raise AssertionError(f"five times the run ended before it could be disturbed: {found}")


def _disturbed_at(run: RunFolder, step: int, whom: int, how: int, config: RunConfig) -> Status | None:
    if run.path.exists() and run.status().state == "finished":
        return None
    start_run(run, None if run.path.exists() else config)
    members: list[psutil.Process] = []
    with contextlib.suppress(psutil.NoSuchProcess):
        waiting = _until(run, step)
        members = [waiting, *waiting.children(recursive=True)] if waiting else []
        if len(members) == 3:
            members[whom].send_signal(how)
    wait_until(lambda: run.status().state != "running" and not any(_alive(each) for each in members))
    return run.status() if run.status().state != "finished" else None


def _until(run: RunFolder, step: int) -> psutil.Process | None:
    """The process that waits for a begun run, once that is at this step; None if the run has finished."""
    wait_until(lambda: len(run.metrics()) > step or run.status().state != "running")  # the untrained network comes first
    status = run.status()
    assert status.state in ("running", "finished"), f"{status}, and it said: {tail_log(run)}"
    return psutil.Process(status.pid) if status.state == "running" else None


def _alive(process: psutil.Process) -> bool:
    return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)


def _as_two(folder: Path) -> None:
    """Runs `together.main` in two processes, as torchrun would start them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = [sys.executable, together.__file__, str(folder)]
    with (folder / "said-0").open("wb") as first, (folder / "said-1").open("wb") as second:
        both = [subprocess.Popen(script, env=_of_two(rank, port, folder), stderr=said) for rank, said in enumerate((first, second))]
        try:
            statuses = [each.wait(_LIMIT) for each in both]
        finally:
            for each in both:
                each.kill()
    assert statuses == [0, 0], [(folder / f"said-{rank}").read_text()[-2000:] for rank in (0, 1)]


def _of_two(rank: int, port: int, folder: Path) -> dict[str, str]:
    inside = next(name for _, name in socket.if_nameindex() if name in ("lo", "lo0"))
    numbers = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 2, "GROUP_RANK": 0, "MASTER_PORT": port, "OMP_NUM_THREADS": 1}
    names = {"MASTER_ADDR": "127.0.0.1", "TORCHELASTIC_RUN_ID": "test", "GLOO_SOCKET_IFNAME": inside, "LIKENESS_CACHE": str(folder / "cache")}
    return dict(os.environ) | names | {name: str(number) for name, number in numbers.items()}


@pytest.mark.parametrize("case", together.CASES)
def test_two_processes_have_the_gradients_and_the_weights_of_one(pair: Pair, case: str) -> None:
    """In float64; what is left is the order of sums, against the largest gradient of the step."""
    one, (first, second) = together.trained(case, 1), (each[case] for each in pair.cases)
    known = {name: each for name, each in one.gradients.items() if each is not None}
    assert known.keys() == {name for name, each in first["gradients"].items() if each is not None}
    largest = max(float(each.abs().max()) for each in known.values())
    assert (largest > 1e-4) == (case != "margin without tuples")  # there is something to compare
    for name, each in known.items():
        torch.testing.assert_close(first["gradients"][name], each, rtol=1e-9, atol=1e-13 * largest, msg=lambda told, name=name: f"{name}: {told}")
    np.testing.assert_allclose(first["losses"], one.losses, rtol=1e-9)
    for name, each in one.state.items():
        if not isinstance(each, torch.Tensor):  # the place in a memory
            assert each == first["state"][name] == second["state"][name]
            continue
        torch.testing.assert_close(first["state"][name], each, rtol=1e-9, atol=1e-11)
        assert torch.equal(first["state"][name], second["state"][name]), name


def _assert_close(a: RunFolder, b: RunFolder) -> None:
    """Up to the rounding of float32 in ten steps."""
    ours, theirs = weights(a), weights(b)
    for name in theirs:
        torch.testing.assert_close(ours[name], theirs[name], rtol=1e-4, atol=1e-5)


def test_a_run_of_two_processes_is_the_run_of_one_and_is_measured_once(pair: Pair) -> None:
    one, two = pair.run("one"), pair.run("whole")
    assert pair.told[0]["whole"] == "finished at 10"
    _assert_close(two, one)
    ours, theirs = two.metrics(), one.metrics()
    assert ours["step"].tolist() == list(range(11))
    assert ours["rate"].dropna().tolist() == theirs["rate"].dropna().tolist()
    assert ours["rate"].nunique() == 3  # it fell twice, in both processes
    np.testing.assert_allclose(ours["loss"], theirs["loss"], rtol=1e-3)
    for name in ("recall_at_1", "map_at_r", "validation_recall_at_1"):
        assert ours[name].notna().sum() == 6
        np.testing.assert_allclose(ours[name], theirs[name], atol=1e-6)
    assert len(list((two.path / "tensorboard").glob("events*"))) == 1
    assert set(two.report() or {}) == set(one.report() or {})
    assert not list(two.path.glob("*.partial"))


def test_stopped_interrupted_killed_and_resumed_it_ends_where_an_undisturbed_run_ends_by_any_number_of_processes(pair: Pair) -> None:
    told, (interrupted, killed) = pair.told[0], pair.launched
    assert [told[name] for name in ("stopped", "terminated", "resumed")] == ["stopped at 4", "stopped at 6", "finished at 10"]
    assert (interrupted.state, interrupted.message) == ("stopped", "Interrupted; resume the run to continue.")
    assert interrupted.step >= 1
    assert killed.state == "failed"
    assert killed.message in (
        "Process 1 of 2, counted from 0, was killed (signal 9); resume the run to continue.",
        "Another process of the run is gone; resume the run to continue.",
    )
    assert [told[name] for name in ("launched", "one-to-two")] == ["finished at 10"] * 2
    assert pair.run("two-to-one").status().step == 4
    assert train(pair.config, pair.run("two-to-one").path).status().state == "finished"
    assert pair.run("two-to-one").config().devices == 1
    for name in ("halting", "launched"):
        assert same(pair.run(name), pair.run("whole"))
    for name in ("one-to-two", "two-to-one"):
        _assert_close(pair.run(name), pair.run("one"))


def test_what_breaks_in_one_process_ends_both_with_one_sentence(pair: Pair) -> None:
    nan = "The loss is nan at step 5; choose a smaller learning rate than 0.005. The last checkpoint is from before."
    assert pair.told[0]["broken"] == f"InputError: {nan}"
    assert (pair.run("broken").status().state, pair.run("broken").status().message) == ("failed", nan)
    assert all(torch.isfinite(each).all() for each in weights(pair.run("broken")).values())
    full = "Writing or reading failed: No space left on device; make room on the disk and resume the run."
    assert (pair.told[0]["full"], pair.run("full").status().message) == (f"InputError: {full}", full)
    assert [pair.told[1][name] for name in ("broken", "full")] == ["SystemExit: 2"] * 2  # the first process has told it
    assert not list(pair.run("full").path.glob("*.partial"))


@pytest.mark.parametrize(
    ("code", "state", "raised", "told"),
    [
        (2, "failed", InputError, "no such attribute"),
        (1, "failed", RuntimeError, "no such attribute"),  # a defect
        (-9, "running", InputError, "A process of the run was killed, or ended before all had started"),
    ],
)
def test_a_launched_run_says_why_it_ended(config: RunConfig, tmp_path: Path, code: int, state: str, raised: type[Exception], told: str) -> None:
    run = RunFolder(tmp_path / "run")
    run.create(config)
    run.report_status(Status(state, 3, 9, "no such attribute" if state == "failed" else "", os.getpid()))
    with pytest.raises(raised, match=told):
        end_of(run, code)
    assert (run.status().state, run.status().step) == ("failed", 3)
    assert end_of(run, 0) is run


@pytest.mark.parametrize(
    "started",
    [
        {"TORCHELASTIC_RUN_ID": "a", "RANK": "3", "LOCAL_RANK": "1", "WORLD_SIZE": "4", "GROUP_RANK": "1", "LOCAL_WORLD_SIZE": "2"},
        {"SLURM_NTASKS": "4", "SLURM_NTASKS_PER_NODE": "2", "SLURM_NNODES": "2", "SLURM_PROCID": "3", "SLURM_LOCALID": "1", "SLURM_NODEID": "1"},
    ],
    ids=["torchrun", "slurm"],
)
def test_processes_know_their_place(config: RunConfig, monkeypatch: pytest.MonkeyPatch, started: dict[str, str]) -> None:
    from lightning.fabric.utilities.rank_zero import rank_zero_only

    monkeypatch.setattr(rank_zero_only, "rank", 0)  # Lightning keeps it for the whole process; afterwards it is as it was
    if not torch.cuda.is_available():
        with pytest.raises(InputError, match="2 processes on a machine can't train on 'cuda'"):
            dist_context_of(with_changes(config, {"devices": 2, "device": "cuda"}))
    for name, value in (started | {"SLURM_JOB_ID": "1", "SLURM_NODELIST": "a[1-2]"}).items():
        monkeypatch.setenv(name, value)
    four = with_changes(config, {"devices": 2, "nodes": 2, "batch.size": 8})
    assert dist_context_of(four) == DistContext(3, 4, "cpu")
    with pytest.raises(InputError, match=r"The run has 3 processes on each of 1 machines, but others were started \(.*\); set --devices and"):
        dist_context_of(with_changes(config, {"devices": 3, "nodes": 1}))
