"""TensorBoard's writer of event files in the place of the package: what is added is a line of JSON."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

_numbers = itertools.count()


class EventFileWriter:
    def __init__(self, folder: str) -> None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        self._file = (Path(folder) / f"events.out.tfevents.{next(_numbers)}").open("w", encoding="utf-8")

    def add_event(self, event: SimpleNamespace) -> None:
        self._file.write(json.dumps(event, default=vars) + "\n")

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.close()


class SessionLog(SimpleNamespace):
    START = 1


class Summary(SimpleNamespace):
    Value = SimpleNamespace


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """For imports from now on."""
    parts: dict[str, dict[str, Any]] = {
        "tensorboard": {},
        "tensorboard.compat.proto.event_pb2": {"Event": SimpleNamespace, "SessionLog": SessionLog},
        "tensorboard.compat.proto.summary_pb2": {"Summary": Summary},
        "tensorboard.summary.writer.event_file_writer": {"EventFileWriter": EventFileWriter},
    }
    for name, content in parts.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(__import__("sys").modules, name, module)


def scalars(folder: Path, tag: str) -> list[tuple[int, float]]:
    """(step, value) of all event files, in order."""
    events = [json.loads(line) for path in sorted(folder.iterdir()) for line in path.read_text().splitlines()]
    return [
        (event["step"], value["simple_value"])
        for event in events
        for value in event.get("summary", {}).get("value", ())
        if value["tag"] == tag
    ]
