"""What scripts of others print: reports of rlgym-ppo and rlgym-learn, in any locale, torn or mixed with other lines."""

from __future__ import annotations

import pytest

from rltui.events.metrics import METRICS
from rltui.train.script_report import LONGEST_LINE, MOST_FIGURES, OutputLines, ReportParser, ScriptReport
from tests.fakes.ppo_script import STEPS, learn_report, report


def parsed(text: str) -> tuple[list[ScriptReport], list[str]]:
    """The reports, and the lines that are of none."""
    parser, found, others = ReportParser(), [], []
    for line in text.splitlines():
        of_report, whole = parser.take(line)
        found += [whole] if whole is not None else []
        others += [line] if not of_report and line else []
    last = parser.idle()
    return found + ([last] if last is not None else []), others


def test_a_report_of_rlgym_ppo_has_our_keys() -> None:
    (first, second), others = parsed("Using device cpu\n" + report(1) + report(2))
    assert others == ["Using device cpu"]
    assert (first.timesteps, second.timesteps, second.collected) == (STEPS, 2 * STEPS, STEPS)
    assert first.metrics["train/value_loss"] is None, "printed as nan"
    assert second.metrics == {
        "rollout/policy_reward": 1.0,
        "train/entropy": 4.49981,
        "train/value_loss": 0.25,
        "train/approx_kl": 0.00279,
        "train/clip_fraction": 0.02373,
        "train/policy_update": 0.07114,
        "train/critic_update": 0.13493,
        "time/collected_steps_per_second": 8581.13182,
        "time/consumed_steps_per_second": STEPS / 2.0,
        "time/overall_steps_per_second": 5977.26097,
        "time/collect": 4.31789,
        "time/learn": 2.0,
        "script/ppo_batch_consumption_time": 0.11061,
        "time/iteration": 6.31789,
        "train/updates": 2,
        "timesteps": 2 * STEPS,
    }


def test_every_name_of_rlgym_ppo_in_the_table_is_understood(subtests: pytest.Subtests) -> None:
    for metric in METRICS:
        if metric.rlgym_ppo:
            with subtests.test(name=metric.rlgym_ppo):
                (found,), _ = parsed(f"Cumulative Timesteps: 9\n{metric.rlgym_ppo}: 9\n")
                assert found.metrics[metric.key] == 9


def test_a_report_of_rlgym_learn_needs_no_marks() -> None:
    (first, second), others = parsed(learn_report(1) + "saving\n" + learn_report(2))
    assert others == ["saving"]
    assert (first.timesteps, second.timesteps) == (STEPS, 2 * STEPS)
    expected = {
        "rollout/policy_reward": 0.5,
        "train/entropy": 4.49,
        "train/value_loss": 0.25,
        "script/average_reward": 0.01,
    }
    assert {key: first.metrics[key] for key in expected} == expected


def test_numbers_of_any_locale(subtests: pytest.Subtests) -> None:
    for text, value in [
        ("1,476.07643", 1476.07643),
        ("1.476,07643", 1476.07643),
        ("0,03805", 0.03805),
        ("8,581", 8581.0),
        ("35,010,128", 35_010_128.0),
        ("1\u202f476,07643", 1476.07643),
        ("-3.5e-05", -3.5e-05),
        ("1e999", None),
        ("nan", None),
        ("None", None),
        ("[1.0, 2.0]", None),
    ]:
        with subtests.test(text=text):
            (found,), _ = parsed(f"Cumulative Timesteps: 9\nPolicy Reward: {text}\n")
            assert found.metrics["rollout/policy_reward"] == value
    for text, count in [
        ("550208", 550_208),
        ("550.208", 550_208),
        ("35,010,128", 35_010_128),
        ("550208.00000", 550_208),
    ]:
        with subtests.test(text=text):
            assert [each.timesteps for each in parsed(f"Cumulative Timesteps: {text}\n")[0]] == [count]


def test_what_is_no_whole_report_is_none(subtests: pytest.Subtests) -> None:
    begin, end = "--------BEGIN ITERATION REPORT--------\n", "--------END ITERATION REPORT--------\n"
    for text in (
        begin + end,
        end,
        begin + "Policy Reward: 1\n" + end,
        begin + "Cumulative Timesteps: many\n" + end,
        begin,
    ):
        with subtests.test(text=text):
            assert parsed(text)[0] == []
    torn = begin + "Policy Reward: 7\nCumulative Timesteps: 7\n" + report(1)
    assert [each.timesteps for each in parsed(torn)[0]] == [STEPS], "the torn one is left out"


def test_an_error_within_a_report_is_a_line_for_the_log() -> None:
    found, others = parsed(report(1).replace("\n\n", "\nValueError: on fire\n", 1))
    assert others == ["ValueError: on fire"] and found[0].timesteps == STEPS


def test_made_up_names_have_an_end() -> None:
    names = "".join(f"Name {number}: 1\n" for number in range(10 * MOST_FIGURES))
    (found,), _ = parsed("Cumulative Timesteps: 9\n" + names)
    assert len(found.metrics) <= MOST_FIGURES


def test_lines_are_plain_text(subtests: pytest.Subtests) -> None:
    for data, lines in [
        (b"one\ntwo", ["one"]),
        (b"one\r\n", ["one"]),
        (b"10 %\r20 %\r100 %\n", ["100 %"]),
        (b"\x1b[31mred\x1b[0m \x1b]0;title\x07\x00end\n", ["red end"]),
        (b"\xff\xfe\n", ["\ufffd\ufffd"]),
    ]:
        with subtests.test(data=data):
            assert list(OutputLines().feed(data)) == lines
    assert [len(line) for line in OutputLines().feed(b"x" * (2 * LONGEST_LINE + 1))] == [LONGEST_LINE] * 2


def test_a_character_in_two_pieces_is_one() -> None:
    lines = OutputLines()
    assert [*lines.feed(b"\xc3"), *lines.feed(b"\xa4\n")] == ["ä"]


def test_a_question_is_a_line_and_a_progress_bar_goes_on() -> None:
    lines = OutputLines()
    assert [*lines.feed(b"Which GPU? "), lines.rest(), lines.rest()] == ["Which GPU?", ""]
    assert [*lines.feed(b"\r10 %\r20 %"), lines.rest(), *lines.feed(b"\r30 %\n")] == ["", "30 %"]
