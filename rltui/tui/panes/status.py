"""The lines above everything: state, what is trained, how far, how fast; the way to the next goals; whether it learns."""

from __future__ import annotations

from rltui.runs.words import over_episodes
from rltui.tui import figures, viewer_words
from rltui.tui.paint import Line, Span, crop, ends, fit, text_line, width_of
from rltui.tui.panes.pane import Pane, View
from rltui.tui.panes.progress import progress_line
from rltui.tui.run import pace
from rltui.tui.run.condition import Condition, condition
from rltui.tui.run.flags import flag_words
from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.newest_reward import newest_reward
from rltui.tui.run.trend import BLOCK, needed
from rltui.tui.run.verdict import Findings, findings, verdict

Fact = tuple[int, Line]  # rank, text: the higher the rank, the sooner it is left out
OLD = 60.0  # seconds after which the newest iteration's age is worth a word
NARROW = 100  # columns below which machines' names are left out
PHASE, NUMBER, NAME = 7, 4, -1  # ranks of the phase with its label, of its number alone, of the run's name
NAME_COLUMNS = 24  # that a long run's name keeps
CONTROL = 1  # rank of the control holder, which stands at the right edge


class StatusPane(Pane, can_focus=False):
    """Three lines; more, one below the other, where the terminal is too small for any other pane."""

    NAME = "State"

    def __init__(self, *, name: str | None = None, classes: str = "pane") -> None:
        super().__init__(name=name, classes=classes)
        self._found: tuple[object, Findings] | None = None  # with what it was found in

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
        judged = verdict_line(view, self._findings(view.snapshot), width)
        if height in (2, 3):
            return [head_line(view, width), _second_line(view, width), judged][:height]
        return _column(view, width, height, judged)

    def _findings(self, snapshot: RunSnapshot) -> Findings:
        """Looked for again where they can have changed: a long history is not read at each iteration."""
        length = snapshot.history.length
        block = length if length < needed() else length // BLOCK
        seen = block, len(snapshot.marks), snapshot.marks[-1:], snapshot.resumed
        if self._found is None or self._found[0] != seen:
            self._found = seen, findings(snapshot)
        return self._found[1]


def head_line(view: View, width: int) -> Line:
    """The state as a coloured word, the facts that fit, the way to the limit of the width."""
    now = condition(view.snapshot, view.now)
    pill = _pill(now)
    chosen = facts(view, brief=width < NARROW)
    while len(chosen) > 1 and width_of(pill) + 2 + _joined_width(chosen) > width:
        _shorten(chosen)
    right: Line = ()
    if chosen[-1][0] == CONTROL:
        right = (*chosen.pop()[1], (" ", ""))
    return ends((*pill, ("  ", ""), *_joined(chosen)), right, width)


def _shorten(chosen: list[Fact]) -> None:
    """By the least important fact; of a phase its number stays longer. The run's name goes last, its end before that."""
    worst = max(chosen, key=lambda fact: fact[0])
    rank, line = worst
    shorter: list[Fact] = []
    if rank == PHASE and len(line) > 1:
        shorter = [(NUMBER, (line[0],))]
    elif rank <= NUMBER and width_of(chosen[0][1]) > NAME_COLUMNS:
        worst = chosen[0]
        shorter = [(NAME, crop(worst[1], NAME_COLUMNS))]
    at = chosen.index(worst)
    chosen[at : at + 1] = shorter


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
    found.append((CONTROL, _control(snapshot, brief)))
    return found


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


def verdict_line(view: View, found: Findings, width: int) -> Line:
    """Whether it learns, with the evidence; how old that is, where it is old."""
    snapshot = view.snapshot
    if snapshot.header is None:
        return ()
    now = condition(snapshot, view.now)
    spoken = now.running and now.role != "bad"
    paused = spoken and snapshot.paused
    heard = spoken and not paused
    judged = verdict(snapshot, found, view.now, heard)
    word = f" {'' if heard else 'was '}{judged.word}" if judged.word != judged.symbol else ""
    age = view.now - snapshot.metrics_time if snapshot.metrics_time is not None else 0.0
    old = ((f"newest iteration {figures.ago(age)} ", "warn"),) if age >= OLD else ()
    mark: Span = (f" {judged.symbol}{word}", judged.role)
    if paused:
        mark = (f" {now.symbol} paused{',' if word else ''}{word}", now.role)
    return ends((mark, ("  ", ""), (judged.words, "muted")), old, width)


def _column(view: View, width: int, height: int, judged: Line) -> list[Line]:
    snapshot, reward = view.snapshot, newest_reward(view.snapshot)
    now = condition(snapshot, view.now)
    rows: list[Line] = [_pill(now)]
    rows += [text_line(now.detail, now.role)] if now.detail else []
    rows += [((" FROZEN ", "pill-warn"), ("   z goes on", "muted"))] if view.frozen else []
    rows += [judged] if judged else []
    for name, value in (
        ("run", snapshot.run),
        ("steps", figures.count(snapshot.timesteps)),
        ("reward", f"{figures.number(reward.mean)}{over_episodes(reward.episodes)}"),
        ("speed", figures.rate(pace.speed(snapshot))),
        ("elapsed", figures.duration(elapsed(snapshot, view.now))),
    ):
        rows.append(((f"{name:<12}", "muted"), (value, "strong")))
    rows.append(((f"{'control':<12}", "muted"), *_control(snapshot)))
    rows += [
        ((f"{goal.name:<12}", "muted"), (goal.words or figures.percent(goal.share), ""))
        for goal in pace.goals(snapshot)
    ]
    return [fit(row, width) for row in rows[:height]]


def _one_line(view: View, width: int) -> Line:
    now = condition(view.snapshot, view.now)
    words = f"{now.symbol} {figures.short(view.snapshot.timesteps)} {figures.rate(pace.speed(view.snapshot))}"
    named = f"{words} {view.snapshot.run}"
    return crop(((named if len(named) <= width else words, now.role),), width)
