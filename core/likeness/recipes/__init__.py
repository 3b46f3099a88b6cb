"""What made what ships, and side experiments: renderers, the small CLIP, captioning. Each name of `__init__.pyi` is imported when first used."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
