"""Whose page is computed next on a shared server."""

import gc
import math
import socket
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from server import script_scheduler
from server.script_scheduler import ScriptScheduler
from server.slots import Pace
from worlds import Clock


def test_an_allowance_is_spent_and_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    pace = Pace(a_second=2, at_once=10, clock=clock)
    assert [pace.spend("ada") for _ in range(14)] == [0] * 10 + [0.5, 1, 1.5, 2]
    assert [pace.spend(who, 0) for who in ("ada", "ben")] == [2, 0]
    clock.now = 2.0
    assert pace.spend("ada", 0) == 0
    clock.now = 1000.0
    assert [pace.spend("ada", amount) for amount in (10, 1)] == [0, 0.5]
    assert Pace(a_second=0.5, at_once=1, most_owed=3, clock=clock).spend("ada", 1000) == 6  # no more is owed than is said
    monkeypatch.setattr("server.slots._MOST_KNOWN", 10)
    pace = Pace(a_second=1, at_once=2, clock=clock)
    for number in range(100):
        clock.now += 1
        pace.spend(str(number))
    assert len(pace._left) <= 12  # many clients take no memory for ever


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> ScriptScheduler:
    monkeypatch.setattr(script_scheduler, "_POLL_SECONDS", 0.01)
    return ScriptScheduler(1, clock)


def _beside(work: Callable[[], object]) -> threading.Event:
    """Set once it has ended."""
    done = threading.Event()
    threading.Thread(target=lambda: (work(), done.set()), daemon=True).start()
    return done


def test_pages_of_one_client_wait_for_each_other_and_not_for_others(turns: ScriptScheduler) -> None:
    turns.begin("ada")
    second = _beside(lambda: turns.begin("ada"))
    other = _beside(lambda: turns.begin("ben"))
    assert other.wait(60)
    assert not second.wait(0.2)
    turns.end("ada", 0)
    assert second.wait(60)


def _page(turns: ScriptScheduler, clock: Clock, who: str, seconds: float) -> None:
    turns.begin(who)
    clock.now += seconds
    turns.end(who, seconds)


def test_on_a_busy_server_who_has_had_more_than_their_share_waits(turns: ScriptScheduler, clock: Clock) -> None:
    _page(turns, clock, "ada", 6)
    _page(turns, clock, "ben", 4)
    again = _beside(lambda: turns.begin("ada"))
    assert not again.wait(0.3)
    _page(turns, clock, "cem", 0.5)  # who has had little does not wait
    assert not again.wait(0.3)
    clock.now += 1  # ada's allowance has filled up
    assert again.wait(60)


def test_nobody_waits_longer_than_some_seconds(turns: ScriptScheduler, clock: Clock) -> None:
    _page(turns, clock, "ben", 6)
    turns.begin("ada")
    turns.end("ada", 1000)
    again = _beside(lambda: turns.begin("ada"))
    assert not again.wait(0.3)
    clock.now += 5.1
    assert again.wait(60)


@pytest.mark.parametrize("others", [0.0, 0.8])
def test_on_a_quiet_server_nobody_waits(turns: ScriptScheduler, clock: Clock, others: float) -> None:
    for _ in range(5):
        _page(turns, clock, "ada", 100)
    _page(turns, clock, "ben", others)
    again = _beside(lambda: turns.begin("ada"))
    assert again.wait(60)


def test_the_time_that_others_kept_a_page_waiting_does_not_count(turns: ScriptScheduler, clock: Clock) -> None:
    turns.begin("ada")
    turns.begin("ben")
    clock.now += 60
    turns.end("ben", 4)
    turns.end("ada", 0.5)
    assert turns._lately == {"ben": 4, "ada": 0.5}
    again = _beside(lambda: turns.begin("ada"))
    assert again.wait(60)
    clock.now += 10
    turns.end("ada", 0)
    assert turns._lately == pytest.approx({"ben": 4 * math.exp(-1), "ada": 0.5 * math.exp(-1)})


@pytest.mark.filterwarnings("ignore:missing ScriptRunContext")
def test_a_page_is_charged_for_what_its_own_thread_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    charged: list[float] = []
    monkeypatch.setattr(script_scheduler, "client", lambda: "ada")
    monkeypatch.setattr(Pace, "spend", lambda self, who, amount: charged.append(amount))

    def page(runner: object, rerun: str) -> None:
        end = time.thread_time() + 0.2
        while rerun == "work" and time.thread_time() < end:
            pass
        if rerun == "wait":
            time.sleep(0.5)

    for rerun in ("work", "wait"):
        script_scheduler._in_turn(page)(None, rerun)
    assert charged[0] >= 0.2 > charged[1]


def test_what_is_loaded_leaves_garbage_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    import likeness.encoders
    import likeness.projection
    from parts import warm

    monkeypatch.setattr(likeness.encoders, "load_encoder", lambda name: SimpleNamespace(encode_texts=lambda texts: None))
    monkeypatch.setattr(likeness.projection, "warm_up", lambda: None)
    try:
        warm._load("cars")
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()


def test_answers_leave_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without TCP_NODELAY, each picture after the first on a connection came 40 ms late."""
    from server.middleware.connections import _Protocol

    monkeypatch.setattr(_Protocol.__mro__[1], "connection_made", lambda self, transport: None)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        accepted, _ = server.accept()
        with accepted:
            assert not accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            transport = SimpleNamespace(get_extra_info=lambda name: accepted if name == "socket" else None)
            made = object.__new__(_Protocol)
            monkeypatch.setattr(_Protocol, "_wait", lambda self: None)
            made.connection_made(transport)
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
