"""The log's list and window: at any moment what choosing from the whole log gives, and something to show."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.run_state.log_entries import LEVELS, LogEntry
from rltui.tui.panes.log_view import FOLDED, LogFilter, LogList, LogWindow, entry_lines, folded_lines
from rltui.tui.text import Line, plain, text_line
from rltui.tui.widgets.filter_bar import Pattern
from tests.fakes import run_story

KEPT = 12
entries = st.builds(
    LogEntry,
    time=st.floats(0, 100),
    level=st.sampled_from(LEVELS),
    source=st.sampled_from(["trainer", "worker 1"]),
    message=st.text("abc .", max_size=4),
    worker=st.none() | st.integers(0, 2),
    flag=st.sampled_from(["", "debug_actions"]),
)
wanted = st.builds(
    LogFilter,
    level=st.sampled_from(LEVELS),
    pattern=st.builds(Pattern, st.sampled_from(["", "a", "!a", "a.c", "[", "!", "trainer", "debug_"])),
)
SEARCHES = ("", "zzz", "!", "!zzz", "1", "[", ".")


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(entries, max_size=20) | wanted, max_size=12))
def test_it_grows_as_the_log_does(steps: list[list[LogEntry] | LogFilter]) -> None:
    log: tuple[LogEntry, ...] = ()
    total = 0
    listed = LogList()
    for step in steps:
        if isinstance(step, LogFilter):
            listed.choose(step)
        else:
            log, total = (*log, *step)[-KEPT:], total + len(step)
            listed.update(log, total)
        now = listed.wanted
        numbered = [(total - len(log) + place, entry) for place, entry in enumerate(log) if now.takes(entry)]
        assert list(zip(listed.numbers, listed.entries, strict=True)) == numbered


def test_another_log_in_its_place_is_shown_anew() -> None:
    listed = LogList()
    listed.update(lines(3, "end"), 3)
    listed.update(lines(10, "whole"), 10)
    assert [entry.message for entry in listed.entries] == [f"whole {number}" for number in range(10)]


def test_the_entry_of_a_time(subtests: pytest.Subtests) -> None:
    cases: list[tuple[float, str]] = [(0.0, "a 0"), (3.5, "a 4"), (99.0, "a 5")]
    for time, message in cases:
        with subtests.test(time=time, message=message):
            listed = LogList()
            listed.update(lines(6, "a"), 6)
            assert listed.entries[listed.at(time)].message == message


def lines(count: int, word: str) -> tuple[LogEntry, ...]:
    return tuple(LogEntry(float(number), "info", "s", f"{word} {number}") for number in range(count))


def test_a_long_entry_is_folded_and_says_how_much_more_there_is() -> None:
    entry = LogEntry(1.0, "error", "worker 1", "raised\n" + "\n".join(f"line {number}" for number in range(20)))
    shown = plain(folded_lines(entry, 80)).split("\n")
    assert len(shown) == FOLDED
    assert shown[-1].strip() == "… 18 more lines: enter opens it"
    assert "line 1" in shown[2]


def test_what_is_found_is_marked_upper_case_too() -> None:
    entry = LogEntry(1.0, "warning", "s", "Kickoff, kickoff")
    [line] = folded_lines(entry, 80, Pattern("KICK"))
    assert [text for text, role in line if role == "warn hit"] == ["Kick", "kick"]
    assert plain([line]) == plain(folded_lines(entry, 80))
    for unmarked in ("00:0", "0[01]"):  # the time of day is not looked through
        assert not any("hit" in role for line in folded_lines(entry, 80, Pattern(unmarked)) for _, role in line)
    for unmarked in ("!KICK", "[", ""):
        assert folded_lines(entry, 80, Pattern(unmarked)) == folded_lines(entry, 80)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=30),
    st.lists(st.integers(-12, 12), max_size=8),
    st.integers(1, 9),
    st.integers(0, 10),
)
def test_the_window_is_full_and_holds_the_cursor(heights: list[int], moves: list[int], height: int, later: int) -> None:
    listed = LogList()
    log = tuple(LogEntry(float(place), "info", "s", str(size)) for place, size in enumerate(heights))
    listed.update(log, len(log))
    window = LogWindow(listed)
    for move in moves:
        window.view(height, drawn)
        window.move(move)
        check(window, listed, heights, height)
    before = [place for place, _ in window.view(height, drawn)]
    more = tuple(LogEntry(float(len(log) + place), "info", "s", "1") for place in range(later))
    listed.update((*log, *more), len(log) + later)
    window.catch_up()
    after = [place for place, _ in window.view(height, drawn)]
    if window.cursor is None:
        assert after[-1] == len(listed) - 1 and window.unseen == 0
    else:
        assert window.unseen == later
        if sum(heights) >= height:
            assert after == before, "what is read stays where it is"


def check(window: LogWindow, listed: LogList, heights: list[int], height: int) -> None:
    shown = window.view(height, drawn)
    rows = sum(len(lines) for _, lines in shown)
    assert rows == min(height, sum(heights))
    places = [place for place, _ in shown]
    assert places == list(range(places[0], places[-1] + 1))
    assert window.place in places
    assert window.place_at(0) == places[0] and window.place_at(rows) is None


def drawn(entry: LogEntry) -> list[Line]:
    return [text_line(entry.message)] * int(entry.message)


def random_entries(chance: random.Random, count: int) -> list[LogEntry]:
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
        self._log = random_entries(self._chance, count)
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
                return self._choose(pattern=Pattern(chance.choice(SEARCHES)))
            case 3:
                return self._choose(level=chance.choice(LEVELS))
            case 4:
                place = window.place_at(chance.randrange(12))
                if place is not None:
                    window.stand(place)
                return f"click {place}"
            case _:
                self._log += random_entries(chance, chance.randrange(3))
                self.entries.update(tuple(self._log), len(self._log))
                window.catch_up()
                return f"{len(self._log)} entries"

    def _choose(self, **changes: object) -> str:
        number = self.window.cursor
        self.entries.choose(replace(self.entries.wanted, **changes))  # type: ignore[arg-type]
        self.window.stand_near(number)
        return f"choose {changes}"


def test_a_walk_never_looks_beyond_the_entries(subtests: pytest.Subtests) -> None:
    for count in (0, 1, 3, 200):
        for seed in range(8):
            with subtests.test(count=count, seed=seed):
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
    entries_of.update(tuple(random_entries(random.Random(0), 5)), 5)
    entries_of.choose(replace(entries_of.wanted, level="debug"))
    window = LogWindow(entries_of)
    window.move(-1)
    entries_of.choose(replace(entries_of.wanted, pattern=Pattern("zzz")))
    window.stand_near(window.cursor)
    assert window.view(4, lines_of) == []
    entries_of.choose(replace(entries_of.wanted, pattern=Pattern()))
    assert entries_of.entries[window.place].message == "line 3"
    assert window.view(20, lines_of)


def test_log_lines_wrap_beside_their_source() -> None:
    entry = LogEntry(run_story.START, "error", "worker 1", "raised: ValueError: bad\n  File x, line 1", 1)
    lines = plain(entry_lines(entry, 44)).split("\n")
    assert lines[0][8:] == " ✗ worker 1   raised: ValueError:"
    assert lines[1] == " " * 22 + "bad"
    assert lines[2] == " " * 22 + "  File x, line 1"


def test_a_long_log_is_looked_at_once_and_laid_out_where_it_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[LogEntry] = []
    laid_out: list[LogEntry] = []
    takes = LogFilter.takes

    def counted(wanted: LogFilter, entry: LogEntry) -> bool:
        looked_at.append(entry)
        return takes(wanted, entry)

    def line_of(entry: LogEntry) -> list[Line]:
        laid_out.append(entry)
        return [text_line(entry.message)]

    monkeypatch.setattr(LogFilter, "takes", counted)
    log, listed = lines(5100, "a"), LogList()
    listed.update(log[:5000], 5000)
    listed.update(log[100:], 5100)
    assert len(looked_at) == 5100
    window = LogWindow(listed)
    for move in (0, -1, -2000, 1, 5000):
        laid_out.clear()
        window.move(move)
        window.view(10, line_of)
        assert len(laid_out) <= 3 * 10, move
