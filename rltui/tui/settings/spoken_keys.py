"""Keys in running text: `<freeze>` there stands for the key that freezes, as the user has it. Pure."""

from __future__ import annotations

import re
from functools import lru_cache

from rltui.tui.action import Action, plain_name
from rltui.tui.actions import COCKPIT, key_name
from rltui.tui.pane_keys import PANE_KEYS
from rltui.tui.settings.own_keys import OwnKeys, with_own_keys

_PLACE = re.compile(r"<([a-z_.]+)>")


def with_keys(text: str, own: OwnKeys) -> str:
    """`<name>` of an action of the cockpit (`log.next_hit`: of a pane) becomes its first key; of none it stays as it is."""
    return _PLACE.sub(lambda found: _spoken(found[1], own) or found[0], text) if "<" in text else text


def _spoken(name: str, own: OwnKeys) -> str:
    action = _actions().get(name)
    return _key(action, own) if action is not None else ""


def pane_key(number: str, own: OwnKeys) -> str:
    """The key that shows the pane whose usual key is `number`; that one where there is no such pane."""
    action = _by_name().get(f"pane('{number}')")
    return number if action is None else _key(action, own)


def _key(action: Action, own: OwnKeys) -> str:
    keys = with_own_keys((action,), own)[0].keys
    return key_name(keys[0]) if keys else "^p"  # by the palette alone


@lru_cache(1)
def _actions() -> dict[str, Action]:
    """By the name that ui.toml has for them."""
    return {plain_name(action): action for action in (*COCKPIT, *PANE_KEYS)}


@lru_cache(1)
def _by_name() -> dict[str, Action]:
    """Of the cockpit, by the name that Textual has for them."""
    return {action.name: action for action in COCKPIT}
