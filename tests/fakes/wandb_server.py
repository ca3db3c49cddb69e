"""W&B in the place of the package: appends to the file FAKE_WANDB what it is asked, as JSON lines, and fails as FAKE_WANDB_FAULT says.

As a module of that name in the process of a test, or copied as `wandb.py` into a folder of PYTHONPATH, for processes.
"""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any


def _fault(point: str) -> None:
    fault, _, kind = os.environ.get("FAKE_WANDB_FAULT", "").partition(" ")
    if fault == point:
        if kind == "hangs":
            threading.Event().wait()
        raise RuntimeError(f"{point} fails")


def _note(**said: Any) -> None:
    with Path(os.environ["FAKE_WANDB"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(said) + "\n")


class Settings:
    def __init__(self, **settings: Any) -> None:
        pass


class Run:
    url: str | None

    def __init__(self, mode: str) -> None:
        self.url = "https://wandb.ai/ada/rltui/1" if mode == "online" else None
        self.config = self

    def update(self, config: dict[str, Any], *, allow_val_change: bool) -> None:
        assert allow_val_change
        _note(config=config)

    def log(self, values: dict[str, float], *, step: int) -> None:
        _fault("log")
        _note(step=step, values=values)

    def finish(self) -> None:
        _fault("finish")
        _note(finished=True)


def init(*, mode: str = "", **asked: Any) -> Run:
    _note(mode=mode, **{name: asked[name] for name in ("project", "id", "name", "resume")})
    _fault(f"init-{mode or 'as-told'}")
    return Run(mode)


def teardown() -> None:
    _note(torn=True)


_fault("import")
