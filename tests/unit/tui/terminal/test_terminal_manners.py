"""What terminals can show and what they need for themselves: ASCII, contrast, keys that are never bound."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.color import ColorSystem
from rich.segment import Segment
from textual.color import Color
from textual.theme import Theme

from rltui.events.commands import FLAGS
from rltui.tui.actions import COCKPIT, LAUNCHER, PLACES, Action, Place, bindings, in_footer, key_name
from rltui.tui.ascii import AsciiFilter, chart_style, needs_ascii, to_ascii
from rltui.tui.cockpit.dialogs import QuitDialog
from rltui.tui.cockpit.screen import CockpitScreen
from rltui.tui.help import HELP_COCKPIT, HelpScreen
from rltui.tui.launcher.screen import LauncherScreen
from rltui.tui.launcher.start import LaunchingScreen
from rltui.tui.themes import DARK, LIGHT

README = Path(__file__).parents[4] / "README.md"


@pytest.mark.parametrize(
    ("environ", "ascii_only"),
    [
        ({"LANG": "en_GB.UTF-8"}, False),
        ({"LANG": "C.utf8"}, False),
        ({"LC_CTYPE": "UTF-8"}, False),
        ({}, False),
        ({"LANG": "C"}, True),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, True),  # Python sets LC_CTYPE itself where LANG is C
        ({"LANG": "C", "LC_CTYPE": "de_DE.UTF-8"}, False),
        ({"LC_ALL": "POSIX", "LANG": "en_GB.UTF-8"}, True),
        ({"LANG": "de_DE.ISO-8859-1"}, True),
        ({"LANG": "en_GB.UTF-8", "TERM": "dumb"}, True),
        ({"LANG": "en_GB.UTF-8", "TERM": "linux"}, True),
        ({"LANG": "en_GB.UTF-8", "TERM": "xterm-256color"}, False),
    ],
)
def test_where_ascii_is_needed(environ: Mapping[str, str], ascii_only: bool) -> None:
    assert needs_ascii(environ) is ascii_only


def test_what_charts_are_drawn_with() -> None:
    assert chart_style({}, ascii_only=True) == "ascii"
    assert chart_style({}, ascii_only=False, windows=False) == "braille"
    assert chart_style({}, ascii_only=False, windows=True) == "blocks"
    assert chart_style({"WT_SESSION": "1"}, ascii_only=False, windows=True) == "braille"


def test_every_line_becomes_ascii_of_the_same_width() -> None:
    text = "╭─ 1 Metrics ─╮ ● COLLECTING · 58.4 µs – ━━╸── ⣿ 球 é"
    found = to_ascii(text)
    assert found.isascii()
    assert len(found) == len(text) + 1  # the ideograph takes two columns
    assert found.startswith("+- 1 Metrics -+ * COLLECTING | 58.4 us - ==--- ? ?? ?")
    segments = AsciiFilter().apply([Segment("━"), Segment("plain")], Color.parse("black"))
    assert [segment.text for segment in segments] == ["=", "plain"]


def _luminance(color: str) -> float:
    parts = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in Color.parse(color).normalized
    )
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(one: str, other: str) -> float:
    """The WCAG ratio, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_text_is_readable_on_its_background(theme: Theme) -> None:
    assert theme.background
    assert theme.panel
    colours = {
        "foreground": theme.foreground, "primary": theme.primary, "good": theme.success, "warn": theme.warning, "bad": theme.error,
        "muted": theme.variables["muted"],
    }  # fmt: skip
    for name, colour in colours.items():
        assert colour is not None
        for background in (theme.background, theme.panel, theme.variables["cursor-background"]):
            assert contrast(colour, background) >= 4.5, (theme.name, name, background)
    for background in (theme.background, theme.panel):
        assert contrast(theme.variables["faint"], background) >= 4.5, theme.name
    for pill in (theme.success, theme.warning, theme.error, theme.primary, theme.variables["muted"]):
        assert pill is not None
        assert contrast(theme.variables["pill-foreground"], pill) >= 4.5, (theme.name, pill)
    for number in range(1, 8):
        assert contrast(theme.variables[f"series-{number}"], theme.background) >= 3.0, (theme.name, number)


def test_quiet_colours_stay_grey_where_there_are_256() -> None:
    for name in ("quiet-border", "track", "band", "muted", "faint"):
        number = RichColor.parse(DARK.variables[name]).downgrade(ColorSystem.EIGHT_BIT).number
        assert number is not None
        assert number >= 232, (name, number)  # the grey ramp


NEVER = {"ctrl+b", "ctrl+a", "ctrl+s", "ctrl+z"}


@pytest.mark.parametrize("screen", [CockpitScreen, LauncherScreen, HelpScreen, LaunchingScreen, QuitDialog])
def test_keys_of_tmux_screen_and_the_shell_are_never_bound(screen: type[CockpitScreen]) -> None:
    bound = {
        key for entry in screen.BINDINGS for key in (entry[0] if isinstance(entry, tuple) else entry.key).split(",")
    }
    assert bound
    assert not {key for key in bound if key in NEVER or key.startswith("ctrl+shift+")}


def test_ctrl_q_has_an_alternative() -> None:
    """Some serial lines swallow it."""
    for actions in (COCKPIT, LAUNCHER):
        assert {"q", "ctrl+q"} <= set(next(action for action in actions if action.name == "leave").keys)


@pytest.mark.parametrize("place", PLACES)
def test_the_registry_is_consistent(place: Place) -> None:
    actions = PLACES[place]
    keys = [key for action in actions for key in action.keys]
    assert len(keys) == len(set(keys))
    assert len({action.name for action in actions}) == len(actions)
    assert all(action.help and action.label for action in actions)
    assert len(bindings(place)) == sum(len(action.keys) for action in actions if action.bound)
    assert next(action.name for action in in_footer(place) if action.footer == 0) in ("leave", "back")


@pytest.mark.parametrize(("place", "screen"), [("cockpit", CockpitScreen), ("launcher", LauncherScreen)])
def test_every_registered_action_exists(place: Place, screen: type[CockpitScreen]) -> None:
    from rltui.tui.app import RltuiApp

    for action in PLACES[place]:
        name = action.name.partition("(")[0]
        owner = RltuiApp if name.startswith("app.") else screen
        if action.bound or action.palette:
            assert hasattr(owner, f"action_{name.removeprefix('app.')}"), name


def test_capitals_act_on_training_and_lower_case_on_the_view() -> None:
    """Except the aliases p and c that users of rlgym-ppo know, and H, which leads away; a change is typed."""

    def capital(action: Action) -> bool:
        return any(len(key) == 1 and key.isupper() for key in action.keys)

    assert {action.name for action in COCKPIT if capital(action)} == {
        "pause",
        "checkpoint",
        "milestone",
        "next_phase",
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
    assert "(`p` and `c` do as `P` and `C`)" in README.read_text(encoding="utf-8")
    assert "(p and c do as P and C)" in HELP_COCKPIT


def test_key_names() -> None:
    assert [key_name(key) for key in ("question_mark", "escape", "ctrl+p", "P", "enter")] == [
        "?",
        "esc",
        "^p",
        "P",
        "enter",
    ]
