"""`rltui` with something whose end aborts the process, as page-locked memory of a failed GPU: python -m tests.fakes.dying_device …"""

from __future__ import annotations

import os
import sys


class PageLocked:
    """Goes with the interpreter, whose modules may have gone before."""

    _abort = staticmethod(os.abort)

    def __del__(self) -> None:
        self._abort()


if __name__ == "__main__":
    from rltui.__main__ import program

    sys.page_locked = PageLocked()  # type: ignore[attr-defined] # what is there goes at the end, whether or not it is in a cycle
    program()
