"""The list inside a pane: cursor, marks, filter, and how it ends."""

from __future__ import annotations

import pytest

from rltui.tui.text import plain, width_of
from rltui.tui.widgets.picker import Picker, PickerEntry

ENTRIES = [PickerEntry(f"play/{name}", name, "a note", "Play") for name in ("goals", "shots", "saves")] + [
    PickerEntry(f"learn/{name}", name, "", "Learning") for name in ("kl", "entropy")
]


def picker(marked: set[str] | None = None) -> Picker:
    return Picker(ENTRIES, "Charts", "space marks", marked)


def press(target: Picker, *keys: str) -> list[str]:
    return [target.press(key, key if len(key) == 1 else None) for key in keys]


def test_space_marks_and_stays_so_that_it_also_takes_back() -> None:
    target = picker({"learn/kl"})
    press(target, "space", "down", "down", "space")
    assert target.marked_keys() == ["play/goals", "play/saves", "learn/kl"]
    before = plain(target.lines(60, 9))
    press(target, "space", "space")
    assert plain(target.lines(60, 9)) == before
    press(target, "space")
    assert (target.key, target.marked_keys()) == ("play/saves", ["play/goals", "learn/kl"])


def test_one_is_chosen_by_enter() -> None:
    target = picker()
    assert press(target, "end", "enter") == ["taken", "chosen"]
    assert target.key == "learn/entropy"
    assert press(target, "space", "escape") == ["ignored", "closed"]


def test_a_filter_narrows_the_list_and_esc_clears_it_first() -> None:
    target = picker(set())
    press(target, "slash", "s", "$")
    assert [entry.label for entry in target.shown] == ["goals", "shots", "saves"]
    assert "3 of 5" in plain(target.lines(60, 9))
    press(target, "enter", "down", "space")
    assert target.marked_keys() == ["play/shots"]
    assert press(target, "escape", "escape") == ["taken", "closed"]
    assert len(target.shown) == 5


def test_a_bad_expression_is_shown() -> None:
    target = picker()
    press(target, "slash", "[")
    assert "✗ no regular expression" in plain(target.lines(80, 9))
    assert len(target.shown) == 5


def test_nothing_found() -> None:
    target = picker(set())
    press(target, "slash", "q", "q", "enter")
    assert target.key is None
    assert "nothing matches" in plain(target.lines(40, 6))
    assert press(target, "space", "down") == ["ignored", "taken"]


def test_the_drawing() -> None:
    target = picker({"play/shots"})
    press(target, "down")
    assert plain(target.lines(40, 9)).split("\n") == [
        "Charts  space marks",
        "Play",
        " [ ] goals    a note",
        "▌[x] shots    a note",
        " [ ] saves    a note",
        "Learning",
        " [ ] kl",
        " [ ] entropy",
    ]


def test_the_cursor_s_row_is_in_view_at_any_size(subtests: pytest.Subtests) -> None:
    for height in (1, 2, 3, 5, 20):
        with subtests.test(height=height):
            for width in (1, 7, 30):
                target = picker()
                for _ in range(6):
                    lines = target.lines(width, height)
                    assert len(lines) <= height
                    assert all(width_of(line) <= width for line in lines)
                    if height >= 2:
                        assert sum("cursor" in role for line in lines for _, role in line[:1]) == 1
                    press(target, "down")
