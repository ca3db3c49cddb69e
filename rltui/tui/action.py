"""Action: one row of the registry."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Group = Literal["Training", "Debugging", "Launching", "Editing", "Milestones", "View", "Program"]
Place = Literal["cockpit", "launcher", "browser", "form"]


@dataclass(frozen=True, slots=True)
class Action:
    """name: the screen's method `action_<name>`, arguments included; that of the pane where `pane` is given.

    footer: its rank there, 0 the last to be dropped where room is short; None keeps it out. trains: it acts on the
    training, so it needs a trainer that listens to this viewer. pane: the id of the pane that has the key while it is
    focused ("metrics" for MetricsPane). shadows: it takes a key from the screen while the pane is focused, on purpose.
    """

    name: str
    keys: tuple[str, ...]
    label: str
    help: str
    group: Group
    footer: int | None = None
    trains: bool = False
    palette: bool = True
    bound: bool = True  # False: Textual, or the widget itself, binds the key
    pane: str = ""
    shadows: bool = False


_NAMES = {"pane('5')": "lut"}  # of the action table: as its pane's keys, layouts and the command have it


def plain_name(action: Action) -> str:
    """As ui.toml calls it: pause, debug_actions, metrics, log.filter."""
    if action.name in _NAMES:
        return _NAMES[action.name]
    name, _, argument = action.name.removeprefix("app.").partition("(")
    argument = argument.strip("()'\"")
    if argument:
        name = (
            argument
            if len(argument) > 2 and argument.isidentifier()
            else re.sub(r"[^a-z0-9]+", "_", action.label.lower()).strip("_")
        )
    return f"{action.pane}.{name}" if action.pane else name
