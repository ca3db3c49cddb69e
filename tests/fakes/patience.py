"""How long a test may wait on a machine that has other work too."""

from __future__ import annotations

import os

import psutil

MOST = 8.0  # times: what still has not come then never comes


def patience(seconds: float) -> float:
    """The limit on this machine that is `seconds` on an idle one: longer by twice the processes that want each core.

    A limit judges the program, not the neighbours. The load is the newest minute's, so it counts the test's own
    processes and lags behind; twice makes up for that.
    """
    return seconds * min(MOST, max(1.0, 2.0 * psutil.getloadavg()[0] / (os.cpu_count() or 1)))
