"""The reward trace: steps that frames repeat put together, columns that fit, sums that equal the totals."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from rltui.events.match_frames import StepRewards, Watched
from rltui.tui.panes.reward_trace import (
    MOST_STEPS,
    PaidSteps,
    RowCache,
    TraceRows,
    TraceTable,
    amount_text,
    broken_name,
    merged_spans,
    time_text,
)
from rltui.tui.text import plain, width_of
from tests.fakes.moments import car, moment
from tests.fakes.watched_match import NAMES, watched
from tests.fakes.watched_match import paid as paid_step


def frame(*steps: StepRewards, names: tuple[str, ...] = ("touch", "speed"), cars: int = 1) -> Watched:
    places = [(0.0, 1000.0 * index, 17.0) for index in range(cars)]
    seen = moment(tick=steps[-1].tick, cars=tuple(car(index % 2, place) for index, place in enumerate(places)))
    return Watched(seen, steps[-1].episode, 0, names, steps)


def step(tick: int, *terms: float, episode: int = 0) -> StepRewards:
    return StepRewards(tick, episode, (terms,))


def test_overlapping_frames_are_one_row_of_steps() -> None:
    seen = PaidSteps()
    first, second, third = step(8, 1.0, 0.25), step(16, 0.0, -0.5), step(24, 2.0, 0.125)
    seen.take(frame(first, second))
    seen.take(frame(first, second, third))
    seen.take(frame(second, third))
    assert [each.step for each in seen.steps] == [first, second, third]
    assert [each.total(0) for each in seen.steps] == [1.25, -0.5, 2.125]
    assert seen.newest is not None
    assert seen.newest.sums == ((3.0, -0.125),)
    assert sum(seen.newest.sums[0]) == 1.25 - 0.5 + 2.125


def test_an_episode_begins_its_own_sums_and_the_one_before_stays() -> None:
    seen = PaidSteps()
    seen.take(frame(step(8, 1.0, 0.5), step(16, 0.0, 0.5)))
    assert seen.before is None
    seen.take(frame(step(24, 0.0, 0.25, episode=1), step(32, 4.0, 0.25, episode=1)))
    newest, before = seen.newest, seen.before
    assert newest is not None and before is not None
    assert newest.sums == ((4.0, 0.5),)
    assert before.sums == ((1.0, 1.0),)
    assert [each.begins for each in seen.steps] == [False, False, True, False]
    assert (before.whole, newest.whole) == (False, True), "the first one was merged_spans in its middle"


def test_a_sum_over_a_gap_does_not_claim_to_be_whole() -> None:
    seen = PaidSteps()
    seen.take(frame(step(8, 1.0, 0.0), step(16, 1.0, 0.0, episode=1)))
    assert seen.newest is not None and seen.newest.whole
    seen.take(frame(step(48, 1.0, 0.0, episode=1), step(56, 1.0, 0.0, episode=1)))
    assert seen.newest.sums == ((3.0, 0.0),)
    assert not seen.newest.whole
    assert seen.newest.since == 16


def test_another_match_ends_what_was(subtests: pytest.Subtests) -> None:
    cases: list[Watched] = [
        frame(step(32, 1.0), names=("touch",)),
        frame(StepRewards(32, 1, ((1.0, 2.0), (1.0, 2.0))), cars=2),
        frame(step(8, 7.0, 7.0)),
    ]
    for other in cases:
        with subtests.test(other=other):
            seen = PaidSteps()
            seen.take(frame(step(8, 1.0, 0.5), step(16, 0.0, 0.5), step(24, 0.0, 0.5)))
            seen.take(other)
            assert [each.step for each in seen.steps] == [other.steps[-1]]
            assert seen.names == other.names


def test_who_touched_the_ball() -> None:
    seen = PaidSteps()
    seen.take(frame(StepRewards(8, 0, ((0.0, 0.0), (0.0, 0.0)), touches=(0, 3)), cars=2))
    assert seen.newest is not None
    assert [seen.newest.touched(index) for index in (0, 1, 2)] == [False, True, False]


def test_which_reward_pays_most() -> None:
    seen = PaidSteps()
    seen.take(frame(step(8, 1.0, -2.0), step(16, -0.5, -2.0)))
    assert seen.activity(0) == [1.5, 4.0]


@dataclass
class Twin:
    """Sums the slow way: over all steps of the episode."""

    steps: list[StepRewards]

    def sums(self, episode: int, index: int) -> list[float]:
        own = [each.contributions[index] for each in self.steps if each.episode == episode]
        return [sum(column) for column in zip(*own, strict=True)]


def test_whatever_frames_are_missed_sums_are_those_of_all_steps(subtests: pytest.Subtests) -> None:
    """As long as each frame reaches back to the one before."""
    for seed in range(5):
        with subtests.test(seed=seed):
            rng, seen, at = random.Random(seed), PaidSteps(), 1
            while at < 600:
                seen.take(watched(at))
                at += rng.randint(1, 15)
            last = seen.steps[-1]
            twin = Twin([paid_step(number) for number in range(1, last.step.tick // 8 + 1)])
            assert len(seen.steps) == last.step.tick // 8 <= MOST_STEPS
            for index in (0, 1):
                assert list(last.sums[index]) == pytest.approx(twin.sums(last.step.episode, index), abs=1e-9)
                assert sum(last.sums[index]) == pytest.approx(
                    sum(each.total(index) for each in seen.steps if each.step.episode == last.step.episode), abs=1e-9
                )
            assert last.whole


def test_no_more_than_a_minute_is_kept() -> None:
    seen = PaidSteps()
    for at in range(10, MOST_STEPS + 100, 10):
        seen.take(watched(at))
    assert len(seen.steps) == MOST_STEPS


def seen(*terms: tuple[float, ...], names: tuple[str, ...] = ("touch", "speed"), episode: int = 1) -> PaidSteps:
    """One car, paid so at ticks 8, 16, …"""
    paid = PaidSteps()
    for number, each in enumerate(terms, 1):
        step = StepRewards(8 * number, episode, (each,), touches=(int(number == 2),), goal=int(number == 3))
        paid.take(Watched(moment(tick=8 * number, cars=(car(0, (0.0, 0.0, 17.0)),)), episode, 0, names, (step,)))
    return paid


def words(*lines: object) -> list[list[str]]:
    return [row.split() for row in plain(lines).split("\n")]  # type: ignore[arg-type]


def test_a_step_its_sums_and_its_total_by_hand() -> None:
    paid = seen((1.0, 0.25), (0.0, -0.5), (2.0, 0.125))
    table = TraceTable(paid, 0, 80)
    assert words(*table.head) == [[], ["time", "touch", "speed", "total"]]
    assert words(*TraceRows(tuple(paid.steps), table)[:]) == [
        ["0:00.06", "+1.0000", "+0.2500", "+1.2500"],
        ["0:00.13", "·", "-0.5000", "-0.5000", "touch"],
        ["0:00.20", "+2.0000", "+0.1250", "+2.1250", "goal"],
    ]
    _, episode, before = words(*table.foot(paid, bars=False))
    assert episode == ["episode*", "+3.0000", "-0.1250", "+2.8750"]
    assert before == ["before", "–"]


def test_a_row_is_drawn_once_as_long_as_its_columns_stay() -> None:
    paid, drawn = seen((1.0, 0.25), (0.0, -0.5)), RowCache()
    steps, table = tuple(paid.steps), TraceTable(paid, 0, 80)
    first = TraceRows(steps, table, drawn)[:]
    again = TraceRows(steps, TraceTable(paid, 0, 80), drawn)[:]
    assert all(one is other for one, other in zip(first, again, strict=True))
    narrow = TraceTable(paid, 0, 40)
    assert TraceRows(steps, narrow, drawn)[:] == [narrow.row(step) for step in steps] != first


def test_a_viewer_that_begins_anew_has_other_steps_at_the_same_ticks() -> None:
    drawn = RowCache()
    for paid in (seen((1.0, 0.25)), seen((7.0, 0.5))):
        table = TraceTable(paid, 0, 80)
        assert TraceRows(tuple(paid.steps), table, drawn)[:] == [table.row(paid.steps[0])]


def test_a_bar_is_the_part_of_what_was_paid_and_charged() -> None:
    paid = seen((3.0, -1.0))
    table = TraceTable(paid, 0, 80)
    line = table.foot(paid, bars=True)[2]
    assert plain([line]).startswith("share")
    filled = {role: text.count("━") + text.count("╸") / 2 for text, role in line if set(text) <= {"━", "╸"}}
    assert filled["positive"] == 3 * filled["negative"]
    nothing = seen((0.0, 0.0))
    assert "━" not in plain(TraceTable(nothing, 0, 80).foot(nothing, bars=True))


def test_the_columns_of_any_width_add_up_and_fit(subtests: pytest.Subtests) -> None:
    for width in (60, 78, 118, 198):
        with subtests.test(width=width):
            names = (*NAMES, *(f"my/rewards.py:Something{index}" for index in range(20)))
            paid = PaidSteps()
            paid.take(watched(40, names=names))
            table = TraceTable(paid, 1, width)
            lines = [*table.head, *TraceRows(tuple(paid.steps), table)[:], *table.foot(paid, bars=True)]
            assert max(map(width_of, lines)) <= width
            for step in paid.steps:
                *terms, total = [
                    0.0 if word == "·" else float(word)
                    for word in plain([table.row(step)]).split()[1:]
                    if word[0] in "·+-"
                ]
                assert sum(terms) == pytest.approx(total, abs=1e-3)
                assert total == pytest.approx(step.total(1), abs=1e-4)


def test_an_amount(subtests: pytest.Subtests) -> None:
    cases: list[tuple[float, str]] = [
        (0.0, "·"), (0.00634, "+0.0063"), (-0.0379, "-0.0379"), (1.5, "+1.5000"), (-42.25, "-42.2500"), (100.5, "+100.500"),
        (-2500.0, "-2500.00"), (31_000.0, "+31000.0"), (0.00003, "+3e-05"), (1e6, "+1.0e+06"),
    ]  # fmt: skip
    for value, text in cases:
        with subtests.test(value=value, text=text):
            assert amount_text(value) == text


def test_an_amount_fits_its_column_whatever_it_is() -> None:
    rng = random.Random(0)
    values = [rng.choice((-1, 1)) * 10 ** rng.uniform(-9, 9) for _ in range(2000)]
    assert max(len(amount_text(value)) for value in (*values, 99.99996, 999.9996, 9999.996, 98_999.96)) <= 8


def test_a_time(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, str]] = [(0, "0:00.00"), (8, "0:00.06"), (119, "0:00.99"), (65 * 120 + 40, "1:05.33")]
    for tick, text in cases:
        with subtests.test(tick=tick, text=text):
            assert time_text(tick) == text


def test_a_long_name_has_two_lines(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, int, tuple[str, str]]] = [
        ("touch", 8, ("", "touch")),
        ("speed_toward_ball", 14, ("speed_toward_", "ball")),
        ("speed_toward_ball", 8, ("speed_", "toward_…")),
        ("my/file.py:Reward", 8, ("", "Reward")),
        ("Incomprehensible", 8, ("Incompre", "hensible")),
    ]
    for name, width, lines in cases:
        with subtests.test(name=name, width=width):
            assert broken_name(name, width) == lines


def test_neighbours_of_one_role_are_one_span() -> None:
    assert merged_spans([("a", ""), ("b", ""), ("c", "bad"), ("d", "")]) == (("ab", ""), ("c", "bad"), ("d", ""))
