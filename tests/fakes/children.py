"""In the place of the launcher's child processes: the doctor, the schema, checks of edited texts, differences."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from rltui.tui.checks.doctor import Measurements, Preflights
from rltui.tui.checks.results import profile_differences
from rltui.tui.checks.schema import ReferenceReader
from rltui.tui.checks.text_check import TextChecker
from rltui.tui.dependencies import LauncherDependencies

SENTENCES = {
    "profile": "ball-touching: 1v1, observation default, table rlgym, 4 rewards",
    "action table": "90 rows pass 45 checks",
    "resets": "1,000 first states drawn, all possible",
    "memory": "about 0.6 GB needed, 14.5 of 25.3 GB free",
    "disk": "212.0 GB free for data; a checkpoint takes about 1.1 MB, and 5 are kept",
    "gpu": "no GPU: the learner uses the processor",
    "speed": "14,231 steps/s overall, measured over 2 s",
}
_judge = threading.Lock()
_tried: dict[object, object] = {}  # what is found about action tables


class FakeDoctor:
    """Says one line after the other; before the last check it waits for `go`. fails: check → (sentence, advice)."""

    def __init__(self, command: Sequence[str], go: threading.Event, fails: dict[str, tuple[str, str]]) -> None:
        self.names = [command[index + 1] for index, word in enumerate(command) if word == "--only"]
        self._go, self._fails, self.ended = go, fails, threading.Event()

    def lines(self) -> Iterator[bytes]:
        yield json.dumps({"checks": self.names}).encode()
        for name in self.names:
            yield json.dumps({"running": name}).encode()
            while name == self.names[-1] and not self._go.wait(0.01):
                if self.ended.is_set():
                    return
            yield json.dumps(self._found(name)).encode()

    def _found(self, name: str) -> dict[str, Any]:
        sentence, advice = self._fails.get(name, (SENTENCES.get(name, "all is well"), ""))
        figures = {"steps_per_second": 14231, "time": 1_764_249_990.0, "busy_percent": 3} if name == "speed" else {}
        outcome = "fail" if name in self._fails else "pass"
        return {"name": name, "outcome": outcome, "sentence": sentence, "advice": advice, "figures": figures}

    def end(self) -> None:
        self.ended.set()


class FakeTextChild:
    """judge: text → the child's verdict. Waits for `go`, unless it is ended before."""

    def __init__(self, judge: Callable[[str], dict[str, Any]], go: threading.Event) -> None:
        self._judge, self._go, self.ended = judge, go, threading.Event()

    def answer(self, text: bytes) -> bytes:
        while not self._go.wait(0.01) and not self.ended.is_set():
            pass
        if self.ended.is_set():  # also where it may go at the same moment
            raise OSError("the child was ended")
        return json.dumps(self._judge(text.decode())).encode()

    def end(self) -> None:
        self.ended.set()


@cache
def schema() -> bytes:
    """The real one: it is what the form is made of."""
    command = [sys.executable, "-m", "rltui", "profile", "schema", "--json"]
    return subprocess.run(command, capture_output=True, check=True).stdout


def judged(text: str) -> dict[str, Any]:
    """The real judge, in this process, one text after the other; each action table is tried once."""
    from rltui.checks.action_table.report import examine
    from rltui.cli.profile import report_text

    def tried(rows: Any, options: Any, folder: str | None) -> Any:
        key = rows.tobytes(), options, folder
        if key not in _tried:
            _tried[key] = examine(rows, options, folder)
        return _tried[key]

    with _judge, patch("rltui.checks.components.examine", tried):
        return report_text(text.encode(), "profiles/x.toml")


def open_gate() -> threading.Event:
    gate = threading.Event()
    gate.set()
    return gate


def tools(
    *,
    doctor_goes: threading.Event | None = None,
    fails: dict[str, tuple[str, str]] | None = None,
    judge: Callable[[str], dict[str, Any]] = judged,
    check_goes: threading.Event | None = None,
    differences: list[dict[str, Any]] | None = None,
    clock: Callable[[], float] | None = None,
) -> LauncherDependencies:
    """All of them; what is not said goes at once and well."""
    doctor, check = doctor_goes or open_gate(), check_goes or open_gate()
    return LauncherDependencies(
        reference=ReferenceReader(lambda command: schema()),
        texts=TextChecker(lambda command: FakeTextChild(judge, check)),
        preflights=Preflights(lambda command: FakeDoctor(command, doctor, fails or {}), clock or time.time),
        differences=lambda left, right: profile_differences(
            left, right, lambda _: json.dumps(differences or []).encode()
        ),
        measurements=Measurements(Path("cache")),
    )
