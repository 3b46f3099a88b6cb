"""Signals that ask the program to end, heard wherever it is at that moment."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interrupted_by(number: signal.Signals) -> Iterator[threading.Event]:
    """Inside, the signal sets the event and raises KeyboardInterrupt, which alone can get lost in a callback of native code.

    Without effect in other threads than the main one, where signals can't be answered, and where the program was told to ignore this one.
    """
    heard = threading.Event()
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(number) is signal.SIG_IGN:
        yield heard
        return

    def hear(received: int, frame: FrameType | None) -> None:
        heard.set()
        raise KeyboardInterrupt

    before = signal.signal(number, hear)
    try:
        yield heard
    finally:
        signal.signal(number, before)


def restore_interruption() -> None:
    """Answers SIGINT by KeyboardInterrupt again in a process that leads a session of its own, and changes nothing in any other.

    A shell lets its background jobs ignore SIGINT, so that Ctrl-C ends the job in front alone, and every process begun by such a job
    inherits that. No key reaches the leader of a session of its own: whoever sends it SIGINT means it, and it should stop and keep its work.
    """
    if os.getsid(0) == os.getpid() and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
