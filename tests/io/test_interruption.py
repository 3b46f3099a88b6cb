"""Signals that end the program: heard at once, left alone where they are to be ignored, and as before afterwards."""

import signal
import threading

import pytest

from likeness.io.interruption import interrupted_by


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_interrupts_and_is_noted(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with interrupted_by(number) as heard:
        assert not heard.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert heard.is_set()
    assert signal.getsignal(number) is before


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
