"""What the interface names exists: messages of handlers, widgets of styles, debug flags of the words that explain them."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

from textual import events, widgets
from textual.message import Message

import rltui.tui
from rltui.events.commands import FLAGS
from rltui.tui.cockpit.dialogs import MEANING

FOLDER = Path(rltui.tui.__file__).parent


def test_every_handler_has_its_message() -> None:
    """A renamed message takes no handler along by itself."""
    modules = [importlib.import_module(found.name) for found in pkgutil.walk_packages(rltui.tui.__path__, "rltui.tui.")]
    messages = {kind.handler_name for module in (events, *modules) for kind in _messages(module)}
    messages |= {kind.handler_name for name in widgets.__all__ for kind in _messages(getattr(widgets, name))}
    handlers = {
        f"{module.__name__}: {owner.__name__}.{name}"
        for module in modules
        for owner in vars(module).values()
        if inspect.isclass(owner) and owner.__module__ == module.__name__
        for name in vars(owner)
        if name.startswith(("on_", "_on_")) and name.removeprefix("_") not in messages
    }
    assert len(messages) > 50
    assert handlers == set()


def _messages(holder: object) -> list[type[Message]]:
    """Message classes of a module or class, and those inside of its classes."""
    found: list[type[Message]] = []
    for kind in vars(holder).values():
        if inspect.isclass(kind) and issubclass(kind, Message) and kind is not Message:
            found.append(kind)
        elif inspect.isclass(kind) and inspect.ismodule(holder):
            found += _messages(kind)
    return found


def test_every_id_in_a_style_sheet_is_a_widget_s() -> None:
    styled = {
        name
        for sheet in FOLDER.glob("styles/*.tcss")
        for name in re.findall(r"#([a-z][a-z-]+)\b(?![^{}]*;)", sheet.read_text(encoding="utf-8"))
    }
    code = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.py"))
    assert len(styled) > 30 and [name for name in sorted(styled) if f'"{name}"' not in code] == []


def test_every_debug_flag_is_explained() -> None:
    assert set(MEANING) == set(FLAGS)
