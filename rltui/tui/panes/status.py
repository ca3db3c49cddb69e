"""The lines above everything: state, what is trained, how far, how fast; the way to the next goals; whether it learns."""

from __future__ import annotations

from rltui import formatting
from rltui.events.episode_reward import SHORT_SO_FAR
from rltui.formatting import over_episodes, over_iterations
from rltui.tui.paint import Line, crop, ends, fit, text_line, width_of
from rltui.tui.panes.facts import FactsPane
from rltui.tui.panes.head_line import controller, elapsed, head_line, pill
from rltui.tui.panes.judgement import Judgement, judgement
from rltui.tui.panes.pane import Pane, View
from rltui.tui.panes.progress import progress_line
from rltui.tui.run import pace
from rltui.tui.run.condition import condition
from rltui.tui.run.model import RunSnapshot
from rltui.tui.run.newest_reward import newest_reward
from rltui.tui.run.settling import settling
from rltui.tui.settings.spoken_keys import pane_key

WHOLE = FactsPane.NUMBER  # the usual key of the pane that has the whole verdict
ROOM_FOR_KEY = 60  # columns
OLD = 60.0  # seconds after which the newest iteration's age is worth a word


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
        judged = verdict_line(view, judgement(view), width, pane_key(WHOLE, self.own_keys))
        frozen = self._frozen(view)
        if height in (2, 3):
            return [head_line(view, width), _second_line(view, width, frozen), judged][:height]
        return _column(view, width, height, [*([frozen] if frozen else []), *([judged] if judged else [])])

    def _frozen(self, view: View) -> Line:
        if not view.frozen:
            return ()
        return (" FROZEN ", "pill-warn"), (self.said(" <freeze> goes on   "), "muted"), (f"since {view.frozen}", "warn")


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


def verdict_line(view: View, judged: Judgement | None, width: int, whole: str = WHOLE) -> Line:
    """Whether it learns, with the evidence; how old that is, where it is old. Cut, it says by which key the whole is shown."""
    snapshot = view.snapshot
    if judged is None:
        return ()
    age = view.now - snapshot.metrics_time if snapshot.metrics_time is not None else 0.0
    old: Line = ((f"newest iteration {formatting.ago(age)} ", "warn"),) if age >= OLD else ()
    if not old and judged.spoken and settling(snapshot):
        old = ((f"  {SHORT_SO_FAR} ", "warn"),)
    (sign, role), words = judged.mark, judged.words
    line: Line = ((f" {sign}", role), ("  ", ""), (words, "muted"))
    if width_of(line) + width_of(old) > width >= ROOM_FOR_KEY:
        old = ((f" {whole}", "key"), (" whole ", "muted"), (" " if old else "", ""), *old)
    return ends(line, old, width)


def _column(view: View, width: int, height: int, told: list[Line]) -> list[Line]:
    snapshot, reward = view.snapshot, newest_reward(view.snapshot)
    now = condition(snapshot, view.now)
    rows: list[Line] = [pill(now)]
    rows += [text_line(now.detail, now.role)] if now.detail else []
    rows += told
    for name, value in (
        ("run", snapshot.run),
        ("timesteps", formatting.count(snapshot.timesteps)),
        ("reward", f"{formatting.number(reward.mean)}{over_episodes(reward.episodes, reward.short)}"),
        ("speed", _speed_words(snapshot)),
        ("elapsed", formatting.duration(elapsed(snapshot, view.now))),
    ):
        rows.append(((f"{name:<12}", "muted"), (value, "strong")))
    rows.append(((f"{'control':<12}", "muted"), *controller(snapshot)))
    rows += [
        ((f"{goal.name:<12}", "muted"), (goal.words or formatting.percent(goal.share), ""))
        for goal in pace.goals(snapshot)
    ]
    return [fit(row, width) for row in rows[:height]]


def _speed_words(snapshot: RunSnapshot) -> str:
    speed, is_training = pace.recent(snapshot), not snapshot.ended
    return (
        formatting.rate(speed.steps_per_second) + over_iterations(speed.iterations, is_training)
        if speed
        else formatting.UNKNOWN
    )


def _one_line(view: View, width: int) -> Line:
    now = condition(view.snapshot, view.now)
    words = f"{now.symbol} {formatting.short(view.snapshot.timesteps)} {formatting.rate(pace.speed(view.snapshot))}"
    named = f"{words} {view.snapshot.run}"
    return crop(((named if len(named) <= width else words, now.role),), width)
