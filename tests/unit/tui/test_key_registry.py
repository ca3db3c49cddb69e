"""The one registry: no key twice in one place, none that belongs to somebody else, each row bound to a method that is there."""

from __future__ import annotations

from itertools import chain

import pytest
from textual.binding import Binding

from rltui.tui.actions import COCKPIT, PANE_KEYS, PLACES, Action, Place, pane_actions, pane_bindings
from rltui.tui.cockpit.screen import PANES
from rltui.tui.help import pane_key_lines
from rltui.tui.panes.pane import Pane

NEVER = {"ctrl+b", "ctrl+a", "ctrl+s", "ctrl+z"}
BY_ID = {pane.pane_id(): pane for pane in PANES}


def every_action() -> list[Action]:
    return [*chain.from_iterable(PLACES.values()), *PANE_KEYS]


def keys_of(actions: tuple[Action, ...]) -> list[str]:
    return [key for action in actions for key in action.keys]


@pytest.mark.parametrize("place", PLACES)
def test_no_key_twice_on_a_screen(place: Place) -> None:
    keys = keys_of(PLACES[place])
    assert sorted(keys) == sorted(set(keys))


@pytest.mark.parametrize("pane", sorted(BY_ID))
def test_no_key_twice_in_a_pane_and_none_taken_from_the_screen_by_accident(pane: str) -> None:
    actions = pane_actions(pane)
    keys = keys_of(actions)
    assert sorted(keys) == sorted(set(keys))
    cockpit = set(keys_of(tuple(action for action in COCKPIT if action.bound)))
    for action in actions:
        assert bool(cockpit.intersection(action.keys)) == action.shadows, f"{action.name}: {action.keys}"


def test_never_a_key_of_tmux_screen_flow_control_or_suspend() -> None:
    for action in every_action():
        for key in action.keys:
            assert key not in NEVER, action.name
            assert not key.startswith("ctrl+shift+"), action.name


@pytest.mark.parametrize("action", PANE_KEYS, ids=lambda action: f"{action.pane}-{action.name}")
def test_the_keys_of_panes_are_bound_to_methods_of_panes_that_exist(action: Action) -> None:
    pane = BY_ID[action.pane]
    assert action.label
    assert action.help
    if action.bound or action.palette:
        assert hasattr(pane, f"action_{action.name.partition('(')[0]}")
    if action.bound:
        bound = {item.key for item in pane.BINDINGS if isinstance(item, Binding)}
        assert set(action.keys) <= bound


def test_what_a_pane_binds_comes_from_the_registry() -> None:
    for name, pane in BY_ID.items():
        found = {(item.key, item.action) for item in pane.BINDINGS if isinstance(item, Binding)}
        expected = {(item.key, item.action) for item in pane_bindings(name) if isinstance(item, Binding)}
        assert found == expected, name
        assert not any(isinstance(item, tuple) for item in pane.BINDINGS), name


def test_the_keys_of_a_pane_are_in_its_help(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Action("filter", ("slash",), "Filter", "Show only what matches", "View", pane="log")
    monkeypatch.setattr("rltui.tui.actions.PANE_KEYS", (row,))
    [title, line] = pane_key_lines("log", "Log", 60)
    assert title[0][0] == "Keys of Log"
    assert "".join(text for text, _ in line) == "/            Show only what matches"
    assert pane_key_lines("time", "Time", 60) == []


def test_pane_ids_are_unique_and_plain() -> None:
    assert len(BY_ID) == len(PANES)
    for name, pane in BY_ID.items():
        assert issubclass(pane, Pane)
        assert name.isidentifier()
        assert name == name.lower()
