"""Signals that ask the program to end, heard wherever it is at that moment."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_AGAIN_SECONDS = 0.02  # until a lost interruption is raised once more


@contextmanager
def interrupted_by(number: signal.Signals) -> Iterator[threading.Event]:
    """Inside, the signal sets the event and raises KeyboardInterrupt. In a callback of native code (as of numba's compiler) Python prints the error
    and goes on: there it is raised again, a little later. Without effect in other threads than the main one, where signals can't be answered, and
    where the program was told to ignore this one.
    """
    heard = threading.Event()
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(number) is signal.SIG_IGN:
        yield heard
        return

    def hear(received: int, frame: FrameType | None) -> None:
        heard.set()
        raise KeyboardInterrupt

    def ignored(lost: "sys.UnraisableHookArgs") -> None:
        if not isinstance(lost.exc_value, KeyboardInterrupt):
            answer(lost)
        elif not ended.is_set():
            again = threading.Timer(_AGAIN_SECONDS, send)
            again.daemon = True
            again.start()

    def send() -> None:
        if not ended.is_set():
            signal.pthread_kill(main, number)

    main, ended = threading.get_ident(), threading.Event()
    before, answer = signal.signal(number, hear), sys.unraisablehook
    sys.unraisablehook = ignored
    try:
        yield heard
    finally:
        ended.set()
        sys.unraisablehook = answer
        signal.signal(number, before)


def restore_interruption() -> None:
    """Answers SIGINT by KeyboardInterrupt again in a process that leads a session of its own, and changes nothing in any other.

    A shell lets its background jobs ignore SIGINT, so that Ctrl-C ends the job in front alone, and every process begun by such a job
    inherits that. No key reaches the leader of a session of its own: whoever sends it SIGINT means it, and it should stop and keep its work.
    """
    if os.getsid(0) == os.getpid() and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
