"""Every key of every screen and pane is answered: by something that is seen, or by a notice that says why not. Lists have ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, OptionList, TextArea
from textual.widgets._toast import Toast

from rltui.runs.paths import DataDir
from rltui.tui.actions import EVERYWHERE, PLACES, Action, Place, pane_actions
from rltui.tui.app import RltuiApp
from rltui.tui.capture import screen_text
from rltui.tui.cockpit.screen import PANES
from rltui.tui.panes.league import LeaguePane
from rltui.tui.panes.machine import MachinePane
from tests.fakes import children, run_story
from tests.fakes.browsed import PHASE, browser, browser_of, fill, go_to
from tests.fakes.edited_form import form, go
from tests.fakes.fake_run import FakeControl, FakeRun
from tests.fakes.screens import NOW, cockpit, launcher, live_run, two_runs, until
from tests.fakes.settled import has_thread_at_work
from tests.fakes.walked_places import AWAY, refuse

MOVES = ("select", "page", "move", "move_cursor", "app.focus_next")  # at an end they stay there


class Gone(list[str]):
    """What would have led away from the screen, which stays from `stay` on. said: notices; on a busy machine one may have gone
    before the screen is looked at.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.said: list[str] = []
        self._monkeypatch, self._notify = monkeypatch, RltuiApp.notify
        monkeypatch.setattr(RltuiApp, "notify", lambda app, message, **how: self._heard(app, message, how))

    def _heard(self, app: RltuiApp, message: str, how: dict[str, Any]) -> None:
        self.said.append(message)
        self._notify(app, message, **how)

    def stay(self, place: Place) -> None:
        for owner, name in ((RltuiApp, "exit"), *AWAY[place]):
            self._monkeypatch.setattr(owner, name, lambda *_, name=name, **__: self.append(name))


@pytest.fixture
def gone(monkeypatch: pytest.MonkeyPatch) -> Gone:
    return Gone(monkeypatch)


def noted(pilot: Pilot[str], gone: Gone, run: FakeRun | None) -> object:
    """What may answer beside the picture. Commands do: their status stands above the footer, the same for the same one again."""
    sent = len(run.control.sent) if run is not None and run.control is not None else 0
    said = [notice.identity for notice in pilot.app._notifications]
    return pilot.app.screen, said, len(gone.said), len(gone), sent


async def silent(
    pilot: Pilot[str], actions: Iterable[Action], gone: Gone, run: FakeRun | None = None
) -> list[tuple[str, str]]:
    """(key, action) of those that nothing came of. What opens is closed again."""
    await pilot.pause()
    app, base, focused, found = pilot.app, pilot.app.screen, pilot.app.focused, []
    for action in actions:
        for key in action.keys if action.name.partition("(")[0] not in MOVES and action.bound else ():
            app.clear_notifications()
            await until(pilot, lambda: not app.screen.query(Toast))
            before, picture = noted(pilot, gone, run), screen_text(app.screen)

            def answered(before: object = before, picture: str = picture) -> bool:
                return noted(pilot, gone, run) != before or screen_text(app.screen) != picture

            await pilot.press(key)
            try:
                await until(pilot, answered, 3.0)
            except AssertionError:
                found.append((key, action.name))
            while app.screen is not base:
                await pilot.press("escape")
                await pilot.pause()
            if app.focused is not None and app.focused.check_consume_key("x", "x"):  # something is typed there
                await pilot.press("escape")
            base.set_focus(focused)
            await pilot.pause()
    return found


def keys_of(place: Place) -> list[Action]:
    """Those of several screens once, in the cockpit."""
    return [action for action in PLACES[place] if place == "cockpit" or action not in EVERYWHERE]


STATES = {
    "full": live_run,
    "empty": lambda: FakeRun(control=FakeControl()),
    "ended": lambda: FakeRun([*run_story.told(40), run_story.finished(819_200, NOW)], process=False),
}


@pytest.mark.parametrize(
    "state", [state if state == "full" else pytest.param(state, marks=pytest.mark.slow) for state in STATES]
)
async def test_every_key_of_the_cockpit_and_its_panes(
    state: str, gone: Gone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    run, found = STATES[state](), {}
    async with cockpit(run) as pilot:
        gone.stay("cockpit")
        others = [action for action in keys_of("cockpit") if action.name != "pane('1')"]  # it is there
        found["cockpit"] = await silent(pilot, others, gone, run)
        for pane in PANES:
            await pilot.press(pane.NUMBER)
            await until(pilot, lambda pane=pane: isinstance(pilot.app.focused, pane))  # type: ignore[misc]
            found[pane.NAME] = await silent(pilot, pane_actions(pane.pane_id()), gone, run)
    assert {place: keys for place, keys in found.items() if keys} == {}


async def test_every_key_of_the_launcher_on_each_kind_of_row(data: DataDir, gone: Gone) -> None:
    two_runs(data)
    found = {}
    async with launcher(data, launch=refuse, tools=children.tools()) as pilot:
        gone.stay("launcher")
        tree = pilot.app.screen.tree_list  # type: ignore[attr-defined]
        rows = {row.key.kind: row.key for row in tree.rows if row.key is not None}
        assert len(rows) == 5
        for kind, key in rows.items():
            tree.go_to(key)
            found[kind] = await silent(pilot, keys_of("launcher"), gone)
    assert {place: keys for place, keys in found.items() if keys} == {}


@pytest.mark.parametrize("filled", [True, False])
async def test_every_key_of_the_browser_in_tree_and_table(data: DataDir, gone: Gone, filled: bool) -> None:
    if filled:
        fill(data)
    found = {}
    async with browser(data, launch=refuse) as pilot:
        gone.stay("browser")
        if filled:
            await go_to(pilot, data.run("alpha").milestones / PHASE / "005M")
        found["table"] = await silent(pilot, keys_of("browser"), gone)
        browser_of(pilot).tree_list.focus()
        found["tree"] = await silent(pilot, keys_of("browser"), gone)
    assert {place: keys for place, keys in found.items() if keys} == {}


async def test_every_key_of_the_form_on_a_section_and_a_field(data: DataDir, gone: Gone) -> None:
    found = {}
    async with form(data) as pilot:
        gone.stay("form")
        for kind, key in (("section", "ppo"), ("field", "ppo.learning_rate"), ("element", "rewards.touch")):
            await go(pilot, key, kind)
            found[kind] = await silent(pilot, PLACES["form"], gone)
    assert {place: keys for place, keys in found.items() if keys} == {}


async def ends(pilot: Pilot[str], widgets: Sequence[Widget] = ()) -> list[str]:
    """Of these widgets, or all of the screen, those that Home and End do not bring to either end."""
    app, wrong = pilot.app, []
    for widget in widgets or [each for each in app.screen.focus_chain if not isinstance(each, Input | TextArea)]:
        widget.focus()
        await pilot.pause()
        await until(pilot, lambda widget=widget: not reads(widget))  # which moves its lines
        states = [
            await after(pilot, widget, *keys)
            for keys in (("down", "down"), ("up",), ("end",), ("down",), ("home",), ("up",))
        ]
        if isinstance(widget, OptionList):  # its ends are joined
            states[3], states[5] = states[2], states[4]
        if len(set(states)) > 1 and not (states[2] == states[3] != states[4] == states[5]):
            wrong.append(f"{app.screen} {widget}")
    return wrong


def reads(widget: Widget) -> bool:
    """Whether it is still to be filled, or a thread of the program is at work."""
    if isinstance(widget, LeaguePane):
        return widget.league is None or widget.league.ladder is None
    return has_thread_at_work(widget.app)


async def after(pilot: Pilot[str], widget: Widget, *keys: str) -> str:
    """What the widget shows then."""
    await pilot.press(*keys)
    await until(pilot, lambda: not (widget._repaint_required or widget._layout_required))
    return "\n".join(str(widget.render_line(y).text) for y in range(widget.size.height))


async def test_home_and_end_go_to_the_ends_of_every_list_and_text(data: DataDir) -> None:
    fill(data)
    found: list[str] = []
    run = live_run()
    async with cockpit(run) as pilot:
        for pane in set(PANES) - {MachinePane}:  # which changes by itself
            await pilot.press(pane.NUMBER)
            found += await ends(pilot, [pilot.app.screen.query_one(pane)])
        for key in ("question_mark", "D", "q"):
            await pilot.press(key)
            found += await ends(pilot)
            await pilot.press("escape")
    async with browser(data) as pilot:
        found += await ends(pilot)
        await pilot.press("n")
        found += await ends(pilot)
    async with launcher(data, (80, 24)) as pilot:  # once the doctor has said all: what comes later moves the lines
        found += await ends(pilot)
    async with form(data, (80, 24)) as pilot:
        found += await ends(pilot)
    assert found == []
