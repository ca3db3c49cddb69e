"""Where panes stand: tabs in a border, regions that tile the body at every size, and who sits in which slot."""

from __future__ import annotations

import random
from typing import ClassVar

import pytest
from textual.geometry import Region, Size

from rltui.run_state.snapshot import RunSnapshot
from rltui.tui.cockpit.layout import FRAME, LayoutChoice, slot_regions
from rltui.tui.panes.pane import Pane, View
from rltui.tui.settings import Slot, UiSettings

VIEW = View(RunSnapshot(), 0.0)
SLOTS: tuple[Slot, ...] = ("charts", "table", "rewards", "time", "facts", "log", "side")


class APane(Pane):
    """Has something to show, and wants no rows."""

    def has_nothing(self, view: View) -> bool:
        return False


class OnePane(APane):
    NUMBER, NAME, SHORT, SLOT = "1", "Metrics of all", "Metrics", "charts"


class WorkersPane(APane):
    NUMBER, NAME, SHORT = "4", "Workers", "Workers"


class LutPane(APane):
    NUMBER, NAME, SHORT, WANTS = "5", "Lookup table", "LUT", 12


class ArenaPane(APane):
    NUMBER, NAME, SHORT, SLOT = "8", "Arena", "Arena", "side"
    nothing: ClassVar[bool] = True

    def has_nothing(self, view: View) -> bool:
        return self.nothing


class AuditPane(APane):
    NUMBER, NAME, SHORT, SLOT = "a", "Audit", "Audit", "side"


class FactsPane(APane):
    NUMBER, NAME, SHORT, SLOT = "i", "Facts", "Facts", "facts"


class LogPane(APane):
    NUMBER, NAME, SHORT, SLOT = "9", "Log", "Log", "log"


def choice_of(settings: UiSettings | None = None) -> tuple[LayoutChoice, dict[str, Pane]]:
    panes = [OnePane(), WorkersPane(), LutPane(), ArenaPane(), AuditPane(), LogPane()]
    return LayoutChoice(panes, settings or UiSettings()), {pane.NUMBER: pane for pane in panes}


def area(region: Region) -> int:
    return region.width * region.height


def test_the_slots_tile_the_body_at_every_size_and_wish() -> None:
    chance = random.Random(4)
    for _ in range(2000):
        width, height = chance.randrange(1, 400), chance.randrange(1, 150)
        wanted = {slot: chance.randrange(0, 80) for slot in chance.sample(SLOTS, 3)}
        extra = {slot: chance.randrange(-30, 30) for slot in chance.sample(SLOTS, 3)}
        slots = slot_regions(width, height, wanted, extra)
        if slots.minimal:
            assert width < 60 or height < 15
            continue
        regions = list(slots.regions.values())
        assert all(region.width >= 10 and region.height >= 3 for region in regions), (width, height, slots)
        assert sum(map(area, regions)) == width * (height - FRAME)
        body = Region(0, 0, width, height - FRAME)
        assert all(body.contains_region(region) for region in regions)
        assert not any(one.overlaps(two) for one in regions for two in regions if one is not two)


def test_what_is_on_screen_by_size() -> None:
    assert slot_regions(59, 40).minimal
    assert slot_regions(120, 14).minimal
    assert slot_regions(80, 24).single
    assert slot_regions(120, 29).single
    assert set(slot_regions(120, 40).regions) == {"charts", "table", "rewards", "time", "log"}
    assert set(slot_regions(200, 50).regions) == set(SLOTS)
    side, facts = AuditPane(), FactsPane()
    assert (slot_regions(120, 40).slot_of(side), slot_regions(120, 40).slot_of(facts)) == ("table", "time")
    assert (slot_regions(200, 50).slot_of(side), slot_regions(200, 50).slot_of(facts)) == ("side", "facts")


def test_more_rows_for_a_slot_are_more_rows(subtests: pytest.Subtests) -> None:
    wanted: dict[Slot, int] = {"table": 8}
    slots: tuple[Slot, ...] = ("charts", "table", "rewards", "time", "log")
    for slot in slots:
        with subtests.test(slot=slot):
            before, after = slot_regions(120, 40, wanted), slot_regions(120, 40, wanted, {slot: 2})
            assert after.regions[slot].height == before.regions[slot].height + 2


def test_a_pane_that_wants_rows_gets_them_from_the_charts() -> None:
    choice, panes = choice_of()
    size = Size(120, 40)
    low = choice.layout(size, VIEW).regions[panes["4"]].height
    choice.show(panes["5"], size)
    places = choice.layout(size, VIEW).regions
    assert panes["4"] not in places
    assert places[panes["5"]].height == 14 > low


def test_a_slot_shows_what_has_something_to_show_until_somebody_chooses() -> None:
    choice, panes = choice_of()
    size = Size(200, 50)
    assert panes["a"] in choice.layout(size, VIEW).regions
    choice.show(panes["8"], size)
    assert panes["8"] in choice.layout(size, VIEW).regions
    choice.reset()
    assert panes["a"] in choice.layout(size, VIEW).regions
    assert panes["8"] in choice.layout(size, VIEW, focused=panes["8"]).regions


def test_where_there_is_room_for_one_every_pane_can_be_that_one() -> None:
    choice, panes = choice_of()
    size = Size(80, 24)
    for pane in panes.values():
        choice.show(pane, size)
        found = choice.layout(size, VIEW)
        assert list(found.regions) == [pane]
        assert found.sharing[pane] == choice.panes
    assert choice.layout(Size(30, 8), VIEW).regions == {}


def test_alone_and_back_keeps_the_others_places() -> None:
    choice, panes = choice_of()
    size = Size(120, 40)
    choice.show(panes["5"], size)
    choice.maximise(panes["9"])
    assert list(choice.layout(size, VIEW).regions) == [panes["9"]]
    choice.show(panes["a"], size)
    assert list(choice.layout(size, VIEW).regions) == [panes["a"]]
    choice.maximise(panes["a"])
    assert panes["a"] in choice.layout(size, VIEW).regions


def test_growing_stops_at_the_end_and_does_not_add_up_unseen() -> None:
    choice, panes = choice_of()
    size = Size(120, 40)
    for _ in range(50):
        choice.grow(panes["9"], size, 2)
    tall = choice.layout(size, VIEW).regions[panes["9"]].height
    choice.grow(panes["9"], size, -2)
    assert choice.layout(size, VIEW).regions[panes["9"]].height < tall
    choice.reset()
    assert choice.layout(size, VIEW).regions[panes["9"]].height == 8


def test_the_layout_of_ui_toml_holds_and_reset_comes_back_to_it() -> None:
    choice, panes = choice_of(UiSettings(shows={"table": "lut", "side": "nobody"}, rows={"log": 4}))
    size = Size(120, 40)
    assert panes["5"] in choice.layout(size, VIEW).regions
    assert choice.layout(size, VIEW).regions[panes["9"]].height == 12
    choice.show(panes["4"], size)
    assert choice.chosen_ids() == {"table": "workers"}
    choice.reset()
    assert panes["5"] in choice.layout(size, VIEW).regions
    choice.show(panes["4"], size)
    choice.make_default()
    choice.reset()
    assert panes["4"] in choice.layout(size, VIEW).regions


def test_a_pane_whose_questions_fail_does_not_take_the_others_places(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> bool:
        raise ZeroDivisionError

    monkeypatch.setattr(ArenaPane, "has_nothing", broken)
    monkeypatch.setattr(WorkersPane, "wants", broken)
    choice, panes = choice_of()
    assert panes["8"] in choice.layout(Size(200, 50), VIEW).regions
