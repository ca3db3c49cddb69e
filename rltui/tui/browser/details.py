"""The highlighted saved state in words; the browser's title."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content

from rltui import formatting
from rltui.runs.inventory import CheckpointInfo
from rltui.tui.browser.library import Library
from rltui.tui.browser.table import elo_text
from rltui.tui.launcher.descriptions import saved_rows
from rltui.tui.text import Line, beside, clean, ends, named_lines, text_line, wrap
from rltui.tui.widgets.line_widget import LineWidget
from rltui.tui.widgets.list_view import ScrollableLines

BOTH = 100  # columns from which the title has room for words and figures
TWO_COLUMNS = 76
Rows = list[tuple[str, str, str]]  # name, value, role
HOW = (
    "A trainer saves checkpoints as it goes, and milestones every so many timesteps; M in the view of a run keeps one now, "
    "M here keeps a checkpoint as one."
)


def lines(entry: CheckpointInfo | None, library: Library, sound: bool, now: float, width: int) -> list[Line]:
    """Of one entry; of none, what would appear here. sound: its hashes are right."""
    if entry is None:
        return wrap(HOW if library.complete else "reading …", width, "muted")
    if entry.unrecognised:
        return _unrecognised(entry, width)
    crowded = len(title(entry)) > width - 2  # the border has not the room for it
    head = [
        *(wrap(entry.run, width, "strong") if crowded else []),
        *_deleted(entry, now, width),
        *(wrap(f"✗ {entry.damage}", width, "bad") if entry.damage else []),
    ]
    if width >= TWO_COLUMNS:
        half = (width - 3) // 2
        blocks = [
            named_lines(_numbers(entry, sound, now), half),
            named_lines(_origin(entry, library), width - half - 3),
        ]
        return [*head, *beside(blocks, [half, width - half - 3], 3)]
    return [*head, *named_lines([*_numbers(entry, sound, now), *_origin(entry, library)], width)]


def title(entry: CheckpointInfo | None) -> str:
    """For the border."""
    if entry is None:
        return ""
    return clean(entry.path.name if entry.unrecognised else entry.title)


def _unrecognised(entry: CheckpointInfo, width: int) -> list[Line]:
    found = wrap(f"! {entry.damage}. rltui leaves it as it is and never acts on it.", width, "warn")
    found += wrap(str(entry.path), width, "muted")
    meta = entry.meta
    if meta is not None:
        what = f"It holds a saved state of run {meta.run} at {meta.timesteps:,} timesteps."
        found += wrap(f"{what} Give the folder a name as above, and it is listed.", width)
    return found


def _deleted(entry: CheckpointInfo, now: float, width: int) -> list[Line]:
    if entry.deleted is None:
        return []
    return wrap(f"× deleted {formatting.ago(now - entry.deleted)}; u puts it back", width, "warn")


def _numbers(entry: CheckpointInfo, sound: bool, now: float) -> Rows:
    rows = saved_rows(entry, now)
    rows += [("Elo", elo_text(entry), "")]
    if entry.usable:
        rows.append(("hashes", "✓ every byte is right", "good") if sound else ("hashes", "not compared (v)", "muted"))
    marks = [text for text, holds in (("▲ pinned", entry.mark.pinned), ("● released", entry.mark.released)) if holds]
    marks += ["protected from pruning"] if entry.protected else []
    rows += [("marks", ", ".join(marks), "warn")] if marks else []
    return rows + ([("note", clean(entry.mark.note), "")] if entry.mark.note else [])


def _origin(entry: CheckpointInfo, library: Library) -> Rows:
    meta = entry.meta
    if meta is None:
        return [("folder", str(entry.path), "muted")]
    stage = f", stage {meta.stage}" if meta.stage else ""
    rows: Rows = [
        ("phase", f"{entry.phase_words or formatting.UNKNOWN}{stage}", ""),
        ("profile", meta.profile or formatting.UNKNOWN, ""),
        ("parent", meta.parent or formatting.UNKNOWN, ""),
        ("observation", meta.obs_signature, ""),
        ("table", f"{meta.table_hash[:8]}…" if len(meta.table_hash) > 9 else meta.table_hash, ""),
        ("nets", f"{meta.policy}, {meta.critic}", ""),
        ("author", f"{meta.author or formatting.UNKNOWN}, rltui {meta.version}", ""),
    ]
    branches = [name for name in library.children(entry.run) if _left_here(library, name, meta.timesteps)]
    return rows + ([("branches", ", ".join(branches), "")] if branches else [])


def _left_here(library: Library, run: str, timesteps: int) -> bool:
    inventory = library.inventory(run)
    return inventory is not None and (inventory.parent or "").rpartition("@")[2] == str(timesteps)


class BrowserTitle(LineWidget):
    """First line: how much is saved, and how much room there is."""

    def __init__(self) -> None:
        super().__init__(name="browser-title")
        self._library: Library | None = None

    def show(self, library: Library) -> None:
        self._library = library
        self.repaint()

    def paint(self, width: int, height: int) -> list[Line]:
        words = "  Milestones and checkpoints" if width >= BOTH else "  Browser"
        name: Line = ((" rltui ", "pill-busy"), (words, "strong"))
        library = self._library
        if library is None or not library.complete:
            return [ends(name, text_line("reading … ", "muted"), width)]
        states = [entry for entry in library.entries if entry.saved]
        damaged = sum(entry.damage is not None for entry in states)
        parts = [formatting.plural(len(library.inventories), "run"), formatting.plural(len(states), "state")]
        parts += [formatting.size(sum(entry.bytes or 0 for entry in states))]
        parts += [f"{formatting.size(library.free_bytes)} free"] if library.free_bytes is not None else []
        bad: Line = ((f"✗ {damaged} damaged", "bad"), (" · ", "muted")) if damaged else ()
        return [ends(name, (*bad, (" · ".join(parts) + " ", "muted")), width)]


class CheckpointDetails(ScrollableLines):
    """The highlighted state."""

    def __init__(self, clock: Callable[[], float], library: Library) -> None:
        super().__init__(name="state-details", classes="pane")
        self._clock, self._library = clock, library
        self._entry: CheckpointInfo | None = None
        self._sound = False

    def show(self, entry: CheckpointInfo | None, library: Library, sound: bool) -> None:
        """Another state, or more is known of it."""
        self._entry, self._library, self._sound = entry, library, sound
        self.border_title = Content(title(entry))
        self.repaint()

    def paint(self, width: int, height: int) -> list[Line]:
        return self.window(lines(self._entry, self._library, self._sound, self._clock(), width), height)
