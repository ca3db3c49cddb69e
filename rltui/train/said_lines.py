"""Debug lines as records: who said them, and which flag asked for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rltui.events.records import LogLine, Record
from rltui.train.line_limit import Line


def tell_lines(tell: Callable[[Record], None], worker: int | None, lines: Sequence[Line]) -> None:
    """worker: None where it is the trainer that speaks."""
    source = "trainer" if worker is None else "worker"
    for flag, text in lines:
        tell(LogLine(time=time.time(), level="debug", source=source, message=text, worker=worker, flag=flag))
