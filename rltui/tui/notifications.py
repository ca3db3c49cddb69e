"""Notices of what happens to a run: toast, bell, OSC 9, hook; the terminal's title and the exit message."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from textual.notifications import Notification, Notify
from textual.widgets._toast import Toast

from rltui.errors import RltuiError
from rltui.events.records import PhaseChanged, end_words
from rltui.formatting import state_name
from rltui.supervise.signals import exit_words, kill_session, start_session
from rltui.tui.settings import NoticeKind, UiSettings
from rltui.tui.terminal import clipboard

if TYPE_CHECKING:
    from textual.app import App

    from rltui.run_state.snapshot import RunSnapshot


GONE_AFTER = 2.0  # seconds without a process before its end counts as unclean: the last record may still be on its way
MOST_TOASTS = 2
SECONDS = {"information": 5.0, "warning": 8.0, "error": 10.0}  # that a toast stays
MOST_HOOKS = 4  # that run at the same time
MOST_ERROR = 200  # characters of a hook's error that are shown
MOST_NAMED = 3  # runs in the exit message
TRAINING = ("collecting", "learning", "running", "saving")  # states, one after the other each few seconds
Severity = Literal["information", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Notice:
    """time: Unix seconds. timesteps: of the run, then."""

    kind: NoticeKind
    run: str
    title: str
    text: str
    time: float
    timesteps: int
    severity: Severity = "information"


def detect_events(before: RunSnapshot, now: RunSnapshot, since: float) -> list[Notice]:
    """What the step from one snapshot to the next tells; nothing from before `since` (Unix seconds), which is history."""
    return [
        *_end(before, now, since),
        *_milestone(before, now, since),
        *_promotions(before, now, since),
        *_workers(before, now, since),
        *_control(before, now),
    ]


def _end(before: RunSnapshot, now: RunSnapshot, since: float) -> Iterator[Notice]:
    end = now.finished
    if end is None or end == before.finished or end.time < since:
        return
    if end.exit_code:
        yield Notice("failed", now.run, f"{now.run} failed", end.reason, end.time, end.timesteps, "error")
    else:
        yield Notice("ended", now.run, f"{now.run} has ended", end_words(end), end.time, end.timesteps)


def _milestone(before: RunSnapshot, now: RunSnapshot, since: float) -> Iterator[Notice]:
    saved = now.milestone
    if saved is not None and saved != before.milestone and saved.time >= since:
        name = state_name("milestone", saved.label)
        text = "kept, never pruned" if name.endswith(f" {saved.timesteps:,}") else f"{saved.timesteps:,} timesteps"
        yield Notice("milestone", now.run, f"{now.run}: {name}", text, saved.time, saved.timesteps)


def _promotions(before: RunSnapshot, now: RunSnapshot, since: float) -> Iterator[Notice]:
    for task in now.tasks:
        if task.time >= since and task not in before.tasks:
            what = "phase" if isinstance(task, PhaseChanged) else "stage"
            yield Notice("promotion", now.run, f"{now.run}: {what} {task.to}", task.reason, task.time, task.timesteps)


def _workers(before: RunSnapshot, now: RunSnapshot, since: float) -> Iterator[Notice]:
    rows = {row.worker: row for row in before.workers}
    for row in now.workers:
        old = rows.get(row.worker)
        moment = row.event_time or 0.0
        if old is None or moment < since or moment == old.event_time:
            continue
        if row.failed or row.restarts > old.restarts:
            title = f"{now.run}: worker {row.worker} failed"
            why = row.failures[0].message.partition("\n")[0] if row.failures else ""
            text = row.event if row.failed or not why else f"{why}; {row.event}"
            yield Notice("worker_failed", now.run, title, text, moment, now.timesteps, "warning")


def _control(before: RunSnapshot, now: RunSnapshot) -> Iterator[Notice]:
    if not (before.link.connected and now.link.connected) or before.link.mine == now.link.mine:
        return
    moment = now.news_time or 0.0
    if now.link.mine:
        text = "Your keys act on the training."
        yield Notice("control", now.run, f"You control {now.run}", text, moment, now.timesteps)
    elif now.link.controller:
        who = now.link.controller.partition(", pid")[0]
        text = "O takes control back."
        yield Notice("control", now.run, f"{who} controls {now.run}", text, moment, now.timesteps, "warning")


class UncleanEnd:
    """Detects a trainer's process that has gone without a word."""

    def __init__(self) -> None:
        self._seen_alive = False
        self._gone: float | None = None  # Unix seconds
        self._noticed = False

    def saw(self, snapshot: RunSnapshot) -> None:
        """What has never been seen alive has not ended now."""
        self._seen_alive = self._seen_alive or snapshot.alive is True

    def check(self, snapshot: RunSnapshot, now: float) -> list[Notice]:
        """One notice, once."""
        if snapshot.alive is not False or snapshot.finished is not None or not self._seen_alive:
            self._gone, self._noticed = None, False
            return []
        self._gone = now if self._gone is None else self._gone
        if self._noticed or now - self._gone < GONE_AFTER:
            return []
        self._noticed = True
        text = f"The trainer died after {snapshot.timesteps:,} timesteps; see its log."
        title = f"{snapshot.run} ended uncleanly"
        return [Notice("failed", snapshot.run, title, text, now, snapshot.timesteps, "error")]


class Hooks:
    """run(notice) returns at once; `failed` is called with what goes wrong, from another thread."""

    def __init__(self, command: Sequence[str], seconds: float, failed: Callable[[str], None]) -> None:
        self._command, self._seconds, self._failed = tuple(command), seconds, failed
        self._free = threading.Semaphore(MOST_HOOKS)

    def run(self, notice: Notice) -> None:
        """Start the command, if there is one."""
        if not self._command:
            return
        if not self._free.acquire(blocking=False):
            self._failed(f"{self._command[0]}: {MOST_HOOKS} still running, so none was started for {notice.kind}")
            return
        threading.Thread(target=self._run, args=(notice,), name="hook", daemon=True).start()

    def _run(self, notice: Notice) -> None:
        try:
            problem = self._problem(notice)
        except FileNotFoundError:
            problem = "no such command (notify.hook in ui.toml)"
        except PermissionError:
            problem = "not executable (chmod +x)"
        except (OSError, ValueError) as error:
            problem = str(error)
        finally:
            self._free.release()
        if problem:
            self._failed(f"{self._command[0]} ({notice.kind}): {problem}")

    def _problem(self, notice: Notice) -> str:
        """What went wrong, in words; empty where nothing did."""
        process = start_session(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env={**os.environ, **environment(notice)},
        )  # fmt: skip
        try:
            _, errors = process.communicate(payload(notice), timeout=self._seconds)
        except subprocess.TimeoutExpired:
            _kill(process)
            return f"ended: not done after {self._seconds:g} s (notify.hook_seconds in ui.toml)"
        if process.returncode == 0:
            return ""
        words = errors.decode("utf-8", "replace").strip()[-MOST_ERROR:]
        return exit_words(process.returncode) + (f": {words}" if words else "")


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
    kill_session(process)
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=1.0)


class Notifier:
    """Notices of the run that is looked at, each in the ways that the user wants for its kind.

    clock: Unix seconds. write: to the terminal.
    """

    def __init__(
        self, app: App[str], settings: UiSettings, clock: Callable[[], float], write: Callable[[str], None]
    ) -> None:
        self._app, self._settings, self._clock, self._write = app, settings, clock, write
        self._hooks = Hooks(settings.hook, settings.hook_seconds, self._hook_failed)
        self._title = ""
        self._toasts: dict[NoticeKind | Literal["refused"], Notification] = {}  # the newest of each kind
        self._since, self._unclean_end = clock(), UncleanEnd()

    def begin(self) -> None:
        """Have the terminal remember the title that it has."""
        if self._settings.title:
            self._write(clipboard.PUSH_TITLE)

    def end(self) -> None:
        """And give it back."""
        if self._settings.title:
            self._write(clipboard.POP_TITLE)

    def follow(self) -> None:
        """Another run from now on."""
        self._since, self._unclean_end = self._clock(), UncleanEnd()

    def hear(self, before: RunSnapshot, now: RunSnapshot) -> None:
        """The run has a newer snapshot."""
        self._unclean_end.saw(before)
        self._unclean_end.saw(now)
        for notice in detect_events(before, now, self._since):
            self.notify(notice)

    def look(self, snapshot: RunSnapshot | None) -> None:
        """Every second: a trainer that has gone without a word sends no snapshot. None: no run is looked at."""
        now = self._clock()
        self._since = min(self._since, now)  # a clock set back makes no history of what comes
        for notice in self._unclean_end.check(snapshot, now) if snapshot is not None else ():
            self.notify(notice)
        title = terminal_title(snapshot, now)
        if self._settings.title and title != self._title:
            self._title = title
            self._write(clipboard.title(title))

    def notify(self, notice: Notice) -> None:
        """In each way that is wanted for its kind."""
        ways = self._settings.notify[notice.kind]
        if "toast" in ways:
            self._toast(notice.kind, notice.title, notice.text, notice.severity)
        if "bell" in ways:
            self._app.bell()
        if "osc9" in ways:
            self._write(clipboard.notification(f"{notice.title}: {notice.text}", os.environ))
        if "hook" in ways:
            self._hooks.run(notice)

    def refuse(self, error: RltuiError) -> None:
        """Why something is not done."""
        head, _, rest = error.message.partition("\n")
        text = "\n".join(part for part in (rest, error.hint) if part)
        self._toast("refused", *((head, text) if text else ("", head)), "warning")

    def _toast(self, kind: NoticeKind | Literal["refused"], title: str, text: str, severity: Severity) -> None:
        """In the place of the last one of its kind; of all kinds the newest stay."""
        shown = Notification(text, title, severity, SECONDS[severity])
        over = [self._toasts.pop(kind)] if kind in self._toasts else []
        self._toasts[kind] = shown
        over += [self._toasts.pop(kind) for kind in list(self._toasts)[:-MOST_TOASTS]]
        for old in over:  # behind the message that has it shown
            self._app.call_later(self._forget, old)
        self._app.post_message(Notify(shown))

    def _forget(self, old: Notification) -> None:
        """With the row that holds it: Textual leaves that, and a dozen of them would push all later ones off the screen."""
        for toast in [toast for screen in self._app.screen_stack for toast in screen.query(Toast)]:
            if toast._notification is old:
                toast._expire()
        self._app._unnotify(old)

    def _hook_failed(self, words: str) -> None:
        """From the hook's thread, or from this one."""
        try:
            self._app.call_later(self._app.notify, words, title="The notification hook failed", severity="warning")  # fmt: skip
        except RuntimeError:  # the program has ended meanwhile
            return


def terminal_title(snapshot: RunSnapshot | None, now: float) -> str:
    """Run and state, `training` for all that it does by itself: the title would change each second."""
    if snapshot is None:
        return "rltui"
    from rltui.run_state.condition import condition  # not before the launcher's first picture

    found = condition(snapshot, now)
    well = found.running and found.role != "bad"
    state = "training" if well and snapshot.state in TRAINING else found.word.lower()
    return f"{snapshot.run}: {state} - rltui"


def exit_message(training: Sequence[str]) -> str | None:
    """training: the runs that have a trainer. None where there is none: nothing goes on."""
    if not training:
        return None
    if len(training) == 1:
        return f"{training[0]} keeps training; come back with: rltui attach {training[0]}"
    shown = ", ".join(training[:MOST_NAMED])
    more = f" and {len(training) - MOST_NAMED} more" if len(training) > MOST_NAMED else ""
    return f"{shown}{more} keep training; come back with: rltui attach RUN"
