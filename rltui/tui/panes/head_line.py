"""The status's first line: the state, the run, how far, how long, how fast, who controls; the least important goes first. Pure."""

from __future__ import annotations

from rltui import formatting
from rltui.tui import viewer_words
from rltui.tui.paint import Line, crop, ends, text_line, width_of
from rltui.tui.panes.pane import View
from rltui.tui.run import pace
from rltui.tui.run.condition import Condition, condition
from rltui.tui.run.flags import flag_words
from rltui.tui.run.model import RunSnapshot

# Forms of one fact, each shorter than the one before, with their ranks: the higher the rank, the sooner the form is left.
Fact = tuple[tuple[int, Line], ...]
NARROW = 121  # columns below which little stands between the facts
NAME_COLUMNS = 24  # that a long run's name keeps


def head_line(view: View, width: int) -> Line:
    """The state as a coloured word, the facts that fit, who controls at the right edge."""
    gap, after = (" · ", " ") if width < NARROW else ("  ·  ", "  ")
    state = (*pill(condition(view.snapshot, view.now)), (after, ""))
    chosen = facts(view)
    while len(chosen) > 1 and width_of(state) + width_of(_joined(chosen, gap)) > width:
        _shorten(chosen)
    right: Line = (*chosen.pop("control")[0][1], (" ", "")) if "control" in chosen else ()
    return ends((*state, *_joined(chosen, gap)), right, width)


def _shorten(chosen: dict[str, Fact]) -> None:
    """The least important one to its next form, or out."""
    name = max(chosen, key=lambda name: chosen[name][0][0])
    if len(chosen[name]) > 1:
        chosen[name] = chosen[name][1:]
    else:
        del chosen[name]


def facts(view: View) -> dict[str, Fact]:
    """By name, from left to right."""
    snapshot, header = view.snapshot, view.snapshot.header
    run: Line = ((snapshot.run, "strong"),)
    long = ((8, run),) if width_of(run) > NAME_COLUMNS else ()
    found: dict[str, Fact] = {"run": (*long, (-1, crop(run, NAME_COLUMNS)))}
    if header is not None:
        number: Fact = ((6, text_line(f"Phase {header.phase}")),) if header.phase is not None else ()
        label = f"Phase {header.phase} {header.label}" if number else header.label
        found["phase"] = ((10, text_line(label)), *number)
        found["stage"] = ((12, text_line(header.stage or f"{header.blue}v{header.orange}")),)
        found["timesteps"] = _timesteps(snapshot)
        found["speed"] = _speed(snapshot)
        found["elapsed"] = _elapsed(elapsed(snapshot, view.now))
    if words := flag_words(snapshot):
        found["flags"] = ((5, text_line(f"debug {words}", "warn")), (4, text_line("debug", "warn")))
    if (rendering := viewer_words.brief(snapshot.viewer)) is not None and snapshot.link.connected:
        found["viewer"] = ((9, (rendering,)),)
    return {**found, "control": _control(snapshot)}


def _timesteps(snapshot: RunSnapshot) -> Fact:
    """In full, and as three digits."""
    full, brief = formatting.count(snapshot.timesteps), formatting.short(snapshot.timesteps)
    return (7, ((full, "strong"), (" timesteps", "muted"))), (0, ((brief, "strong"), (" timesteps", "muted")))


def _speed(snapshot: RunSnapshot) -> Fact:
    """With the iterations that it is of, and without."""
    speed = pace.recent(snapshot)
    alone: Line = ((formatting.rate(speed.steps_per_second if speed else None), "strong"),)
    if speed is None:
        return ((3, alone),)
    return (11, (*alone, (f" over {speed.iterations} it.", "muted"))), (3, alone)


def _elapsed(seconds: float | None) -> Fact:
    """To the second, and to the minute."""
    whole = seconds // 60 * 60 if seconds is not None and seconds >= 60 else seconds
    coarse = formatting.duration(whole).removesuffix(" 00 s")
    return (7, text_line(formatting.duration(seconds))), (2, text_line(coarse))


def elapsed(snapshot: RunSnapshot, now: float) -> float | None:
    """Seconds since this start of the trainer, until its end or its last word if it has ended."""
    if snapshot.header is None:
        return None
    end = snapshot.finished.time if snapshot.finished else snapshot.news_time if snapshot.alive is False else now
    return (end if end is not None else now) - snapshot.header.time


def _control(snapshot: RunSnapshot) -> Fact:
    """With the viewer's machine, without it, and the name alone."""
    link = snapshot.link
    if snapshot.ended:
        return ((1, text_line("from disk", "muted")),)
    if not link.connected:
        return ((1, text_line("○ not connected", "muted")),)
    if link.readonly:
        return ((1, text_line("○ read-only", "muted")),)
    if link.mine:
        return (4, text_line("● you control", "good")), (1, text_line("● you", "good"))
    who = link.controller.partition(", pid")[0] if link.controller else "nobody"
    brief = who.partition(" on ")[0]
    forms = (7, f"○ {who} controls"), (4, f"○ {brief} controls"), (1, f"○ {brief}")
    return tuple((rank, text_line(words, "muted")) for rank, words in forms)


def controller(snapshot: RunSnapshot) -> Line:
    """Who controls, in full."""
    return _control(snapshot)[0][1]


def pill(now: Condition) -> Line:
    """The state as a coloured word."""
    return ((f" {now.symbol} {now.word} ", f"pill-{now.role}"),)


def _joined(chosen: dict[str, Fact], gap: str) -> Line:
    spans: list[tuple[str, str]] = []
    for (_, line), *_ in chosen.values():
        spans += [(gap, "faint")] if spans else []
        spans += line
    return tuple(spans)
