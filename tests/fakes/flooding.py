"""A client that offers more commands than are taken. Run by its path: python flooding.py SOCKET SECONDS

It says how many commands it offered, and how many of them the system took from it.
"""

from __future__ import annotations

import contextlib
import select
import socket
import sys
import time

from rltui.events import commands
from rltui.events.commands import Hello, Pause, Request
from rltui.supervise.sockets import pack

COMMANDS = 20_000  # in one piece of about 1.2 MB
PAUSE = 0.02  # seconds between two offers that are not taken: a million commands a second


def pour(address: str, seconds: float) -> tuple[int, int]:
    """Commands offered, commands taken."""
    frames = b"".join(pack(commands.encode(Request(number, Pause()))) for number in range(COMMANDS))
    offers, taken, end = 0, 0, time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket(socket.AF_UNIX) as connection, contextlib.suppress(OSError):
            connection.connect(address)
            connection.sendall(pack(commands.encode(Hello("flood"))))
            connection.setblocking(False)
            while time.monotonic() < end:
                offers += 1
                with contextlib.suppress(BlockingIOError):
                    taken += connection.send(frames)
                select.select([connection], [connection], [], PAUSE)
                with contextlib.suppress(BlockingIOError):
                    if not connection.recv(1 << 16):
                        break
    return offers * COMMANDS, taken * COMMANDS // len(frames)


if __name__ == "__main__":
    print(*pour(sys.argv[1], float(sys.argv[2])))
