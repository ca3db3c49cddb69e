"""Keys of the launcher: what is launched, resumed, opened, branched, and what happens when that fails."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import msgspec
import pytest
from textual import events
from textual.keys import key_to_character

from rltui.errors import RltuiError
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir
from rltui.tui.actions import BROWSER, COCKPIT, FORM, PANE_KEYS, PLACES
from rltui.tui.app import RltuiApp
from rltui.tui.browser.screen import BrowserScreen
from rltui.tui.capture import screen_text
from rltui.tui.checks.results import ProfileChecker
from rltui.tui.cockpit.screen import CockpitScreen
from rltui.tui.dependencies import Dependencies
from rltui.tui.launcher.catalog import Catalog
from rltui.tui.launcher.screen import LauncherScreen
from rltui.tui.launcher.start import LaunchingScreen
from rltui.tui.launcher.tree import Item
from rltui.tui.messages import RunOpened
from rltui.tui.widgets.filter_bar import Pattern
from rltui.tui.widgets.list_view import STEPS
from tests.fakes import children, data_folder, run_story, saved_runs
from tests.fakes.fake_run import FakeRun
from tests.fakes.launches import Launches
from tests.fakes.screens import LAUNCHER_NOW, Clock, launcher, live_run, two_runs, until, until_shown


def item(pilot_screen: object) -> str:
    assert isinstance(pilot_screen, LauncherScreen)
    found = pilot_screen.item
    return f"{found.kind} {Path(found.name).name}" if found else "none"


async def test_enter_launches_what_the_right_side_says_then_the_cockpit_opens(data: DataDir) -> None:
    launches = Launches(waits=True)
    run = FakeRun(run_story.opening("ball-touching-1"), name="ball-touching-1")
    async with launcher(data, launch=launches, run=run) as pilot:
        await until_shown(pilot, "start the new run ball-touching-1")
        await pilot.press("enter", "enter")  # an impatient finger starts one trainer
        await until_shown(pilot, "torch loads")
        await pilot.press("escape", "q")  # a start cannot be called back
        assert isinstance(pilot.app.screen, LaunchingScreen)
        launches.go.set()
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))
        await until_shown(pilot, "ball-touching-1")
        assert [(plan.profile, plan.run, plan.args) for plan in launches.plans] == [
            ("ball-touching", "ball-touching-1", ("--resume", "new"))
        ]


async def test_enter_resumes_n_never_does_and_a_failed_start_says_why(data: DataDir) -> None:
    two_runs(data)
    launches = Launches(RltuiError("cannot make data/runs: Permission denied", "choose another folder: --data-dir DIR"))
    async with launcher(data, launch=launches) as pilot:
        await until_shown(pilot, "resume alpha at 11,468,800 timesteps")
        for key in ("enter", "n"):
            await pilot.press(key)
            text = await until_shown(pilot, "It did not start: cannot make data/runs: Permission denied")
            assert "choose another folder: --data-dir DIR" in text
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(pilot.app.screen, LauncherScreen))
    assert [(plan.run, plan.args) for plan in launches.plans] == [
        ("alpha", ()),
        ("ball-touching-1", ("--resume", "new")),
    ]


def slow_checks(launches: Launches, checking: threading.Event, data: DataDir) -> RltuiApp:
    """The app whose profiles are checked once that is let go."""

    def check(command: Sequence[str]) -> bytes:
        assert checking.wait(15)
        return data_folder.check_child(list(command))

    dependencies = Dependencies(
        launch=launches,
        checker=ProfileChecker(check),
        clock=Clock(LAUNCHER_NOW),
        tools=children.tools(),
    )
    return RltuiApp(data, dependencies=dependencies)


async def test_enter_before_the_words_are_there_is_not_lost(data: DataDir) -> None:
    """A quick hand: the child still judges the profile when enter is pressed."""
    checking, launches = threading.Event(), Launches(waits=True)
    async with slow_checks(launches, checking, data).run_test(size=(120, 40)) as pilot:
        await until_shown(pilot, "the profile is being checked")
        await pilot.press("enter")
        assert launches.plans == []
        checking.set()
        await until(pilot, lambda: [plan.run for plan in launches.plans] == ["ball-touching-1"])
        await until_shown(pilot, "nothing is saved yet")
        launches.fails = RltuiError("over", "")
        launches.go.set()
        await until_shown(pilot, "It did not start: over")


async def test_moving_on_takes_an_early_enter_back(data: DataDir) -> None:
    checking, launches = threading.Event(), Launches()
    async with slow_checks(launches, checking, data).run_test(size=(120, 40)) as pilot:
        await until_shown(pilot, "the profile is being checked")
        await pilot.press("enter", "down", "up")
        checking.set()
        await until_shown(pilot, "start the new run ball-touching-1")
        assert launches.plans == []


async def test_an_invalid_profile_cannot_be_launched_until_it_is_mended(
    data: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    launches = Launches()
    async with launcher(data, launch=launches) as pilot:
        await pilot.press("down", "down")
        await until_shown(pilot, "2 mistakes: it cannot be launched")
        await until(pilot, lambda: pilot.app.screen.plan is not None)  # type: ignore[attr-defined]
        await pilot.press("enter")
        await until_shown(pilot, "the profile is not valid")
        assert launches.plans == []
        assert "✗ my-bot" in screen_text(pilot.app.screen)
        verdict = data_folder.verdict
        monkeypatch.setattr(data_folder, "verdict", lambda path: verdict(path.replace("my-bot", "ball-touching")))
        Path("profiles/my-bot.toml").write_text("schema = 1\n# mended\n", encoding="utf-8")
        await pilot.press("r")
        await until_shown(pilot, "✓ my-bot")


async def go_to(pilot: object, wanted: str) -> None:
    from textual.pilot import Pilot

    assert isinstance(pilot, Pilot)
    for _ in range(30):
        if item(pilot.app.screen) == wanted:
            return
        await pilot.press("down")
    raise AssertionError(f"no {wanted}; at {item(pilot.app.screen)}")


async def test_a_run_is_opened_by_enter_and_resumed_by_its_capital(data: DataDir) -> None:
    two_runs(data)
    launches = Launches(RltuiError("not now", ""))
    run = FakeRun(run_story.told(30), name="beta", process=False)
    async with launcher(data, launch=launches, run=run) as pilot:
        await go_to(pilot, "run beta")
        await until_shown(pilot, "resume beta at 5,120,000 timesteps")
        await pilot.press("R")
        await until_shown(pilot, "not now")
        assert (launches.plans[0].run, launches.plans[0].args) == ("beta", ())
        await pilot.press("escape", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))
        await until_shown(pilot, "ENDED UNCLEANLY")


async def test_a_run_at_its_step_limit_asks_for_a_new_one_before_it_goes_on(data: DataDir) -> None:
    two_runs(data)
    paths = data_folder.make_stopped(data, "gamma", iterations=250, time=LAUNCHER_NOW - 60, limit=5_120_000)
    launches = Launches(RltuiError("not now", ""))
    async with launcher(data, launch=launches) as pilot:
        await go_to(pilot, "run gamma")
        await until_shown(pilot, "! its limit of 5,120,000 timesteps is reached")
        await pilot.press("R")
        text = await until_shown(pilot, "gamma stands at 5,120,000 timesteps")
        assert all(
            words in text for words in ("its limit was", "Type the new total: 6,000,000 trains 880,000", "no limit")
        )
        await until_shown(pilot, "trains until stopped")
        await pilot.press("escape", "R")
        assert launches.plans == []
        await until_shown(pilot, "Up to which total of timesteps?")
        await pilot.press(*"5M", "enter")
        await until_shown(pilot, "it stands at 5,120,000 already: type the total")
        await pilot.press("backspace", "backspace", *"6M")
        await until_shown(pilot, "trains 880,000 more")
        await pilot.press("enter")
        await until_shown(pilot, "not now")
        assert [(plan.run, plan.args) for plan in launches.plans] == [("gamma", ("--steps", "6000000"))]
    assert paths.checkpoint(5_120_000).is_dir()


async def test_from_a_stopped_cockpit_its_run_is_resumed_and_the_launcher_opens_at_it(data: DataDir) -> None:
    """Also where a milestone was looked at in the launcher before."""
    two_runs(data)
    launches = Launches(RltuiError("not now", ""))
    ended = [*run_story.told(40), run_story.finished(819_200, run_story.now_of(40))]
    async with launcher(data, launch=launches, run=FakeRun(ended, name="beta", process=False)) as pilot:
        await go_to(pilot, "milestone 005M")
        assert isinstance(pilot.app.screen, LauncherScreen)
        pilot.app.screen.tree_list.filter_by(Pattern("005M"))
        pilot.app.post_message(RunOpened("beta"))
        await until_shown(pilot, "■ STOPPED")
        await until_shown(pilot, "R Resume")
        await pilot.press("R")
        await until_shown(pilot, "It did not start: not now")
        assert [(plan.run, plan.args) for plan in launches.plans] == [("beta", ())]
        await pilot.press("escape", "H")
        await until(
            pilot, lambda: isinstance(pilot.app.screen, LauncherScreen) and item(pilot.app.screen) == "run beta"
        )


async def test_a_run_that_trains_is_not_resumed_from_its_cockpit(data: DataDir) -> None:
    two_runs(data)
    async with launcher(data, run=live_run()) as pilot:
        pilot.app.post_message(RunOpened("alpha"))
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen) and pilot.app.screen.running)
        assert "R Resume" not in screen_text(pilot.app.screen)
        await pilot.press("R")
        await until_shown(pilot, "it has not ended")


async def test_a_running_run_is_attached_to_and_never_started_twice(data: DataDir) -> None:
    two_runs(data)
    with RunLock(data.run("beta")):
        launches = Launches()
        async with launcher(data, launch=launches, run=FakeRun(run_story.told(30), name="beta")) as pilot:
            await go_to(pilot, "run beta")
            await until_shown(pilot, "show it live")
            await pilot.press("R")
            await until_shown(pilot, "beta is training: enter shows it")
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))
            assert launches.plans == []


async def test_a_milestone_says_in_words_what_enter_does_and_asks_before_it_does_it(data: DataDir) -> None:
    two_runs(data)
    launches = Launches(RltuiError("not now", ""))
    async with launcher(data, launch=launches) as pilot:
        await go_to(pilot, "milestone 005M")
        await until_shown(pilot, "branch off as alpha-b2 at 5,000,000 timesteps")
        await pilot.press("enter")
        await until_shown(pilot, "Name of the new run?")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, LauncherScreen))
        assert launches.plans == []
        for typed, run in (("", "alpha-b2"), ("beta", ""), ("my try", ""), ("my-try", "my-try")):
            await pilot.press("enter")
            await until_shown(pilot, "✓ branch off as alpha-b2")
            await pilot.press(*("ctrl+u", *typed) if typed else (), "enter")
            await until_shown(pilot, "not now" if run else "run beta exists" if typed == "beta" else "may hold letters")
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(pilot.app.screen, LauncherScreen))
        found = [(plan.run, Path(plan.profile).name, plan.args[0]) for plan in launches.plans]
        assert found == [(run, "profile.toml", "--resume") for run in ("alpha-b2", "my-try")]


async def test_q_leaves_at_once_and_says_which_runs_train_on(data: DataDir) -> None:
    async with launcher(data) as pilot:
        await pilot.press("q")
        await until(pilot, lambda: pilot.app._exit)
        assert pilot.app.return_value is None
    two_runs(data)
    with RunLock(data.run("beta")):
        async with launcher(data) as pilot:
            await until_shown(pilot, "▶ beta")
            for key in ("q", "ctrl+q"):  # of what lies over the launcher they go back
                await pilot.press("b")
                await until(pilot, lambda: isinstance(pilot.app.screen, BrowserScreen))
                await pilot.press(key)
                await until(pilot, lambda: isinstance(pilot.app.screen, LauncherScreen))
            await pilot.press("q")
            await until(pilot, lambda: pilot.app._exit)
            assert pilot.app.return_value == "beta keeps training; come back with: rltui attach beta"


async def test_each_verdict_shows_when_it_is_there_and_the_highlighted_profile_comes_first(data: DataDir) -> None:
    asked: list[str] = []
    go = threading.Event()

    def one_by_one(command: Sequence[str]) -> bytes:
        asked.append(Path(command[-1]).stem)
        assert len(asked) == 1 or go.wait(15)
        return data_folder.check_child(list(command))

    (data.root.parent / "profiles" / "aaa.toml").write_text(
        (data.root.parent / "profiles" / "bronze-skills.toml").read_text(encoding="utf-8"), encoding="utf-8"
    )
    (data.root.parent / "profiles" / "quick.toml").write_text(
        (data.root.parent / "profiles" / "bronze-skills.toml").read_text(encoding="utf-8"), encoding="utf-8"
    )
    dependencies = Dependencies(checker=ProfileChecker(one_by_one), clock=Clock(LAUNCHER_NOW), tools=children.tools())
    async with RltuiApp(data, dependencies=dependencies).run_test(size=(120, 40)) as pilot:
        await until_shown(pilot, "✓ quick")
        assert asked[0] == "quick"
        assert "◌ aaa" in screen_text(pilot.app.screen)
        go.set()
        await until_shown(pilot, "✓ aaa")
        await until_shown(pilot, "✓ bronze-skills")
    assert sorted(asked) == ["aaa", "ball-touching", "bronze-skills", "my-bot", "quick"]


async def test_a_profile_that_is_trained_now_opens_its_run_and_starts_nothing(data: DataDir) -> None:
    two_runs(data)
    run = FakeRun(run_story.told(30), name="alpha")
    with RunLock(data.run("alpha")):
        async with launcher(data, run=run) as pilot:  # launching anything fails
            text = await until_shown(pilot, "open alpha, live")
            assert "it trains this profile now" in text and "n starts a new run" in text
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))


async def test_enter_on_a_new_profile_starts_a_run_of_it_and_another_profile_s_bot_is_an_offer(data: DataDir) -> None:
    """Whether that one has stopped or trains: then its newest milestone, for checkpoints go."""
    data_folder.make_stopped(data, "alpha", iterations=560, time=LAUNCHER_NOW - 180)
    for trains, timesteps in ((False, "11,468,800"), (True, "10,000,000")):
        launches = Launches(RltuiError("not now", ""))
        with RunLock(data.run("alpha")) if trains else nullcontext():
            async with launcher(data, launch=launches) as pilot:
                await pilot.press("down")
                text = await until_shown(pilot, f"R Branch off from alpha at {timesteps} timesteps")
                assert "start the new run bronze-skills-1" in text
                await pilot.press("enter")
                await until_shown(pilot, "not now")
                await pilot.press("escape", "R")
                await until_shown(pilot, "Name of the new run?")
                await pilot.press("enter")
                await until_shown(pilot, "not now")
        plans = [(plan.profile, plan.kind, plan.args[0]) for plan in launches.plans]
        assert plans == [("bronze-skills", "new", "--resume"), ("bronze-skills", "branch", "--fork-from")]


async def test_where_a_profile_s_own_run_does_not_fit_any_more_enter_leaves_a_choice(
    data: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may train nevertheless: then it can be shown."""
    data_folder.make_stopped(data, "alpha", iterations=560, time=LAUNCHER_NOW - 180)
    other, verdict = msgspec.structs.replace(saved_runs.SIGNATURE, obs="default 89"), data_folder.verdict
    monkeypatch.setattr(data_folder, "verdict", lambda path: verdict(path, other))
    monkeypatch.setattr(Catalog, "trained_by", lambda *_: None)  # its journal names another profile than its states
    launches = Launches(RltuiError("not now", ""))
    run = FakeRun(run_story.told(30), name="alpha")
    with RunLock(data.run("alpha")):
        async with launcher(data, launch=launches, run=run) as pilot:
            await until_shown(pilot, "being trained")
            await pilot.press("enter")
            text = await until_shown(pilot, "Start a new run")
            assert "Open alpha, which trains now" in text
            await pilot.press("n")
            await until_shown(pilot, "not now")
            assert launches.plans[0].args == ("--resume", "new")
            await pilot.press("escape", "enter")
            await until_shown(pilot, "Open alpha")
            await pilot.press("o")
            await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))


async def test_a_filter_that_hides_the_cursors_row_takes_it_to_the_first_found(data: DataDir) -> None:
    """Not to whatever comes to stand in its place: enter acts on it."""
    two_runs(data)
    async with launcher(data) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, LauncherScreen)
        hidden = [row.key for row in screen.tree_list.rows if isinstance(row.key, Item) and "alpha" not in row.key.name]
        by_kind = {each.kind: each for each in hidden}
        assert set(by_kind) == {"section", "profile", "run", "group"}
        for each in by_kind.values():
            screen.tree_list.set_rows(screen.tree_list.rows, each)
            await pilot.press("slash")
            pilot.app.post_message(events.Paste("alpha"))
            await until(pilot, lambda: "alpha" in str(screen.tree_list.border_subtitle))
            assert screen.item == Item("run", "alpha"), each
            await pilot.press("escape")
            await until(pilot, lambda: not screen.tree_list.pattern.text)


async def test_branches_fold_and_the_keys_say_where_they_work(data: DataDir) -> None:
    two_runs(data)
    async with launcher(data) as pilot:
        await pilot.press("up", "R")
        await until_shown(pilot, "only a run can be resumed")
        assert "  5 M  " in await until_shown(pilot, "▾ alpha · Phase1-BallTouching")
        await go_to(pilot, "run alpha")
        await pilot.press("n")
        await until_shown(pilot, "only a profile can be started anew")
        await go_to(pilot, "group Phase1-BallTouching")
        await pilot.press("space")
        assert "        5 M  " not in await until_shown(pilot, "▸ alpha · Phase1-BallTouching")
        await pilot.press("enter")
        await until_shown(pilot, "▾ alpha · Phase1-BallTouching")
        await pilot.press("question_mark")
        await until_shown(pilot, "New run of this profile")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, LauncherScreen))
        await pilot.click("#tree", offset=(8, 3))  # the second profile
        await until(pilot, lambda: item(pilot.app.screen) == "profile bronze-skills.toml")


async def test_a_key_of_another_screen_says_where_it_acts(data: DataDir) -> None:
    """No key that means something somewhere is silent here; the one of a pane neither."""
    two_runs(data)
    mine = {key for action in PLACES["launcher"] for key in action.keys}
    theirs = {key for actions in (COCKPIT, BROWSER, FORM, PANE_KEYS) for action in actions for key in action.keys}
    typed = {key for key in theirs - mine - set(STEPS) if (key_to_character(key) or "").isprintable()}
    keys = sorted(key for key in typed if key_to_character(key))
    assert {"S", "M", "V", "P", "x", "U", "o", "1"} <= set(keys)
    async with launcher(data) as pilot:
        for place, way in (("section Runs", "choose one under Runs"), ("run alpha", "enter opens alpha first")):
            await go_to(pilot, place)
            for key in keys:
                pilot.app.clear_notifications()
                await pilot.press(key)
                await until(pilot, lambda: len(pilot.app._notifications) == 1)
            pilot.app.clear_notifications()
            await pilot.press("S")
            await until(pilot, lambda way=way: way in next(iter(pilot.app._notifications)).message)


async def test_any_size_is_survived_and_a_new_run_leaves_the_cursor_where_it_is(
    data: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rltui.tui.launcher.screen.REFRESH", 0.2)
    two_runs(data)
    async with launcher(data) as pilot:
        await go_to(pilot, "run beta")
        for size in ((1, 1), (20, 5), (45, 10), (300, 90)):
            await pilot.resize_terminal(*size)
            await pilot.resize_terminal(80, 24)
            await until_shown(pilot, "What to train")
        await until_shown(pilot, "act enter Open  R Resume")  # the key that goes on, in a narrow terminal too
        data_folder.make_stopped(data, "delta", iterations=12, time=LAUNCHER_NOW)
        await until_shown(pilot, "delta")
        assert item(pilot.app.screen) == "run beta"
