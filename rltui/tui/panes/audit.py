"""Pane on who asked for what: each command with its outcome, each change of a setting."""

from __future__ import annotations

from typing import ClassVar, TypeGuard

from textual.binding import BindingType

from rltui import formatting
from rltui.events.commands import CommandAccepted, CommandApplied, CommandRefused
from rltui.events.records import CommandLogged, SettingChanged, change_words
from rltui.run_state.condition import in_force
from rltui.tui.actions import pane_bindings
from rltui.tui.panes.filterable import FilterablePane
from rltui.tui.panes.pane import View
from rltui.tui.text import Line, clean, crop, pad, split, text_line, width_of

TIME, WHO, SECONDS = 9, 22, 9  # columns
NARROW, NARROW_WHO = 80, 10  # columns below which only the user's name is shown
_OUTCOMES = {
    CommandAccepted: ("◌", "accepted", "busy"),
    CommandApplied: ("✓", "applied", "good"),
    CommandRefused: ("✗", "refused", "bad"),
}

AuditEntry = CommandLogged | SettingChanged


class AuditPane(FilterablePane):
    """A line for each command and its outcome, newest at the bottom, which the cursor follows; the one under it whole, below."""

    NUMBER = "a"
    SLOT = "side"
    NAME = "Audit"
    SHORT = "Audit"
    EMPTY = "Pauses, saves, debug flags and changed settings appear here, with who sent them and what came of it."
    HELP = (
        "One line per command that reached the trainer, from any viewer or command line: when, who, what, its outcome and "
        "the seconds until it was in force. ● marks the timestep from which a changed setting holds, as in the charts; ○ "
        "one no longer in force. The entry under the cursor stands below in full."
    )
    BINDINGS: ClassVar[list[BindingType]] = pane_bindings("audit")
    FOLLOW = True
    WANTS = 8

    def has_nothing(self, view: View) -> bool:
        return not view.snapshot.audit

    def depends(self, view: View) -> object:
        audit = view.snapshot.audit
        header = view.snapshot.header
        by_hand, start = header.by_hand if header else None, view.snapshot.opened
        return len(audit), audit[-1] if audit else None, by_hand, start, view.snapshot.ended

    def draw(self, view: View, width: int, height: int) -> list[Line]:
        entries, holding = (
            self.filtered_rows(without_acceptances(view.snapshot.audit), id, _texts),
            in_force(view.snapshot),
        )
        whole = cut_entry(entries[self.cursor], width) if entries else []
        whole = whole[: max(height - 1, 0)]
        lines = [entry_line(entry, width, entry in holding) for entry in entries]
        rows = self.selection([], lines, width, height - len(whole))
        return [*rows, *whole]

    def words(self, view: View) -> str:
        count = len(without_acceptances(view.snapshot.audit))
        return f"[$muted]{count:,} {'entry' if count == 1 else 'entries'}[/]" if count else ""


def _texts(entry: AuditEntry) -> list[str]:
    """What a filter looks through: the time of day, who, the outcome, what it was about."""
    outcome = "in force" if isinstance(entry, SettingChanged) else _OUTCOMES[type(entry.outcome)][1]
    words = [text for text, _ in _words(entry)]
    return [formatting.clock(entry.time), entry.by, outcome, *words, "".join(words)]


def without_acceptances(audit: tuple[AuditEntry, ...]) -> list[AuditEntry]:
    """Without the acceptance of what has been answered since: the same person's, of the same command and number."""
    answered = {_key(entry) for entry in audit if isinstance(entry, CommandLogged) and not _is_open(entry)}
    return [entry for entry in audit if not (_is_open(entry) and _key(entry) in answered)]


def cut_entry(entry: AuditEntry, width: int) -> list[Line]:
    """What is cut in its line, below a rule; empty where nothing is."""
    line, words = _whole_line(entry, width), _words(entry)
    if width_of(line) <= width:
        return []
    rows = [text_line("─" * width, "track")]
    while words:
        row, words = split(words, max(width, 1))
        rows.append(row)
    return rows


def entry_line(entry: AuditEntry, width: int, holds: bool = True) -> Line:
    """Time, who, outcome, seconds, what, and why or what came of it, as far as it fits. holds: the change is in force."""
    return crop(_whole_line(entry, width, holds), width)


def _words(entry: AuditEntry) -> Line:
    """What it was about, and why or what came of it."""
    if isinstance(entry, SettingChanged):
        source = ", as in the profile" if entry.profile else ""
        return (clean(change_words(entry)), "strong"), (f"{source} from {entry.timesteps:,}", "muted")
    answer = getattr(entry.outcome, "detail", "") or getattr(entry.outcome, "reason", "")
    return (clean(entry.command), "strong"), (f": {clean(answer)}" if answer else "", "muted")


def _whole_line(entry: AuditEntry, width: int, holds: bool = True) -> Line:
    who, room = clean(entry.by.partition(", pid")[0]), WHO
    if width < NARROW:
        who, room = who.partition(" on ")[0], NARROW_WHO
    head: Line = ((f" {formatting.clock(entry.time)} ", "faint"), (pad(who, room - 1) + " ", "muted"))
    if isinstance(entry, SettingChanged):
        sign, word, role = ("● ", "in force", "key") if holds else ("○ ", "changed", "muted")
        return (*head, (sign, role), (pad(word, SECONDS), role), (pad("", SECONDS), ""), *_words(entry))
    symbol, word, role = _OUTCOMES[type(entry.outcome)]
    seconds = formatting.duration(entry.outcome.seconds) if isinstance(entry.outcome, CommandApplied) else ""
    return (
        *head,
        (f"{symbol} ", role),
        (pad(word, SECONDS), role),
        (pad(seconds, SECONDS - 1, ">") + " ", "muted"),
        *_words(entry),
    )


def _is_open(entry: AuditEntry) -> TypeGuard[CommandLogged]:
    return isinstance(entry, CommandLogged) and isinstance(entry.outcome, CommandAccepted)


def _key(entry: CommandLogged) -> tuple[str, str, int]:
    return entry.by, entry.command, entry.outcome.id
