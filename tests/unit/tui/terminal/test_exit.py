"""A terminal that is lent; tests/e2e and tests/processes have real ones."""

from __future__ import annotations

import pytest
from textual.app import App

from rltui.tui.terminal.exit import lend_terminal


async def test_where_there_is_no_terminal_to_lend_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[tuple[str, str]]()
    app = App[str]()
    async with app.run_test():  # which, as a browser's, cannot be suspended
        monkeypatch.setattr(app, "notify", lambda text, *, title, severity: told.append((title, text)))
        lend_terminal(app, ["python", "-m", "rltui", "watch", "my run"], lambda: False)
    assert told == [("It cannot be shown here", "In a terminal: rltui watch 'my run'")]
