"""What must hold of any screen of the program at any time: it draws, the focus is in one place, the footer says what keys do."""

from __future__ import annotations

import traceback

from textual.app import App
from textual.screen import Screen
from textual.widgets import Input, TextArea

from rltui.tui.actions import PANE_KEYS
from rltui.tui.capture import screen_text
from rltui.tui.widgets.footer import Footer

LINES = (Input, TextArea)  # widgets that are typed into


def what_is_wrong(app: App[str]) -> str:
    """Empty where all is well."""
    if app._exception is not None:
        return "".join(traceback.format_exception(app._exception))
    if type(app.screen) is Screen:
        return "an empty screen"
    text = screen_text(app.screen)
    if "cannot draw" in text:
        return text
    return _focus(app.screen) or _footer(app.screen)


def _focus(screen: Screen[object]) -> str:
    focused = [widget for widget in screen.walk_children() if widget.has_focus]
    if len(focused) > 1 or (focused and focused != [screen.focused]):
        return f"the focus is with {focused} and {screen.focused}"
    return ""


def _footer(screen: Screen[object]) -> str:
    """What the footer offers and does not dim must be what the key does."""
    footer = next(iter(screen.query(Footer)), None)
    if footer is None or not footer.display or not footer.size.width:
        return ""
    drawn, dimmed = {name for _, _, name in footer._places}, footer._dimmed | footer._typed()
    offered = [action for action in footer._actions if action.name in drawn - dimmed and action.bound]
    wrong = [f"{action.keys[0]} {action.name}" for action in offered if not _does(screen, action.keys[0], action.name)]
    return f"the footer offers {wrong} while the focus is with {screen.focused}" if wrong else ""


def _does(screen: Screen[object], key: str, name: str) -> bool:
    focused = screen.focused
    if isinstance(focused, LINES) and focused.check_consume_key(key, key if len(key) == 1 else None):
        return False
    pane = getattr(focused, "name", None)
    if any(key in action.keys for action in PANE_KEYS if action.pane == pane and action.shadows):
        return True
    found = screen.active_bindings.get(key)
    return found is not None and found.enabled and found.binding.action == name
