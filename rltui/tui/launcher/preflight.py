"""Runs the doctor while the cursor rests."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.message import Message

from rltui.tui.checks.doctor import Measured, Preflight
from rltui.tui.checks.results import content_key
from rltui.tui.launcher.catalog import ProfileEntry
from rltui.tui.launcher.check_lines import in_short
from rltui.tui.launcher.speed import Estimate, Steady, from_measurement, from_runs, shape_key
from rltui.tui.launcher.tree import Item, profile_at

if TYPE_CHECKING:
    from rltui.runs.paths import DataDir
    from rltui.tui.dependencies import LauncherDependencies
    from rltui.tui.launcher.screen import LauncherScreen


REST = 0.6  # seconds that the cursor rests on a profile before the doctor comes
FRESH = 300.0  # seconds for which coming back to a profile does not ask again: memory and disk change meanwhile


class PreflightNews(Message):
    """The doctor has gone a step further."""

    def __init__(self, preflight: Preflight) -> None:
        super().__init__()
        self.preflight = preflight


class Examining:
    """The child runs in a thread of its own; moving on ends it."""

    def __init__(
        self, screen: LauncherScreen, data: DataDir, tools: LauncherDependencies, clock: Callable[[], float]
    ) -> None:
        self._screen, self._data, self._tools, self._clock = screen, data, tools, clock
        self._examined = ""  # content of the profile that the doctor is with, or was
        self._steady = Steady()

    def moved(self) -> None:
        """The cursor stands elsewhere, or a verdict has come: another child, once it rests."""
        item = self._screen.item
        entry = self._entry_at(item)
        self._show_tally(self.known_of(item)[0])
        if self._examined and (entry is None or _key(entry) != self._examined):
            self.end()
        if entry is not None and entry.check is not None and not self._examined:
            self._screen.set_timer(REST, lambda: self._examine(item))

    def heard(self, state: Preflight) -> None:
        """Another check has begun or ended."""
        entry = self._entry_at(self._screen.item)
        if entry is None or state.key != _key(entry):
            return
        summary = entry.check.summary if entry.check else None
        if state.steps_per_second and summary is not None:
            measured = Measured(state.steps_per_second, state.measured or self._clock(), state.busy_percent or 0.0)
            if self._tools.measurements.get(shape_key(summary)) != measured:
                self._tools.measurements.put(shape_key(summary), measured)
        self._show_tally(state)
        self._screen.details.repaint()

    def known_of(self, item: Item | None) -> tuple[Preflight | None, Estimate | None]:
        """What is known now of what the cursor stands on."""
        entry = self._entry_at(item)
        if entry is None:
            return None, None
        return self._tools.preflights.known(_key(entry)), self._speed(entry)

    def anew(self) -> None:
        """Somebody asked: what is known of the profile here counts no longer."""
        entry = self._entry_at(self._screen.item)
        if entry is not None:
            self.end()
            self._tools.preflights.forget(_key(entry))
            self.moved()

    def end(self) -> None:
        """Nobody waits for the child any more."""
        self._tools.preflights.cancel()
        self._examined = ""

    def _entry_at(self, item: Item | None) -> ProfileEntry | None:
        return profile_at(self._screen.catalog, item)

    def _examine(self, item: Item | None) -> None:
        entry = self._entry_at(item)
        if item != self._screen.item or entry is None or entry.check is None or self._examined:
            return
        if not (entry.check.valid or entry.check.forcible):
            return
        key = _key(entry)
        known = self._tools.preflights.known(key)
        if known is not None and known.ended is not None and self._clock() - known.ended < FRESH:
            return
        self._examined = key
        speed = self._speed(entry) is None and not self._trains()
        work = (key, entry.path, self._data.root, self._tell, speed)
        threading.Thread(target=self._tools.preflights.run, args=work, daemon=True).start()

    def _trains(self) -> bool:
        """A measurement beside a training would say little, and disturb it."""
        catalog = self._screen.catalog
        return catalog is not None and bool(catalog.training)

    def _tell(self, state: Preflight) -> None:
        """In the thread."""
        if self._screen.is_running:
            self._screen.post_message(PreflightNews(state))

    def _show_tally(self, state: Preflight | None) -> None:
        """On the border of the right side."""
        details = self._screen.details
        if details.border_subtitle != in_short(state):
            details.border_subtitle = in_short(state)

    def _speed(self, entry: ProfileEntry) -> Estimate | None:
        """A run says more than a measurement."""
        summary = entry.check.summary if entry.check else None
        catalog = self._screen.catalog
        if summary is None or catalog is None:
            return None
        key, now = shape_key(summary), self._clock()
        found = from_runs(summary, catalog.runs, now) or from_measurement(self._tools.measurements.get(key), now)
        return self._steady.of(key, found)


def _key(entry: ProfileEntry) -> str:
    return f"{entry.path}@{content_key(entry.path)}"
