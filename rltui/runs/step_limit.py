"""At how many timesteps a run was told to end: by `--steps` of its newest start, which its journal's header keeps."""

from __future__ import annotations

from rltui.events.records import RunStarted
from rltui.runs.journal import decode_line, lines_back
from rltui.runs.paths import RunPaths

_FAR = 1 << 30  # bytes of journal looked through for the header of a start that was long ago: weeks of training
_NAMED = f'"{RunStarted.__struct_config__.tag}"'.encode()  # is somewhere in each header's line


def step_limit(paths: RunPaths) -> int | None:
    """The total; None without one, or where no header is found."""
    for block in lines_back(paths.journal, most=_FAR):
        if (header := _newest_header(block)) is not None:
            return header.step_limit
    return None


def _newest_header(lines: bytes) -> RunStarted | None:
    """Of whole lines; only those that may be a header are read."""
    end = len(lines)
    while (at := lines.rfind(_NAMED, 0, end)) >= 0:
        start = lines.rfind(b"\n", 0, at) + 1
        record = decode_line(lines[start:].partition(b"\n")[0])
        if isinstance(record, RunStarted):
            return record
        end = start
    return None
