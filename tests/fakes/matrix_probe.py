"""As rltui/supervise/matrix_probe.py, each kernel as its first argument has it, in JSON.

kernel → [what it says when it has begun, then its seconds: a number, "hang" or "crash"].
"""

import json
import os
import signal
import sys

said, seconds = json.loads(sys.argv[1])[os.environ.get("OPENBLAS_CORETYPE", "")]
print(said, flush=True)
for _ in sys.stdin:
    if seconds == "hang":
        signal.pause()
    if seconds == "crash":
        os.kill(os.getpid(), signal.SIGILL)
    print(seconds, flush=True)
