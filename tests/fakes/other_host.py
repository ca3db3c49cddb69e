"""`rltui` as on a host of its own that shares its data folder with others: locks have no effect there.

RLTUI_HOST=tower python -m tests.fakes.other_host train …
"""

from __future__ import annotations

import os
import socket
import sys

from rltui.runs import lock

HOST = "RLTUI_HOST"

if __name__ == "__main__":
    from rltui.__main__ import main

    socket.gethostname = lambda: os.environ[HOST]
    lock._try_lock = lambda *_, **__: True
    lock.BEAT = 2.0
    sys.exit(main())
