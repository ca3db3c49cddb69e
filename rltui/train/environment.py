"""Thread and malloc environment variables."""

from __future__ import annotations

import os

BLAS_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
TUNABLES = "GLIBC_TUNABLES"
HUGE_PAGES = "glibc.malloc.hugetlb"


def prepare_environment() -> None:
    """Call before NumPy or torch is imported; spawned workers inherit it."""
    for name in BLAS_THREADS:  # one a worker: they are many and their products are small; the learner sets its own
        os.environ[name] = "1"
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # learner threads that wait must not spin: cores are shared
    tunables = os.environ.get(TUNABLES, "")
    if HUGE_PAGES not in tunables:  # the arenas of a worker lie scattered over many small pages
        os.environ[TUNABLES] = f"{tunables}:{HUGE_PAGES}=1".lstrip(":")
