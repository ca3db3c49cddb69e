"""The help page: what has the focus explained, and its keys."""

from __future__ import annotations

import pytest
from textual.screen import Screen
from textual.widget import Widget

from rltui.tui.actions import Action
from rltui.tui.help import SCREEN_HELP, FocusedPane, help_on, palette_commands, pane_key_lines


def test_the_keys_of_a_pane_are_in_its_help(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Action("filter", ("slash",), "Filter", "Show only what matches", "View", pane="log")
    monkeypatch.setattr("rltui.tui.actions.PANE_KEYS", (row,))
    [title, line] = pane_key_lines("log", "Log", 60)
    assert title[0][0] == "Keys of Log"
    assert "".join(text for text, _ in line) == "/            Show only what matches"
    assert pane_key_lines("time", "Time", 60) == []


def test_the_palette_shows_each_command_s_key_the_user_s_own_too() -> None:
    focused = FocusedPane(Widget(), "log", "Log", [])
    shown = {command.title for command in palette_commands("cockpit", Screen(), focused, {"pause": ("f5",)})}
    assert {"Pause  f5", "Stop  S", "Flag: actions  A", "Log: Open  enter", "Theme"} <= shown


def test_each_screen_has_its_page_and_the_form_one_of_its_own() -> None:
    assert all(help_on(place, None) is not None for place in SCREEN_HELP)
    assert help_on("cockpit", FocusedPane(Widget(), "log", "Log", [("", "Lines.")])) is not None
    assert help_on("form", None) is None and help_on(None, None) is None
