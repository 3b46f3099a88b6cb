"""Likeness: what does *similar* mean in your images?"""

__version__ = "0.1.0"
