"""Whose page is computed next on a shared server."""

import gc
import math
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import script_turns
from doors.pace import Pace
from script_turns import ScriptTurns
from worlds import Clock


def test_an_allowance_is_spent_and_comes_back() -> None:
    clock = Clock()
    pace = Pace(a_second=2, at_once=10, clock=clock)
    assert [pace.spend("ada") for _ in range(10)] == [0] * 10
    assert [pace.spend("ada") for _ in range(4)] == [0.5, 1, 1.5, 2]
    assert pace.is_overdrawn("ada")
    assert not pace.is_overdrawn("ben")
    clock.now = 2.0
    assert not pace.is_overdrawn("ada")
    clock.now = 1000.0
    assert pace.spend("ada", 10) == 0
    assert pace.spend("ada", 1) == 0.5


def test_no_more_is_owed_than_is_said() -> None:
    pace = Pace(a_second=0.5, at_once=1, most_owed=3, clock=Clock())
    assert pace.spend("ada", 1000) == 6


def test_many_clients_take_no_memory_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr("doors.pace._MOST_KNOWN", 10)
    pace = Pace(a_second=1, at_once=2, clock=clock)
    for number in range(100):
        clock.now = float(number)
        pace.spend(str(number))
    assert len(pace._left) <= 12


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> ScriptTurns:
    monkeypatch.setattr(script_turns, "_POLL_SECONDS", 0.01)
    return ScriptTurns(1, clock)


def _beside(work: Callable[[], object]) -> tuple[threading.Thread, threading.Event]:
    done = threading.Event()

    def go() -> None:
        work()
        done.set()

    thread = threading.Thread(target=go, daemon=True)
    thread.start()
    return thread, done


def test_pages_of_one_client_wait_for_each_other_and_not_for_others(turns: ScriptTurns) -> None:
    turns.begin("ada")
    _, second = _beside(lambda: turns.begin("ada"))
    _, other = _beside(lambda: turns.begin("ben"))
    assert other.wait(60)
    assert not second.wait(0.2)
    turns.end("ada", 0)
    assert second.wait(60)


def _page(turns: ScriptTurns, clock: Clock, who: str, seconds: float) -> None:
    turns.begin(who)
    clock.now += seconds
    turns.end(who, seconds)


def test_on_a_busy_server_who_has_had_more_than_his_share_waits(turns: ScriptTurns, clock: Clock) -> None:
    _page(turns, clock, "ada", 6)
    _page(turns, clock, "ben", 4)
    _, again = _beside(lambda: turns.begin("ada"))
    assert not again.wait(0.3)
    _page(turns, clock, "cem", 0.5)  # who has had little does not wait
    assert not again.wait(0.3)
    clock.now += 1  # ada's allowance has filled up
    assert again.wait(60)


def test_nobody_waits_longer_than_some_seconds(turns: ScriptTurns, clock: Clock) -> None:
    _page(turns, clock, "ben", 6)
    turns.begin("ada")
    turns.end("ada", 1000)
    _, again = _beside(lambda: turns.begin("ada"))
    assert not again.wait(0.3)
    clock.now += 5.1
    assert again.wait(60)


@pytest.mark.parametrize("others", [0.0, 0.8])
def test_on_a_quiet_server_nobody_waits(turns: ScriptTurns, clock: Clock, others: float) -> None:
    for _ in range(5):
        _page(turns, clock, "ada", 100)
    _page(turns, clock, "ben", others)
    _, again = _beside(lambda: turns.begin("ada"))
    assert again.wait(60)


def test_the_time_that_others_kept_a_page_waiting_does_not_count(turns: ScriptTurns, clock: Clock) -> None:
    turns.begin("ada")
    turns.begin("ben")
    clock.now += 60
    turns.end("ben", 4)
    turns.end("ada", 0.5)
    assert turns._lately == {"ben": 4, "ada": 0.5}
    _, again = _beside(lambda: turns.begin("ada"))
    assert again.wait(60)
    clock.now += 10
    turns.end("ada", 0)
    assert turns._lately == pytest.approx({"ben": 4 * math.exp(-1), "ada": 0.5 * math.exp(-1)})


@pytest.mark.filterwarnings("ignore:missing ScriptRunContext")
def test_a_page_is_charged_for_what_its_own_thread_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    charged: list[float] = []
    monkeypatch.setattr(script_turns, "client", lambda: "ada")
    monkeypatch.setattr(Pace, "spend", lambda self, who, amount: charged.append(amount))

    def page(runner: object, rerun: str) -> None:
        end = time.thread_time() + 0.2
        while rerun == "work" and time.thread_time() < end:
            pass
        if rerun == "wait":
            time.sleep(0.5)

    run = script_turns._in_turn(page)
    for rerun in ("work", "wait"):
        run(None, rerun)
    assert charged[0] >= 0.2 > charged[1]


def test_what_is_loaded_leaves_garbage_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    import likeness.encoders
    import likeness.projection
    import warm

    monkeypatch.setattr(likeness.encoders, "load_encoder", lambda name: SimpleNamespace(encode_texts=lambda texts: None))
    monkeypatch.setattr(likeness.projection, "warm_up", lambda: None)
    try:
        warm._load("cars")
        assert gc.get_freeze_count() > 10_000
    finally:
        gc.unfreeze()


def test_answers_leave_at_once() -> None:
    """Without TCP_NODELAY, each picture after the first on a connection came 40 ms late."""
    import socket

    from doors.connections import _Quick

    server, (browser, accepted) = socket.socket(), (socket.socket(), None)
    try:
        server.bind(("127.0.0.1", 0))
        server.listen()
        browser.connect(server.getsockname())
        accepted, _ = server.accept()

        class Transport:
            def get_extra_info(self, name: str) -> object:
                return accepted if name == "socket" else None

        class Protocol(_Quick):  # type: ignore[misc,valid-type]
            def __init__(self) -> None:
                pass

        base = _Quick.__mro__[1]
        original, base.connection_made = base.connection_made, lambda self, transport: None
        try:
            assert not accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            Protocol().connection_made(Transport())
        finally:
            base.connection_made = original
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    finally:
        for each in (server, browser, accepted):
            if each is not None:
                each.close()
