"""Spaces that are judged at once: one of a dataset at a time, and none for an edit that another one followed."""

import threading
from collections.abc import Iterator
from pathlib import Path
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
from shared import cached

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
    monkeypatch.setattr(cached, "retrieval_metrics", judge)
    cached._metrics.clear()
    yield judge
    judge.may_end.set()
    cached._metrics.clear()


def test_one_of_a_dataset_at_a_time(judge: Judge) -> None:
    first = Run("x", 0)
    assert judge.entered.acquire(timeout=WAIT)
    second, elsewhere = Run("x", 1), Run("y", 2)
    assert judge.entered.acquire(timeout=WAIT)  # of the other dataset, while the first is at work
    assert not judge.entered.acquire(timeout=0.3)
    assert judge.begun == [0, 2]
    judge.may_end.set()
    for run in (first, second, elsewhere):
        run.join(WAIT)
    assert judge.begun == [0, 2, 1]


def test_what_was_superseded_while_it_waited_is_not_judged(judge: Judge) -> None:
    first = Run("x", 0)
    assert judge.entered.acquire(timeout=WAIT)
    runs = first, Run("x", 1), Run("x", 2)
    runs[1].superseded.set()
    judge.may_end.set()
    for run in runs:
        run.join(WAIT)
    assert [run.stopped for run in runs] == [False, True, False]
    assert judge.begun == [0, 2]
