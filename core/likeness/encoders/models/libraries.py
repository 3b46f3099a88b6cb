"""The libraries of models, imported by one thread at a time: two that import torchvision at once wait for each other, and one of them fails."""

import threading
from importlib import import_module

_importing = threading.Lock()


def import_library(name: str) -> None:
    """Imports "timm" or "open_clip", which bring torch and torchvision; called before either is used where other threads may do the same."""
    with _importing:
        import_module(name)
