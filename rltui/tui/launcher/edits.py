"""What else the launcher does with profiles: their form, comparing two, launching in spite of checks; and the filter."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.widgets import Input

from rltui.errors import RltuiError
from rltui.tui import figures
from rltui.tui.launcher.catalog import Catalog, ProfileEntry
from rltui.tui.launcher.catalog_tree import Item, first_match
from rltui.tui.launcher.offers import Offer, offer_profile

if TYPE_CHECKING:
    from textual.app import App

    from rltui.runs.paths import DataDir
    from rltui.tui.launcher.tools import LauncherTools


class EditsMixin:
    """Actions of LauncherScreen."""

    if TYPE_CHECKING:
        app: App[Any]
        catalog: Catalog | None
        _tools: LauncherTools
        _data: DataDir
        _clock: Callable[[], float]
        _wanted: Path | None
        _filter: str
        _compared: Path | None
        notify: Callable[..., None]
        query_one: Callable[..., Any]
        run_worker: Callable[..., Any]
        action_refresh: Callable[[], None]
        _show_rows: Callable[[], None]
        _start: Callable[[Offer | None], None]

        @property
        def item(self) -> Item | None: ...

    def _profile_here(self, key: str, does: str) -> ProfileEntry | None:
        item = self.item
        entry = self.catalog.profile(Path(item.name)) if self.catalog and item and item.kind == "profile" else None
        if entry is None:
            self.notify(f"{key} {does} a profile: choose one under Profiles", severity="warning")
        return entry

    def action_edit(self) -> None:
        """The profile's form."""
        entry = self._profile_here("e", "edits")
        if entry is None:
            return
        from rltui.tui.form.session import EditSession  # with tomlkit, not needed before the first picture
        from rltui.tui.screens.form import FormScreen

        try:
            session = EditSession.open(entry.path, entry.shipped)
        except RltuiError as error:
            self.notify(error.message, severity="error")
            return
        self.app.push_screen(FormScreen(session, self._tools.reference, self._tools.texts), self._edited)

    def _edited(self, path: Path | None) -> None:
        self._wanted = path
        self.action_refresh()

    # Comparing

    def action_compare(self) -> None:
        """The first = chooses one side, the second shows the differences."""
        entry = self._profile_here("=", "compares")
        if entry is None:
            return
        if self._compared in (None, entry.path):
            self._compared = entry.path
            self.notify("go to another profile and press = again; esc gives up", title=f"{entry.name} is one side")
            return
        left, self._compared = self._compared, None
        assert left is not None
        self.run_worker(lambda: self._compare(left, entry.path), thread=True, exit_on_error=False)

    def _compare(self, left: Path, right: Path) -> None:
        """In a thread."""
        try:
            found = self._tools.differences(left, right)
        except (OSError, ValueError) as error:
            self.app.call_from_thread(self.notify, str(error), title="cannot be compared", severity="error")
        else:
            self.app.call_from_thread(self._show_differences, left.stem, right.stem, found)

    def _show_differences(self, left: str, right: str, found: list[tuple[str, str | None, str | None]]) -> None:
        from rltui.tui.form.dialogs import DiffDialog

        lines: list[str] = []
        for key, mine, theirs in found:
            lines += [f"  {key}", f"- {mine if mine is not None else 'not there'}"]
            lines += [f"+ {theirs if theirs is not None else 'not there'}"]
        head = [(f"{figures.plural(len(found), 'difference')}, defaults included: - {left}, + {right}", "muted")]
        self.app.push_screen(DiffDialog(f"{left} and {right}", head, lines, asks=False))

    # In spite of checks

    def action_force(self) -> None:
        """Names what is passed over, and asks."""
        entry = self._profile_here("F", "forces")
        if entry is None or entry.check is None:
            return
        if entry.check.valid:
            self.notify("nothing speaks against it: enter launches", severity="information")
        elif not entry.check.forcible:
            self.notify("its mistakes cannot be passed over: e opens its form", severity="error")
        else:
            self._ask_force(entry)

    def _ask_force(self, entry: ProfileEntry) -> None:
        from rltui.tui.form.dialogs import AskDialog

        faults = "\n".join(problem.message for problem in entry.check.errors) if entry.check else ""
        choices = [
            ("c", None, "Cancel", "Nothing is launched."),
            ("f", "force", "Launch it all the same", f"Passed over: {faults}"),
        ]
        self.app.push_screen(
            AskDialog(f"Launch {entry.name} in spite of its checks?", choices),
            lambda choice: self._forced(entry) if choice else None,
        )

    def _forced(self, entry: ProfileEntry) -> None:
        offer = offer_profile(self._data, entry, self._clock(), force=True)
        if offer.refused and "--resume new" in offer.hint:
            offer = offer_profile(self._data, entry, self._clock(), new=True, force=True)
        self._start(offer)

    # The filter

    def action_filter(self) -> None:
        """A line under the list."""
        line = self.query_one("#launcher-filter", Input)
        line.add_class("open")
        line.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """As it is typed."""
        self._filter = event.value
        tree = self.query_one("#tree")
        tree.border_subtitle = f"filter: {event.value}" if event.value else ""
        self._show_rows()
        if event.value and (found := first_match(tree.rows)) is not None:
            tree.set_rows(tree.rows, found)

    def on_input_submitted(self) -> None:
        """Back to the list, what matches stays."""
        self.query_one("#launcher-filter", Input).remove_class("open")
        self.query_one("#tree").focus()

    def action_back(self) -> None:
        """The filter first, then what was to be compared."""
        line = self.query_one("#launcher-filter", Input)
        if line.has_class("open") or self._filter:
            line.value = ""
            self.on_input_submitted()
        elif self._compared is not None:
            self._compared = None
            self.notify("nothing is compared")
