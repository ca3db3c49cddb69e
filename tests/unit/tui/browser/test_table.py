"""Table of saved states: columns that fit, sorting, marks of rewards."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import msgspec
import pytest

from rltui import formatting
from rltui.runs.inventory import CheckpointInfo, MilestoneMark, read_checkpoint_info, read_inventory
from rltui.runs.paths import DataDir
from rltui.tui.ascii import to_ascii
from rltui.tui.browser import table
from rltui.tui.browser.compare import compare
from rltui.tui.browser.compare import lines as compared
from rltui.tui.browser.details import lines
from rltui.tui.browser.library import Library
from rltui.tui.browser.table import Sorting
from rltui.tui.text import plain
from tests.fakes.saved_runs import make_files, make_meta, make_run, place, save, save_milestone


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


def entry_of(path: Path) -> CheckpointInfo:
    return dataclasses.replace(read_checkpoint_info(path), run="alpha")


def test_a_milestone_comes_below_its_checkpoint_in_every_order(subtests: pytest.Subtests, data: DataDir) -> None:
    paths = make_run(data, commits=0)
    entries = [entry_of(save_milestone(paths, 3, 3000, "000.003M")), entry_of(save(paths, 3, 3000))]
    for key in ("1", "2", "3", "4", "5"):
        for descending in (False, True):
            with subtests.test(key=key, descending=descending):
                assert [each.milestone != "" for each in table.sort(entries, Sorting(key, descending))] == [False, True]


def test_every_width_has_columns_and_never_overflows(data: DataDir) -> None:
    mark = MilestoneMark(pinned=True, released=True, note="x" * 300)
    entry = dataclasses.replace(entry_of(save_milestone(make_run(data), 1, 123_456_789, "123M")), mark=mark)
    for width in range(16, 220):
        columns = table.fitting(width, {"alpha", "b" * 60})
        assert columns[0] is table.NAME
        head = table.head(columns, Sorting("1"), width)
        drawn = table.row(entry, table.Drawing(columns, {entry.path}, {entry.path}, 0.0), width)
        for line in (head, drawn.line):
            assert sum(len(text) for text, _ in line) <= width, width


def test_what_the_rows_are_sorted_by_is_shown_as_long_as_there_is_room_for_it_at_all(subtests: pytest.Subtests) -> None:
    for key in sorted(set(table.SORTABLE) - {table.NOTE}):
        with subtests.test(key=key):
            for width in range(30, 220):
                columns = table.fitting(width, {"alpha", "beta"}, by=key)
                assert columns[0] is table.NAME and key in [column.key for column in columns], width
                head = "".join(text for text, _ in table.head(columns, Sorting(key, True), width))
                assert "▼" in head and len(head) <= width, width


def test_a_terminal_of_80_columns_has_room_for_the_elo(data: DataDir) -> None:
    entry = dataclasses.replace(entry_of(save_milestone(make_run(data), 1, 123_456_789, "123M")), elo=(1302.0, 105.0))
    for width, words in ((53, " 1,302±105"), (80, " 1,302 ± 105")):
        columns = table.fitting(width, {"alpha", "beta"}, by=table.AGE)
        assert words in "".join(text for text, _ in table.row(entry, table.Drawing(columns, (), (), 0.0), width).line)


def test_within_a_run_the_newest_is_the_one_saved_last_whatever_the_clock_said(data: DataDir) -> None:
    """The second state was saved after the clock had been set back; of another run one lies between them by time."""
    paths, other = data.run("alpha"), data.run("beta")
    moments = {1: 5000.0, 2: 1400.0, 3: 1500.0}
    entries = [entry_of(save(paths, commit, commit * 1000, time=moment)) for commit, moment in moments.items()]
    between = dataclasses.replace(entry_of(save(other, 1, 10, time=4000.0)), run="beta")
    assert [entry.timesteps for entry in table.sort([*entries, between], Sorting())] == [3000, 2000, 1000, 10]


def test_unknown_figures_come_last_in_either_order(data: DataDir) -> None:
    paths = make_run(data)
    known = entry_of(paths.checkpoint(1000))
    unknown = CheckpointInfo(paths.checkpoints / "x", None, None, "odd", unrecognised=True)
    for descending in (True, False):
        assert table.sort([unknown, known], Sorting("2", descending)) == [known, unknown]


def test_a_reward_that_does_not_count_is_marked_with_the_reason(data: DataDir, subtests: pytest.Subtests) -> None:
    for number, (entropy, is_dead) in enumerate(((0.0, True), (0.49, True), (0.51, False), (None, False)), 1):
        with subtests.test(entropy=entropy):
            check_reward(data, number, entropy, is_dead)


def check_reward(data: DataDir, number: int, entropy: float | None, is_dead: bool) -> None:
    about = msgspec.structs.replace(make_meta("alpha", 1, number * 1000), entropy=entropy, mean_reward=-1234.0)
    entry = entry_of(place(data.run("alpha").checkpoint(number * 1000), make_files(about)))
    for width in (40, 120):
        drawing = table.Drawing(table.fitting(width), (), (), 0.0)
        row = table.row(entry, drawing, width)
        reward = next(text for text, _ in row.line if formatting.number(-1234.0) in text)
        assert ("▼" in reward) is is_dead
        assert any("▼ " in text and role == "warn" for text, role in row.line) is is_dead
    words = " ".join(plain(lines(entry, Library(data.root), True, 0.0, 70)).split())
    assert ("▼ does not count: entropy" in words and "it hardly explored any more" in words) is is_dead


def test_what_is_spared_from_pruning_is_marked_though_it_is_the_only_healthy_one(data: DataDir) -> None:
    paths = data.run("alpha")
    for commit, entropy in ((1, 4.0), (2, 0.01)):
        meta = msgspec.structs.replace(make_meta("alpha", commit, 1000 * commit), entropy=entropy)
        place(paths.checkpoint(1000 * commit), make_files(meta))
    entries = read_inventory(paths).states
    assert [
        (entry.timesteps, entry.protected, entry.best is not None)
        for entry in sorted(entries, key=lambda e: e.commit or 0)
    ] == [
        (1000, True, True),
        (2000, False, False),
    ]


def test_the_best_by_reward_is_the_best_of_the_healthy(data: DataDir) -> None:
    """A collapsed bot with the highest reward, and short episodes with the next, come behind all whose rewards count."""
    paths = data.run("alpha")
    for steps, reward, entropy, short in (
        (1000, 5.0, 3.0, False), (2000, 9.0, 0.01, False), (3000, 8.0, 3.0, True), (4000, 7.0, 3.0, False), (5000, 6.0, 3.0, False),
    ):  # fmt: skip
        about = msgspec.structs.replace(
            make_meta("alpha", steps // 1000, steps), mean_reward=reward, entropy=entropy, reward_short=short
        )
        place(paths.checkpoint(steps), make_files(about))
    entries = read_inventory(paths).entries
    assert [entry.timesteps for entry in table.sort(entries, Sorting("2", True))] == [
        4000,
        5000,
        1000,
        2000,
        3000,
    ]
    assert [entry.timesteps for entry in table.sort(entries, Sorting("2"))] == [1000, 5000, 4000, 3000, 2000]
    assert [entry.timesteps for entry in entries if entry.best is not None] == [4000]
    drawing = table.Drawing(table.fitting(80), (), (), 0.0)
    drawn = {entry.timesteps: plain([table.row(entry, drawing, 80).line]) for entry in entries}
    assert {steps for steps, text in drawn.items() if "★" in text} == {4000}
    assert {steps for steps, text in drawn.items() if "▼" in text} == {2000, 3000}
    best = next(entry for entry in entries if entry.best)
    text = plain(lines(best, Library(data.root), True, 0.0, 70))
    assert "★ the best of 3 healthy ones under the same rewards" in text


def test_digits_of_titles_are_raised_so_that_they_are_no_figures_of_a_column() -> None:
    line = table.head(table.fitting(120), Sorting(), 120)
    text = plain([line])
    assert "¹timesteps" in text and "⁵age▲" in text
    assert not set(text) & set("123456789")
    assert table.key_at(line, text.index("timesteps") + 2) == "1"
    assert "1timesteps" in to_ascii(text)


def test_a_checkpoint_s_phase_is_the_same_in_table_details_and_comparison(tmp_path: Path) -> None:
    data = DataDir(tmp_path / "data")
    one, other = read_inventory(make_run(data, commits=2)).entries
    assert one.meta is not None and one.meta.phase == 1
    [column] = [column for column in table.fitting(200) if column.title == "phase"]
    assert column.text(one, 0.0) == one.phase_words == "1"
    for text in (
        plain(lines(one, Library(data.root), True, 0.0, 70)),
        plain(compared(compare(one, other), "", 0.0, 70)),
    ):
        assert re.search(r"^ *phase +1\b", text, re.MULTILINE), text
