"""`rltui` and `python -m rltui`. Spawned workers import this module too, so that it imports nothing but the errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

from rltui.errors import RltuiError, report


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns 0, 1 (it failed) or 2 (bad usage); argparse leaves by SystemExit after --help and errors."""
    for stream in (sys.stdout, sys.stderr):
        _never_fail_on_a_character(stream)
    try:
        code = _run(argv)
        sys.stdout.flush()
    except RltuiError as error:
        return report(error)
    except KeyboardInterrupt:
        print("rltui: interrupted", file=sys.stderr)
        return 1
    except BrokenPipeError:
        _discard_output()
        return 0  # whoever read our output has seen enough, as in `rltui ls | head`
    return code


def _run(argv: Sequence[str] | None) -> int:
    from rltui.cli.parser import parse

    command, args = parse(argv)
    return command(args)


def _never_fail_on_a_character(stream: TextIO) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def _discard_output() -> None:
    """Keep the interpreter from flushing into the broken pipe at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
