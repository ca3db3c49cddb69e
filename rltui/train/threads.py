"""One BLAS thread a worker: they are many and their products are small. The learner sets its own number."""

from __future__ import annotations

import os


def one_blas_thread() -> None:
    """Call before NumPy is imported; spawned workers inherit it."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
