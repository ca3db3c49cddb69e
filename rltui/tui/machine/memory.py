"""How much memory is free on this machine."""

from __future__ import annotations


def free_megabytes() -> float | None:
    """10^6 bytes that programs could still have; None where the system does not say."""
    import psutil  # 20 ms, not needed before the first picture

    try:
        return float(psutil.virtual_memory().available) / 1e6
    except (OSError, AttributeError):
        return None
