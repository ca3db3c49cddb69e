"""Where an iteration's time goes: the trainer's seconds, the workers' microseconds per arena-step, the bottleneck named."""

from __future__ import annotations

from dataclasses import dataclass

from rltui.tui import figures
from rltui.tui.model import RunSnapshot
from rltui.tui.paint import Line, ends, pad, width_of, wrap
from rltui.tui.panes.pane import Pane, View
from rltui.tui.widgets.bars import filled_bar

WORKER_PARTS = ("simulate", "state", "controls", "infer", "observe", "reward", "reset", "other")
LABELS = {"state": "read state"}
ADVICE = {
    "learn": "fewer epochs, a smaller net or a GPU would help",
    "simulate": "that is the simulator itself, only more cores help",
    "infer": "a smaller net would help",
    "save": "raise save_every or use a faster disk",
}


@dataclass(frozen=True, slots=True)
class Part:
    """share: of the iteration, 0–1. micros: of an arena-step. seconds: of the iteration."""

    name: str
    share: float | None
    micros: float | None = None
    seconds: float | None = None


class TimePane(Pane):
    """One bar for each part, in a fixed order."""

    NUMBER = "3"
    SLOT = "time"
    NAME = "Where the time goes"
    SHORT = "Time"
    EVERY = 2.9
    EMPTY = "Here will be how an iteration's time is spent, after the first one."
    HELP = (
        "Percent are of a whole iteration. learn and save are the trainer's seconds; the others are what the workers do "
        "while collecting, in microseconds per step of one arena, scaled to the collection's share. The largest part is "
        "the bottleneck: making anything else faster gains little."
    )

    def has_nothing(self, view: View) -> bool:
        return not figures.known(view.snapshot.metrics.get("time/iteration"))

    def depends(self, view: View) -> object:
        return view.snapshot.metrics_time, view.snapshot.header is None

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        found = parts(view.snapshot)
        top = bottleneck(found)
        lines = [_line(part, part is top, width) for part in found]
        head = _head(view.snapshot, width) if height > len(lines) + 1 else []
        foot = _advice(top, width) if top is not None else []
        room = height - len(lines) - len(head)
        return [*head, *lines, *([()] if room > len(foot) else []), *foot[: max(room, 0)]][:height]


def parts(snapshot: RunSnapshot) -> list[Part]:
    """learn, the workers' parts in their order, save; shares are None where the iteration's time is unknown."""
    metrics = snapshot.metrics
    whole = metrics.get("time/iteration")
    collect, learn, save = (metrics.get(f"time/{name}") for name in ("collect", "learn", "save"))
    micros = {name: metrics[f"time/{name}"] for name in WORKER_PARTS if f"time/{name}" in metrics}
    total = sum(value for value in micros.values() if value)
    inside = collect / whole / total if collect is not None and whole and total else None
    found = [Part("learn", _share(learn, whole), seconds=learn)]
    found += [
        Part(LABELS.get(name, name), value * inside if value is not None and inside is not None else None, micros=value)
        for name, value in micros.items()
    ]
    return [*found, Part("save", _share(save, whole), seconds=save)]


def bottleneck(found: list[Part]) -> Part | None:
    """The part with the largest known share."""
    known = [part for part in found if part.share is not None]
    return max(known, key=lambda part: part.share or 0.0, default=None)


def _share(seconds: float | None, whole: float | None) -> float | None:
    return seconds / whole if seconds is not None and whole else None


def _head(snapshot: RunSnapshot, width: int) -> list[Line]:
    metrics = snapshot.metrics
    whole, collect, learn = (metrics.get(f"time/{name}") for name in ("iteration", "collect", "learn"))
    left: Line = (("iteration ", "muted"), (figures.seconds(whole), "strong"))
    right: Line = (
        ("collect ", "muted"),
        (figures.seconds(collect), ""),
        ("  learn ", "muted"),
        (figures.seconds(learn), ""),
    )
    if width_of(left) + width_of(right) + 2 > width:
        right = ()
    return [ends(left, right, width), (("─" * width, "track"),)]


def _line(part: Part, is_top: bool, width: int) -> Line:
    figure = figures.micros(part.micros) if part.micros is not None else figures.seconds(part.seconds)
    bar = max(width - 11 - 8 - 8, 3)
    role = "series-2" if is_top else "series-1"
    return (
        (pad(part.name, 11), "strong" if is_top else ""),
        *filled_bar(part.share or 0.0, bar, role),
        (pad(figures.percent(part.share), 8, ">"), "strong" if is_top else ""),
        (pad(figure, 8, ">"), "muted"),
    )


def _advice(top: Part, width: int) -> list[Line]:
    return wrap(
        f"Bottleneck: {top.name}; {ADVICE[top.name]}." if top.name in ADVICE else f"Bottleneck: {top.name}.",
        width,
        "muted",
    )
