"""Signals that end the program: heard at once, left alone where they are to be ignored, and as before afterwards."""

import ctypes
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from likeness.io.interruption import interrupted_by


@pytest.fixture(autouse=True)
def usual_answers() -> Iterator[None]:
    """The tests may run as a background job, which ignores SIGINT."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    before = {number: signal.signal(number, answer) for number, answer in usual.items()}
    yield
    for number, answer in before.items():
        signal.signal(number, answer)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_interrupts_and_is_noted(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with interrupted_by(number) as heard:
        assert not heard.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert heard.is_set()
    assert signal.getsignal(number) is before


def test_an_interruption_lost_in_a_callback_of_native_code_comes_again(capfd: pytest.CaptureFixture[str]) -> None:
    @ctypes.CFUNCTYPE(None)
    def called() -> None:
        signal.raise_signal(signal.SIGINT)

    with interrupted_by(signal.SIGINT) as heard:
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - it comes at any moment
            called()
            time.sleep(60.0)
        assert heard.is_set()
    assert capfd.readouterr().err == ""


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with interrupted_by(signal.SIGTERM) as heard:
            signal.raise_signal(signal.SIGTERM)
            assert not heard.is_set()
    finally:
        signal.signal(signal.SIGTERM, before)


def test_other_threads_leave_signals_alone() -> None:
    found = []

    def work() -> None:
        before = signal.getsignal(signal.SIGTERM)
        with interrupted_by(signal.SIGTERM) as heard:
            found.append((signal.getsignal(signal.SIGTERM) is before, heard.is_set()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [(True, False)]


@pytest.mark.parametrize(("own_session", "expected"), [(True, "interrupted"), (False, "finished")])
def test_begun_by_a_background_job_only_the_leader_of_a_session_hears(own_session: bool, expected: str) -> None:
    code = """
import signal
from likeness.io.interruption import restore_interruption
restore_interruption()
try:
    signal.raise_signal(signal.SIGINT)
    print("finished")
except KeyboardInterrupt:
    print("interrupted")
"""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell sets it for `command &`; what is begun here inherits it
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, start_new_session=own_session)
    assert done.stdout.strip() == expected
