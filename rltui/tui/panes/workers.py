"""Pane on the workers, one row each, and the traceback of a failure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from textual.binding import BindingType

from rltui import formatting
from rltui.errors import RltuiError
from rltui.run_state.condition import SHORT, flags_on
from rltui.run_state.log_entries import LogEntry
from rltui.run_state.snapshot import RunSnapshot, WorkerRow
from rltui.run_state.symptoms import Word, at_work_since, beat_age, silence, usual_speed, worker_problem
from rltui.tui.actions import pane_bindings
from rltui.tui.panes.filterable import FilterablePane
from rltui.tui.panes.pane import View
from rltui.tui.text import Line, Span, clean, crop, crop_text, pad, text_line, wrap
from rltui.tui.widgets.bars import filled_bar
from rltui.tui.widgets.dialogs import TextDialog

_STATES = {
    "starting": ("◌", "busy"), "ready": ("○", "idle"), "collecting": ("●", "good"), "waiting": ("○", "idle"),
    "failed": ("✗", "bad"), "restarting": ("↻", "warn"), "in trainer": ("●", "good"),
    "paused": ("‖", "idle"), "stopped": ("‖", "bad"), "starved": ("◌", "warn"), "busy": ("◌", "warn"),
}  # fmt: skip
_HELD = ("ready", "collecting", "waiting", "in the trainer")  # states that a pause holds
_COLUMNS = (("#", 3, ">"), ("state", 14, "<"), ("steps/s", 8, ">"), ("", 7, "<"), ("arenas", 8, ">"), ("memory", 8, ">"),
            ("beat", 8, ">"), ("restarts", 10, ">"), ("flags", 16, "<"))  # fmt: skip
_OPTIONAL = {"arenas": 90, "": 100, "flags": 70}  # columns that are left out below so many
WINDOW = "newest rollout"  # that the speeds are of
ORDERS: Sequence[tuple[str, Callable[[WorkerRow], object]]] = (
    ("by number", lambda row: row.worker),
    ("slowest first", lambda row: (row.steps_per_second is not None, row.steps_per_second or 0.0, row.worker)),
    ("most restarts first", lambda row: (-row.restarts, row.worker)),
    ("largest first", lambda row: (-(row.memory_mb or 0.0), row.worker)),
)


class WorkersPane(FilterablePane):
    """A table, one row a worker."""

    BINDINGS: ClassVar[list[BindingType]] = pane_bindings("workers")
    NUMBER = "4"
    SLOT = "table"
    NAME = "Workers"
    SHORT = "Workers"
    EMPTY = "Worker processes appear here once started."
    HELP = (
        "Each worker is a process that plays its arenas. beat: age of its last heartbeat. One that hangs for "
        "workers.timeout_s is restarted and its unfinished data dropped; one that a signal has stopped, or that gets too "
        "little of the processor, is waited for. Three deaths within a minute stop the run with a "
        "checkpoint. Speeds are of each worker's newest rollout, collecting alone; bars compare with the fastest. "
        "<workers.trace> shows the traceback of its failures since the trainer started. A debug flag for one worker: type <change> and the flag's "
        "name."
    )

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self.order = 0  # index in ORDERS
        self._shown: list[WorkerRow] = []

    def has_nothing(self, view: View) -> bool:
        return not view.snapshot.workers

    def depends(self, view: View) -> object:
        ended, paused = view.snapshot.ended, view.snapshot.paused
        return (
            view.snapshot.workers,
            ended,
            paused,
            flags_on(view.snapshot),
            self.order,
            None if ended else int(view.now * 2),
        )

    def wants(self, view: View) -> int:
        return len(view.snapshot.workers) + 1

    def action_sort(self) -> None:
        """The next order."""
        self.check_rows()
        self.order = (self.order + 1) % len(ORDERS)
        self.to_top()
        self.redraw()

    def action_trace(self) -> None:
        """Why the worker under the cursor failed."""
        self.check_rows()
        row = self._shown[self.cursor]
        if not row.failures:
            raise RltuiError(f"worker {row.worker} has not failed since the trainer started")
        self.app.push_screen(TextDialog(f"Worker {row.worker}: why it failed", partial(trace_lines, row.failures)))

    def opened(self) -> None:
        self.call_next(self.run_action, "trace")

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        ended = view.snapshot.ended
        rows = sorted(view.snapshot.workers, key=ORDERS[self.order][1])  # type: ignore[arg-type]  # keys of several types
        marked = any(flag.workers is not None for flag in flags_on(view.snapshot))
        columns = [
            column for column in _COLUMNS if width >= _OPTIONAL.get(column[0], 0) and (column[0] != "flags" or marked)
        ]
        rates = [row.steps_per_second for row in rows if row.steps_per_second is not None]
        table = _Table(
            view, ended, columns, max(rates, default=0.0), None if _rests(view.snapshot) else usual_speed(rows)
        )
        self._shown = self.filtered_rows(rows, lambda row: row.worker, table.texts)
        head: Line = (("".join(_cell(name, size, align) for name, size, align in columns) + "  last event", "muted"),)
        return self.selection([crop(head, width)], [table.line(row, width) for row in self._shown], width, height)

    def words(self, view: View) -> str:
        rows = view.snapshot.workers
        rates = [row.steps_per_second for row in rows if row.steps_per_second is not None]
        order = f" · {ORDERS[self.order][0]}" if self.order else ""
        if view.snapshot.ended or not rates:
            return f"[$muted]{order.removeprefix(' · ')}[/]" if order else ""
        usual, since = None if _rests(view.snapshot) else usual_speed(rows), at_work_since(view.snapshot)
        ill = sum(worker_problem(row, view.now, usual, since) is not None for row in rows)
        speed = "paused" if view.snapshot.paused else f"{formatting.rate(sum(rates))} collecting, {WINDOW}"
        sick = f" · [/][$warning]{ill} ill[/][$muted]" if ill else ""
        return f"[$muted]{formatting.plural(len(rows), 'worker')} · {speed}{sick}{order}[/]"


def _rests(snapshot: RunSnapshot) -> bool:
    """Nobody collects: there is no speed."""
    return snapshot.paused or snapshot.ended


class _Table:
    """What the rows have in common. fastest, usual: steps per second."""

    def __init__(
        self, view: View, ended: bool, columns: Sequence[tuple[str, int, str]], fastest: float, usual: float | None
    ) -> None:
        self._view, self._ended, self._columns = view, ended, columns
        self._rests = _rests(view.snapshot)
        self._fastest, self._usual = fastest, usual

    def texts(self, row: WorkerRow) -> list[str]:
        """What a filter looks through: the number, the state, the flags, what is wrong, what last happened."""
        cells, word = self._cells(row), self._word(row)
        state = cells["state"][0].partition(" ")[2]
        return [str(row.worker), state, cells["flags"][0].strip(), word[0] if word is not None else "", row.event]

    def line(self, row: WorkerRow, width: int) -> Line:
        cells = self._cells(row)
        spans: list[Span] = []
        for name, size, align in self._columns:
            if name:
                text, role = cells[name]
                spans.append((_cell(text, size, align), role))
            else:
                rate = 0.0 if self._rests else row.steps_per_second or 0.0
                spans += [(" ", ""), *filled_bar(rate / self._fastest if self._fastest else 0.0, size - 1, "series-1")]
        used = sum(len(text) for text, _ in spans)
        return crop((*spans, *_event(row, self._word(row), width - used - 2)), width)

    def _word(self, row: WorkerRow) -> Word | None:
        since = at_work_since(self._view.snapshot)
        return None if self._ended else worker_problem(row, self._view.now, self._usual, since)

    def _cells(self, row: WorkerRow) -> dict[str, Span]:
        ended = self._ended
        state = "ended" if ended and row.state != "failed" else row.state
        state = "paused" if self._view.snapshot.paused and state in _HELD else state
        state = "in trainer" if state == "in the trainer" else state  # the serial collector's
        symbol, role = _STATES.get(state, ("■", "idle"))
        beat = None if self._rests else beat_age(row, self._view.now)
        late = beat is not None and silence(row, self._view.now, at_work_since(self._view.snapshot)) is not None
        return {
            "#": (str(row.worker), ""),
            "state": (f"{symbol} {state}", role),
            "steps/s": (formatting.UNKNOWN if self._rests else formatting.count(row.steps_per_second), ""),
            "arenas": (formatting.count(row.arenas), ""),
            "memory": (formatting.UNKNOWN if ended else formatting.megabytes(row.memory_mb), ""),
            "beat": (formatting.age(beat) + ("!" if late else ""), "warn" if late else ""),
            "restarts": (str(row.restarts), "warn" if row.restarts else "muted"),
            "flags": ("  " + _flags(self._view.snapshot, row.worker), "warn"),
        }


def _flags(snapshot: RunSnapshot, worker: int) -> str:
    """Those that are on for this worker."""
    rows = flags_on(snapshot)
    return ", ".join(SHORT.get(flag.flag, flag.flag) for flag in rows if flag.workers is None or worker in flag.workers)


def _cell(text: str, size: int, align: str) -> str:
    return pad(text, size, align) if align == ">" else " " + pad(text, size - 1, align)


def _event(row: WorkerRow, word: Word | None, room: int) -> Line:
    """What is wrong now, then what last happened: without the time of day where that leaves room for all of it."""
    if room < 8:
        return () if word is None else ((" ✗", word[1]),)
    spans: list[Span] = [("  ", "")]
    if word is not None and word[0] != row.state:  # the state says it already
        spans.append((crop_text(word[0], room), word[1]))
        room -= len(word[0]) + 3
        spans.append((" · ", "faint") if row.event and room >= 8 else ("", ""))
    if row.event and room >= 8:
        role = "bad" if row.failed else "muted"
        what = clean(row.event.partition(chr(10))[0])
        timed = f"{formatting.clock(row.event_time)[:5]} {what}"
        spans.append((what if len(what) <= room < len(timed) else crop_text(timed, room), role))
    return tuple(spans)


def trace_lines(entries: Sequence[LogEntry], width: int) -> list[Line]:
    """The entries one below the other."""
    lines: list[Line] = []
    for entry in entries:
        reason, _, trace = entry.message.partition("\n")
        lines += [()] if lines else []
        lines.append(text_line(formatting.date(entry.time), "muted"))
        lines += wrap(reason, width, "bad")
        lines += wrap(trace, width) if trace else [(("no traceback: the process was gone", "muted"),)]
    return lines
