"""How much memory is free on this machine."""

from __future__ import annotations

from pathlib import Path

MEMINFO = Path("/proc/meminfo")  # of Linux, in units of 1024 bytes


def free_megabytes() -> float | None:
    """10^6 bytes that programs could still have; None where the system does not say."""
    try:
        lines = MEMINFO.read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, IndexError, StopIteration):
        return _asked_of_psutil()


def _asked_of_psutil() -> float | None:
    import psutil  # 20 ms, for systems that have no such file

    try:
        return float(psutil.virtual_memory().available) / 1e6
    except (OSError, AttributeError):
        return None
