"""What stands in journals, names and errors is shown and never obeyed: by the terminal, by Textual's markup, by a pane."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Label

from rltui.events.commands import OutputLive, ViewerLive, Welcome
from rltui.events.records import IterationFinished, LogLine, Record
from rltui.run_state.log_entries import LONGEST, entry_of
from rltui.runs.paths import DataDir
from rltui.tui.ascii import ControlCharacterFilter, without_controls
from rltui.tui.capture import screen_text
from tests.fakes import run_story
from tests.fakes.fake_run import ME, FakeControl, FakeRun
from tests.fakes.screens import NOW, cockpit, cockpit_of, live_run, until, until_shown

HOSTILE = (
    "\x1b]0;pwn\x07\x1b[2J\x9b31m\r\nX[red]bo[/]ld[/none] 漢字🦖\u202e\t\x00", "[/]", "[", "\x1b", "🦖" * 200,
    "a" * 100_000, "", "e\u0301" * 50, "[@click=app.quit]x[/]", "\\[", "]",
)  # fmt: skip
WORDS = frozenset({"state", "level", "kind"})  # one of a few by their type


def hostile(value: Any, chance: random.Random, name: str = "") -> Any:
    """The record with every text in it replaced."""
    match value:
        case str():
            return value if name in WORDS else chance.choice(HOSTILE)
        case msgspec.Struct():
            fields = {name: hostile(getattr(value, name), chance, name) for name in value.__struct_fields__}
            return msgspec.structs.replace(value, **fields)
        case list():
            return [hostile(part, chance, name) for part in value]
        case dict():
            return {key: hostile(part, chance, name) for key, part in value.items()}
        case _:
            return value


def hostile_run(chance: random.Random) -> FakeRun:
    """A run all of whose texts are hostile, its metrics' names excepted."""
    records: list[Record] = [
        record if isinstance(record, IterationFinished) else hostile(record, chance) for record in run_story.told(40)
    ]
    records += [LogLine(time=NOW - 1, level="error", source=text[:90], message=text, worker=0) for text in HOSTILE]
    records.append(hostile(run_story.phase_changed(NOW, 40 * run_story.STEPS), chance))
    control = FakeControl()
    control.welcome = Welcome(chance.choice(HOSTILE), 4242, 1, chance.choice([ME, *HOSTILE]), ME)
    output = OutputLive(HOSTILE[0], HOSTILE[0], 3, HOSTILE[0])
    viewer = ViewerLive("playing", 1, "", [output], chance.choice(HOSTILE))
    control.say(msgspec.structs.replace(hostile(run_story.live(NOW - 0.1), chance), viewer=viewer))
    return FakeRun(records, control=control)


def check(pilot: Pilot[str], place: str) -> None:
    text = screen_text(pilot.app.screen)
    assert "cannot draw" not in text, f"{place}:\n{text}"
    assert without_controls(text.replace("\n", "")) == text.replace("\n", ""), place


@pytest.mark.parametrize("seed", range(3))
async def test_hostile_texts_are_shown_in_every_pane_and_dialog(seed: int, data: DataDir) -> None:
    size = ((80, 24), (200, 50), (60, 15))[seed]
    async with cockpit(hostile_run(random.Random(seed)), size) as pilot:
        panes = [pane.NUMBER for pane in cockpit_of(pilot).panes]
        for keys in ([pane] for pane in panes):
            await pilot.press(*keys)
            await pilot.pause()
            check(pilot, keys[0])
        for key in ("D", "colon", "N", "q", "question_mark"):
            await pilot.press(key)
            await pilot.pause()
            check(pilot, key)
            await pilot.press("escape")
    assert pilot.app.return_code != 1


class OneLabel(App[None]):
    """A widget of Textual's own, which passes control characters on."""

    def compose(self) -> ComposeResult:
        yield Label("before\x1b[2J\udcffafter", markup=False)

    def on_load(self) -> None:
        self._filters.append(ControlCharacterFilter())


async def test_textual_s_own_widgets_pass_nothing_on_either() -> None:
    async with OneLabel().run_test() as pilot:
        assert screen_text(pilot.app.screen).splitlines()[0] == "before[2J?after"


@pytest.mark.parametrize("text", HOSTILE[:4])
async def test_a_notice_is_no_markup(text: str, data: DataDir) -> None:
    async with cockpit(live_run()) as pilot:
        pilot.app.screen.notify(f"no file {text} there", title=text)
        await until_shown(pilot, "no file")
        check(pilot, text)


async def test_a_line_of_a_million_characters_holds_nothing_up(data: DataDir) -> None:
    run = live_run()
    async with cockpit(run) as pilot:
        run.records.add(LogLine(time=NOW, level="error", source="learner", message="begin" + "x" * 1_000_000 + "end"))
        await pilot.press("9", "f")
        await until_shown(pilot, "more lines: enter opens it")
        await until(pilot, lambda: cockpit_of(pilot).snapshot.log[-1].message.endswith("end"))


def test_a_long_message_keeps_its_beginning_and_its_end() -> None:
    entry = entry_of(LogLine(time=NOW, level="info", source="x", message="begin" + "x" * 1_000_000 + "end"))
    assert entry is not None
    assert entry.message.startswith("begin")
    assert entry.message.endswith("end")
    assert "980,008 characters left out; journal.jsonl has them" in entry.message
    assert len(entry.message) < LONGEST + 100
