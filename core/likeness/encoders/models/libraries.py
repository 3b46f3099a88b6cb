"""The libraries of models, imported by one thread at a time: of two that import torchvision or transformers at once, one fails."""

import threading
from importlib import import_module

_importing = threading.Lock()


def import_library(name: str) -> None:
    """Imports "timm", "open_clip" or a part of transformers; called before one is used where other threads may do the same."""
    with _importing:
        import_module(name)
