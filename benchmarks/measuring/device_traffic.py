"""How often a program fetches values from the device, which on a GPU makes it wait until the device has come that far."""

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

from torch.overrides import TorchFunctionMode

# what gives a value, or a size that depends on values, to the program
_FETCHES = ("item", "tolist", "cpu", "numpy", "nonzero", "__bool__", "__float__", "__int__", "__index__", "masked_select", "unique")


class DeviceTraffic(TorchFunctionMode):
    """A context that counts, on any device, what would be fetched from a GPU: by the name of the call, in `fetches`.

    It sees calls from Python, not those inside of torch's own operations. An optimizer's counts of its steps lie in the host's memory and are left
    out.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fetches: Counter[str] = Counter()

    def __torch_function__(self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        """Counts a call and makes it."""
        name = getattr(func, "__name__", "")
        if name in _FETCHES and not sys._getframe(1).f_globals.get("__name__", "").startswith("torch.optim"):
            self.fetches[name] += 1
        return func(*args, **(kwargs or {}))
