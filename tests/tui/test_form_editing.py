"""The profile form driven by keys: values, lists, choices, checks as you type, undo, the TOML view."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from rltui.__main__ import main
from rltui.profile.source import show_key
from rltui.runs.paths import DataDir
from rltui.tui.capture import screen_text
from rltui.tui.form.render import row_line
from rltui.tui.form.screen import FormScreen
from rltui.tui.launcher.screen import LauncherScreen
from rltui.tui.widgets.filter_bar import Pattern
from rltui.tui.widgets.footer import Footer
from tests.fakes import children
from tests.fakes.edited_form import MINE, QUICK, begun, edited, form, go, screen, text, typed
from tests.fakes.screens import FORMS, compare, form_name, until, until_shown


@pytest.mark.parametrize(("size", "ascii_only"), FORMS)
async def test_the_form_looks_as_it_did(data: DataDir, size: tuple[int, int], ascii_only: bool) -> None:
    async with form(data, size, text=QUICK.replace("epochs = 2", "epochs = 0"), ascii_only=ascii_only) as pilot:
        await until_shown(pilot, "1 mistake")
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: (row := screen(pilot).row) is not None and show_key(row.path) == "ppo.epochs")
        await pilot.pause()
        compare(f"form-{form_name(size, ascii_only)}", screen_text(pilot.app.screen))


async def test_a_value_is_checked_as_it_is_typed_and_only_its_line_changes(data: DataDir) -> None:
    async with form(data) as pilot:
        await begun(pilot, "ppo.minibatch", "60_000")
        await until_shown(pilot, "1 mistake")
        assert "at most" in str(screen(pilot).session.state.errors[0])
        assert text(pilot) == QUICK  # nothing is taken before enter
        await pilot.press("escape")
        await go(pilot, "ppo.learning_rate")
        await until_shown(pilot, "Learning rate of the policy.")
        await pilot.press("enter")
        await typed(pilot, "2e-4")
        await until_shown(pilot, "✓ valid")
        await pilot.press("enter")
        assert text(pilot) == QUICK.replace("learning_rate = 1e-3 ", "learning_rate = 2e-4 ")
        await until_shown(pilot, "● 1 change")
        assert "in the file  1e-3" in screen_text(pilot.app.screen)


async def test_values_are_typed_as_their_kind_allows(data: DataDir) -> None:
    async with form(data) as pilot:
        await go(pilot, "ppo.critic_learning_rate")
        await until_shown(pilot, "default      that of ppo.learning_rate")
        await pilot.press("enter")
        await until(pilot, lambda: screen_text(pilot.app.screen).count("that of ppo.learning_rate") == 3)
        await pilot.press("escape")
        await edited(pilot, "policy.layers", "64 32")
        assert "layers = [64, 32]  # neurons" in text(pilot)
        await pilot.press("u")
        await edited(pilot, "rewards.touch.weight", "2.5")
        assert text(pilot) == QUICK.replace("touch = 1.0 ", "touch = 2.5 ")  # it stays a number
        await pilot.press("u")
        await until_shown(pilot, "✓ valid")
        await begun(pilot, "ppo.epochs", "many")
        shown = await until_shown(pilot, "✗ expected whole number, 1 to 100")
        assert "✓ valid" not in shown.split("✗ expected")[1]  # a verdict would be on the text without it
        assert {"save", "add", "undo"} <= screen(pilot).query_one(Footer)._dimmed  # letters are typed
        for refused in ("many", "0", "101"):
            await typed(pilot, refused)
            await pilot.press("enter")
            assert text(pilot) == QUICK and screen(pilot).line.row is not None
            await until_shown(pilot, "✗ expected whole number, 1 to 100")


async def test_escape_leaves_the_line_and_undo_takes_a_change_back(data: DataDir) -> None:
    async with form(data) as pilot:
        await go(pilot, "collect", "section")
        await until_shown(pilot, "enter Fold")
        await begun(pilot, "collect.arenas", "8")
        await pilot.press("escape")
        await until_shown(pilot, "enter Change")
        assert text(pilot) == QUICK and isinstance(pilot.app.screen, FormScreen)
        await pilot.press("enter")
        await typed(pilot, "8")
        await pilot.press("enter")
        assert "arenas = 8 " in text(pilot)
        await pilot.press("u")
        assert text(pilot) == QUICK
        await pilot.press("U")
        assert "arenas = 8 " in text(pilot)


async def test_choices_are_listed_and_truths_toggle(data: DataDir) -> None:
    async with form(data) as pilot:
        await go(pilot, "ppo.schedule")
        await pilot.press("enter")
        await until_shown(pilot, "▌● constant")
        await pilot.press("down", "enter")
        await until(pilot, lambda: 'schedule = "linear"' in text(pilot))
        await until(pilot, lambda: isinstance(pilot.app.screen, FormScreen))
        await go(pilot, "obs.normalize")
        await pilot.press("enter")
        assert "normalize = true" in text(pilot), "it is false by default"
        await pilot.press("X")
        assert "normalize" not in text(pilot)


async def test_rewards_are_chosen_from_all_with_their_explanations_and_own_parts_added_by_path(data: DataDir) -> None:
    async with form(data) as pilot:
        await go(pilot, "rewards.touch", "element")
        screen(pilot).field_list.filter_by(Pattern("rewards.touch"))
        await pilot.press("n")
        await until_shown(pilot, "Add a reward")
        await pilot.press("s", "t", "r", "o", "n", "g")
        await until_shown(pilot, "full_hit_speed")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, FormScreen))
        assert "\nstrong_hit = 1.0\n" in text(pilot)
        added = screen(pilot).field_list.row
        assert added is not None and added.path == ("rewards", "strong_hit")  # seen: the filter would hide it
        await edited(pilot, "rewards.strong_hit.full_hit_speed", "1000")
        assert "\nstrong_hit = {weight = 1.0, full_hit_speed = 1000}\n" in text(pilot)
        await go(pilot, "rewards.strong_hit", "element")
        await pilot.press("delete")
        assert text(pilot) == QUICK
        await go(pilot, "resets", "add")
        await pilot.press("enter")
        await until_shown(pilot, "Add a reset")
        await pilot.press(*"mine", "full_stop", *"py", "colon", *"Mine", "enter")
        await until(pilot, lambda: '    {kind = "mine.py:Mine"},\n]' in text(pilot))
        await until_shown(pilot, "no file")


async def test_the_text_and_the_form_are_one(data: DataDir) -> None:
    async with form(data) as pilot:
        await go(pilot, "collect.arenas")
        await pilot.press("tab")
        await until_shown(pilot, "arenas = 32       # games")
        await pilot.press("end", "home", *(["right"] * 9), "1")
        await until(pilot, lambda: "arenas = 132 " in text(pilot))
        await until_shown(pilot, "✓ valid")
        await pilot.press("home", "x")
        await until_shown(pilot, "unknown key")
        await pilot.press("backspace", "tab")
        await until_shown(pilot, "132")
        await pilot.press("tab", "ctrl+home", "equals_sign")
        await until_shown(pilot, "✗ not TOML")
        await pilot.press("tab")
        await until_shown(pilot, "The form needs TOML")
        assert screen(pilot).as_text


async def test_a_misspelt_key_is_renamed_or_its_suggestion_taken_with_one_key(data: DataDir) -> None:
    async with form(data, text=QUICK.replace("epochs = 2", "epoch = 2")) as pilot:
        await until_shown(pilot, "1 mistake")
        await pilot.press("right_square_bracket")
        await until_shown(pilot, "Y Take epochs")
        await pilot.press("enter")
        await typed(pilot, "batch")
        await until_shown(pilot, "ppo.batch is there already")
        await typed(pilot, "epochs")
        await pilot.press("enter")
        assert text(pilot) == QUICK
        await until(pilot, lambda: not screen(pilot).session.state.errors)
        await pilot.press("Y")
        await until_shown(pilot, "nothing is suggested here")
        await pilot.press("u", "right_square_bracket")
        await until_shown(pilot, "Y Take epochs")
        await pilot.press("Y")
        assert text(pilot) == QUICK
        row = screen(pilot).row
        assert row is not None and show_key(row.path) == "ppo.epochs"


async def test_a_mistake_is_told_by_the_command_line_s_one_line(
    data: DataDir, capsys: pytest.CaptureFixture[str]
) -> None:
    content = QUICK.replace("epochs = 2", "epoch = 2")
    MINE.write_text(content, encoding="utf-8")
    assert main(["profile", "check", str(MINE)]) == 2
    line = capsys.readouterr().out.splitlines()[1].strip().removeprefix("profiles/")
    async with form(data, text=content) as pilot:
        await until(pilot, lambda: bool(screen(pilot).session.state.errors))
        [problem] = screen(pilot).session.state.errors
        assert str(problem).partition(":")[2] == line.partition(":")[2]
        await pilot.press("right_square_bracket")
        await until_shown(pilot, "✗ x.toml:")  # the file's name, of what stands in for the child


async def test_mistakes_stay_dimmed_while_they_are_checked_again(data: DataDir) -> None:
    gate = children.open_gate()
    async with form(
        data, text=QUICK.replace("epochs = 2", "epochs = 0"), tools=children.tools(check_goes=gate)
    ) as pilot:
        await until_shown(pilot, "ppo.epochs: out of")
        gate.clear()
        await edited(pilot, "collect.arenas", "8")
        await until_shown(pilot, "◌ checking")
        assert "ppo.epochs: out of" in screen_text(pilot.app.screen)
        state = screen(pilot).session.state
        row = next(row for row in screen(pilot).field_list.fields.values() if show_key(row.path) == "ppo.epochs")
        assert ("✗ ", "faint") in row_line(row, state, 60)
        await pilot.press("tab")
        assert screen(pilot).text_view.problems
        gate.set()
        await until(pilot, lambda: not screen(pilot).session.checking)
        assert ("✗ ", "bad") in row_line(row, screen(pilot).session.state, 60)


async def test_a_mistake_of_a_value_that_is_another_now_goes_at_once(data: DataDir) -> None:
    gate = children.open_gate()
    async with form(data, tools=children.tools(check_goes=gate)) as pilot:
        await edited(pilot, "ppo.minibatch", "60_000")  # taken: the batch may be what is to be changed
        await until_shown(pilot, "1 mistake")
        gate.clear()
        await edited(pilot, "ppo.minibatch", "1_000")
        await until_shown(pilot, "◌ checking")
        assert "✗" not in screen_text(pilot.app.screen)
        assert not screen(pilot).session.state.errors
        gate.set()
        await until_shown(pilot, "✓ valid")


async def test_the_text_view_shows_the_keys_that_work_there(data: DataDir) -> None:
    async with form(data) as pilot:
        await pilot.press("tab")
        await until_shown(pilot, "^o Save")
        foot = screen_text(pilot.app.screen).splitlines()[-1]
        assert "tab Form" in foot and "^q Back" in foot
        assert not {"u Undo", "X Delete", "enter Change", "? Help"} & {part for part in foot.split("  ") if part}
        await pilot.press("tab")
        await until_shown(pilot, "u Undo")


async def test_an_outdated_check_is_ended_and_its_answer_ignored(data: DataDir) -> None:
    gate, asked = threading.Event(), []

    def judge(content: str) -> dict[str, Any]:
        asked.append(content)
        return children.judged(content)

    async with form(data, tools=children.tools(check_goes=gate, judge=judge)) as pilot:
        await begun(pilot, "ppo.epochs", "7")
        await until(pilot, lambda: screen(pilot)._checker._newest.current is not None)
        first = screen(pilot)._checker._newest.current
        await typed(pilot, "3")
        await until(pilot, lambda: isinstance(first, children.FakeTextChild) and first.ended.is_set())
        gate.set()
        await until_shown(pilot, "✓ valid")
        assert not any("epochs = 7" in content for content in asked)


async def test_leaving_without_changes_asks_nothing(data: DataDir) -> None:
    async with form(data) as pilot:
        for key in ("escape", "q", "ctrl+q"):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(pilot.app.screen, LauncherScreen))
            await pilot.press("e")
            await until(pilot, lambda: isinstance(pilot.app.screen, FormScreen))


async def change(pilot: Pilot[str]) -> None:
    await edited(pilot, "collect.arenas", "8")
    await until(pilot, lambda: "arenas = 8 " in text(pilot))


async def test_leaving_with_changes_asks_and_saving_shows_the_difference_before_it_writes(data: DataDir) -> None:
    async with form(data) as pilot:
        await change(pilot)
        await pilot.press("escape")
        await until_shown(pilot, "Save 1 change?")
        await pilot.press("c")
        await until(pilot, lambda: isinstance(pilot.app.screen, FormScreen))
        await pilot.press("q")
        await until_shown(pilot, "Drop")
        await pilot.press("d")
        await until(pilot, lambda: isinstance(pilot.app.screen, LauncherScreen))
        assert MINE.read_text() == QUICK
        await pilot.press("e")
        await until(pilot, lambda: isinstance(pilot.app.screen, FormScreen) and bool(screen(pilot).field_list.fields))
        await change(pilot)
        await pilot.press("s")
        shown = await until_shown(pilot, "Write ball-touching.toml")
        assert "-arenas = 32 " in shown and "+arenas = 8 " in shown
        assert MINE.read_text() == QUICK
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, LauncherScreen))
        assert MINE.read_text() == QUICK.replace("arenas = 32 ", "arenas = 8 ")


async def test_a_file_that_others_changed_is_not_overwritten(data: DataDir) -> None:
    async with form(data) as pilot:
        await change(pilot)
        MINE.write_text(QUICK + "# theirs\n", encoding="utf-8")
        await pilot.press("s", "enter")
        await until_shown(pilot, "was changed on disk")
        assert MINE.read_text() == QUICK + "# theirs\n"
        await pilot.press("n")
        await until_shown(pilot, "✓ my-ball-touching.toml")
        await pilot.press("enter")
        await until_shown(pilot, "Write profiles/my-ball-touching.toml")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, LauncherScreen))
        assert "arenas = 8 " in Path("profiles/my-ball-touching.toml").read_text()
        assert MINE.read_text() == QUICK + "# theirs\n"


async def test_a_shipped_profile_becomes_a_copy(data: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    async with form(data) as pilot:
        screen(pilot).session.shipped = True
        await pilot.press("s")
        await until_shown(pilot, "Save your own copy as?")
        await pilot.press("ctrl+u", *"ball", "minus", *"touching")
        await until_shown(pilot, "exists already")
        await pilot.press("enter")  # refused where it stands
        await pilot.press("ctrl+u", *"bold", "enter")
        await until_shown(pilot, "Write profiles/bold.toml")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, LauncherScreen))
        assert Path("profiles/bold.toml").read_text() == QUICK.replace('label = "Quick"', 'label = "Bold"')
        assert MINE.read_text() == QUICK


async def test_in_a_checkout_ones_own_profile_beside_the_shipped_ones_is_saved_where_it_is(
    data: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rltui.profile.locate.shipped_folder", lambda: Path("profiles"))
    async with form(data) as pilot:
        await until_shown(pilot, "profiles/ball-touching.toml")
        assert "comes with rltui" not in screen_text(pilot.app.screen) and not screen(pilot).session.shipped
