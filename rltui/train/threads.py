"""Threads of NumPy and torch. One BLAS thread a worker: they are many and their products are small."""

from __future__ import annotations

import os


def one_blas_thread() -> None:
    """Call before NumPy or torch is imported; spawned workers inherit it. The learner sets its own number of threads."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # learner threads that wait must not spin: cores are shared
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
