"""Lines above the footer, exit and frozen texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rltui import formatting
from rltui.run_state.condition import condition
from rltui.run_state.snapshot import CommandStatus, RunSnapshot, Stage
from rltui.tui.actions import COCKPIT, LAUNCHER, Action, in_footer, key_name
from rltui.tui.keymap import OwnKeys, with_own_keys
from rltui.tui.panes.pane import View
from rltui.tui.text import Line
from rltui.tui.widgets.footer import Answer, Footer

if TYPE_CHECKING:
    from rltui.tui.cockpit.screen import CockpitScreen


class SaidBelow:
    """Of the cockpit's screen."""

    def __init__(self, screen: CockpitScreen) -> None:
        self._screen = screen
        self._note: tuple[Line, float] | None = None  # why a key did nothing, and when that was (Unix seconds)

    def say(self, words: Line, now: float) -> None:
        """Until a command is sent."""
        self._note = words, now

    def forget(self) -> None:
        """A command is sent: its answer is what counts."""
        self._note = None

    def show(self, view: View, *, leaving: bool) -> None:
        """The footer and the line above it. leaving: the run is being stopped, and the program ends with it."""
        actions, screen = in_footer("cockpit"), self._screen
        dimmed = frozenset(action.name for action in actions if action.trains) if screen.why_not else frozenset()
        labels = {"pause": "Resume"} if view.snapshot.state == "paused" else {}
        labels |= {"maximise": "All panes"} if screen.seating.alone is not None else {}
        labels |= {"launcher": "Launcher"} if not condition(view.snapshot, view.now).running else {}
        footer = screen.query_one(Footer)
        footer.show(labels, dimmed)
        screen.query_one(Answer).say(self._words(view, leaving), screen.size.width, int(footer.display))

    def _words(self, view: View, leaving: bool) -> Line:
        fates = view.snapshot.fates
        words, when = self._note or ((), 0.0)
        newer = not fates or fates[-1].time <= when
        if words and newer and not leaving and view.now - when <= SHOWN:
            return words
        return answer_line(view.snapshot, view.now, leaving=leaving)


def ways_out(own: OwnKeys) -> Line:
    """What esc says where it has nothing to close."""
    keys = _keys(COCKPIT, own)
    return (
        ("nothing to close here: ", "muted"),
        (keys["launcher"], "key"), (" launcher, ", "strong"),
        (keys["leave"], "key"), (" quit", "strong"),
    )  # fmt: skip


def how_to_go_on(snapshot: RunSnapshot, own: OwnKeys) -> str:
    """What can be done with a run that has ended."""
    launcher, resume = _keys(COCKPIT, own).get("launcher", "the palette"), _keys(LAUNCHER, own).get("resume", "it")
    if snapshot.saved_timesteps is None or snapshot.gone:
        return f"it has ended with nothing to resume: {launcher} opens the launcher"
    limit = snapshot.header.step_limit if snapshot.header else None
    if limit is not None and snapshot.saved_timesteps >= limit:
        there = f"{launcher} opens the launcher, {resume} there asks for a new one and trains on"
        return f"it has ended at its limit of {limit:,} timesteps: {there}"
    return f"it has ended: {launcher} opens the launcher, {resume} there resumes it at {snapshot.saved_timesteps:,} timesteps"


def _keys(actions: Iterable[Action], own: OwnKeys) -> dict[str, str]:
    """By the action's name, as the user has them; without those that have none."""
    return {action.name: key_name(action.keys[0]) for action in with_own_keys(actions, own) if action.keys}


MOST_NAMED = 3


def parting_words(training: Sequence[str]) -> str | None:
    """training: the runs that have a trainer. None where there is none: nothing goes on."""
    if not training:
        return None
    if len(training) == 1:
        return f"{training[0]} keeps training; come back with: rltui attach {training[0]}"
    shown = ", ".join(training[:MOST_NAMED])
    more = f" and {len(training) - MOST_NAMED} more" if len(training) > MOST_NAMED else ""
    return f"{shown}{more} keep training; come back with: rltui attach RUN"


def frozen_words(still: View, live: View) -> str:
    """`12:14:38: 3 iterations and 2 log lines have come`; of log lines at most as many as are kept are counted."""
    iterations = max(live.snapshot.history.length - still.snapshot.history.length, 0)
    known = still.snapshot.log[-1] if still.snapshot.log else None
    lines = 0
    for entry in reversed(live.snapshot.log):
        if entry is known:
            break
        lines += 1
    news = f"{formatting.plural(iterations, 'iteration')} and {formatting.plural(lines, 'log line')} have come"
    return f"{formatting.clock(still.now)}: {news}"


SHOWN = 8.0  # seconds that a final answer stays
_STAGES = {
    "sent": ("◌", "sent", "muted"),
    "accepted": ("◌", "accepted", "busy"),
    "applied": ("✓", "applied", "good"),
    "refused": ("✗", "refused", "bad"),
    "unsent": ("✗", "not sent", "bad"),
    "lost": ("✗", "sent, no answer", "bad"),
}


def answer_line(snapshot: RunSnapshot, now: float, *, leaving: bool = False) -> Line:
    """Empty where there is nothing to say. leaving: the program ends as soon as the run has."""
    if leaving:
        return (("◌ leaving as soon as the run has stopped, q leaves now", "warn"),)
    fate = snapshot.fates[-1] if snapshot.fates else None
    if fate is None or (fate.stage not in ("sent", "accepted") and now - fate.time > SHOWN):
        return ()
    return _line(fate, now)


def _line(fate: CommandStatus, now: float) -> Line:
    return _told(fate.name, fate.stage, fate.text or _waiting(fate, now - fate.time))


def unsent(name: str, why: str) -> Line:
    """Of a command for which there is nobody to hear it."""
    return _told(name, "unsent", why)


def _told(name: str, stage: Stage, text: str) -> Line:
    symbol, word, role = _STAGES[stage]
    return ((f"{symbol} ", role), (f"{name} ", "strong"), (word, role), (f": {text}" if text else "", "muted"))


def _waiting(fate: CommandStatus, seconds: float) -> str:
    """For how long, once that is worth saying."""
    if fate.stage not in ("sent", "accepted") or seconds < 2:
        return ""
    return f"no answer within {formatting.age(seconds)}" if fate.stage == "sent" else formatting.age(seconds)
