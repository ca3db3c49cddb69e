"""Environment variables of the trainer and of the workers that it spawns: threads, and the size of memory pages."""

from __future__ import annotations

import os

BLAS_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
TUNABLES = "GLIBC_TUNABLES"
HUGE_PAGES = "glibc.malloc.hugetlb=1"


def prepare_environment() -> None:
    """Call before NumPy or torch is imported; spawned workers inherit it."""
    for name in BLAS_THREADS:  # one a worker: they are many and their products are small; the learner sets its own
        os.environ[name] = "1"
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # learner threads that wait must not spin: cores are shared
    if HUGE_PAGES not in os.environ.get(TUNABLES, ""):  # the arenas of a worker lie scattered over many small pages
        os.environ[TUNABLES] = ":".join(filter(None, (os.environ.get(TUNABLES), HUGE_PAGES)))
