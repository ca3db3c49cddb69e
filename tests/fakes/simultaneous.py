"""`rltui`, all of whose starts choose a run's name in the same second, and go on when the test lets them.

python -m tests.fakes.simultaneous train …      RLTUI_BARRIER: a file that the test holds locked until all have said `planned`
"""

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path

from rltui.train import session
from rltui.train.setup import StartContext, TrainOptions, prepare

BARRIER = "RLTUI_BARRIER"


def planned(options: TrainOptions) -> StartContext:
    """As it is, and a wait at the barrier."""
    found = prepare(options)
    print(f"planned {found.plan.run}", flush=True)
    with Path(os.environ[BARRIER]).open("rb") as barrier:
        fcntl.flock(barrier, fcntl.LOCK_SH)
    return found


if __name__ == "__main__":
    from rltui.__main__ import main

    session.prepare = planned
    sys.exit(main())
