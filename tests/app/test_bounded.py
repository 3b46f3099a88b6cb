"""What is computed once for all pages: a cache bounded by bytes, spaces that are judged one at a time, and what loads before it is needed."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from streamlit.runtime.scriptrunner import add_script_run_ctx
from streamlit.runtime.scriptrunner_utils.exceptions import StopException
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state import SafeSessionState, SessionState

from likeness.data import ImageTable
from likeness.space import Space
from parts import cached, warm
from parts.cached import BoundedCache


def test_the_last_asked_for_are_kept_within_the_bytes(tmp_path: Path) -> None:
    cache: BoundedCache[bytes] = BoundedCache(100, len)
    made: list[int] = []

    def ask(key: int, size: int = 30) -> None:
        cache.get(key, lambda: made.append(key) or bytes(size))  # type: ignore[func-returns-value]

    for key in (*range(10), 7, 0, 8):
        ask(key)
    assert len(cache) == 3
    assert made == [*range(10), 0, 8]  # 7 was asked for since, so 8 went first
    ask(11, 500)  # the newest is kept whatever its size
    assert len(cache) == 1
    rows = np.eye(4, 8, dtype=np.float32)
    np.save(tmp_path / "rows.npy", rows)
    in_memory, mapped = (space(0).replace(vectors=each) for each in (rows, np.load(tmp_path / "rows.npy", mmap_mode="r")))
    assert cached._nbytes(in_memory) - cached._nbytes(mapped) == rows.nbytes  # mapped vectors take no memory
    assert cached._nbytes(mapped) > 0


def test_two_who_ask_at_once_wait_for_one_computation_and_errors_are_not_kept() -> None:
    cache: BoundedCache[bytes] = BoundedCache(100, len)
    made: list[int] = []

    def slow() -> bytes:
        made.append(1)
        time.sleep(0.05)
        return bytes(1)

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda _: cache.get("a", slow), range(8))) == [bytes(1)] * 8
    assert made == [1]

    def broken() -> bytes:
        made.append(2)
        raise ValueError("broken")

    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            cache.get("b", broken)
    assert made == [1, 2, 2]


WAIT = 600


def space(number: int) -> Space:
    table = ImageTable("four", Path(), pd.DataFrame({"path": [f"{row}.png" for row in range(4)], "kind": list("aabb")}))
    return Space(np.eye(4, 8, k=number, dtype=np.float32), table, name=f"space {number}")


class Judge:
    """Takes the place of `retrieval_metrics`: begins, and ends when it may."""

    def __init__(self) -> None:
        self.begun: list[float] = []
        self.entered, self.may_end = threading.Semaphore(0), threading.Event()

    def __call__(self, vectors: np.ndarray, labels: pd.Series) -> dict[str, float]:
        self.begun.append(float(np.argmax(vectors[0])))
        self.entered.release()
        assert self.may_end.wait(WAIT)
        return {"map": self.begun[-1]}


class Run(threading.Thread):
    """A page's run that asks for the metrics of a space; `superseded` says that another edit followed."""

    def __init__(self, dataset: str, number: int) -> None:
        super().__init__(daemon=True)
        self.superseded, self.stopped = threading.Event(), False
        self._asked = dataset, number
        state = SafeSessionState(SessionState(), self._yield)
        none = cast(Any, None)
        add_script_run_ctx(self, ScriptRunContext("", lambda message: None, "", state, none, "", {}, none, none))
        self.start()

    def _yield(self) -> None:
        if self.superseded.is_set():
            raise StopException

    def run(self) -> None:
        dataset, number = self._asked
        try:
            cached.metrics(dataset, space(number), "kind")
        except StopException:
            self.stopped = True


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[Judge]:
    judge = Judge()
    monkeypatch.setattr("likeness.evaluation.retrieval_metrics", judge)
    cached._metrics.clear()
    yield judge
    judge.may_end.set()
    cached._metrics.clear()


def test_one_of_a_dataset_is_judged_at_a_time_and_none_that_was_superseded_while_it_waited(judge: Judge) -> None:
    first = Run("x", 0)
    assert judge.entered.acquire(timeout=WAIT)
    second, superseded, elsewhere = Run("x", 1), Run("x", 3), Run("y", 2)
    assert judge.entered.acquire(timeout=WAIT)  # of the other dataset, while the first is at work
    assert not judge.entered.acquire(timeout=0.3)
    assert judge.begun == [0, 2]
    superseded.superseded.set()
    judge.may_end.set()
    for run in (first, second, superseded, elsewhere):
        run.join(WAIT)
    assert judge.begun == [0, 2, 1]
    assert [run.stopped for run in (first, second, superseded, elsewhere)] == [False, False, True, False]


APP = Path(__file__).resolve().parents[2] / "app"
BESIDE = """
import sys, types
import likeness.encoders
from likeness.errors import InputError
from parts import warm

def load(encoder):
    sys.modules["torch"] = types.ModuleType("torch")  # as it is while it is being imported
    import scipy.stats
    print("a page has its statistics")
    raise InputError("enough")

likeness.encoders.load_encoder = load
warm._load("cars")
"""


def test_pages_have_statistics_while_torch_is_being_imported() -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(APP), *sys.path])}
    ended = subprocess.run([sys.executable, "-c", BESIDE], capture_output=True, text=True, env=env)
    assert "a page has its statistics" in ended.stdout, ended.stderr


@pytest.mark.parametrize(("layout", "wanted"), [("umap", ("cars", "umap")), ("pca", ("cars",)), (None, ("cars",))])
def test_umap_is_loaded_where_the_map_is_one(monkeypatch: pytest.MonkeyPatch, layout: str | None, wanted: tuple[str, ...]) -> None:
    state = {"view": object()} | ({"map_settings": {"layout": layout}} if layout else {})
    monkeypatch.setattr("state.st", SimpleNamespace(session_state=state))
    monkeypatch.setattr(warm, "current_view", lambda: SimpleNamespace(base=SimpleNamespace(encoder="cars")))
    monkeypatch.setattr(warm, "_begun", set())
    begun: list[tuple[str, ...]] = []
    monkeypatch.setattr(warm.threading, "Timer", lambda seconds, load, args: SimpleNamespace(start=lambda: begun.append(tuple(args))))
    warm.warm_up()
    warm.warm_up()
    assert begun == [wanted]
