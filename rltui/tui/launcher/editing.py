"""Editing: what the launcher does with a profile's text: its form, and comparing two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rltui import formatting
from rltui.errors import RltuiError

if TYPE_CHECKING:
    from rltui.tui.launcher.tools import LauncherTools
    from rltui.tui.screens.launcher import LauncherScreen


class Editing:
    """wanted: a profile just written, to which the cursor goes. compared: the first of two profiles."""

    def __init__(self, screen: LauncherScreen, tools: LauncherTools) -> None:
        self._screen, self._tools = screen, tools
        self.wanted: Path | None = None
        self.compared: Path | None = None

    def edit(self) -> None:
        """The profile's form."""
        from rltui.tui.form.session import EditSession  # not needed before the first picture
        from rltui.tui.screens.form import FormScreen

        entry = self._screen.profile_here("e", "edits")
        if entry is None:
            return
        try:
            session = EditSession.open(entry.path, entry.shipped)
        except RltuiError as error:
            self._screen.notify(error.message, severity="error")
            return
        self._screen.app.push_screen(FormScreen(session, self._tools.reference, self._tools.texts), self._edited)

    def compare(self) -> None:
        """The first time chooses one side, the second shows the differences."""
        entry = self._screen.profile_here("=", "compares")
        if entry is None:
            return
        if self.compared in (None, entry.path):
            self.compared = entry.path
            words = "go to another profile and press = again; esc gives up"
            self._screen.notify(words, title=f"{entry.name} is one side")
            return
        left, self.compared = self.compared, None
        assert left is not None
        self._screen.run_worker(lambda: self._compare(left, entry.path), thread=True, exit_on_error=False)

    def give_up(self) -> bool:
        """Compare no more; False where nothing was to be compared."""
        given_up, self.compared = self.compared is not None, None
        if given_up:
            self._screen.notify("nothing is compared")
        return given_up

    def _edited(self, path: Path | None) -> None:
        self.wanted = path
        self._screen.action_refresh()

    def _compare(self, left: Path, right: Path) -> None:
        """In a thread."""
        app = self._screen.app
        try:
            found = self._tools.differences(left, right)
        except (OSError, ValueError) as error:
            app.call_from_thread(self._screen.notify, str(error), title="cannot be compared", severity="error")
        else:
            app.call_from_thread(self._show_differences, left.stem, right.stem, found)

    def _show_differences(self, left: str, right: str, found: list[tuple[str, str | None, str | None]]) -> None:
        from rltui.tui.form.dialogs import DiffDialog  # not needed before the first picture

        lines: list[str] = []
        for key, mine, theirs in found:
            lines += [f"  {key}", f"- {mine if mine is not None else 'not there'}"]
            lines += [f"+ {theirs if theirs is not None else 'not there'}"]
        head = [(f"{formatting.plural(len(found), 'difference')}, defaults included: - {left}, + {right}", "muted")]
        self._screen.app.push_screen(DiffDialog(f"{left} and {right}", head, lines, asks=False))
