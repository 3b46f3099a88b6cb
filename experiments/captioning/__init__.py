"""Image captions: metrics, a decoder over a grid of features, and its training (section 4.6 of the log-ratio paper).

Each name of `__init__.pyi` is imported when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
