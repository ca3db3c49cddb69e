"""Toasts, bell, hook, terminal title."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from textual.notifications import Notification, Notify

from rltui.events.records import PhaseChanged, end_words
from rltui.formatting import state_name
from rltui.supervise.signals import kill_session, start_session
from rltui.tui.settings import NoticeKind, UiSettings
from rltui.tui.terminal import clipboard

if TYPE_CHECKING:
    from textual.app import App

    from rltui.run_state.snapshot import RunSnapshot


GONE_AFTER = 2.0  # seconds without a process before its end counts as unclean: the last record may still be on its way
MOST_NAMED = 3  # runs in the exit message
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


class EventDetector:
    """Tells of what happens from `since` (Unix seconds) on, never of history that is only being read."""

    def __init__(self, since: float) -> None:
        self._since = since
        self._seen_alive = False
        self._gone: float | None = None
        self._told = False

    def hear(self, before: RunSnapshot, now: RunSnapshot) -> list[Notice]:
        """Of the step from one snapshot to the next."""
        self._seen_alive = self._seen_alive or True in (before.alive, now.alive)
        found = [*self._end(before, now), *self._milestone(before, now), *self._promotions(before, now)]
        return [*found, *self._workers(before, now), *_control(before, now)]

    def tick(self, now: RunSnapshot, moment: float) -> list[Notice]:
        """A process that has gone without a word, told once."""
        if now.alive is not False or now.finished is not None or not self._seen_alive:
            self._gone, self._told = None, False
            return []
        self._gone = moment if self._gone is None else self._gone
        if self._told or moment - self._gone < GONE_AFTER:
            return []
        self._told = True
        text = f"The trainer's process has gone without a word after {now.timesteps:,} timesteps; its log says more."
        return [Notice("failed", now.run, f"{now.run} ended uncleanly", text, moment, now.timesteps, "error")]

    def _end(self, before: RunSnapshot, now: RunSnapshot) -> Iterator[Notice]:
        end = now.finished
        if end is None or end == before.finished or end.time < self._since:
            return
        if end.exit_code:
            yield Notice("failed", now.run, f"{now.run} failed", end.reason, end.time, end.timesteps, "error")
        else:
            text = end_words(end)
            yield Notice("ended", now.run, f"{now.run} has ended", text, end.time, end.timesteps)

    def _milestone(self, before: RunSnapshot, now: RunSnapshot) -> Iterator[Notice]:
        saved = now.milestone
        if saved is not None and saved != before.milestone and saved.time >= self._since:
            title, text = f"{now.run}: {state_name('milestone', saved.label)}", f"{saved.timesteps:,} timesteps"
            yield Notice("milestone", now.run, title, text, saved.time, saved.timesteps)

    def _promotions(self, before: RunSnapshot, now: RunSnapshot) -> Iterator[Notice]:
        for task in now.tasks:
            if task.time >= self._since and task not in before.tasks:
                what = "phase" if isinstance(task, PhaseChanged) else "stage"
                title = f"{now.run}: {what} {task.to}"
                yield Notice("promotion", now.run, title, task.reason, task.time, task.timesteps)

    def _workers(self, before: RunSnapshot, now: RunSnapshot) -> Iterator[Notice]:
        rows = {row.worker: row for row in before.workers}
        for row in now.workers:
            old = rows.get(row.worker)
            moment = row.event_time or 0.0
            if old is None or moment < self._since or moment == old.event_time:
                continue
            if row.failed or row.restarts > old.restarts:
                title = f"{now.run}: worker {row.worker} failed"
                yield Notice("worker_failed", now.run, title, row.event, moment, now.timesteps, "warning")


def _control(before: RunSnapshot, now: RunSnapshot) -> Iterator[Notice]:
    if not (before.link.connected and now.link.connected) or before.link.mine == now.link.mine:
        return
    moment = now.news_time or 0.0
    if now.link.mine:
        yield Notice(
            "control", now.run, f"You control {now.run}", "Your keys act on the training.", moment, now.timesteps
        )
    elif now.link.controller:
        who = now.link.controller.partition(", pid")[0]
        text = "Your keys do not act on the training any more; O takes control back."
        yield Notice("control", now.run, f"{who} controls {now.run}", text, moment, now.timesteps, "warning")


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
        process = start_session(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env={**os.environ, **environment(notice)},
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
    kill_session(process)
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=1.0)


MOST = 2  # toasts of notices on screen
TRAINING = ("collecting", "learning", "saving")  # states, one after the other each few seconds
SHOWN = {"information": 5.0, "warning": 8.0, "error": 10.0}  # seconds that a toast stays


class Announcer:
    """write: to the terminal."""

    def __init__(self, app: App[str], settings: UiSettings, write: Callable[[str], None]) -> None:
        self._app, self._settings, self._write = app, settings, write
        self._hooks = Hooks(settings.hook, settings.hook_seconds, self._hook_failed)
        self._title = ""
        self._toasts: dict[NoticeKind, Notification] = {}  # the newest of each kind

    def tell(self, notice: Notice) -> None:
        """In each way that is wanted for its kind."""
        ways = self._settings.notify[notice.kind]
        if "toast" in ways:
            self._toast(notice)
        if "bell" in ways:
            self._app.bell()
        if "osc9" in ways:
            self._write(clipboard.notification(f"{notice.title}: {notice.text}", os.environ))
        if "hook" in ways:
            self._hooks.run(notice)

    def _toast(self, notice: Notice) -> None:
        """In the place of the last one of its kind; of all kinds the newest stay."""
        shown = Notification(notice.text, notice.title, notice.severity, SHOWN[notice.severity])
        over = [self._toasts.pop(notice.kind)] if notice.kind in self._toasts else []
        self._toasts[notice.kind] = shown
        over += [self._toasts.pop(kind) for kind in list(self._toasts)[:-MOST]]
        for old in over:  # behind the message that has it shown
            self._app.call_later(self._app._unnotify, old)
        self._app.post_message(Notify(shown))

    def begin(self) -> None:
        """Have the terminal remember the title that it has."""
        if self._settings.title:
            self._write(clipboard.PUSH_TITLE)

    def end(self) -> None:
        """And give it back."""
        if self._settings.title:
            self._write(clipboard.POP_TITLE)

    def name_run(self, snapshot: RunSnapshot | None, moment: float) -> None:
        """The terminal's title: run and state; the program's name where no run is shown."""
        words = "rltui" if snapshot is None else f"{snapshot.run}: {_state(snapshot, moment)} - rltui"
        if self._settings.title and words != self._title:
            self._title = words
            self._write(clipboard.title(words))

    def _hook_failed(self, words: str) -> None:
        """From the hook's thread, or from this one."""
        try:
            self._app.call_later(self._app.notify, words, title="The notification hook failed", severity="warning")  # fmt: skip
        except RuntimeError:  # the program has ended meanwhile
            return


def _state(snapshot: RunSnapshot, moment: float) -> str:
    """`training` for all that it does by itself: the title would change each second."""
    from rltui.run_state.condition import condition  # not before the launcher's first picture

    now = condition(snapshot, moment)
    well = now.running and now.role != "bad"
    return "training" if well and snapshot.state in TRAINING else now.word.lower()


class Notifier:
    """clock: Unix seconds."""

    def __init__(self, teller: Announcer, clock: Callable[[], float]) -> None:
        self._teller, self._clock = teller, clock
        self._herald = EventDetector(clock())
        self.begin, self.end = teller.begin, teller.end

    def follow(self) -> None:
        """Another run from now on."""
        self._herald = EventDetector(self._clock())

    def hear(self, before: RunSnapshot, now: RunSnapshot) -> None:
        """The run has said something."""
        self._tell(self._herald.hear(before, now))

    def look(self, snapshot: RunSnapshot | None) -> None:
        """Every second: a trainer that has gone without a word says so to nobody. None: no run is looked at."""
        moment = self._clock()
        self._tell(self._herald.tick(snapshot, moment) if snapshot is not None else ())
        self._teller.name_run(snapshot, moment)

    def _tell(self, notices: Iterable[Notice]) -> None:
        for notice in notices:
            self._teller.tell(notice)


def exit_message(training: Sequence[str]) -> str | None:
    """training: the runs that have a trainer. None where there is none: nothing goes on."""
    if not training:
        return None
    if len(training) == 1:
        return f"{training[0]} keeps training; come back with: rltui attach {training[0]}"
    shown = ", ".join(training[:MOST_NAMED])
    more = f" and {len(training) - MOST_NAMED} more" if len(training) > MOST_NAMED else ""
    return f"{shown}{more} keep training; come back with: rltui attach RUN"
