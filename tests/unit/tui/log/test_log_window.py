"""Whatever is chosen, moved and added, the log's window has something to show, or says that there is nothing."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from rltui.run_state.log_entries import LEVELS, LogEntry
from rltui.tui.panes.log_view import LogList, LogWindow
from rltui.tui.text import Line, text_line
from rltui.tui.widgets.filter_bar import Pattern

SEARCHES = ("", "zzz", "!", "!zzz", "1", "[", ".")


def entries(chance: random.Random, count: int) -> list[LogEntry]:
    return [
        LogEntry(float(number), chance.choice(LEVELS), "trainer", f"line {number}", chance.choice((None, 0, 1)))
        for number in range(count)
    ]


def lines_of(entry: LogEntry) -> list[Line]:
    return [text_line(entry.message, "")] * (1 + int(entry.time) % 3)


class Walk:
    """A window on a log of `count` entries, one random step after the other."""

    def __init__(self, seed: int, count: int) -> None:
        self._chance = random.Random(seed)
        self._log = entries(self._chance, count)
        self.entries = LogList()
        self.entries.update(tuple(self._log), count)
        self.window = LogWindow(self.entries)

    def step(self) -> str:
        """What was done, in words."""
        chance, window = self._chance, self.window
        match chance.randrange(6):
            case 0 | 1:
                rows = chance.choice((-1, 1, -5, 5, -1000, 1000))
                window.move(rows)
                return f"move {rows}"
            case 2:
                return self._choose(search=Pattern(chance.choice(SEARCHES)), only_hits=chance.random() < 0.5)
            case 3:
                return self._choose(level=chance.choice(LEVELS), worker=chance.choice((None, 0, 1, 7)))
            case 4:
                place = window.place_at(chance.randrange(12))
                if place is not None:
                    window.stand(place)
                return f"click {place}"
            case _:
                self._log += entries(chance, chance.randrange(3))
                self.entries.update(tuple(self._log), len(self._log))
                window.catch_up()
                return f"{len(self._log)} entries"

    def _choose(self, **changes: object) -> str:
        number = self.window.number
        self.entries.choose(replace(self.entries.wanted, **changes))  # type: ignore[arg-type]
        self.window.stand_near(number)
        return f"choose {changes}"


@pytest.mark.parametrize("count", [0, 1, 3, 200])
@pytest.mark.parametrize("seed", range(8))
def test_a_walk_never_looks_beyond_the_entries(seed: int, count: int) -> None:
    walk, way = Walk(seed, count), []
    for _ in range(150):
        way.append(walk.step())
        height = walk._chance.randint(1, 12)
        drawn = walk.window.view(height, lines_of)
        places = [place for place, _ in drawn]
        assert bool(drawn) == bool(len(walk.entries)), way
        assert sum(len(lines) for _, lines in drawn) <= height, way
        assert places == list(range(places[0], places[0] + len(places))) if places else True, way
        assert not places or walk.window.place in places, way


def test_a_window_that_stands_still_shows_nothing_where_the_filter_leaves_nothing_and_comes_back() -> None:
    entries_of = LogList()
    entries_of.update(tuple(entries(random.Random(0), 5)), 5)
    entries_of.choose(replace(entries_of.wanted, level="debug"))
    window = LogWindow(entries_of)
    window.move(-1)
    entries_of.choose(replace(entries_of.wanted, search=Pattern("zzz"), only_hits=True))
    window.stand_near(window.number)
    assert window.view(4, lines_of) == []
    entries_of.choose(replace(entries_of.wanted, search=Pattern()))
    assert entries_of.entries[window.place].message == "line 3"
    assert window.view(20, lines_of)
