"""Debug lines: at most so many a second, shared by the flags; what is left out is counted and said."""

from __future__ import annotations

from rltui.train.collect.debug_output import Line, LineLimit


def lines(flag: str, count: int) -> list[Line]:
    return [(flag, str(number)) for number in range(count)]


def test_a_second_has_room_for_so_many_and_the_next_says_what_was_left_out() -> None:
    now = [100.0]
    limit = LineLimit(20, lambda: now[0])
    assert limit.passed(lines("a", 30)) == lines("a", 20)
    now[0] += 0.9
    assert limit.passed(lines("a", 5)) == []
    now[0] += 0.2
    found = limit.passed(lines("a", 30))
    assert found[0] == ("a", "15 lines left out: more than can be read")
    assert found[1:] == lines("a", 19), "the count is one of the twenty"


def test_no_flag_drowns_another() -> None:
    limit = LineLimit(20, lambda: 5.0)
    limit.configure(20, ["flood", "trickle"])
    assert len(limit.passed(lines("flood", 1000))) == 10
    assert limit.passed(lines("trickle", 3)) == lines("trickle", 3)


def test_a_flag_that_was_switched_off_is_not_heard_of_again() -> None:
    now = [100.0]
    limit = LineLimit(20, lambda: now[0])
    limit.passed([*lines("off", 30), *lines("on", 30)])
    limit.keep(["on"])
    now[0] += 1.0
    assert limit.passed(lines("on", 1)) == [("on", "10 lines left out: more than can be read"), ("on", "0")]


def test_without_a_rate_all_lines_are_said() -> None:
    assert LineLimit(0, lambda: 5.0).passed(lines("a", 1000)) == lines("a", 1000)
