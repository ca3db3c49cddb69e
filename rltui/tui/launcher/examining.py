"""The launcher's preflight: the doctor on the profile that the cursor rests on, and what is known of its speed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rltui.tui.checks.check_words import in_short
from rltui.tui.checks.preflight import Preflight
from rltui.tui.checks.profile_check import content_hash
from rltui.tui.launcher.catalog import Catalog, ProfileEntry
from rltui.tui.launcher.catalog_tree import Item
from rltui.tui.launcher.estimate import Estimate, Measured, from_measurement, from_runs
from rltui.tui.messages import PreflightNews

if TYPE_CHECKING:
    from rltui.runs.paths import DataDir
    from rltui.tui.launcher.tools import LauncherTools

REST = 0.6  # seconds that the cursor rests on a profile before the doctor comes


class PreflightMixin:
    """What LauncherScreen does about it. The child runs in a thread of its own; moving on ends it."""

    if TYPE_CHECKING:
        catalog: Catalog | None
        _tools: LauncherTools
        _data: DataDir
        _clock: Callable[[], float]
        is_running: bool
        post_message: Callable[..., Any]
        query_one: Callable[..., Any]
        set_timer: Callable[..., Any]

        @property
        def item(self) -> Item | None: ...

    _examined: str = ""  # content of the profile that the doctor is with, or was

    def preflight_moved(self) -> None:
        """The cursor stands elsewhere, or a verdict has come: another child, once it rests."""
        entry = self._entry_at(self.item)
        self._show_tally(self.preflight_of(self.item)[0])
        if self._examined and (entry is None or _key(entry) != self._examined):
            self._tools.preflights.cancel()
            self._examined = ""
        if entry is not None and entry.check is not None and not self._examined:
            item = self.item
            self.set_timer(REST, lambda: self._examine(item))

    def _entry_at(self, item: Item | None) -> ProfileEntry | None:
        return self.catalog.profile(Path(item.name)) if self.catalog and item and item.kind == "profile" else None

    def _examine(self, item: Item | None) -> None:
        entry = self._entry_at(item)
        if item != self.item or entry is None or entry.check is None or self._examined:
            return
        if not (entry.check.valid or entry.check.forcible):
            return
        key = _key(entry)
        known = self._tools.preflights.known(key)
        if known is not None and known.done:
            return
        self._examined = key
        speed = self._speed(entry) is None and not self._trains()
        work = (key, entry.path, self._data.root, self._heard, speed)
        threading.Thread(target=self._tools.preflights.run, args=work, daemon=True).start()

    def _trains(self) -> bool:
        """A measurement beside a training would say little, and disturb it."""
        return self.catalog is not None and any(run.state == "training" for run in self.catalog.runs)

    def _heard(self, state: Preflight) -> None:
        """In the thread."""
        if self.is_running:
            self.post_message(PreflightNews(state))

    def on_preflight_news(self, message: PreflightNews) -> None:
        """Another check has begun or ended."""
        state = message.preflight
        entry = self._entry_at(self.item)
        if entry is None or state.key != _key(entry):
            return
        summary = entry.check.summary if entry.check else None
        if state.steps_per_second and summary is not None:
            measured = Measured(state.steps_per_second, state.measured or self._clock(), state.busy_percent or 0.0)
            if self._tools.measurements.get(summary.hash) != measured:
                self._tools.measurements.put(summary.hash, measured)
        self._show_tally(state)
        self.query_one("#details").repaint()

    def preflight_of(self, item: Item | None) -> tuple[Preflight | None, Estimate | None]:
        """What is known now of what the cursor stands on."""
        entry = self._entry_at(item)
        if entry is None:
            return None, None
        return self._tools.preflights.known(_key(entry)), self._speed(entry)

    def _show_tally(self, state: Preflight | None) -> None:
        """On the border of the right side."""
        details = self.query_one("#details")
        if details.border_subtitle != in_short(state):
            details.border_subtitle = in_short(state)

    def _speed(self, entry: ProfileEntry) -> Estimate | None:
        """A run says more than a measurement."""
        summary = entry.check.summary if entry.check else None
        if summary is None or self.catalog is None:
            return None
        found = from_runs(summary, self.catalog.runs, self._clock())
        return found or from_measurement(self._tools.measurements.get(summary.hash), self._clock())

    def on_unmount(self) -> None:
        self._tools.preflights.cancel()


def _key(entry: ProfileEntry) -> str:
    return f"{entry.path}@{content_hash(entry.path)}"
