"""Every `on_…` method of the interface is the handler of a message that exists: a renamed message takes no handler along by itself."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

from textual import events, widgets
from textual.message import Message

import rltui.tui


def test_every_handler_has_its_message() -> None:
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
