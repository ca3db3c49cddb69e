"""`rltui` that bears any number of dead workers in a minute: python -m tests.fakes.enduring_trainer train …"""

from __future__ import annotations

import sys

if __name__ == "__main__":
    from rltui.supervise.processes import prepare_environment

    prepare_environment()
    from rltui.train.collect import worker_pool

    worker_pool.DEATH_WINDOW = 0.0
    from rltui.__main__ import main

    sys.exit(main())
