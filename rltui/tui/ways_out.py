"""What esc says where it has nothing to close: the keys that leave. Pure."""

from __future__ import annotations

from rltui.tui.actions import COCKPIT, key_name
from rltui.tui.paint import Line
from rltui.tui.settings.own_keys import OwnKeys, with_own_keys


def ways_out(own: OwnKeys) -> Line:
    """Of the cockpit, as the user has them."""
    keys = {action.name: key_name(action.keys[0]) for action in with_own_keys(COCKPIT, own) if action.keys}
    return (
        ("nothing to close here: ", "muted"),
        (keys["launcher"], "key"), (" launcher, ", "strong"),
        (keys["leave"], "key"), (" quit", "strong"),
    )  # fmt: skip
