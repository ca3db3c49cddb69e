"""How an entry of the log looks: time, sign, source, then the message wrapped beside them, what was searched marked."""

from __future__ import annotations

from rltui import formatting
from rltui.events.records import Level
from rltui.tui.log.entries import LogEntry
from rltui.tui.paint import Line, Span, clean, pad, wrap
from rltui.tui.pattern import Pattern

SOURCE = 10  # columns
INDENT = 8 + 1 + 2 + SOURCE + 1
NARROWEST = 20  # columns for the message; in less room it has a line of its own without time and source
FOLDED = 4  # lines of an entry; more are opened
_SIGNS: dict[Level, tuple[str, str]] = {
    "debug": (" ", "faint"), "info": (" ", ""), "warning": ("!", "warn"), "error": ("✗", "bad"),
}  # fmt: skip


def folded_lines(entry: LogEntry, width: int, search: Pattern | None = None) -> list[Line]:
    """As the log shows it: a long one ends with how much more there is."""
    lines = entry_lines(entry, width)
    if len(lines) > FOLDED:
        more = f"… {len(lines) - FOLDED + 1} more lines: enter opens it"
        lines = [*lines[: FOLDED - 1], ((" " * (INDENT if width - INDENT >= NARROWEST else 0), ""), (more, "muted"))]
    if search is None or not search.text:
        return lines
    head = 2 if entry.time else 0  # time and sign are not searched
    return [(*lines[0][:head], *marked(lines[0][head:], search)), *(marked(line, search) for line in lines[1:])]


def entry_lines(entry: LogEntry, width: int) -> list[Line]:
    """All of it. An entry without a time is a line of the trainer's own output."""
    sign, role = _SIGNS[entry.level]
    if not entry.time:
        return wrap(entry.message, width, "muted")
    head: Line = (
        (f"{formatting.clock(entry.time)} ", "faint"),
        (f"{sign} ", role),
        (pad(clean(entry.source), SOURCE) + " ", "muted"),
    )
    if width - INDENT < NARROWEST:
        return [(*head[:2], (clean(entry.message.split("\n")[0]), role))]
    rows = wrap(entry.message, width - INDENT, role)
    return [(*head, *rows[0]), *(((" " * INDENT, ""), *row) for row in rows[1:])]


def marked(line: Line, search: Pattern) -> Line:
    """The line with what the search finds in each of its spans on a background."""
    spans: list[Span] = []
    for text, role in line:
        at = 0
        for start, end in search.places(text):
            if end > start:
                spans += [(text[at:start], role), (text[start:end], f"{role} hit".strip())]
                at = end
        spans.append((text[at:], role))
    return tuple(span for span in spans if span[0])
