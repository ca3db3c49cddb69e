"""A client that pours commands as fast as they are taken. Run by its path: python flooding.py SOCKET SECONDS"""

from __future__ import annotations

import contextlib
import socket
import sys
import time

from rltui.events import commands
from rltui.events.commands import Hello, Pause, Request
from rltui.supervise.frames import pack

COMMANDS = 20_000  # in one piece of about 1.2 MB


def pour(address: str, seconds: float) -> tuple[int, int]:
    """Bytes taken, and bytes of one command."""
    frames = b"".join(pack(commands.encode(Request(number, Pause()))) for number in range(COMMANDS))
    taken, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket(socket.AF_UNIX) as connection, contextlib.suppress(OSError):
            connection.connect(address)
            connection.sendall(pack(commands.encode(Hello("flood"))))
            connection.setblocking(False)
            while time.monotonic() < end:
                with contextlib.suppress(BlockingIOError):
                    taken += connection.send(frames)
                with contextlib.suppress(BlockingIOError):
                    if not connection.recv(1 << 16):
                        break
    return taken, len(frames) // COMMANDS


if __name__ == "__main__":
    print(*pour(sys.argv[1], float(sys.argv[2])))
