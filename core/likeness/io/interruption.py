"""Reliable handling of signals that end the program."""

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
    """Inside the block the signal sets the event and raises KeyboardInterrupt. In callbacks of native code (such as numba's compiler) Python only
    prints the error and continues, so it is raised again a little later. No effect outside the main thread, which alone can handle signals, and if
    the signal is ignored.
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
        # the block may have ended while the timer was waiting
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
    """Restores Python's SIGINT handler (KeyboardInterrupt) in a session leader that ignores SIGINT; no effect in other processes.

    Shells let background jobs and their children ignore SIGINT, so that Ctrl-C ends only the foreground job. No key reaches the leader of a new
    session: SIGINT is then sent on purpose, and the process should stop and keep its work.
    """
    if os.getsid(0) == os.getpid() and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
