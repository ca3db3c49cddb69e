"""What is worth telling somebody who looks elsewhere: the run's end, failures, milestones, promotions. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rltui.events.records import PhaseChanged, end_words
from rltui.formatting import state_name
from rltui.tui.settings.ui_settings import NoticeKind

if TYPE_CHECKING:
    from rltui.tui.run.model import RunSnapshot

GONE_AFTER = 2.0  # seconds without a process before its end counts as unclean: the last record may still be on its way
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


class Herald:
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
        for lesson in now.lessons:
            if lesson.time >= self._since and lesson not in before.lessons:
                what = "phase" if isinstance(lesson, PhaseChanged) else "stage"
                title = f"{now.run}: {what} {lesson.to}"
                yield Notice("promotion", now.run, title, lesson.reason, lesson.time, lesson.timesteps)

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
