"""The workers: what each one does, how fast, how big, when it was last heard of, what last happened to it."""

from __future__ import annotations

from rltui.tui import figures
from rltui.tui.model import WorkerRow
from rltui.tui.paint import Line, crop, crop_text, pad
from rltui.tui.panes.pane import Pane, View
from rltui.tui.widgets.scrolled import Scrolled

BEAT_LATE = 3.0  # seconds without a heartbeat that are worth a colour
_STATES = {
    "starting": ("◌", "busy"), "ready": ("○", "idle"), "collecting": ("●", "good"), "waiting": ("○", "idle"),
    "failed": ("✗", "bad"), "restarting": ("↻", "warn"), "in trainer": ("●", "good"),
}  # fmt: skip
_COLUMNS = (("#", 2, ">"), ("state", 14, "<"), ("steps/s", 8, ">"), ("arenas", 8, ">"), ("memory", 8, ">"),
            ("beat", 8, ">"), ("restarts", 10, ">"))  # fmt: skip
_NARROW = 90  # columns below which the arenas are left out


class WorkersPane(Pane, Scrolled):
    """A table, one row a worker."""

    NUMBER = "4"
    SLOT = "table"
    NAME = "Workers"
    SHORT = "Workers"
    EMPTY = "Here will be the worker processes, once the trainer has started them."
    HELP = (
        "Each worker is a process that plays its arenas. beat is the age of its last heartbeat; a worker silent for "
        "workers.timeout_s is restarted and its unfinished data dropped. Three deaths within a minute stop the run with a "
        "checkpoint."
    )

    def has_nothing(self, view: View) -> bool:
        return not view.snapshot.workers

    def depends(self, view: View) -> object:
        ended = view.snapshot.finished is not None or view.snapshot.alive is False
        return view.snapshot.workers, ended, None if ended else int(view.now * 2)

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        ended = view.snapshot.finished is not None or view.snapshot.alive is False
        columns = [column for column in _COLUMNS if width >= _NARROW or column[0] != "arenas"]
        rows = [_row(row, view.now, ended, [name for name, _, _ in columns], width) for row in view.snapshot.workers]
        head: Line = (("".join(_cell(name, size, align) for name, size, align in columns) + "  last event", "muted"),)
        return [crop(head, width), *self.window(rows, height - 1)]

    def subtitle(self, view: View) -> str:
        rates = [row.steps_per_second for row in view.snapshot.workers if row.steps_per_second is not None]
        if not rates or view.snapshot.finished is not None:
            return ""
        return (
            f"[$muted]{figures.plural(len(view.snapshot.workers), 'worker')} · {figures.rate(sum(rates))} collecting[/]"
        )


def _row(row: WorkerRow, now: float, ended: bool, columns: list[str], width: int) -> Line:
    state = "ended" if ended and row.state != "failed" else row.state
    state = "in trainer" if state == "in the trainer" else state  # the serial collector's
    symbol, role = _STATES.get(state, ("■", "idle"))
    beat = (
        None if ended or row.heartbeat_age is None or row.heard is None else row.heartbeat_age + max(now - row.heard, 0)
    )
    late = beat is not None and beat > BEAT_LATE
    cells = {
        "#": (str(row.worker), ""),
        "state": (f"{symbol} {state}", role),
        "steps/s": (figures.UNKNOWN if ended else figures.count(row.steps_per_second), ""),
        "arenas": (figures.count(row.arenas), ""),
        "memory": (figures.UNKNOWN if ended else figures.megabytes(row.memory_mb), ""),
        "beat": (figures.age(beat) + ("!" if late else ""), "warn" if late else ""),
        "restarts": (str(row.restarts), "warn" if row.restarts else "muted"),
    }
    spans: list[tuple[str, str]] = []
    for name, size, align in _COLUMNS:
        if name in columns:
            text, cell_role = cells[name]
            spans.append((_cell(text, size, align), cell_role))
    return crop((*spans, *_event(row, width - sum(len(text) for text, _ in spans) - 2)), width)


def _cell(text: str, size: int, align: str) -> str:
    return pad(text, size, align) if align == ">" else " " + pad(text, size - 1, align)


def _event(row: WorkerRow, room: int) -> Line:
    if not row.event or room < 8:
        return ()
    role = "bad" if row.failed else "muted"
    return (("  ", ""), (crop_text(f"{figures.clock(row.event_time)[:5]} {row.event}".split("\n")[0], room), role))
