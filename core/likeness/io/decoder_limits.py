"""CPU time and memory limits of a process that decodes one image at a time."""

import mmap
import os
import resource
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OUT_OF_MEMORY = 86  # exit status where the system itself enforces no limit of memory
# Some four times what the slowest sound images take, progressive JPEGs of the highest quality
_SECONDS, _SECONDS_PER_PIXEL = 5.0, 0.25e-6
_MEMORY, _BYTES_PER_PIXEL = 256 << 20, 24
_LOOK_EVERY_S = 0.02


class DecoderLimits:
    """Limits of this process, set for each image from the pixel count in its header."""

    def __init__(self) -> None:
        # a malicious image should not fill the disk with core dumps
        _set_limit(resource.RLIMIT_CORE, 0)
        self._own, self._peak, self._peak_allowed = _address_space(), _peak_memory(), 0
        self.allow(0, 0)
        if self._own is None:
            threading.Thread(target=self._watch, daemon=True).start()

    def allow(self, pixels: int, content: int) -> None:
        """Sets the CPU time and memory limits for an image of `pixels` in a file of `content` bytes. The system kills the process when CPU time is
        used up. Exceeding the memory raises MemoryError; on macOS, which does not enforce such a limit, the process exits with status OUT_OF_MEMORY.
        """
        _set_limit(resource.RLIMIT_CPU, int(time.process_time() + _SECONDS + _SECONDS_PER_PIXEL * pixels) + 1)
        memory = _MEMORY + _BYTES_PER_PIXEL * pixels + 3 * content
        if self._own is not None:
            _set_limit(resource.RLIMIT_AS, self._own + memory)
        else:
            self._peak_allowed = max(self._peak_allowed, self._peak + memory)

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Lifts the limits while a library is imported; its memory then counts as the baseline."""
        self._peak_allowed = sys.maxsize
        # only up to the hard limits, which a process without privileges cannot raise
        for which in (resource.RLIMIT_AS, resource.RLIMIT_CPU):
            _set_limit(which, resource.getrlimit(which)[1])
        try:
            yield
        finally:
            self._peak, self._peak_allowed = _peak_memory(), 0
            if self._own is not None:
                self._own = _address_space()
            self.allow(0, 0)

    def _watch(self) -> None:
        while True:
            time.sleep(_LOOK_EVERY_S)
            if _peak_memory() > self._peak_allowed:
                os._exit(OUT_OF_MEMORY)


def _set_limit(which: int, value: int) -> None:
    hard = resource.getrlimit(which)[1]
    resource.setrlimit(which, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _address_space() -> int | None:
    """Size of the address space in bytes; None on systems that do not report it, which cannot limit it either."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[0]) * mmap.PAGESIZE if statm.is_file() else None


def _peak_memory() -> int:
    """Peak resident memory of this process in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
