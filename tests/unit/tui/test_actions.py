"""The one registry of actions: keys of each place, bindings of screens and panes, what acts on the training."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import pytest
from textual.binding import Binding
from textual.screen import Screen

from rltui.events.commands import FLAGS
from rltui.tui.actions import (
    COCKPIT,
    LAUNCHER,
    PANE_KEYS,
    PLACES,
    Action,
    Place,
    bindings,
    in_footer,
    key_name,
    pane_actions,
    pane_bindings,
)
from rltui.tui.app import RltuiApp
from rltui.tui.browser.screen import BrowserScreen
from rltui.tui.cockpit.change_prompt import ChangePrompt
from rltui.tui.cockpit.screen import PANES, CockpitScreen
from rltui.tui.form.screen import FormScreen
from rltui.tui.help import HELP_COCKPIT, HelpScreen
from rltui.tui.keymap import checked_keys, keymap
from rltui.tui.launcher.screen import LauncherScreen
from rltui.tui.launcher.start import LaunchingScreen
from rltui.tui.panes.pane import Pane
from rltui.tui.widgets.dialogs import ChoiceDialog, Dialog

NEVER = {"ctrl+b", "ctrl+a", "ctrl+s", "ctrl+z"}  # of tmux, screen, flow control, suspend
BY_ID = {pane.pane_id(): pane for pane in PANES}
SCREENS: dict[Place, type[Screen[None]]] = {
    "cockpit": CockpitScreen, "launcher": LauncherScreen, "browser": BrowserScreen, "form": FormScreen,
}  # fmt: skip


def keys_of(actions: tuple[Action, ...]) -> list[str]:
    return [key for action in actions for key in action.keys]


def test_the_registry_of_each_screen_is_consistent(subtests: pytest.Subtests) -> None:
    for place, actions in PLACES.items():
        with subtests.test(place=place):
            keys = keys_of(actions)
            assert sorted(keys) == sorted(set(keys))
            assert len({action.name for action in actions}) == len(actions)
            assert all(action.label and (action.help or not action.palette) for action in actions)
            assert len(bindings(place)) == sum(len(action.keys) or 1 for action in actions if action.bound)
            assert next(action.name for action in in_footer(place) if action.footer == 0) in ("leave", "back")


# Acts that are one to the user: they share a key, and where they have two they share both.
ONE_ACT: tuple[frozenset[str], ...] = (
    frozenset({"filter", "no_filter"}),
    frozenset({"back", "dismiss", "close"}),
    frozenset({"leave", "dismiss", "close"}),
    frozenset({"help", "show_help", "dismiss"}),
    frozenset(
        {"launch", "open", "edit", "trace", "enlarge", "curve", "take", "switch", "dismiss", "close"}
    ),  # what the cursor is on
    frozenset({"edit", "marks", "choose"}),
    frozenset({"new", "fork", "add"}),
    frozenset({"delete", "remove"}),
    frozenset({"milestone", "keep"}),
    frozenset({"render", "watch"}),
    frozenset({"mark", "fold", "switch"}),
    frozenset({"move_cursor", "worker"}),  # sideways
    frozenset({"other_run", "car", "view", "next_mistake", "metric"}),  # the one before or after
    frozenset({"compare", "dismiss"}),
    frozenset({"pane", "column"}),  # what bears the digit
    frozenset({"next_pane", "focus_next", "toggle_view"}),  # the next part of the screen
    frozenset({"move", "select", "page"}),
)
WITH_A_LINE = (ChangePrompt,)  # its keys edit what is typed


def acts_by_key() -> dict[str, set[str]]:
    """Over all screens, panes and dialogs; the letters of a dialog's answers stand beside them and are none."""
    found: dict[str, set[str]] = {}
    for action in (*chain.from_iterable(PLACES.values()), *PANE_KEYS):
        for key in action.keys:
            for each in "123456789" if key == "1-9" else (key,):
                found.setdefault(each, set()).add(action.name.removeprefix("app.").partition("(")[0])
    for dialog in all_below(Dialog):
        for entry in dialog.BINDINGS if dialog not in WITH_A_LINE else ():
            keys, act = (entry.key, entry.action) if isinstance(entry, Binding) else entry[:2]
            for key in keys.split(","):
                found.setdefault(key, set()).add(act.partition("(")[0])
    return found


def all_below(kind: type) -> Iterator[type]:
    for each in kind.__subclasses__():
        yield each
        yield from all_below(each)


def test_a_key_is_one_act_on_all_screens_panes_and_dialogs() -> None:
    found = acts_by_key()
    several = {key: acts for key, acts in found.items() if len(acts) > 1 and not any(acts <= one for one in ONE_ACT)}
    assert several == {}
    unused = [one for one in ONE_ACT if not one <= set().union(*found.values())]
    assert unused == []


def test_the_same_act_has_the_same_keys_everywhere() -> None:
    keys: dict[str, set[tuple[str, ...]]] = {}
    for action in {*chain.from_iterable(PLACES.values()), *PANE_KEYS}:
        if action.keys and action.name != "edit":  # a form is opened by its key, a value by enter
            keys.setdefault(action.name, set()).add(action.keys)
    assert {name: several for name, several in keys.items() if len(several) > 1} == {}
    for one in (frozenset({"new", "fork", "add"}), frozenset({"delete", "remove"}), frozenset({"milestone", "keep"})):
        assert len(set().union(*(keys[name] for name in one))) == 1


def test_promote_delete_fork_and_force_have_left_the_capitals_of_the_training_and_ui_toml_may_give_them_back() -> None:
    found = acts_by_key()
    assert found["P"] == {"pause"} and found["D"] == {"flags"} and "F" not in found
    before = {"promote": ("P",), "delete": ("D",), "fork": ("F",), "force": ("F",)}
    assert checked_keys(before) == (before, [])
    assert {keymap(before)[name] for name in ("browser.fork", "launcher.force")} == {"F"}


def test_no_key_twice_in_a_pane_and_none_taken_from_the_screen_by_accident(subtests: pytest.Subtests) -> None:
    cockpit = set(keys_of(tuple(action for action in COCKPIT if action.bound)))
    for pane in BY_ID:
        with subtests.test(pane=pane):
            keys = keys_of(pane_actions(pane))
            assert sorted(keys) == sorted(set(keys))
            for action in pane_actions(pane):
                assert bool(cockpit.intersection(action.keys)) == action.shadows, f"{action.name}: {action.keys}"


def test_keys_of_tmux_screen_and_the_shell_are_never_bound() -> None:
    registered = {key for action in (*chain.from_iterable(PLACES.values()), *PANE_KEYS) for key in action.keys}
    for screen in (*SCREENS.values(), HelpScreen, LaunchingScreen, ChoiceDialog):
        bound = {
            key for entry in screen.BINDINGS for key in (entry[0] if isinstance(entry, tuple) else entry.key).split(",")
        }
        assert bound
        assert not {key for key in bound | registered if key in NEVER or key.startswith("ctrl+shift+")}, screen


def test_ctrl_q_has_an_alternative() -> None:
    """Some serial lines swallow it."""
    for actions in (COCKPIT, LAUNCHER):
        assert {"q", "ctrl+q"} <= set(next(action for action in actions if action.name == "leave").keys)


def test_what_a_browser_keeps_for_itself_has_another_key() -> None:
    """Print, quit, address, close, window, tab: no page gets them, or not everywhere."""
    kept = {f"ctrl+{letter}" for letter in "pqewnt"}
    alone = [action.name for action in (*chain.from_iterable(PLACES.values()), *PANE_KEYS) if set(action.keys) and kept.issuperset(action.keys)]  # fmt: skip
    assert alone == []
    bound = {entry.key for entry in RltuiApp.BINDINGS if isinstance(entry, Binding)}
    palette = next(action for action in COCKPIT if action.name == "app.command_palette")
    assert bound == {",".join(palette.keys)}, "which Textual would bind to the first alone"


def test_every_registered_action_exists() -> None:
    owners: list[tuple[str, Action, type]] = [(action.pane, action, BY_ID[action.pane]) for action in PANE_KEYS]
    owners += [(place, action, screen) for place, screen in SCREENS.items() for action in PLACES[place]]
    for place, action, owner in owners:
        name = action.name.partition("(")[0]
        holder = RltuiApp if name.startswith("app.") else owner
        if action.bound or action.palette:
            assert hasattr(holder, f"action_{name.removeprefix('app.')}"), (place, name)


def test_what_a_pane_binds_comes_from_the_registry() -> None:
    for name, pane in BY_ID.items():
        found = {(item.key, item.action) for item in pane.BINDINGS if isinstance(item, Binding)}
        expected = {(item.key, item.action) for item in pane_bindings(name) if isinstance(item, Binding)}
        assert found == expected, name
        assert found >= {(key, each.name) for each in pane_actions(name) if each.bound for key in each.keys}
        assert all(each.name in {action for _, action in found} for each in pane_actions(name)), (
            "ui.toml gives it a key"
        )
        assert not any(isinstance(item, tuple) for item in pane.BINDINGS), name
    assert all(action.label and (action.help or not action.palette) for action in PANE_KEYS)


def test_pane_ids_are_unique_and_plain() -> None:
    assert len(BY_ID) == len(PANES)
    for name, pane in BY_ID.items():
        assert issubclass(pane, Pane)
        assert name.isidentifier()
        assert name == name.lower()


def test_capitals_act_on_training_and_lower_case_on_the_view() -> None:
    """Except the aliases p and c that users of rlgym-ppo know, and H, which leads away; a change is typed."""

    def capital(action: Action) -> bool:
        return any(len(key) == 1 and key.isupper() for key in action.keys)

    assert {action.name for action in COCKPIT if capital(action)} == {
        "pause",
        "checkpoint",
        "milestone",
        "next_phase",
        "resume",
        "take_control",
        "stop",
        "render",
        "flags",
        "launcher",
        *(f"flag('{flag}')" for flag in FLAGS),
    }
    acting = [action for action in COCKPIT if action.trains and action.name != "change"]
    assert all(capital(action) for action in acting)
    lower = {(key, action.keys[0]) for action in acting for key in action.keys if key.islower()}
    assert lower == {("p", "P"), ("c", "C")}
    assert "(p and c do as P and C)" in HELP_COCKPIT


def test_key_names() -> None:
    assert [key_name(key) for key in ("question_mark", "escape", "ctrl+p", "P", "enter")] == [
        "?",
        "esc",
        "^p",
        "P",
        "enter",
    ]
