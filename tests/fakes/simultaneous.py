"""`rltui`, all of whose starts choose a run's name in the same second, and go on when the test lets them.

python -m tests.fakes.simultaneous train …      RLTUI_BARRIER: a file that the test holds locked until all have said `planned`
"""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

BARRIER = "RLTUI_BARRIER"


def planned(prepare: Callable[[Any], Any], options: Any) -> Any:
    """As it is, and a wait at the barrier."""
    found = prepare(options)
    print(f"planned {found.plan.run}", flush=True)
    with Path(os.environ[BARRIER]).open("rb") as barrier:
        fcntl.flock(barrier, fcntl.LOCK_SH)
    return found


if __name__ == "__main__":
    from rltui.__main__ import main
    from rltui.train import session  # here alone: its workers import this module too, and torch with it

    session.prepare = partial(planned, session.prepare)
    sys.exit(main())
