"""The frame around the panes: slots and tabs, freezing, control, notices, copying, own keys and layout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from textual.pilot import Pilot

from rltui.events.commands import FLAGS, FlagLive, SetEntropy, SetFlag, SetLearningRate, TakeControl, Welcome
from rltui.tui.app import RltuiApp
from rltui.tui.capture import screen_text
from rltui.tui.cockpit.dialogs import MEANING, FlagsDialog
from rltui.tui.cockpit.screen import PANES, CockpitScreen
from rltui.tui.settings import LoadedSettings, UiSettings, load
from tests.fakes import run_story
from tests.fakes.fake_run import ME, FakeControl, FakeRun
from tests.fakes.screens import NOW, cockpit, cockpit_of, live_run, resized, rooms_in, until, until_shown


def control_of(run: FakeRun) -> FakeControl:
    assert run.control is not None
    return run.control


def app_of(pilot: Pilot[str]) -> RltuiApp:
    assert isinstance(pilot.app, RltuiApp)
    return pilot.app


def focused(pilot: Pilot[str]) -> str:
    pane = cockpit_of(pilot).focused_pane()
    return pane.pane_id() if pane is not None else ""


async def test_every_pane_is_a_key_away_and_has_the_focus_then(subtests: pytest.Subtests) -> None:
    async with cockpit(live_run()) as pilot:
        for size in ((80, 24), (200, 50), (120, 40)):
            with subtests.test(size=size):
                await resized(pilot, size)
                for pane in PANES:
                    await pilot.press(pane.NUMBER)
                    wanted = pane.pane_id()
                    await until(pilot, lambda wanted=wanted: focused(pilot) == wanted)  # type: ignore[misc]
                    shown = next(found for found in cockpit_of(pilot).panes if type(found) is pane)
                    assert shown.display
                    assert shown.region.height > 2


async def test_only_the_pane_with_the_focus_has_its_title_turned_round() -> None:
    async with cockpit(live_run()) as pilot:
        for key in ("1", "9", "4"):
            await pilot.press(key)

            def turned() -> list[str]:
                return [pane.NUMBER for pane in cockpit_of(pilot).panes if "reverse" in str(pane._title)]

            await until(pilot, lambda key=key: turned() == [key])  # type: ignore[misc]


async def test_tab_goes_round_all_panes_also_where_there_is_room_for_one() -> None:
    async with cockpit(live_run(), (80, 24)) as pilot:
        seen = []
        for _ in PANES:
            seen.append(focused(pilot))
            await pilot.press("tab")
        assert seen == [pane.pane_id() for pane in PANES]
        await pilot.press("shift+tab")
        assert focused(pilot) == PANES[-1].pane_id()


async def test_a_click_on_a_tab_shows_its_pane() -> None:
    async with cockpit(live_run()) as pilot:
        rows = screen_text(pilot.app.screen).splitlines()
        row = next(index for index, line in enumerate(rows) if "4 Workers" in line)
        column = rows[row].index(" a") + 1
        await pilot.click(offset=(column, row))
        await until(pilot, lambda: focused(pilot) == "audit")
        await until_shown(pilot, "✓ applied     0.9 s checkpoint")


async def test_a_focused_pane_that_is_pushed_aside_hands_the_focus_on() -> None:
    async with cockpit(live_run(), (200, 50)) as pilot:
        await pilot.press("i")
        await until(pilot, lambda: focused(pilot) == "facts")
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: focused(pilot) != "")
        pane = cockpit_of(pilot).focused_pane()
        assert pane is not None
        assert pane.display


async def test_sizes_grow_and_zero_resets_them() -> None:
    async with cockpit(live_run()) as pilot:
        log = next(pane for pane in cockpit_of(pilot).panes if pane.pane_id() == "log")
        await pilot.press("9")
        before = log.region.height
        await pilot.press("greater_than_sign")
        await until(pilot, lambda: log.region.height == before + 2)
        await pilot.press("less_than_sign", "less_than_sign")
        await until(pilot, lambda: log.region.height == before - 2)
        await pilot.press("f")
        await cockpit_of(pilot).run_action("reset_layout")
        await until(pilot, lambda: log.region.height == before)
        assert rooms_in(screen_text(pilot.app.screen)) == 5


async def test_frozen_panes_stand_still_while_commands_and_the_state_go_on() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        await pilot.press("z")
        await until_shown(pilot, "goes on   since 12:14:42: 0 iterations and 0 log lines have come")
        panes = [list(pane.lines) for pane in cockpit_of(pilot).panes if pane.display]
        run.records.add(run_story.iteration(608, time=NOW), run_story.iteration(609, time=NOW))
        await until_shown(pilot, "2 iterations and")
        control_of(run).say(run_story.live(NOW, state="paused"))
        await until_shown(pilot, "‖ PAUSED")
        assert [list(pane.lines) for pane in cockpit_of(pilot).panes if pane.display] == panes
        await pilot.press("L")
        await until(pilot, lambda: control_of(run).sent == [SetFlag("debug_learning", True)])
        await pilot.press("9")  # panes can be chosen, of the moment that stands still
        await pilot.press("z")
        await until(pilot, lambda: "FROZEN" not in screen_text(pilot.app.screen))
        await until_shown(pilot, "609 iterations")


async def test_who_controls_is_shown_at_every_size(subtests: pytest.Subtests) -> None:
    theirs = FakeRun(run_story.told(), control=FakeControl("bob on tower, pid 7"))
    for run, narrow, wide, word in (
        (live_run(), "● you", "● you control", "control"), (theirs, "bob", "○ bob on tower controls", "controls")
    ):  # fmt: skip
        async with cockpit(run) as pilot:
            for size, words in (((80, 24), narrow), ((120, 40), wide)):
                with subtests.test(size=size, words=words):
                    assert word in await resized(pilot, size, words)


async def test_control_is_taken_and_its_loss_is_told() -> None:
    control = FakeControl("bob on tower, pid 7")
    control.say(run_story.live(NOW - 0.1))
    run = FakeRun(run_story.told(), control=control)
    async with cockpit(run) as pilot:
        await pilot.press("D")
        await until_shown(pilot, "O takes control")
        assert not isinstance(pilot.app.screen, FlagsDialog)
        await pilot.press("O")
        await until(pilot, lambda: control.sent == [TakeControl()])
        control.welcome = Welcome("alpha", 4242, 1, ME, ME)
        control.say(control.welcome)
        await until_shown(pilot, "● you control")
        await until_shown(pilot, "You control alpha")
        control.welcome = Welcome("alpha", 4242, 1, "bob on tower, pid 7", ME)
        control.say(control.welcome)
        await until_shown(pilot, "bob on tower controls alpha")


async def test_readonly_opens_no_dialog_and_says_why() -> None:
    async with cockpit(live_run(), readonly=True) as pilot:
        for key, what in (("N", "next phase"), ("colon", "change"), ("D", "debug flags")):
            await pilot.press(key)
            await until(
                pilot, lambda what=what: any(notice.title == f"{what}: not now" for notice in pilot.app._notifications)
            )  # type: ignore[misc]
            assert isinstance(pilot.app.screen, CockpitScreen)
        assert all(notice.message.startswith("this view is read-only") for notice in pilot.app._notifications)


async def test_a_dimmed_key_in_the_footer_says_why_when_clicked() -> None:
    run = live_run()
    async with cockpit(run, readonly=True) as pilot:
        row = screen_text(pilot.app.screen).splitlines()[-1]
        await pilot.click("#footer", offset=(row.index("Checkpoint") + 2, 0))
        await until_shown(pilot, "✗ checkpoint not sent: this view is read-only")
        assert control_of(run).sent == []


async def test_flags_by_list_for_all_or_one_worker_as_the_trainer_says() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        await pilot.press("D")
        await until_shown(pilot, "Debug flags")
        for flag in FLAGS:
            assert MEANING[flag] in screen_text(pilot.app.screen)
        await pilot.press("down", "right", "right", "space")
        await until(pilot, lambda: control_of(run).sent == [SetFlag("debug_actions", True, 1)])
        assert "A  debug_actions        off" in screen_text(pilot.app.screen)  # the wish is not shown
        control_of(run).say(msgspec.structs.replace(run_story.live(NOW), flags=[FlagLive("debug_actions", [1])]))
        await until_shown(pilot, "A  debug_actions        on ")
        await pilot.press("enter")
        await until(pilot, lambda: control_of(run).sent[1:] == [SetFlag("debug_actions", False, 1)])
        await pilot.press("down", "space")
        await until(pilot, lambda: any("the trainer's" in notice.title for notice in pilot.app._notifications))
        await pilot.press("left", "left", "space")
        await until_shown(pilot, "A  debug_actions        part")
        await until(pilot, lambda: control_of(run).sent[2:] == [SetFlag("debug_learning", True)])
        await pilot.press("T")  # the hotkeys do as everywhere
        await until(pilot, lambda: control_of(run).sent[3:] == [SetFlag("debug_turtled_start", True)])
        await pilot.press("D")
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))


async def test_the_change_prompt_completes_and_remembers() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        await pilot.press("colon", "f", "tab", *"debug_l")
        await until_shown(pilot, "flag debug_learning")  # the rest of the word is shown before it is taken
        await pilot.press("tab")
        await until_shown(pilot, "… on, off")
        await pilot.press("ctrl+u", *"lr 1e-4", "enter")
        await pilot.press("colon", *"entropy 0.02", "enter")
        await until(pilot, lambda: control_of(run).sent == [SetLearningRate(1e-4), SetEntropy(0.02)])
        await pilot.press("colon", "up", "up")
        await until_shown(pilot, "✓ learning rate 0.0001")
        await pilot.press("down")
        await until_shown(pilot, "✓ entropy coefficient 0.02")
        await pilot.press(*" x")
        await until_shown(pilot, "one number: entropy 0.005")


async def test_news_is_told_and_history_is_not() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        assert "milestone 10 M" not in "".join(notice.title for notice in pilot.app._notifications)
        run.records.add(run_story.saved(15_000_000, NOW + 1, milestone=True))
        await until_shown(pilot, "alpha: milestone 15 M")


async def test_each_way_of_telling_can_be_switched_off(tmp_path: Path) -> None:
    quiet = {kind: frozenset[str]() for kind in UiSettings().notify}
    ui = LoadedSettings(replace(UiSettings(), notify=quiet), tmp_path / "ui.toml")  # type: ignore[arg-type]
    run = live_run()
    async with cockpit(run, ui=ui) as pilot:
        run.records.add(run_story.saved(15_000_000, NOW + 1, milestone=True))
        await until(pilot, lambda: cockpit_of(pilot).snapshot.milestone.label == "015M")  # type: ignore[union-attr]
        await pilot.pause()
        assert not pilot.app._notifications


async def test_own_keys_work_and_are_shown_in_footer_and_help(tmp_path: Path) -> None:
    ui = LoadedSettings(UiSettings(keys={"checkpoint": ("f6",), "stop": ("C",)}), tmp_path / "ui.toml")
    run = live_run()
    async with cockpit(run, ui=ui) as pilot:
        assert "f6 Checkpoint" in screen_text(pilot.app.screen).splitlines()[-1]
        await pilot.press("C")
        await until(pilot, lambda: control_of(run).names == ["stop"])
        await pilot.press("f6")
        await until(pilot, lambda: control_of(run).names == ["stop", "checkpoint"])
        await pilot.press("c", "S")
        await pilot.press("question_mark")
        text = await until_shown(pilot, "Save a checkpoint after")
        assert "f6 " in text
        assert control_of(run).names == ["stop", "checkpoint"]


async def test_texts_and_tabs_name_the_users_own_keys(tmp_path: Path) -> None:
    own = {"run": ("f7",), "freeze": ("f5",), "render": ("f6",)}
    async with cockpit(live_run(), (80, 24), ui=LoadedSettings(UiSettings(keys=own), tmp_path / "ui.toml")) as pilot:
        text = screen_text(pilot.app.screen)
        assert " f7 " in text.splitlines()[3]
        await pilot.press("8")
        await until_shown(pilot, "f6 starts it")
        await pilot.press("question_mark")
        await pilot.press("pagedown")
        await until_shown(pilot, "f6 turns the viewer on and off")
        await pilot.press("escape", "f5")
        await until_shown(pilot, "f5 goes on")


async def test_mistakes_in_ui_toml_are_said_when_the_program_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("ui.toml")  # a long path would break the sentence elsewhere
    path.write_text('theme = "drak"\n', encoding="utf-8")
    async with cockpit(live_run(), (200, 50), ui=load(path)) as pilot:
        await until_shown(pilot, "ui.toml: the defaults hold for this")
        said = [notice.message for notice in pilot.app._notifications]  # on screen its lines break by the path's length
        assert any('did you mean "dark"?' in words for words in said)


async def test_the_layout_is_saved_when_asked_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "ui.toml"
    path.write_text("# mine\n", encoding="utf-8")
    async with cockpit(live_run(), ui=load(path)) as pilot:
        await pilot.press("a", "9", "greater_than_sign")
        assert path.read_text() == "# mine\n"
        await pilot.app.run_action("save_layout")
        await until_shown(pilot, "Layout saved")
    assert path.read_text().startswith("# mine\n")
    async with cockpit(live_run(), ui=load(path)) as pilot:
        screen = cockpit_of(pilot)
        shown = {pane.pane_id(): pane for pane in screen.panes if pane.display}
        assert "audit" in shown
        assert "workers" not in shown
        assert shown["log"].region.height == 10


async def test_the_focused_pane_is_copied_and_what_no_terminal_takes_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rltui.tui.terminal.clipboard.tools", lambda environ, which: [])
    async with cockpit(live_run()) as pilot:
        written: list[str] = []
        monkeypatch.setattr(app_of(pilot), "write_to_terminal", written.append)
        await pilot.press("4", "ctrl+y")
        await until_shown(pilot, "Copied: workers")
        assert written[-1].startswith("\x1b]52;c;")
        monkeypatch.setattr("rltui.tui.terminal.clipboard.OSC52_BYTES", 10)
        await pilot.press("ctrl+y")
        await until_shown(pilot, "saved as text")
    [text] = tmp_path.glob("data/runs/alpha/screens/*-workers.txt")
    assert "last event" in text.read_text(encoding="utf-8")


async def test_what_is_selected_with_the_mouse_is_copied_by_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rltui.tui.terminal.clipboard.tools", lambda environ, which: [])
    async with cockpit(live_run()) as pilot:
        rows = screen_text(pilot.app.screen).splitlines()
        row = next(
            index for index, line in enumerate(rows) if "died: killed by signal 9" in line and "worker 1" in line
        )
        start, end = rows[row].index("died"), rows[row].index("signal 9") + len("signal 9")
        await pilot.mouse_down(offset=(start, row))
        await pilot.hover(offset=(end, row))
        await pilot.mouse_up(offset=(end, row))
        await pilot.press("ctrl+c")
        await until_shown(pilot, "Copied: selection")
        assert "died: killed by signal 9" in pilot.app.clipboard
