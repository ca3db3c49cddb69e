"""The two lines above everything: state, what is trained, how far, how fast; then the way to the next goals."""

from __future__ import annotations

from rltui.events.distance import CURRICULUM
from rltui.tui import figures, viewer_words
from rltui.tui.paint import Line, crop, ends, fit, text_line, width_of
from rltui.tui.panes.pane import Pane, View
from rltui.tui.panes.progress import progress_line
from rltui.tui.run import pace
from rltui.tui.run.condition import Condition, condition
from rltui.tui.run.flags import flag_words
from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.promotion import is_last_phase

Fact = tuple[int, Line]  # rank, text: the higher the rank, the sooner it is left out


class StatusPane(Pane, can_focus=False):
    """Two lines; more, one below the other, where the terminal is too small for any other pane."""

    NAME = "State"

    def depends(self, view: View) -> object:
        snapshot = view.snapshot
        return (
            snapshot.news_time,
            snapshot.link,
            snapshot.flags,
            snapshot.alive,
            snapshot.reader_problem,
            snapshot.state,
            int(view.now * 2),
            view.frozen,
        )

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        if width < 20 or height < 2:
            return [_one_line(view, width)]
        if height == 2:
            return [head_line(view, width), _second_line(view, width)]
        return _column(view, width, height)


def head_line(view: View, width: int) -> Line:
    """The state as a coloured word, the facts that fit, the way to the limit of the width."""
    now = condition(view.snapshot, view.now)
    pill = _pill(now)
    chosen = facts(view, brief=width < NARROW)
    while chosen and width_of(pill) + 2 + _joined_width(chosen) > width:
        _shorten(chosen)
    right: Line = ()
    if chosen and chosen[-1][0] == CONTROL:
        right = (*chosen.pop()[1], (" ", ""))
    return ends((*pill, ("  ", ""), *_joined(chosen)), right, width)


def _shorten(chosen: list[Fact]) -> None:
    """By the least important fact; of a phase its number stays longer, and of a long run's name the beginning."""
    worst = max(chosen, key=lambda fact: fact[0])
    rank, line = worst
    shorter: list[Fact] = []
    if rank == PHASE and len(line) > 1:
        shorter = [(NUMBER, (line[0],))]
    elif rank == NUMBER and width_of(chosen[0][1]) > NAME_COLUMNS:
        worst = chosen[0]
        shorter = [(NAME, crop(worst[1], NAME_COLUMNS))]
    at = chosen.index(worst)
    chosen[at : at + 1] = shorter


NARROW = 100  # columns below which machines' names are left out
PHASE, NUMBER, NAME = 7, 4, 3  # ranks of the phase with its label, of its number alone, of the run's name
NAME_COLUMNS = 24  # that a long run's name keeps
CONTROL = 1  # rank of the control holder, which stands at the right edge


def facts(view: View, brief: bool = False) -> list[Fact]:
    """Run, label, team sizes, steps, speed, elapsed, who controls. brief: in fewer words."""
    snapshot, header = view.snapshot, view.snapshot.header
    found: list[Fact] = [(NAME, ((snapshot.run, "strong"),))]
    if header is not None:
        number: Line = ((f"Phase {header.phase}", ""),) if header.phase is not None else ()
        label = f" {header.label}" if number else header.label
        found.append((PHASE, (*number, (label, ""))))
        found.append((8, ((header.stage or f"{header.blue}v{header.orange}", ""),)))
        found.append((0, ((figures.count(snapshot.timesteps), "strong"), (" steps", "muted"))))
        found.append((2, ((figures.rate(pace.speed(snapshot)), "strong"), ("" if brief else " overall", "muted"))))
        found.append((5, ((figures.duration(elapsed(snapshot, view.now)), ""),)))
    if words := flag_words(snapshot):
        found.append((4, ((f"debug {words}", "warn"),)))
    if (rendering := viewer_words.brief(snapshot.viewer)) is not None and snapshot.link.connected:
        found.append((5, (rendering,)))
    if distance := _distance(snapshot):
        found.append((6, distance))
    found.append((CONTROL, _control(snapshot, brief)))
    return found


def _distance(snapshot: RunSnapshot) -> Line:
    """How many of the next phase's criteria are reached; nothing outside campaigns."""
    gaps = [value for key, value in snapshot.metrics.items() if key.startswith(CURRICULUM) and key.endswith("_missing")]
    if not gaps or is_last_phase(snapshot):
        return ()
    reached = sum(value == 0 for value in gaps)
    return ((f"{reached} of {len(gaps)}", "strong" if reached < len(gaps) else "good"), (" to promotion", "muted"))


def elapsed(snapshot: RunSnapshot, now: float) -> float | None:
    """Seconds since this start of the trainer, until its end or its last word if it has ended."""
    if snapshot.header is None:
        return None
    end = snapshot.finished.time if snapshot.finished else snapshot.news_time if snapshot.alive is False else now
    return (end if end is not None else now) - snapshot.header.time


def _control(snapshot: RunSnapshot, brief: bool = False) -> Line:
    """brief: a name without its machine."""
    link = snapshot.link
    if snapshot.finished is not None or snapshot.alive is False:
        return text_line("from disk", "muted")
    if not link.connected:
        return text_line("○ not connected", "muted")
    if link.readonly:
        return text_line("○ read-only", "muted")
    if link.mine:
        return text_line("● you control", "good")
    who = link.controller.partition(", pid")[0] if link.controller else "nobody"
    who = who.partition(" on ")[0] if brief else who
    return text_line(f"○ {who} controls", "muted")


def _pill(now: Condition) -> Line:
    return ((f" {now.symbol} {now.word} ", f"pill-{now.role}"),)


def _joined(chosen: list[Fact]) -> Line:
    spans: list[tuple[str, str]] = []
    for index, (_, line) in enumerate(chosen):
        spans += [("  ·  ", "faint")] if index else []
        spans += line
    return tuple(spans)


def _joined_width(chosen: list[Fact]) -> int:
    return width_of(_joined(chosen))


def _second_line(view: View, width: int) -> Line:
    if view.frozen:
        line: Line = ((" FROZEN ", "pill-warn"), (f" since {view.frozen}", "warn"), ("   z goes on", "muted"))
        return crop(line, width)
    now = condition(view.snapshot, view.now)
    detail: Line = ((f" {now.detail}", now.role if now.role in ("bad", "warn") else "muted"),) if now.detail else ()
    if not now.running:
        return crop(detail, width)
    room = width - width_of(detail) - 3
    if not detail:
        return progress_line(view.snapshot, width)
    return (*detail, ("   ", ""), *progress_line(view.snapshot, room)) if room >= 30 else crop(detail, width)


def _column(view: View, width: int, height: int) -> list[Line]:
    snapshot = view.snapshot
    now = condition(snapshot, view.now)
    rows: list[Line] = [_pill(now)]
    rows += [text_line(now.detail, now.role)] if now.detail else []
    for name, value in (
        ("run", snapshot.run),
        ("steps", figures.count(snapshot.timesteps)),
        ("reward", figures.number(snapshot.metrics.get("rollout/policy_reward"))),
        ("speed", figures.rate(pace.speed(snapshot))),
        ("elapsed", figures.duration(elapsed(snapshot, view.now))),
    ):
        rows.append(((f"{name:<12}", "muted"), (value, "strong")))
    rows += [((f"{goal.name:<12}", "muted"), (figures.percent(goal.share), "")) for goal in pace.goals(snapshot)]
    return [fit(row, width) for row in rows[:height]]


def _one_line(view: View, width: int) -> Line:
    now = condition(view.snapshot, view.now)
    words = f"{now.symbol} {figures.short(view.snapshot.timesteps)} {figures.rate(pace.speed(view.snapshot))}"
    return crop(((words, now.role),), width)
