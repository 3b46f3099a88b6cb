"""Likeness: what does *similar* mean in your images?"""

import os

# NumPy's threads (OpenBLAS) look out for more work for a tenth of a second after each product, and so take the cores from those of torch,
# faiss and numba, which are next. Two to the power of this many cycles is a tenth of a millisecond. It is read when NumPy is loaded.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "18")

__version__ = "0.1.0"
