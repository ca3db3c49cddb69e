"""Keys of the milestone browser: what is shown, sorted, filtered, compared; what is done, and what never is."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from rltui.errors import RltuiError
from rltui.runs.inventory import MilestoneMark, read_checkpoint_info, read_marks
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir
from rltui.runs.trash import list_trash
from rltui.tui.browser.compare import CompareText
from rltui.tui.browser.fork import ForkScreen
from rltui.tui.browser.library import ALL, TRASH, RunNode
from rltui.tui.browser.screen import BrowserScreen
from rltui.tui.capture import screen_text
from rltui.tui.cockpit.screen import CockpitScreen
from rltui.tui.launcher.screen import LauncherScreen
from rltui.tui.messages import RunOpened
from rltui.tui.notifications import Notifier
from rltui.tui.widgets.dialogs import ChoiceDialog, PromptDialog
from tests.fakes import data_folder, run_story
from tests.fakes.browsed import PHASE, browser, browser_of, fill, go_to
from tests.fakes.fake_run import FakeControl, FakeRun
from tests.fakes.launches import Launches, a_trainer
from tests.fakes.saved_runs import save_milestone, tree
from tests.fakes.screens import LAUNCHER_NOW, Clock, cockpit, until, until_shown


def milestone(data: DataDir, label: str) -> Path:
    return data.run("alpha").milestones / PHASE / label


def running(picture: str) -> str:
    """The words of a screen one after the other, without the borders at its sides."""
    return " ".join(picture.translate(dict.fromkeys(map(ord, "│┃"), " ")).split())


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Why things were not done, oldest first, also what has gone from the screen."""
    found: list[str] = []
    refuse = Notifier.refuse

    def noted(notifier: Notifier, error: RltuiError) -> None:
        found.append(error.message)
        refuse(notifier, error)

    monkeypatch.setattr(Notifier, "refuse", noted)
    return found


def names(pilot: Pilot[str]) -> list[str]:
    return [entry.label for entry in browser_of(pilot).table.entries]


async def show(pilot: Pilot[str], node: RunNode) -> None:
    screen = browser_of(pilot)
    screen.tree_list.go_to(node)
    await until(pilot, lambda: screen.node == node)
    await pilot.pause()
    screen.table.focus()


async def test_the_tree_chooses_what_the_table_shows(data: DataDir) -> None:
    fill(data)
    async with browser(data) as pilot:
        screen = browser_of(pilot)
        nodes = [row.key for row in screen.tree_list.rows if isinstance(row.key, RunNode)]
        assert [(node.kind, node.run) for node in nodes] == [
            ("all", ""), ("run", "alpha"), ("phase", "alpha"), ("checkpoints", "alpha"), ("run", "alpha-b2"),
            ("checkpoints", "alpha-b2"), ("run", "beta"), ("phase", "beta"), ("checkpoints", "beta"), ("unrecognised", ""), ("trash", ""),
        ]  # fmt: skip
        assert len(screen.table.entries) == 11
        await show(pilot, RunNode("phase", "alpha", PHASE))
        assert names(pilot) == ["10 M", "5 M", "1,095,680", "500 k"]
        await show(pilot, RunNode("run", "alpha-b2"))
        assert names(pilot) == ["checkpoint"]
        await show(pilot, TRASH)
        assert [(entry.kind, entry.label) for entry in screen.table.entries] == [("deleted", "250 k")]
        screen.tree_list.focus()
        await pilot.press("home", "down", "space")
        await until(pilot, lambda: "▸ alpha" in screen_text(pilot.app.screen))
        await pilot.press("enter")
        assert screen.focused is screen.table
        await show(pilot, RunNode("unrecognised"))
        assert names(pilot) == ["zeta.txt"]


async def test_strays_are_shown_with_the_reason_and_nothing_is_done_with_them(data: DataDir, told: list[str]) -> None:
    fill(data)
    shutil.copytree(milestone(data, "010M"), milestone(data, "010M.bak"))
    async with browser(data) as pilot:
        await go_to(pilot, milestone(data, "best one"))
        await until_shown(pilot, "its name is not <millions>M")
        for key in ("R", "F", "p", "D", "w", "x"):
            await pilot.press(key)
            await pilot.pause()
        if isinstance(pilot.app.screen, ChoiceDialog):
            await pilot.press("escape")
        assert milestone(data, "best one").is_dir()
        await go_to(pilot, milestone(data, "010M.bak"))
        await pilot.press("x")
        await until(pilot, lambda: any("010M.bak of alpha is not copied" in said for said in told))
        await until(pilot, lambda: pilot.app.screen is browser_of(pilot))


async def test_a_digit_sorts_and_again_turns_the_order_round(data: DataDir) -> None:
    fill(data)
    async with browser(data) as pilot:
        await show(pilot, RunNode("phase", "alpha", PHASE))
        for key, order in (
            ("1", ["10 M", "5 M", "1,095,680", "500 k"]),
            ("1", ["500 k", "1,095,680", "5 M", "10 M"]),
            ("2", ["10 M", "5 M", "1,095,680", "500 k"]),
            ("3", ["1,095,680", "500 k", "5 M", "10 M"]),
            ("3", ["10 M", "5 M", "1,095,680", "500 k"]),
            ("9", ["5 M", "10 M", "1,095,680", "500 k"]),
            ("7", ["10 M", "5 M", "1,095,680", "500 k"]),  # none has an Elo
            ("8", ["10 M", "5 M", "1,095,680", "500 k"]),
        ):
            await pilot.press(key)
            assert names(pilot) == order, key
        head = "".join(text for text, _ in browser_of(pilot).table.head or ())
        await pilot.click("#states", offset=(head.index("steps") + 3, 1))  # a click on a title sorts too
        await until(pilot, lambda: browser_of(pilot).table.order.key == "1")


async def test_filter_inverse_and_escape(data: DataDir) -> None:
    fill(data)
    async with browser(data) as pilot:
        screen = browser_of(pilot)
        await pilot.press("slash", *"^alpha .*5 M|500 k")
        assert names(pilot) == ["5 M", "500 k"]
        assert "Everything  2 of 11" in await until_shown(pilot, "/^alpha .*5 M|500 k 2 of 11 · esc clears")
        line = screen.query_one("#filter", Input)
        line.value = "!alpha"
        await until(pilot, lambda: {entry.run for entry in screen.table.entries} == {"beta", ""})
        await pilot.press("escape", "slash", *"pinned", "enter", "escape")
        await until(pilot, lambda: len(screen.table.entries) == 11)
        assert screen.entry is not None and screen.entry.label == "5 M"  # it was kept by enter
        await until(pilot, lambda: not line.has_focus and not screen.query_one("#filter-bar").display)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, LauncherScreen))


async def test_hashes_are_compared_for_all_on_v(data: DataDir) -> None:
    fill(data)
    bad = milestone(data, "005M")
    content = bytearray((bad / "PPO_POLICY.pt").read_bytes())
    content[7] ^= 1
    (bad / "PPO_POLICY.pt").write_bytes(content)
    async with browser(data) as pilot:
        table = browser_of(pilot).table
        assert table.sound == set()
        await pilot.press("v")
        await until(pilot, lambda: len(table.sound) == 6)
        await go_to(pilot, bad)
        await until_shown(pilot, "PPO_POLICY.pt is damaged: its SHA-256 is")


async def test_resume_says_what_it_will_do_and_cancel_is_the_default(data: DataDir) -> None:
    """A damaged one offers the good one before it; of a campaign the run's profile counts, for a state's is one phase alone."""
    fill(data)
    launches = Launches(RltuiError("not now", ""))
    newest = milestone(data, "010M")
    async with browser(data, launch=launches) as pilot:
        await go_to(pilot, newest)
        await pilot.press("R")
        text = await until_shown(pilot, "branch off as alpha-b3 at 10,000,000 timesteps")
        assert "with its own profile" in running(text)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, BrowserScreen))
        assert launches.plans == []
        await start(pilot, "branch off as alpha-b3", "enter")
        plan = launches.plans.pop()
        assert (plan.run, plan.args) == ("alpha-b3", ("--resume", str(newest.absolute())))
        assert Path(plan.profile) == newest / "profile.toml"
        data.run("alpha").profile.write_text('schema = 1\n[[curriculum.phases]]\nprofile = "one"\n')
        await start(pilot, "campaign", "enter")
        assert Path(launches.plans.pop().profile) == data.run("alpha").profile
        (newest / "PPO_VALUE_NET.pt").write_bytes(b"cut")
        await pilot.press("R")
        text = running(await until_shown(pilot, "PPO_VALUE_NET.pt is damaged"))
        assert "Phase1-BallTouching/010M of alpha: PPO_VALUE_NET.pt is damaged: it has 3 bytes, expected 600" in text
        assert "Branch off as alpha-b3 at 5,000,000 timesteps" in text
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, BrowserScreen))
        assert launches.plans == []
        await start(pilot, "PPO_VALUE_NET.pt is damaged", "g", "enter")
        assert launches.plans.pop().args == ("--resume", str(milestone(data, "005M").absolute()))


async def start(pilot: Pilot[str], words: str, *keys: str) -> None:
    """Have the highlighted state gone on from, which fails, and come back."""
    await pilot.press("R")
    await until_shown(pilot, words)
    await pilot.press(*keys)
    await until_shown(pilot, "It did not start: not now")
    await pilot.press("escape")
    await until(pilot, lambda: isinstance(pilot.app.screen, BrowserScreen))


async def test_the_newest_goes_on_and_the_cockpit_opens(data: DataDir) -> None:
    fill(data)
    launches = Launches()
    async with browser(data, launch=launches, run=FakeRun(run_story.told(30), name="alpha")) as pilot:
        await go_to(pilot, data.run("alpha").checkpoint(11_468_800))
        await pilot.press("R")
        await until_shown(pilot, "resume alpha at 11,468,800 timesteps")
        await pilot.press("r")
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen))
        assert (launches.plans[0].run, launches.plans[0].args) == ("alpha", ())


async def test_the_newest_of_a_run_at_its_step_limit_asks_for_a_new_one(data: DataDir) -> None:
    data_folder.make_stopped(data, "gamma", iterations=250, time=LAUNCHER_NOW - 60, limit=5_000_000)
    launches = Launches(RltuiError("not now", ""))
    async with browser(data, launch=launches) as pilot:
        await go_to(pilot, data.run("gamma").checkpoint(5_120_000))
        await pilot.press("R")
        await until_shown(pilot, "its limit of 5,000,000 timesteps is reached")
        await pilot.press("r")
        await until_shown(pilot, "Up to which total of timesteps?")
        await pilot.press("enter")
        await until(pilot, lambda: bool(launches.plans))
        assert (launches.plans[0].run, launches.plans[0].args) == ("gamma", ())


async def test_a_run_in_training_is_not_started_twice_and_keeps_its_newest(data: DataDir) -> None:
    fill(data)
    with RunLock(data.run("alpha")):
        async with browser(data) as pilot:
            await go_to(pilot, data.run("alpha").checkpoint(11_468_800))
            await pilot.press("R")
            await until_shown(pilot, "is being trained already")
            assert "Branch off" not in screen_text(pilot.app.screen)
            await pilot.press("escape", "X")
            await until_shown(pilot, "is not deleted")
            assert isinstance(pilot.app.screen, BrowserScreen)


async def test_a_fork_shows_what_fits_what_it_does_and_what_changes(data: DataDir) -> None:
    fill(data)
    launches = Launches(RltuiError("not now", ""))
    async with browser(data, launch=launches) as pilot:
        await go_to(pilot, milestone(data, "005M"))
        await pilot.press("n")
        await until(pilot, lambda: isinstance(pilot.app.screen, ForkScreen))
        await until_shown(pilot, "▌✓ quick, its own")
        await until_shown(pilot, "start the new run quick-1 at 5,000,000 timesteps")
        await pilot.press("down")
        await until_shown(pilot, "start the new run ball-touching-1 at 5,000,000 timesteps")
        text = await until_shown(pilot, "ppo.learning_rate  0.0002 → 0.0001")
        assert "✓ ball-touching" in text
        assert "✗ my-bot  not valid" in text
        assert "✗ my-bot" in text
        assert "[mechanics]" in text
        assert "not there → 4 keys" in text
        await pilot.press("end")
        await until_shown(pilot, "the profile is not valid")
        await pilot.press("enter")
        assert launches.plans == []
        await pilot.press("home", "down")
        await until_shown(pilot, "start the new run ball-touching-1 at 5,000,000 timesteps")
        await pilot.press("enter")
        await until_shown(pilot, "Name of the new run?")
        await pilot.press("enter")
        await until_shown(pilot, "It did not start: not now")
        plan = launches.plans[0]
        assert (plan.profile, plan.run, plan.args) == (
            "ball-touching",
            "ball-touching-1",
            ("--fork-from", str(milestone(data, "005M").absolute())),
        )
        await pilot.press("escape", "n")
        await until_shown(pilot, "start the new run quick-1 at 5,000,000 timesteps")
        await pilot.press("enter", "enter")
        await until(pilot, lambda: len(launches.plans) == 2)
        plan, path = launches.plans[1], milestone(data, "005M")
        assert (plan.profile, plan.args) == (str(path / "profile.toml"), ("--fork-from", str(path.absolute())))


async def test_a_profile_that_does_not_fit_says_why(data: DataDir, monkeypatch: pytest.MonkeyPatch) -> None:
    from rltui.runs.meta import Signature
    from tests.fakes import data_folder, saved_runs

    other = Signature("default 89", saved_runs.SIGNATURE.table_hash, "discrete 89-256-90", saved_runs.SIGNATURE.critic)
    verdict = data_folder.verdict
    fill(data)
    async with browser(data) as pilot:
        monkeypatch.setattr(data_folder, "verdict", lambda path: verdict(path, other))
        (Path("profiles") / "ball-touching.toml").write_text("schema = 1\n# another one\n")
        await go_to(pilot, milestone(data, "005M"))
        await pilot.press("n")
        await until_shown(pilot, "observation: expected default 89, found default 92")


async def test_pin_promote_and_note_stand_beside_the_milestone(data: DataDir) -> None:
    fill(data)
    before = tree(milestone(data, "001.09568M"))
    async with browser(data) as pilot:
        await go_to(pilot, milestone(data, "001.09568M"))
        name = f"{PHASE}/001.09568M"
        for key, mark in (
            ("p", MilestoneMark(pinned=True)),
            ("r", MilestoneMark(pinned=True, released=True)),
            ("p", MilestoneMark(released=True)),
        ):
            await pilot.press("e", key)
            await until(pilot, lambda mark=mark: read_marks(data.run("alpha")).get(name) == mark)  # type: ignore[misc]
            await until(pilot, lambda mark=mark: browser_of(pilot).entry.mark == mark)  # type: ignore[misc,union-attr]
        await pilot.press("e", "n", *"flips", "enter")
        await until(pilot, lambda: read_marks(data.run("alpha"))[name].note == "flips")
        await until_shown(pilot, "flips")
        await pilot.press("e", "n")
        await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
        pilot.app.screen.query_one(Input).value = ""
        await pilot.press("enter")
        await until(pilot, lambda: read_marks(data.run("alpha"))[name] == MilestoneMark(released=True))
        assert tree(milestone(data, "001.09568M")) == before
        await go_to(pilot, data.run("alpha").checkpoint(11_468_800))
        await pilot.press("e")
        await until_shown(pilot, "only milestones can be noted, pinned or released")


async def test_a_checkpoint_is_kept_as_a_milestone_and_u_takes_it_back(data: DataDir) -> None:
    fill(data)
    source = data.run("alpha").checkpoint(11_468_800)
    path = milestone(data, "011.4688M")
    async with browser(data) as pilot:
        await go_to(pilot, source)
        row = browser_of(pilot).table.cursor
        await pilot.press("M")
        await until_shown(pilot, "kept as milestone 11,468,800: u takes it back, 30 s")
        assert tree(path) == tree(source)
        await until(pilot, lambda: browser_of(pilot).library.entry(path) is not None)
        assert (browser_of(pilot).table.cursor, browser_of(pilot).table.key) == (row, source)
        await pilot.press("M")
        await until_shown(pilot, "it is kept already, as milestone 11,468,800")
        await go_to(pilot, path)
        await pilot.press("M")
        await until_shown(pilot, "only a checkpoint can be kept as a milestone")
        await pilot.press("u")
        await until(pilot, lambda: not path.exists())
        assert source.is_dir()
        assert list_trash(data)[0].milestone == f"{PHASE}/011.4688M"
        (source / "PPO_POLICY.pt").write_bytes(b"cut")
        await go_to(pilot, source)
        await pilot.press("M")
        await until_shown(pilot, "PPO_POLICY.pt is damaged")
        assert not path.exists()


async def test_what_is_damaged_by_its_hashes_alone_is_used_for_nothing_until_it_is_mended(
    data: DataDir, told: list[str]
) -> None:
    """Its files have the right sizes: only reading them tells. Each act says why not, and v finds what was mended."""
    fill(data)
    bad = milestone(data, "005M")
    content = (bad / "policy.npz").read_bytes()
    (bad / "policy.npz").write_bytes(bytes([content[0] ^ 1]) + content[1:])
    async with browser(data) as pilot:
        await go_to(pilot, bad)
        await pilot.press("V")  # reads what it needs, whether or not all hashes have been compared
        await until(pilot, lambda: len(told) == 1)
        await pilot.press("v")
        await until_shown(pilot, "✗ policy.npz is damaged: its SHA-256 is")
        for key in ("n", "x", "M"):
            await pilot.press(key)
        expected = ("cannot be watched: policy.npz is damaged", "nothing can be forked from this: policy.npz is damaged",
                    "milestone 5 M of alpha is not copied: policy.npz is damaged", "only a checkpoint can be kept")  # fmt: skip
        await until(pilot, lambda: len(told) == len(expected))
        assert all(words in said for words, said in zip(expected, told, strict=True)), told
        assert pilot.app.screen is browser_of(pilot)
        await pilot.press("2")
        assert names(pilot).index("5 M") > names(pilot).index("10 M")
        (bad / "policy.npz").write_bytes(content)
        await pilot.press("v")
        await until(pilot, lambda: (entry := browser_of(pilot).entry) is not None and entry.usable)


async def test_deleting_wants_the_name_and_u_takes_it_back(data: DataDir) -> None:
    fill(data)
    path = milestone(data, "001.09568M")
    before = tree(path)
    async with browser(data) as pilot:
        for label, why in (("005M", "it is pinned"), ("010M", "it is released")):  # not even asked about
            await go_to(pilot, milestone(data, label))
            await pilot.press("X")
            await until_shown(pilot, why)
            assert isinstance(pilot.app.screen, BrowserScreen)
        await go_to(pilot, path)
        await pilot.press("X")
        await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
        await pilot.press("enter")  # alone deletes nothing
        await until_shown(pilot, "Type 001.09568M or 5680")
        await pilot.press(*"5681", "enter")
        await until_shown(pilot, "not its name")
        assert path.is_dir()
        pilot.app.screen.query_one(Input).value = "1.09568 M"
        await until_shown(pilot, "to the trash")
        await pilot.press("enter")
        await until(pilot, lambda: not path.exists())
        await until_shown(pilot, "u takes it back, 30 s")
        await until(pilot, lambda: browser_of(pilot).library.entry(path) is None)
        await pilot.press("u")
        await until(pilot, path.exists)
        assert tree(path) == before
        await until(pilot, lambda: browser_of(pilot).library.entry(path) is not None)


async def test_after_thirty_seconds_the_trash_is_the_way_back_until_it_is_emptied(data: DataDir) -> None:
    fill(data)
    clock = Clock(LAUNCHER_NOW)
    path = milestone(data, "001.09568M")
    async with browser(data, clock=clock) as pilot:
        await go_to(pilot, path)
        await pilot.press("X")
        await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
        await pilot.press(*"5680", "enter")
        await until_shown(pilot, "u takes it back")
        clock.now += 31
        await pilot.press("u")
        await until_shown(pilot, "nothing was deleted or kept")
        assert not path.exists()
        await until(pilot, lambda: len(browser_of(pilot).library.under(TRASH)) == 2)
        await show(pilot, TRASH)
        gone = next(entry for entry in browser_of(pilot).table.entries if entry.timesteps == 1_095_680)
        await go_to(pilot, gone.path)
        await pilot.press("u")
        await until(pilot, path.exists)
        await until(pilot, lambda: len(browser_of(pilot).library.under(TRASH)) == 1)
        await show(pilot, TRASH)
        await pilot.press("X")
        await until_shown(pilot, "Remove 1 saved state for good?")
        await pilot.press("enter")
        assert len(list_trash(data)) == 1
        await pilot.press(*"empty", "enter")
        await until(pilot, lambda: list_trash(data) == [])


async def test_what_comes_back_out_of_the_trash_has_the_cursor(data: DataDir) -> None:
    fill(data)
    async with browser(data) as pilot:
        await show(pilot, TRASH)
        await until(pilot, lambda: browser_of(pilot).entry is not None)
        await pilot.press("u")
        path = milestone(data, "000.25M")
        await until(pilot, lambda: not browser_of(pilot).library.under(TRASH))
        await until(pilot, lambda: (here := browser_of(pilot).entry) is not None and here.path == path)
        assert browser_of(pilot).node == RunNode("run", "alpha")
        assert browser_of(pilot).tree_list.key == RunNode("run", "alpha")


async def test_export_says_where_and_never_overwrites(data: DataDir, tmp_path: Path) -> None:
    fill(data)
    async with browser(data) as pilot:
        await go_to(pilot, milestone(data, "001.09568M"))
        await pilot.press("x")
        await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
        line = pilot.app.screen.query_one(Input)
        line.value = str(tmp_path)
        await until_shown(pilot, "alpha-001.09568M")
        line.value = str(data.root / "checkpoints" / "x")
        await until_shown(pilot, "is inside data/checkpoints")
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, PromptDialog)
        line.value = str(tmp_path / "mine")
        await pilot.press("enter")
        await until(pilot, (tmp_path / "mine" / "manifest.sha256").exists)
        await until_shown(pilot, "each byte checked")
        assert tree(tmp_path / "mine") == tree(milestone(data, "001.09568M"))
        await pilot.press("x")
        await until(pilot, lambda: isinstance(pilot.app.screen, PromptDialog))
        pilot.app.screen.query_one(Input).value = str(tmp_path / "mine.npz")
        await until_shown(pilot, "✓ policy.npz to")
        await pilot.press("enter")
        await until(pilot, (tmp_path / "mine.npz").exists)


async def test_comparing_wants_two_and_shows_only_what_differs(data: DataDir) -> None:
    fill(data)
    async with browser(data) as pilot:
        await pilot.press("equals_sign")
        await until_shown(pilot, "two are compared: 0 selected")
        await go_to(pilot, milestone(data, "001.09568M"))
        await pilot.press("space")
        await go_to(pilot, milestone(data, "000.5M"))
        await pilot.press("equals_sign")
        text = await until_shown(pilot, "Two states side by side")
        assert "rewards.touch.weight" in text
        assert "1.0 → 0.5" in text
        assert "learning_rate" not in text
        assert "+595,680" in text
        await pilot.press("right_square_bracket")
        await until_shown(pilot, "only states of two runs have a chart")
        await pilot.press("escape", "space")  # this one marked too
        await go_to(pilot, data.run("beta").milestones / PHASE / "005M")
        await pilot.press("space", "equals_sign")
        await until_shown(pilot, "two are compared: 3 selected")
        await go_to(pilot, milestone(data, "000.5M"))
        await pilot.press("space", "equals_sign")
        await until_shown(pilot, "the curves are of single iterations")
        compared = pilot.app.screen.query_one(CompareText)
        first = compared.lines
        await pilot.press("right_square_bracket")
        await until(pilot, lambda: compared.lines != first)
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: compared.lines == first)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, BrowserScreen))


async def test_a_view_to_look_only_changes_nothing(data: DataDir) -> None:
    """A cache of what was read is none."""
    fill(data)
    before = tree(data.root)
    async with browser(data, readonly=True) as pilot:
        await go_to(pilot, milestone(data, "001.09568M"))
        for key in ("R", "F", "p", "P", "n", "D", "u"):
            await pilot.press(key)
            await pilot.pause()
            assert isinstance(pilot.app.screen, BrowserScreen)
        await until_shown(pilot, "this is a view to look only")
        assert {name: content for name, content in tree(data.root).items() if not name.endswith(".cache")} == before


async def test_from_the_cockpit_and_back_to_it(data: DataDir) -> None:
    fill(data)
    async with cockpit(FakeRun(run_story.told(30), name="alpha", process=False)) as pilot:
        left = pilot.app.screen
        await pilot.press("b")
        await until(pilot, lambda: isinstance(pilot.app.screen, BrowserScreen) and pilot.app.screen.library.complete)
        assert browser_of(pilot).node == RunNode("run", "alpha")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is left)
        await opened_from(pilot)
        pilot.app.screen.post_message(RunOpened("alpha"))  # the one that is kept
        await until(pilot, lambda: pilot.app.screen is left)
        await opened_from(pilot)
        pilot.app.screen.post_message(RunOpened("alpha", a_trainer("alpha")))  # makes room for the trainer that goes on
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen) and not left.is_running)
        left = pilot.app.screen
        await opened_from(pilot)
        await go_to(pilot, data.run("beta").checkpoint(5_120_000))
        await pilot.press("enter")  # another run
        await until(pilot, lambda: isinstance(pilot.app.screen, CockpitScreen) and not left.is_running)
        assert pilot.app.screen is not left


async def opened_from(pilot: Pilot[str]) -> None:
    """The browser, from the cockpit, once all is read."""
    await pilot.press("b")
    await until(pilot, lambda: isinstance(pilot.app.screen, BrowserScreen) and pilot.app.screen.library.complete)
    browser_of(pilot).tree_list.go_to(ALL)
    await pilot.pause()


async def test_the_cockpit_comes_back_from_the_browser_as_it_was_left(data: DataDir) -> None:
    fill(data)
    control, clock = FakeControl(), Clock()
    run = FakeRun(run_story.told(30), name="alpha", control=control)
    async with cockpit(run, (200, 50), clock=clock) as pilot:
        left = pilot.app.screen
        assert isinstance(left, CockpitScreen)
        await until(pilot, lambda: left.snapshot.link.connected)
        await pilot.press("5", "l", "l", "l", "a", "t")
        await until_shown(pilot, "debug and above")
        await pilot.press("b")
        await until(pilot, lambda: isinstance(pilot.app.screen, BrowserScreen) and pilot.app.screen.library.complete)
        run.records.add(run_story.iteration(31))
        await pilot.resize_terminal(160, 50)
        await pilot.press("q")
        await until(pilot, lambda: left.snapshot.history.length == 31 and pilot.app.screen is left)
        await until(pilot, lambda: left.snapshot.link.connected)
        await until(pilot, lambda: left.size.width == 160)
        text = await until_shown(pilot, "1 entry")
        pane = left.focused_pane()
        assert pane is not None and pane.pane_id() == "audit" and "debug and above" in text
        assert [pane.display for pane in left.panes if pane.pane_id() == "lut"] == [True]
        await until(pilot, lambda: max(pane.region.right for pane in left.panes if pane.display) == 160)
        clock.now += 2 * 3600
        await until_shown(pilot, "no word from the trainer for 2 h")  # ages grow again


async def test_from_a_milestone_of_the_launcher(data: DataDir) -> None:
    fill(data)
    from rltui.tui.launcher.tree import Item
    from tests.fakes.screens import launcher

    async with launcher(data) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, LauncherScreen)
        from rltui.tui.widgets.list_view import ListView

        tree_list = screen.query_one("#tree", ListView)
        tree_list.set_rows(tree_list.rows, Item("milestone", str(milestone(data, "005M"))))
        await pilot.press("b")
        await until(pilot, lambda: isinstance(pilot.app.screen, BrowserScreen) and pilot.app.screen.library.complete)
        await until(pilot, lambda: browser_of(pilot).entry is not None)
        assert browser_of(pilot).entry.path == milestone(data, "005M")  # type: ignore[union-attr]
        await pilot.press("question_mark")
        await until_shown(pilot, "under another profile")


async def test_after_an_act_that_fails_what_appears_on_disk_appears_here_and_the_cursor_stays(
    data: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(data)
    done = threading.Event()

    def broken(*_: object) -> None:
        done.set()
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr("rltui.tui.browser.operations.change_mark", broken)
    async with browser(data) as pilot:
        await go_to(pilot, milestone(data, "001.09568M"))
        await pilot.press("e", "p")
        await until_shown(pilot, "ZeroDivisionError: of all things")
        assert done.is_set()
        assert isinstance(pilot.app.screen, BrowserScreen)
        await go_to(pilot, milestone(data, "005M"))
        new = save_milestone(data.run("alpha"), 12, 12_000_000, "012M")
        await pilot.press("r")
        await until(pilot, lambda: browser_of(pilot).library.entry(new) is not None)
        assert browser_of(pilot).entry.path == milestone(data, "005M")  # type: ignore[union-attr]
        assert read_checkpoint_info(new).damage is None
