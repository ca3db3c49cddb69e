"""The user's own command, told of an event: JSON on its standard input, the same in its environment. Never through a shell."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict

from rltui.tui.notices.herald import Notice

AT_ONCE = 4  # hooks that may run at the same time
SAID = 200  # characters of a hook's error that are shown


class Hooks:
    """run(notice) returns at once; whatever goes wrong is told to `failed`, from another thread."""

    def __init__(self, command: Sequence[str], seconds: float, failed: Callable[[str], None]) -> None:
        self._command, self._seconds, self._failed = tuple(command), seconds, failed
        self._free = threading.Semaphore(AT_ONCE)

    def run(self, notice: Notice) -> None:
        """Start the command, if there is one."""
        if not self._command:
            return
        if not self._free.acquire(blocking=False):
            self._failed(f"{self._command[0]}: {AT_ONCE} of them still run, so {notice.kind} was not told")
            return
        threading.Thread(target=self._run, args=(notice,), name="hook", daemon=True).start()

    def _run(self, notice: Notice) -> None:
        try:
            problem = self._problem(notice)
        except FileNotFoundError:
            problem = "there is no such command; ui.toml names it in notify.hook"
        except PermissionError:
            problem = "it may not be run: make it executable (chmod +x)"
        except (OSError, ValueError) as error:
            problem = str(error)
        finally:
            self._free.release()
        if problem:
            self._failed(f"{self._command[0]} ({notice.kind}): {problem}")

    def _problem(self, notice: Notice) -> str:
        """What went wrong, in words; empty where nothing did."""
        process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env={**os.environ, **environment(notice)}, start_new_session=True,
        )  # fmt: skip
        try:
            _, said = process.communicate(payload(notice), timeout=self._seconds)
        except subprocess.TimeoutExpired:
            _kill(process)
            return f"not done after {self._seconds:g} s (notify.hook_seconds in ui.toml), so it was ended"
        if process.returncode == 0:
            return ""
        words = said.decode("utf-8", "replace").strip()[-SAID:]
        return f"exit code {process.returncode}" + (f": {words}" if words else "")


def payload(notice: Notice) -> bytes:
    """One JSON object: event, run, title, text, time (Unix seconds), timesteps, severity."""
    fields = asdict(notice)
    return json.dumps({"event": fields.pop("kind"), **fields}).encode() + b"\n"


def environment(notice: Notice) -> dict[str, str]:
    """For commands that read no JSON."""
    return {
        "RLTUI_EVENT": notice.kind,
        "RLTUI_RUN": notice.run,
        "RLTUI_TITLE": notice.title.replace("\0", ""),
        "RLTUI_TEXT": notice.text.replace("\0", ""),
        "RLTUI_TIMESTEPS": str(notice.timesteps),
    }


def _kill(process: subprocess.Popen[bytes]) -> None:
    """With all that it has started."""
    with suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=1.0)
