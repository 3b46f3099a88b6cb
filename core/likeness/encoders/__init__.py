"""Pretrained encoders, and stores of text and image embeddings. Names are listed in `__init__.pyi` and imported on first use."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
