"""rltui serve."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from rltui.cli.parser import Subparsers, add_command, add_data_dir, at_least
from rltui.errors import RltuiError
from rltui.safe_io import reason, say

if TYPE_CHECKING:
    import socket

MORE = """\
Each page has a program of its own, with the keys of the terminal. Closing it is closing a terminal: training goes on.
From another machine: ssh -L 8000:127.0.0.1:8000 HOST, then open the printed address there."""
WARNING = """\
warning: it can be reached from other machines. Whoever has the address starts and stops training here, with your rights,
and the connection is not encrypted. Safer: leave --host away, and ssh -L {port}:127.0.0.1:{port} from there."""


def add_parser(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "serve", "open the program in a browser", "rltui serve --port 8080", MORE)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: 127.0.0.1, this machine only)")  # fmt: skip
    parser.add_argument("--port", type=at_least(0), default=8000, help="port (default: 8000; 0: any that is free)")
    add_data_dir(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C. RltuiError without the extra, or where the port cannot be had."""
    from rltui.runs.paths import data_dir
    from rltui.supervise.launch import command

    try:
        from rltui.tui.page_server import PageServer
    except ImportError as error:
        raise RltuiError(f"serve needs the package textual-serve: {error}", 'pip install -e ".[web]"') from error
    looks = [*(["--ascii"] if args.ascii else []), *(["--no-mouse"] if args.no_mouse else [])]
    root = str(data_dir(args.data_dir).root.absolute())
    server = PageServer(command("--data-dir", root, *looks))
    with listening(args.host, args.port) as listener:
        if not _is_loopback(listener):
            say(WARNING.format(port=listener.getsockname()[1]), sys.stderr)
        say(f"{address(args.host, listener)}?token={server.token}\nCtrl-C ends it; training goes on.")
        sys.stdout.flush()
        os.environ.pop("TMUX", None)  # it is around this program, not around the page
        server.serve(listener)
    return 0


def listening(host: str, port: int) -> socket.socket:
    """Bound here, so that a port that is taken is known before anything is said. RltuiError where it cannot be had."""
    import socket

    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError, UnicodeError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise RltuiError(f"cannot listen at {host}, port {port}: {why}", "--port 0 takes any free port") from error


def address(host: str, listener: socket.socket) -> str:
    """As a browser wants it; of a server that listens at every address, by this machine's name."""
    import socket

    if host in ("", "0.0.0.0", "::"):
        host = socket.gethostname()
    return f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/"


def _is_loopback(listener: socket.socket) -> bool:
    from ipaddress import ip_address

    return ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback
