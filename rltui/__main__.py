"""Entry point of `rltui`; imports nothing but errors."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import sys
from collections.abc import Sequence
from typing import NoReturn, TextIO

from rltui.errors import RltuiError, report


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns 0, 1 (it failed) or 2 (bad usage); argparse leaves by SystemExit after --help and errors."""
    for stream in (sys.stdout, sys.stderr):
        _never_fail_on_a_character(stream)
    try:
        code = _run(argv)
        _flush_output()
    except RltuiError as error:
        return _told(error)
    except RuntimeError as error:
        if (failed := _of_device(error)) is None:
            raise
        return _told(failed)
    except KeyboardInterrupt:
        print("rltui: interrupted", file=sys.stderr)
        return 1
    except BrokenPipeError:  # whoever read our output has seen enough, as in `rltui ls | head`
        _discard_output()
        return 0
    return code


def program() -> NoReturn:
    """The process: one command, and no last search for garbage, which takes half a second where torch is imported."""
    code = main()
    gc.freeze()
    sys.exit(code)


def _told(error: RltuiError) -> int:
    """Called where the error still holds what must not be freed."""
    code = report(error)
    if error.spoils_exit:
        _leave(code)
    return code


def _of_device(error: RuntimeError) -> RltuiError | None:
    """A GPU's failure, which any call to torch may raise; None for another error."""
    if "torch" not in sys.modules:
        return None
    from rltui.learn.device import device_error

    return device_error(error)


def _leave(code: int) -> NoReturn:
    """Without the interpreter's end; all that is ours was closed on the way here."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # nobody reads any more
            stream.flush()
    os._exit(code)


def _run(argv: Sequence[str] | None) -> int:
    from rltui.cli.parser import parse

    command, args = parse(argv)
    return command(args)


def _never_fail_on_a_character(stream: TextIO) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def _flush_output() -> None:
    """A terminal that has closed meanwhile takes no more; that is no failure of what was done."""
    try:
        sys.stdout.flush()
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EIO):
            raise
        _discard_output()


def _discard_output() -> None:
    """Keep the interpreter from flushing into the broken pipe at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    program()
