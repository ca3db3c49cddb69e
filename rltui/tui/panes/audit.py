"""Who asked for what, when, what became of it and how long that took; and every change as it came into force."""

from __future__ import annotations

from rltui.events.commands import CommandAccepted, CommandApplied, CommandRefused
from rltui.events.records import CommandLogged, SettingChanged, change_words
from rltui.tui import figures
from rltui.tui.paint import Line, clean, crop, pad
from rltui.tui.panes.pane import Pane, View
from rltui.tui.widgets.scrolled import Scrolled

TIME, WHO, SECONDS = 9, 22, 9  # columns
NARROW, NARROW_WHO = 80, 10  # columns below which only the user's name is shown
_OUTCOMES = {
    CommandAccepted: ("◌", "accepted", "busy"),
    CommandApplied: ("✓", "applied", "good"),
    CommandRefused: ("✗", "refused", "bad"),
}


class AuditPane(Pane, Scrolled):
    """A line for each command's fate, newest at the bottom."""

    NUMBER = "a"
    SLOT = "side"
    NAME = "Audit"
    SHORT = "Audit"
    EMPTY = (
        "Here will be who asked for what, and what became of it: pauses, saves, flags, learning rates, reward weights."
    )
    HELP = (
        "One line for each command that reached the trainer, from any viewer or command line: when, who, what, and its "
        "outcome with the seconds from acceptance until it was in force. A change of a setting is written again, with ●, "
        "at the timestep from which it holds, where the charts have a mark. It all is in the run's journal for good."
    )
    FOLLOW = True
    WANTS = 8

    def has_nothing(self, view: View) -> bool:
        return not view.snapshot.audit

    def depends(self, view: View) -> object:
        audit = view.snapshot.audit
        return len(audit), audit[-1] if audit else None

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        return self.window([entry_line(entry, width) for entry in folded(view.snapshot.audit)], height)

    def subtitle(self, view: View) -> str:
        count = len(folded(view.snapshot.audit))
        return f"[$muted]{count:,} {'entry' if count == 1 else 'entries'}[/]" if count else ""


def folded(audit: tuple[CommandLogged | SettingChanged, ...]) -> list[CommandLogged | SettingChanged]:
    """Without the acceptance of what has been answered since: the same person's, of the same command and number."""
    answered = {_key(entry) for entry in audit if isinstance(entry, CommandLogged) and not _is_open(entry)}
    return [
        entry
        for entry in audit
        if not (isinstance(entry, CommandLogged) and _is_open(entry) and _key(entry) in answered)
    ]


def entry_line(entry: CommandLogged | SettingChanged, width: int) -> Line:
    """Time, who, outcome, seconds, what, and why or what came of it."""
    who, room = clean(entry.by.partition(", pid")[0]), WHO
    if width < NARROW:
        who, room = who.partition(" on ")[0], NARROW_WHO
    head: Line = ((f"{figures.clock(entry.time)} ", "faint"), (pad(who, room - 1) + " ", "muted"))
    if isinstance(entry, SettingChanged):
        words: Line = (("● ", "key"), (pad("in force", SECONDS), "key"), (pad("", SECONDS), ""), (clean(change_words(entry)), "strong"), (f" from {entry.timesteps:,}", "muted"))  # fmt: skip
        return crop((*head, *words), width)
    symbol, word, role = _OUTCOMES[type(entry.outcome)]
    seconds = figures.seconds(entry.outcome.seconds) if isinstance(entry.outcome, CommandApplied) else ""
    told = getattr(entry.outcome, "detail", "") or getattr(entry.outcome, "reason", "")
    return crop(
        (
            *head,
            (f"{symbol} ", role),
            (pad(word, SECONDS), role),
            (pad(seconds, SECONDS - 1, ">") + " ", "muted"),
            (clean(entry.command), "strong"),
            (f": {clean(told)}" if told else "", "muted"),
        ),
        width,
    )


def _is_open(entry: CommandLogged) -> bool:
    return isinstance(entry.outcome, CommandAccepted)


def _key(entry: CommandLogged) -> tuple[str, str, int]:
    return entry.by, entry.command, entry.outcome.id
