"""Keys of the cockpit: what is sent, and that the screen shows the trainer's answer and never the request."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from rltui.events.commands import (
    Command,
    FlagLive,
    NextPhase,
    Pause,
    Resume,
    SaveCheckpoint,
    SaveMilestone,
    SetEntropy,
    SetFlag,
    SetLearningRate,
    SetRewardWeight,
    Stop,
)
from rltui.events.records import SettingChanged, StateChanged
from rltui.tui.capture import screen_text
from rltui.tui.cockpit.change_prompt import ChangePrompt
from rltui.tui.cockpit.screen import CockpitScreen
from rltui.tui.help import HelpScreen, PaletteCommands
from rltui.tui.launcher.screen import LauncherScreen
from rltui.tui.panes.chart_view import Charting
from rltui.tui.panes.log import LogPane
from rltui.tui.panes.metrics import MetricsPane
from rltui.tui.widgets.dialogs import ChoiceDialog
from tests.fakes import figure_stories, run_story, sent_screen
from tests.fakes.fake_run import FakeControl, FakeRun
from tests.fakes.screens import NOW, Clock, cockpit, cockpit_of, live_run, rooms_in, until, until_shown


def notices(pilot: Pilot[str]) -> list[tuple[str, str]]:
    return [(notice.title, notice.message) for notice in pilot.app._notifications]


def control_of(run: FakeRun) -> FakeControl:
    assert run.control is not None
    return run.control


async def test_capitals_and_the_old_aliases_send() -> None:
    commands: list[tuple[str, Command]] = [
        ("P", Pause()), ("p", Pause()), ("C", SaveCheckpoint()), ("c", SaveCheckpoint()), ("M", SaveMilestone()), ("S", Stop("finish")),
    ]  # fmt: skip
    run = live_run()
    async with cockpit(run) as pilot:
        await pilot.press(*(key for key, _ in commands))
        await until(pilot, lambda: control_of(run).sent == [command for _, command in commands])


async def test_the_answer_is_shown_and_not_the_wish() -> None:
    run = live_run()
    clock = Clock()
    async with cockpit(run, clock=clock) as pilot:
        await pilot.press("P")
        assert "● COLLECTING" in await until_shown(pilot, "pause sent")
        control_of(run).accept(1)
        assert "● COLLECTING" in await until_shown(pilot, "pause accepted")
        control_of(run).apply(1, "paused at 12,431,360")
        assert "● COLLECTING" in await until_shown(pilot, "✓ pause applied: paused at 12,431,360")
        control_of(run).say(run_story.live(NOW, state="paused"))
        await until_shown(pilot, "‖ PAUSED")
        await pilot.press("P")
        await until(pilot, lambda: control_of(run).sent == [Pause(), Resume()])
        control_of(run).refuse(2, "bob on tower controls")
        await until_shown(pilot, "✗ resume refused: bob on tower controls")
        clock.now += 9
        cockpit_of(pilot).show_now()
        await until(pilot, lambda: "refused" not in screen_text(pilot.app.screen).splitlines()[-1])


async def test_a_run_that_has_ended_says_how_to_go_on() -> None:
    run = FakeRun([*run_story.told(40), run_story.finished(819_200, NOW)], process=False)
    async with cockpit(run) as pilot:
        await until_shown(pilot, "■ STOPPED")
        for key, name in (("P", "pause"), ("C", "checkpoint"), ("M", "milestone"), ("S", "stop")):
            await pilot.press(key)
            said = f"{name}: not sent", "it has ended: R resumes it at 757,760 timesteps"
            await until(pilot, lambda said=said: said in notices(pilot))  # type: ignore[misc]


async def test_the_next_phase_is_asked_about_and_staying_comes_first() -> None:
    run = live_run()
    run.records.add(run_story.campaign_iteration(NOW))
    async with cockpit(run) as pilot:
        await until(pilot, lambda: "curriculum/phase" in cockpit_of(pilot).snapshot.metrics)
        await pilot.press("N")
        text = await until_shown(pilot, "Go on to the next phase")
        assert "▌c  Stay" in text
        assert "kickoff touches 62 (18 missing)" in text
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))
        assert control_of(run).sent == []
        await pilot.press("N", "n")
        await until(pilot, lambda: control_of(run).sent == [NextPhase()])


async def test_where_no_phase_follows_none_is_asked_about(subtests: pytest.Subtests) -> None:
    for name, phases in (("no campaign", 0), ("the last phase", 1)):
        with subtests.test(name):
            run = live_run()
            run.records.add(figure_stories.plan(phases), run_story.campaign_iteration(NOW))
            async with cockpit(run) as pilot:
                await until(pilot, lambda: cockpit_of(pilot).snapshot.plan is not None)
                await pilot.press("N")
                await until(pilot, lambda: "next phase: not now" in [title for title, _ in notices(pilot)])
                assert isinstance(pilot.app.screen, CockpitScreen)


async def test_a_flag_is_shown_as_the_trainer_says_and_the_key_turns_it_off() -> None:
    flags = {
        "A": ("debug_actions", "actions"), "L": ("debug_learning", "learning"), "T": ("debug_turtled_start", "turtled start"),
        "G": ("global_debug_mode", "global"), "K": ("debug_checkpoints", "checkpoints"),
    }  # fmt: skip
    run = live_run()
    async with cockpit(run, (160, 40)) as pilot:
        frame, sent = run_story.live(NOW), control_of(run).sent
        for key, (flag, word) in flags.items():
            await pilot.press(key)
            await until(pilot, lambda flag=flag: sent[-1:] == [SetFlag(flag, True)])  # type: ignore[misc]
            assert "debug " not in screen_text(pilot.app.screen).splitlines()[0]
            control_of(run).say(msgspec.structs.replace(frame, flags=[FlagLive(flag)]))
            await until_shown(pilot, f"debug {word} ")
            await pilot.press(key)
            await until(pilot, lambda flag=flag: sent[-1:] == [SetFlag(flag, False)])  # type: ignore[misc]
            control_of(run).say(msgspec.structs.replace(frame, flags=[FlagLive(flag, [1])]))
            await until_shown(pilot, f"debug {word} (worker 1)")
            control_of(run).say(frame)
            await until(pilot, lambda: "debug " not in screen_text(pilot.app.screen).splitlines()[0])
        assert len(sent) == 2 * len(flags)


async def test_a_change_is_typed_and_what_means_nothing_is_explained() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        await pilot.press("colon")
        text = await until_shown(pilot, "flag debug_actions on")
        assert "touch, speed_toward_ball, face_ball" in text and "now 0.0002" in text
        await pilot.press(*"reward tuch 2", "enter")
        await until_shown(pilot, """✗ this run has no reward 'tuch': did you mean "touch"?""")
        assert control_of(run).sent == []
        await pilot.press("ctrl+u", *"lr 1e-4")
        await until_shown(pilot, "✓ learning rate 0.0001")
        await pilot.press("enter")
        await until(pilot, lambda: control_of(run).sent == [SetLearningRate(1e-4)])
        assert isinstance(pilot.app.screen, CockpitScreen)
        await pilot.press("colon", *"lr 1", "escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))
        assert len(control_of(run).sent) == 1


async def test_a_change_begins_with_the_row_under_the_cursor() -> None:
    run = live_run()
    by_hand = SettingChanged(time=NOW, timesteps=12_000_000, setting="reward speed_toward_ball", value=2.0, by="ada")
    run.records.add(by_hand)
    async with cockpit(run) as pilot:
        await until(pilot, lambda: bool(cockpit_of(pilot).snapshot.header.by_hand))  # type: ignore[union-attr]
        await pilot.press("colon")
        await until(pilot, lambda: isinstance(pilot.app.screen, ChangePrompt))
        assert pilot.app.screen.query_one(Input).value == "", "the reward's chart is of no one setting"
        await pilot.press("escape", "2", "down", "colon")
        await until_shown(pilot, "now 2, profile 1")
        line = pilot.app.screen.query_one(Input)
        assert (line.value, line.selected_text) == ("reward speed_toward_ball 2", "2")
        await pilot.press(*"*1.5")
        assert line.value == "reward speed_toward_ball *1.5"
        await until_shown(pilot, "✓ reward speed_toward_ball 3; now 2, profile 1")
        await pilot.press("enter")
        await until(pilot, lambda: control_of(run).sent == [SetRewardWeight("speed_toward_ball", 3.0)])
        cockpit_of(pilot).query_one(MetricsPane).charting = Charting(keys=("train/learning_rate",))
        await pilot.press("1", "colon", "end", *"/2", "enter")
        await until(pilot, lambda: control_of(run).sent[-1] == SetLearningRate(1e-4))


async def test_a_doubtful_change_is_warned_of_while_typed_and_asked_about_before_it_is_sent() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        await pilot.press("colon", *"lr 1")
        await until_shown(pilot, "! learning rate 1: 5,000 times the 0.0002 of now")
        await pilot.press("enter")
        await until_shown(pilot, "Send it")
        await pilot.press("enter")  # the safe choice
        await until(pilot, lambda: isinstance(pilot.app.screen, ChangePrompt))
        assert control_of(run).sent == []
        await pilot.press(*"e-4")
        await until_shown(pilot, "✓ learning rate 0.0001")
        await pilot.press("ctrl+u", *"entropy 1", "enter")
        await until_shown(pilot, "Acting at random pays more")
        await pilot.press("s")
        await until(pilot, lambda: control_of(run).sent == [SetEntropy(1.0)])
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))


async def test_a_change_in_force_is_in_the_runs_facts_and_on_the_charts() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        change = SettingChanged(time=NOW, timesteps=12_000_000, setting="learning rate", value=1e-4, by="ada")
        run.records.add(change)
        await until(pilot, lambda: cockpit_of(pilot).snapshot.marks[-1].label == "learning rate 0.0001")
        assert cockpit_of(pilot).snapshot.marks[-1].kind == "changed"
        await pilot.press("i")
        text = await until_shown(pilot, "learning rate 0.0002 →")
        assert "policy 0.0001" not in text, "the critic's rate has gone with the policy's"


async def test_a_second_stop_is_urgent() -> None:
    run = live_run(state="stopping")
    async with cockpit(run) as pilot:
        await until_shown(pilot, "■ STOPPING")
        await pilot.press("S")
        await until(pilot, lambda: control_of(run).sent == [Stop("now")])


async def test_readonly_sends_nothing_and_says_so() -> None:
    run = live_run()
    async with cockpit(run, readonly=True) as pilot:
        await until_shown(pilot, "read-only")
        await pilot.press("S")
        await until_shown(pilot, "✗ stop not sent: this view is read-only")
        assert control_of(run).sent == []


async def test_another_viewers_control_is_shown() -> None:
    control = FakeControl("bob on tower, pid 7")
    async with cockpit(FakeRun(run_story.told(), control=control)) as pilot:
        await until_shown(pilot, "○ bob on tower controls")


async def test_q_asks_and_keeping_training_comes_first() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        await pilot.press("q")
        text = await until_shown(pilot, "Checkpoint and stop")
        assert "▌k  Keep training" in text
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))
        await pilot.press("q", "enter")
        await until(pilot, lambda: pilot.app._exit)
        assert pilot.app.return_value == "alpha keeps training; come back with: rltui attach alpha"
        assert control_of(run).sent == []


@pytest.mark.parametrize("keys", [("s",), ("down", "enter"), ("tab", "enter")])
async def test_checkpoint_and_stop_waits_for_the_end(keys: tuple[str, ...]) -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        await pilot.press("q", *keys)
        await until(pilot, lambda: control_of(run).sent == [Stop("finish")])
        await until_shown(pilot, "leaving as soon as the run has stopped")
        assert not pilot.app._exit
        run.records.add(
            StateChanged(time=NOW, state="stopped", reason="asked to"),
            run_story.finished(12_451_840, NOW, reason="asked"),
        )
        await until(pilot, lambda: pilot.app._exit)
        assert (
            pilot.app.return_value
            == "alpha has stopped at 12,451,840 timesteps; look at it again with: rltui attach alpha"
        )


async def test_ctrl_q_opens_the_same_dialog_and_ctrl_c_ends_nothing() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        await pilot.press("ctrl+c")
        await until_shown(pilot, "Nothing was stopped")
        await pilot.press("ctrl+q")
        await until(pilot, lambda: isinstance(pilot.app.screen, ChoiceDialog))
        await pilot.press("ctrl+q")
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))
        assert control_of(run).sent == []


async def test_a_picture_is_saved_as_svg_and_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with cockpit(live_run()) as pilot:
        await pilot.press("ctrl+e")
        await until_shown(pilot, "Picture saved")
    [svg] = tmp_path.glob("data/runs/alpha/screens/*.svg")
    assert svg.read_text(encoding="utf-8").startswith("<svg")
    assert "COLLECTING" in svg.with_suffix(".txt").read_text(encoding="utf-8")


async def test_a_finished_run_is_left_without_a_question() -> None:
    run = FakeRun([*run_story.told(), run_story.finished(12_431_360, NOW)], process=False)
    async with cockpit(run) as pilot:
        await pilot.press("q")
        await until(pilot, lambda: pilot.app._exit)


async def test_without_a_connection_the_dialog_cannot_stop() -> None:
    async with cockpit(FakeRun(run_story.told())) as pilot:
        await pilot.press("q")
        assert "Checkpoint and stop" not in await until_shown(pilot, "Keep training")


async def test_maximise_and_back() -> None:
    async with cockpit(live_run()) as pilot:
        await pilot.press("2")
        await until(
            pilot, lambda: cockpit_of(pilot).focused is not None and cockpit_of(pilot).focused.name == "rewards"
        )
        await pilot.press("f")
        await until(pilot, lambda: rooms_in(screen_text(pilot.app.screen)) == 1)
        await pilot.press("4")
        await until_shown(pilot, "last event")
        await pilot.press("escape")
        await until(pilot, lambda: rooms_in(screen_text(pilot.app.screen)) == 5)


async def test_tab_moves_the_focus_through_all_panes() -> None:
    async with cockpit(live_run()) as pilot:
        seen = []
        for _ in range(5):
            focused = cockpit_of(pilot).focused
            seen.append(focused.name if focused else None)
            await pilot.press("tab")
        assert sorted(filter(None, seen)) == ["log", "metrics", "rewards", "time", "workers"]


async def test_capital_h_leads_to_the_launcher() -> None:
    async with cockpit(live_run()) as pilot:
        reader = cockpit_of(pilot)._reader
        assert reader is not None
        await pilot.press("H")
        await until(pilot, lambda: isinstance(pilot.app.screen, LauncherScreen))
        await until(pilot, lambda: not reader.is_alive())


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (59, 14)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_escape_with_nothing_to_close_stays_and_names_the_keys_that_leave(size: tuple[int, int]) -> None:
    async with cockpit(live_run(), size) as pilot:
        screen = cockpit_of(pilot)
        for _ in range(3):
            await pilot.press("escape")
        await until(pilot, lambda: any("H launcher, q quit" in text for _, text in notices(pilot)))
        assert pilot.app.screen is screen
        assert len(notices(pilot)) == 1, "the same again takes the place of the last"


def _above_footer(pilot: Pilot[str]) -> str:
    """The three rows there, as running text without borders."""
    rows = screen_text(pilot.app.screen).splitlines()[-4:-1]
    return " ".join(" ".join(row.strip(" ╰─┗━│┃╯┛") for row in rows).split())


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
async def test_a_long_answer_takes_no_key_out_of_the_footer(size: tuple[int, int]) -> None:
    run = live_run()
    reason = "the disk is full: " + "nothing more can be written there, " * 4 + "make room and ask again"
    async with cockpit(run, size) as pilot:
        keys = screen_text(pilot.app.screen).splitlines()[-1]
        await pilot.press("C")
        await until(pilot, lambda: bool(control_of(run).sent))
        control_of(run).refuse(1, reason)
        await until_shown(pilot, "✗ checkpoint refused: the disk is full")
        await until(pilot, lambda: "make room and ask again" in _above_footer(pilot))
        assert screen_text(pilot.app.screen).splitlines()[-1] == keys
        control_of(run).refuse(1, reason * 3)
        await until_shown(pilot, "…")
        assert screen_text(pilot.app.screen).splitlines()[-1] == keys


async def test_help_names_every_key_and_explains_the_focused_pane() -> None:
    async with cockpit(live_run(), (120, 60)) as pilot:
        await pilot.press("question_mark")
        text = await until_shown(pilot, "Pause, or go on")
        assert "A gap is an iteration" in text
        assert "Keys of Metrics" in text
        await pilot.press("pagedown")
        await until_shown(pilot, "0.002–0.02")
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))
        await pilot.press("4", "question_mark")
        await until_shown(pilot, "age of its last heartbeat")
        assert isinstance(pilot.app.screen, HelpScreen)


async def test_the_palette_runs_what_the_registry_offers() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        await pilot.press("ctrl+p")
        await until_shown(pilot, "Search for commands")
        await pilot.press(*"milestone")
        await until_shown(pilot, "Keep a milestone")
        await pilot.press("enter")
        await until(pilot, lambda: control_of(run).sent == [SaveMilestone()])


async def test_the_palette_finds_what_a_description_says_after_what_a_name_does() -> None:
    async with cockpit(live_run()) as pilot:
        await pilot.press("ctrl+p")
        await until_shown(pilot, "Search for commands")
        await pilot.press(*"light")
        await until_shown(pilot, "Light or dark")
        await pilot.press("ctrl+u", *"run")
        await until_shown(pilot, "Run")
        provider = PaletteCommands(pilot.app.screen)
        hits = [hit async for hit in provider.search("run")]
        named = ["run" in str(hit.text).casefold() for hit in sorted(hits, key=lambda hit: -hit.score)]
        assert named == sorted(named, reverse=True) and set(named) == {True, False}
        assert len({hit.text for hit in hits}) == len(hits)


async def test_clicks_in_the_footer_do_what_their_key_does() -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        row = screen_text(pilot.app.screen).splitlines()[-1]
        await pilot.click("#footer", offset=(row.index("Checkpoint") + 2, 0))
        await until(pilot, lambda: control_of(run).sent == [SaveCheckpoint()])


async def test_the_log_level_and_scrolling() -> None:
    async with cockpit(live_run(), (80, 24)) as pilot:
        await pilot.press("9")
        await until_shown(pilot, "info and above")
        await pilot.press("l")
        await until_shown(pilot, "warning and above")
        await pilot.press("l", "l")
        await until_shown(pilot, "debug and above")
        pane = cockpit_of(pilot).query_one(LogPane)
        assert pane.at_newest
        await pilot.press("home")
        await until_shown(pilot, "run alpha opened")
        assert not pane.at_newest
        await pilot.press("end")
        await until(pilot, lambda: pane.at_newest)


async def test_light_and_dark() -> None:
    async with cockpit(live_run()) as pilot:
        assert pilot.app.theme == "rltui-dark"
        await pilot.app.run_action("toggle_theme")
        await until(pilot, lambda: pilot.app.theme == "rltui-light")


async def test_history_after_attaching_is_the_history_of_the_journal() -> None:
    """Opened twice, while it ran and after: the same charts."""
    first, second = FakeRun(run_story.told()), FakeRun(run_story.told())
    async with cockpit(first) as pilot:
        early = cockpit_of(pilot).snapshot.history
    async with cockpit(second) as pilot:
        late = cockpit_of(pilot).snapshot.history
    assert early == late
    assert early.length == 607


async def test_under_every_dialog_the_run_goes_on_also_under_one_that_lies_on_another(
    subtests: pytest.Subtests,
) -> None:
    opened = {
        "flags": ["D"],
        "prompt": ["colon"],
        "question on a prompt": ["colon", *"lr 1", "enter"],
        "palette on a prompt": ["colon", "ctrl+p"],
        "leaving": ["q"],
    }
    for name, keys in opened.items():
        with subtests.test(name), sent_screen.followed() as sent:
            run, clock = live_run(), Clock()
            async with cockpit(run, clock=clock) as pilot:
                await pilot.press(*keys)
                clock.now += 1
                live = run_story.live(clock.now)
                control_of(run).say(msgspec.structs.replace(live, timesteps=live.timesteps + 654_321))
                wanted = f"{live.timesteps + 654_321:,}"
                await until(pilot, lambda wanted=wanted, sent=sent: wanted in sent.terminal.text)
