"""The launcher's preflight, estimates, forcing, comparing and filtering, on fake children."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rltui.errors import RltuiError
from rltui.runs.paths import DataDir
from rltui.tui.capture import screen_text
from rltui.tui.checks.child import LinesProcess
from rltui.tui.dependencies import LauncherDependencies
from rltui.tui.launcher.check_lines import tally
from rltui.tui.launcher.details import LauncherDetails
from rltui.tui.launcher.screen import LauncherScreen
from tests.fakes import children, data_folder
from tests.fakes.launches import Launches
from tests.fakes.screens import LAUNCHER_NOW, Clock, launcher, until, until_shown

TALL = (120, 50)


async def test_the_checks_turn_green_one_by_one_and_the_speed_is_measured_on_its_key(data: DataDir) -> None:
    gate, began = threading.Event(), Clock(LAUNCHER_NOW - 7)
    async with launcher(data, TALL, tools=children.tools(doctor_goes=gate, clock=began)) as pilot:
        shown = await until_shown(pilot, "✓ shared memory")
        assert "✓ action table" in shown and "d measures the speed" in shown
        gate.set()
        await until_shown(pilot, "✓ ready to launch")
        assert not Path("cache").exists()
        gate.clear()
        await pilot.press("d")
        shown = await until_shown(pilot, "◌ measuring the speed, for 7 s: it trains for a few seconds")
        assert shown.count("measuring the speed") == 2  # on the border too
        gate.set()
        shown = await until_shown(pilot, "about 14,000 steps/s, 612 MB of memory, a")
        assert "every 5 min 51 s" in shown and "measured here" in shown and "✓ ready to launch" in shown
        await pilot.press("down", "down", "d")  # one with mistakes
        await until_shown(pilot, "only a valid profile can be measured")
    assert (Path("cache") / next(Path("cache").iterdir()).name).is_file()


async def test_enter_does_not_wait_for_the_doctor_and_says_so(data: DataDir) -> None:
    gate = threading.Event()
    launches, tools = Launches(waits=True), children.tools(doctor_goes=gate)
    async with launcher(data, TALL, launch=launches, tools=tools) as pilot:
        await until_shown(pilot, "✓ gpu")
        child = tools.preflights._newest.current
        assert isinstance(child, children.FakeDoctor)
        await pilot.press("enter")
        await until_shown(pilot, "preflight not finished")
        await until(pilot, child.ended.is_set)
        details = pilot.app.screen_stack[-2].query_one(LauncherDetails)
        found, screen = tally(details.preflight), pilot.app.screen_stack[-2]
        assert isinstance(screen, LauncherScreen) and "checked" in found
        screen._show_details()  # as news from the disk has it do
        assert (tally(details.preflight), details.border_subtitle, details._key) == (found, found, ""), "as it was left"
        launches.fails = RltuiError("over", "")
        gate.set()
        launches.go.set()
        await until_shown(pilot, "It did not start: over")
        await pilot.press("escape")
        await until_shown(pilot, "✓ ready to launch")  # looked at anew
        await pilot.press("enter")
        assert "preflight not finished" not in await until_shown(pilot, "It did not start: over")


async def test_what_is_known_is_not_asked_for_again(data: DataDir) -> None:
    tools = children.tools()
    begun = counted(tools)
    async with launcher(data, TALL, tools=tools) as pilot:
        for key in ("down", "up", "down"):
            await until_shown(pilot, "✓ ready to launch")
            await pilot.press(key)
        await until_shown(pilot, "✓ ready to launch")
    assert len(begun) == 2


def counted(tools: LauncherDependencies) -> list[str]:
    """The profiles that doctors are started for, from now on."""
    begun: list[str] = []
    start = tools.preflights._start

    def count(command: Sequence[str]) -> LinesProcess:
        begun.append(command[3])
        return start(command)

    tools.preflights._start = count
    return begun


async def test_a_failing_check_says_what_launching_will_do(data: DataDir) -> None:
    fails = {"memory": ("about 64 GB needed, 14 of 25 GB free", "fewer collect.workers")}
    async with launcher(data, TALL, tools=children.tools(fails=fails)) as pilot:
        shown = await until_shown(pilot, "✗ 1 failed")
        assert "✗ memory: about 64 GB needed" in shown and "fewer collect.workers" in shown
        assert "the system may end the trainer" in shown


async def test_what_was_checked_a_while_ago_says_so_and_r_checks_again(data: DataDir) -> None:
    clock = Clock(LAUNCHER_NOW - 180)
    tools = children.tools(clock=clock)
    async with launcher(data, TALL, tools=tools) as pilot:
        await until_shown(pilot, "3 min ago, r checks again")
        clock.now = LAUNCHER_NOW
        await pilot.press("r")
        await until(pilot, lambda: "r checks again" not in screen_text(pilot.app.screen))
        await until_shown(pilot, "✓ ready to launch")


async def test_another_content_is_checked_anew(data: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the profile, or of a file that it names."""
    monkeypatch.setattr("rltui.tui.launcher.screen.REFRESH", 0.2)
    own = Path("mine.py")
    own.write_text("class Mine: ...")
    profile = Path("profiles/ball-touching.toml")
    profile.write_text(f'{profile.read_text()}[rewards]\n"mine.py:Mine" = 1\n')
    tools = children.tools()
    begun = counted(tools)
    async with launcher(data, TALL, tools=tools) as pilot:
        await until_shown(pilot, "✓ ready to launch")
        assert len(begun) == 1
        own.write_text("class Mine: ...  # mended")
        await until(pilot, lambda: len(begun) == 2)
        await until_shown(pilot, "✓ ready to launch")
        profile.write_text(f"{profile.read_text()}# a remark\n")
        await until(pilot, lambda: len(begun) == 3)
        await until_shown(pilot, "✓ ready to launch")


async def test_moving_on_ends_the_child(data: DataDir) -> None:
    tools = children.tools(doctor_goes=threading.Event())
    async with launcher(data, TALL, tools=tools) as pilot:
        await until_shown(pilot, "✓ gpu")
        child = tools.preflights._newest.current
        assert isinstance(child, children.FakeDoctor)
        await pilot.press("down")
        await until(pilot, child.ended.is_set)
        await until_shown(pilot, "Clean shots")


def forcible(path: str) -> dict[str, Any]:
    found = data_folder_verdict(path)
    if Path(path).stem == "my-bot":
        good = data_folder_verdict(path.replace("my-bot", "ball-touching"))
        error = {"file": path, "line": 3, "key": "actions.table", "message": "the action table x fails 6 checks"}
        return {**good, "valid": False, "forcible": True, "errors": [error]}
    return found


data_folder_verdict = data_folder.verdict


async def test_force_names_what_it_passes_over(data: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_folder, "verdict", forcible)
    launches = Launches()
    async with launcher(data, TALL, launch=launches) as pilot:
        await pilot.press("down", "down")
        await until_shown(pilot, "enter asks whether to launch it all the same")
        await pilot.press("enter")
        await until_shown(pilot, "Launch all the same")
        await until_shown(pilot, "the action table x fails 6 checks")
        await pilot.press("escape")
        assert launches.plans == []
        await pilot.press("enter", "f")
        await until(pilot, lambda: bool(launches.plans))
        assert launches.plans[0].args == ("--resume", "new", "--force")


async def test_two_profiles_are_compared(data: DataDir) -> None:
    found = [
        {"key": "ppo.epochs", "left": "2", "right": "3"},
        {"key": "rewards.goal", "left": None, "right": "{weight = 1.0}"},
    ]
    async with launcher(data, TALL, tools=children.tools(differences=found)) as pilot:
        await pilot.press("equals_sign")
        await until_shown(pilot, "ball-touching is one side")
        await pilot.press("down", "equals_sign")
        shown = await until_shown(pilot, "ball-touching and bronze-skills")
        assert "2 differences" in shown and "- 2" in shown and "+ 3" in shown and "- not there" in shown


async def test_the_list_is_filtered_as_one_types_and_esc_goes_back_to_where_the_cursor_was(data: DataDir) -> None:
    async with launcher(data, TALL) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, LauncherScreen)
        before = screen.item
        assert before is not None
        await pilot.press("slash", "b", "r", "o")
        await until(pilot, lambda: screen.item != before)
        await pilot.press("escape")
        assert screen.item == before and not screen.tree_list.border_subtitle
        await pilot.press("slash", "b", "r", "o")
        await until(pilot, lambda: "my-bot" not in screen_text(pilot.app.screen))
        assert screen.item is not None and "bronze" in screen.item.name
        await pilot.press("enter", "escape")
        await until_shown(pilot, "my-bot")
        assert screen.item is not None and "bronze" in screen.item.name  # it was kept by enter


CAMPAIGN = [
    {"profile": "bronze-skills", "rewards": {"goal": 20.0}, "until": {"goals": 2}, "min_steps": 500_000},
    {"profile": "ball-touching", "rewards": {"touch": 1.0}, "learning_rate": 8e-4},
]


def campaign(path: str) -> dict[str, Any]:
    found: dict[str, Any] = data_folder_verdict(path)
    return {**found, "summary": {**found.get("summary", {}), "phases": CAMPAIGN}}


async def test_a_campaign_shows_the_phase_with_which_it_begins_then_the_one_in_which_it_goes_on(
    data: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checkpoint of run alpha was saved in the phase ball-touching."""
    monkeypatch.setattr(data_folder, "verdict", campaign)
    async with launcher(data, (120, 60)) as pilot:
        shown = await until_shown(pilot, "Phases")
        assert "▸ bronze-skills" in shown and "until goals 2, at least 500 k" in " ".join(shown.split())
        assert "Rewards and weights of bronze-skills" in shown
        data_folder.make_stopped(data, "alpha", iterations=560, time=LAUNCHER_NOW - 180)
        await pilot.press("r")
        await until(pilot, lambda: "alpha" in screen_text(pilot.app.screen))
        await pilot.press("down", "up")
        shown = await until_shown(pilot, "▸ ball-touching")
        assert "Rewards and weights of ball-touching" in shown and "learning rate 0.0008" in shown
