"""A recorded run without the machine it was recorded on: fixed names, numbers of processes and moments."""

from __future__ import annotations

import getpass
import json
import re
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from rltui.events.commands import Live
from rltui.events.records import Record, RunStarted, WorkerStarted
from tests.fakes.run_story import START

DIGITS = 5  # significant, of every measured figure: charts show no more
VERSIONS = {"rltui": "0.1.0", "torch": "2.12.0", "numpy": "1.26.4", "rocketsim": "2.2.1"}
TIMES = {"time"}
EXACT = {"time", "timesteps", "seed", "bytes", "save_every", "milestone_interval", "counts"}


class Impersonal:
    """Rewrites what one run has said. Learns the numbers of its processes as it goes."""

    def __init__(self, folder: Path, first: float) -> None:
        """folder: where the run was trained. first: Unix time of its first record, which becomes START."""
        self._shift = START - first
        self._names = [
            (str(folder) + "/", ""),
            (str(Path(__file__).parents[2]) + "/", ""),
            (sys.prefix + "/", ""),
            (sys.base_prefix + "/", ""),
            (socket.gethostname(), "tower"),
            (re.sub(r"\W", "", getpass.getuser()) + " on ", "ada on "),
        ]
        self._processes: dict[int, int] = {}

    def record(self, record: Record) -> dict[str, Any]:
        """As plain data, ready for a line."""
        match record:
            case RunStarted():
                self._processes[record.pid] = 4242
                record = msgspec.structs.replace(
                    record, profile=record.run, author="ada", host="tower", versions=VERSIONS
                )
            case WorkerStarted():
                self._processes.setdefault(record.pid, 4300 + record.worker + 10 * record.restarts)
        return self._rewritten(msgspec.to_builtins(record))

    def live(self, live: Live) -> dict[str, Any]:
        return self._rewritten(msgspec.to_builtins(live))

    def time(self, moment: float) -> float:
        return round(moment + self._shift, 3)

    def _rewritten(self, data: dict[str, Any]) -> dict[str, Any]:
        text = json.dumps(self._value(data, ""), ensure_ascii=False)
        for found, instead in self._names:
            text = text.replace(found, instead)
        for real, fixed in self._processes.items():
            text = re.sub(rf"(?<![\d.]){real}(?![\d.])", str(fixed), text) if real > 999 else text
        rewritten: dict[str, Any] = json.loads(text)
        return rewritten

    def _value(self, value: Any, key: str) -> Any:
        match value:
            case dict():
                return {name: self._value(item, name) for name, item in value.items()}
            case list():
                return [self._value(item, key) for item in value]
            case float() if key in TIMES:
                return self.time(value)
            case float() if key not in EXACT:
                return float(f"{value:.{DIGITS}g}")
        return value


def lines(story: Impersonal, records: Sequence[Record]) -> str:
    """journal.jsonl of these records."""
    rows = [json.dumps(story.record(record), ensure_ascii=False, separators=(",", ":")) for record in records]
    return "\n".join(rows) + "\n"
