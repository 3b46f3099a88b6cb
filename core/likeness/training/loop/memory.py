"""Memory of training steps on a processor."""

import contextlib
import ctypes

# Of glibc's mallopt: blocks that come from the system one by one, and free memory above which it goes back.
_M_MMAP_MAX, _M_TRIM_THRESHOLD = -4, -1


def keep_memory() -> None:
    """Has glibc keep what a step frees for the next one: steps whose activations are new pages each time take up to twice as long."""
    with contextlib.suppress(OSError, AttributeError):  # another C library
        mallopt = ctypes.CDLL("libc.so.6").mallopt
        mallopt(_M_MMAP_MAX, 0)
        mallopt(_M_TRIM_THRESHOLD, -1)
