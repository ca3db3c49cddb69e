"""The status lines: state and facts that fit, what comes next, the verdict."""

from __future__ import annotations

from rltui import formatting
from rltui.events.records import match_words
from rltui.formatting import over_episodes, over_iterations
from rltui.run_state import progress
from rltui.run_state.condition import Condition, condition, flag_words
from rltui.run_state.rewards import newest_reward
from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.keymap import pane_key
from rltui.tui.panes import live_match
from rltui.tui.panes.pane import Pane, View
from rltui.tui.panes.run_info import RunInfoPane, diagnosis
from rltui.tui.text import Line, crop, ends, fit, pad, text_line, width_of
from rltui.tui.widgets.bars import progress_bar

NARROW = 121  # columns below which little stands between the facts
NAME_COLUMNS = 24  # that a long run's name keeps
ADVICE = RunInfoPane.NUMBER  # the usual key of the pane that says what to try
OLD = 60.0  # seconds after which the newest iteration's age is worth a word
_ROLES = {"checkpoint": "series-1", "milestone": "series-2", "promotion": "series-4", "limit": "series-3"}
_PERCENT, _LEFT, _MEANT_LEFT = 6, 14, 18  # columns
_GOAL_ORDER = ("limit", "milestone", "checkpoint", "promotion")  # where there is little room, the last ones longest
_MEANT = {"exact": "in", "trend": "about", "latest": "within"}
_LEAST, _MOST = 5, 40  # columns of a bar

# Forms of one fact, each shorter than the one before, with their ranks: the higher the rank, the sooner the form is left.
Fact = tuple[tuple[int, Line], ...]


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
        if label:
            found["phase"] = ((10, text_line(label)), *number)
        if stage := header.stage or match_words(header):
            found["stage"] = ((8 if header.stage or header.opponent else 12, text_line(stage)),)
        found["timesteps"] = _timesteps(snapshot)
        found["speed"] = _speed(snapshot)
        found["elapsed"] = _elapsed(elapsed(snapshot, view.now))
    if words := flag_words(snapshot):
        found["flags"] = ((5, text_line(f"debug {words}", "warn")), (4, text_line("debug", "warn")))
    if (rendering := live_match.viewer_summary(snapshot.viewer)) is not None and snapshot.link.connected:
        found["viewer"] = ((9, (rendering,)),)
    return {**found, "control": _control(snapshot)}


def _timesteps(snapshot: RunSnapshot) -> Fact:
    """In full, and as three digits."""
    full, brief = formatting.count(snapshot.timesteps), formatting.short(snapshot.timesteps)
    return (7, ((full, "strong"), (" timesteps", "muted"))), (0, ((brief, "strong"), (" timesteps", "muted")))


def _speed(snapshot: RunSnapshot) -> Fact:
    """With the iterations that it is of, and without."""
    speed = progress.recent(snapshot)
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
    """Seconds that the run has taken in all its sessions, until its end or its last word if it has ended.

    Of a trainer that does not count them, since its start.
    """
    if snapshot.header is None:
        return None
    known, since = snapshot.elapsed or 0.0, snapshot.elapsed_time
    if snapshot.elapsed is None or since is None:
        known, since = 0.0, snapshot.header.time
    elif snapshot.ended:
        return known
    end = snapshot.finished.time if snapshot.finished else snapshot.news_time if snapshot.alive is False else now
    return known + max((end if end is not None else now) - since, 0.0)


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


def pill(now: Condition) -> Line:
    """The state as a coloured word."""
    return ((f" {now.symbol} {now.word} ", f"pill-{now.role}"),)


def _joined(chosen: dict[str, Fact], gap: str) -> Line:
    spans: list[tuple[str, str]] = []
    for (_, line), *_ in chosen.values():
        spans += [(gap, "faint")] if spans else []
        spans += line
    return tuple(spans)


def progress_line(snapshot: RunSnapshot, width: int) -> Line:
    """As many goals as fit side by side, bars sharing the room evenly; nothing before the first record."""
    goals = progress.step_targets(snapshot)
    if not goals:
        return ()
    while goals and width < sum(_fixed(goal) + _LEAST for goal in goals):
        goals.remove(min(goals, key=lambda goal: _GOAL_ORDER.index(goal.name)))
    room = width - sum(_fixed(goal) for goal in goals)
    spans: list[tuple[str, str]] = []
    for index, goal in enumerate(goals):
        bar = min(room // (len(goals) - index), _MOST)
        room -= bar
        spans += _goal(goal, bar)
    return tuple(spans)


def _name(goal: progress.StepTarget) -> str:
    if goal.target is None or goal.name not in ("milestone", "limit"):
        return goal.name
    return f"{goal.name} {formatting.exact(goal.target)}"


def _fixed(goal: progress.StepTarget) -> int:
    return len(_name(goal)) + 2 + _figure(goal) + _left(goal)


def _figure(goal: progress.StepTarget) -> int:
    return max(len(goal.words) + 1, _PERCENT)


def _left(goal: progress.StepTarget) -> int:
    return _LEFT if goal.sure == "exact" else _MEANT_LEFT


def _goal(goal: progress.StepTarget, bar: int) -> Line:
    left = f" in {formatting.UNKNOWN}"
    if goal.seconds is not None:
        left = f" {_MEANT[goal.sure]} {formatting.remaining(goal.seconds)}"
    return (
        (f" {_name(goal)} ", "muted"),
        *progress_bar(goal.share, bar, _ROLES[goal.name]),
        (pad(goal.words or formatting.percent(goal.share), _figure(goal), ">"), ""),
        (pad(left, _left(goal)), "muted"),
    )


class StatusPane(Pane, can_focus=False):
    """Three lines; more, one below the other, where the terminal is too small for any other pane."""

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
        verdict = verdict_line(view, width, pane_key(ADVICE, self.own_keys))
        frozen = self._frozen(view)
        if height in (2, 3):
            return [head_line(view, width), _second_line(view, width, frozen), verdict][:height]
        return _column(view, width, height, [*([frozen] if frozen else []), *([verdict] if verdict else [])])

    def _frozen(self, view: View) -> Line:
        if not view.frozen:
            return ()
        goes_on = self.with_keys(" <freeze> goes on   ")
        return (" FROZEN ", "pill-warn"), (goes_on, "muted"), (f"since {view.frozen}", "warn")


def _second_line(view: View, width: int, frozen: Line) -> Line:
    if frozen:
        return crop(frozen, width)
    now = condition(view.snapshot, view.now)
    detail: Line = ((f" {now.detail}", now.role if now.role in ("bad", "warn") else "muted"),) if now.detail else ()
    if not now.running:
        return crop(detail, width)
    room = width - width_of(detail) - 3
    if not detail:
        return progress_line(view.snapshot, width)
    return (*detail, ("   ", ""), *progress_line(view.snapshot, room)) if room >= 30 else crop(detail, width)


def verdict_line(view: View, width: int, more: str = ADVICE) -> Line:
    """`▲ learning`, or `▲ was learning` where the trainer does not go on, with the figures.

    At the right how old they are, where the trainer speaks and yet they are old; of an ill run the key of what to try.
    """
    snapshot, told = view.snapshot, diagnosis(view)
    if told is None:
        return ()
    found, heard = told
    age = view.now - snapshot.metrics_time if snapshot.metrics_time is not None else 0.0
    old: Line = ((f"newest iteration {formatting.ago(age)} ", "warn"),) if heard and age >= OLD else ()
    if found.symptoms:
        old = (*old, (f" {more}", "key"), (" to try ", "muted"))
    word = f" {'' if heard else 'was '}{found.word}" if found.word != "unknown" else ""
    return ends(((f" {found.symbol}{word}", found.role), ("  ", ""), (found.words, "muted")), old, width)


def _column(view: View, width: int, height: int, more: list[Line]) -> list[Line]:
    snapshot, reward = view.snapshot, newest_reward(view.snapshot)
    now = condition(snapshot, view.now)
    rows: list[Line] = [pill(now)]
    rows += [text_line(now.detail, now.role)] if now.detail else []
    rows += more
    for name, value in (
        ("run", snapshot.run),
        ("timesteps", formatting.count(snapshot.timesteps)),
        ("reward", f"{formatting.number(reward.mean)}{over_episodes(reward.episodes)}"),
        ("speed", _speed_words(snapshot)),
        ("elapsed", formatting.duration(elapsed(snapshot, view.now))),
    ):
        rows.append(((f"{name:<12}", "muted"), (value, "strong")))
    rows.append(((f"{'control':<12}", "muted"), *_control(snapshot)[0][1]))
    rows += [
        ((f"{goal.name:<12}", "muted"), (goal.words or formatting.percent(goal.share), ""))
        for goal in progress.step_targets(snapshot)
    ]
    return [fit(row, width) for row in rows[:height]]


def _speed_words(snapshot: RunSnapshot) -> str:
    speed = progress.recent(snapshot)
    if speed is None:
        return formatting.UNKNOWN
    return formatting.rate(speed.steps_per_second) + over_iterations(speed.iterations, not snapshot.ended)


def _one_line(view: View, width: int) -> Line:
    now = condition(view.snapshot, view.now)
    words = f"{now.symbol} {formatting.short(view.snapshot.timesteps)} {formatting.rate(progress.speed(view.snapshot))}"
    named = f"{words} {view.snapshot.run}"
    return crop(((named if len(named) <= width else words, now.role),), width)
