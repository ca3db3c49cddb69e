"""The user's own keys: which can be had, their clashes, keys in texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character

from rltui.errors import did_you_mean
from rltui.tui.actions import COCKPIT, NO_KEY, PANE_KEYS, PLACES, RETIRED, Action, Place, key_name, plain_name

RESERVED: Mapping[str, str] = {
    "ctrl+b": "it is tmux's", "ctrl+a": "it is screen's", "ctrl+s": "it stops the output of serial lines",
    "ctrl+z": "it suspends programs", "ctrl+c": "it copies, and by reflex it interrupts",
}  # fmt: skip
MODIFIERS = ("ctrl", "alt", "shift")
OwnKeys = Mapping[str, tuple[str, ...]]  # an action's plain name → its keys
_NAMES = {key.value for key in Keys} | {f"f{number}" for number in range(1, 25)}
_ACTION_IN_TEXT = re.compile(r"<([a-z_.]+)>")


@dataclass(frozen=True, slots=True)
class KeyProblem:
    """action: the plain name that was written."""

    action: str
    message: str
    hint: str = ""


def with_own_keys(actions: Iterable[Action], own: OwnKeys) -> tuple[Action, ...]:
    """The actions with the keys that they have now."""
    return tuple(
        replace(action, keys=own[name]) if (name := plain_name(action)) in own and action.bound else action
        for action in actions
    )


def meaning_elsewhere(key: str, own: OwnKeys) -> tuple[Place, Action] | None:
    """What a key does on the first screen beside the launcher that has it."""
    places: dict[Place, tuple[Action, ...]] = {**PLACES, "cockpit": (*COCKPIT, *PANE_KEYS)}
    found = ((place, action) for place in places if place != "launcher" for action in with_own_keys(places[place], own))
    return next(((place, action) for place, action in found if key in action.keys), None)


def keymap(own: OwnKeys) -> dict[str, str]:
    """As Textual wants it: a binding's id → its keys; the ids are those of actions.bindings."""
    places = [(place, action) for place, actions in PLACES.items() for action in actions]
    places += [(action.pane, action) for action in PANE_KEYS]  # type: ignore[misc]  # a pane's id beside the places'
    return {
        f"{owner}.{action.name}": ",".join(own[name])
        for owner, action in places
        if (name := plain_name(action)) in own and action.bound
    }


def normal_key(text: str) -> str | None:
    """The key as Textual names it: "?" → question_mark, "Ctrl+x" → ctrl+x; None where there is no such key."""
    head, plus, last = text.rpartition("+")
    if not last:  # the plus itself: "+", "ctrl++"
        head, last = head.removesuffix("+"), plus
    modifiers = [part.strip().lower() for part in head.split("+") if part]
    name = _key_of(last)
    if name is None or any(part not in MODIFIERS for part in modifiers):
        return None
    return "+".join([*sorted(set(modifiers), key=MODIFIERS.index), name])


def _key_of(text: str) -> str | None:
    """A single character, or a name that Textual or Unicode knows."""
    if len(text) != 1:
        known = text.lower() in _NAMES or key_to_character(text.lower()) is not None
        return text.lower() if known and text else None
    if text == " " or not text.isprintable():
        return "space" if text == " " else None
    name = text if text.isalnum() else unicodedata.name(text, "").lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name) or None


def checked_keys(wanted: OwnKeys) -> tuple[dict[str, tuple[str, ...]], list[KeyProblem]]:
    """(those that hold, by plain name; why each other does not)."""
    problems: list[KeyProblem] = []
    good: dict[str, tuple[str, ...]] = {}
    known = {plain_name(action): action for action in (*(a for place in PLACES.values() for a in place), *PANE_KEYS)}
    for name, keys in wanted.items():
        if name in RETIRED:
            continue
        problem, normal = _checked(name, keys, known)
        if problem is None:
            good[name] = normal
        else:
            problems.append(problem)
    good |= _given_way(good)
    while clash := _clash(good):
        problems.append(clash)
        del good[clash.action]
    return good, problems


def _checked(
    name: str, keys: tuple[str, ...], known: Mapping[str, Action]
) -> tuple[KeyProblem | None, tuple[str, ...]]:
    action = known.get(name)
    if action is None:
        return KeyProblem(name, "there is no such action", did_you_mean(name, known) or "docs/keys.md lists them"), ()
    if not action.bound:
        return KeyProblem(name, "its keys are fixed"), ()
    if not keys:
        return KeyProblem(name, "it must have a key"), ()
    normal = []
    for key in keys:
        found = normal_key(key)
        if found is None:
            return KeyProblem(name, f"{key!r} is no key", 'a character, or a name such as "f5", "ctrl+x", "space", "pageup"'), ()  # fmt: skip
        if found in RESERVED or found.startswith("ctrl+shift+"):
            why = RESERVED.get(found, "terminals have ctrl+shift for themselves")
            return KeyProblem(name, f"{key!r} cannot be had: {why}"), ()
        normal.append(found)
    return None, tuple(dict.fromkeys(normal))


def _given_way(own: OwnKeys) -> dict[str, tuple[str, ...]]:
    """Keys of the actions that have others since this version, where the user has those already: an old ui.toml holds."""
    groups = [*PLACES.values(), (*COCKPIT, *PANE_KEYS)]
    found: dict[str, tuple[str, ...]] = {}
    for actions in groups:
        taken = {key for action in actions for key in own.get(plain_name(action), ())}
        for action in actions:
            name = plain_name(action)
            if action.was is not None and name not in own and taken.intersection(action.keys):
                found[name] = tuple(key for key in (*action.keys, *action.was) if key not in taken)
    return found


def _clash(own: OwnKeys) -> KeyProblem | None:
    """The first own key that another action of the same place has; of two own ones the later written is refused."""
    panes = {action.pane for action in PANE_KEYS}
    for actions in (*PLACES.values(), *(tuple(a for a in PANE_KEYS if a.pane == pane) for pane in panes)):
        problem = _clash_in(with_own_keys(actions, own), own, ())
        if problem is not None:
            return problem
    cockpit = with_own_keys(PLACES["cockpit"], own)
    for action in with_own_keys(PANE_KEYS, own):
        problem = None if action.shadows else _clash_in((action,), own, cockpit)
        if problem is not None:
            return problem
    return None


def _clash_in(actions: Iterable[Action], own: OwnKeys, around: Iterable[Action]) -> KeyProblem | None:
    holders: dict[str, Action] = {key: action for action in around for key in action.keys if action.bound}
    order = list(own)
    for action in actions:
        for key in action.keys:
            other = holders.setdefault(key, action)
            if other is action:
                continue
            mine, theirs = plain_name(action), plain_name(other)
            later = max((name for name in (mine, theirs) if name in own), key=order.index, default=None)
            if later is not None:
                holder = theirs if later == mine else mine
                return KeyProblem(later, f"{key!r} is the key of {holder} already", f"give {holder} another key too")
    return None


def with_keys(text: str, own: OwnKeys) -> str:
    """`<name>` of an action of the cockpit (`log.open`: of a pane), else of the browser, becomes its first key."""

    def key_in(found: re.Match[str]) -> str:
        action = _by_plain_name().get(found[1])
        return found[0] if action is None else _first_key(action, own)

    return _ACTION_IN_TEXT.sub(key_in, text) if "<" in text else text


def pane_key(number: str, own: OwnKeys) -> str:
    """The key that shows the pane whose usual key is `number`; that one where there is no such pane."""
    action = _by_name().get(f"pane('{number}')")
    return number if action is None else _first_key(action, own)


def _first_key(action: Action, own: OwnKeys) -> str:
    keys = with_own_keys((action,), own)[0].keys
    return key_name(keys[0]) if keys else NO_KEY


@lru_cache(1)
def _by_plain_name() -> dict[str, Action]:
    """Of browser, cockpit and panes, by the name that ui.toml has for them."""
    return {plain_name(action): action for action in (*PLACES["browser"], *COCKPIT, *PANE_KEYS)}


@lru_cache(1)
def _by_name() -> dict[str, Action]:
    """Of the cockpit, by the name that Textual has for them."""
    return {action.name: action for action in COCKPIT}
