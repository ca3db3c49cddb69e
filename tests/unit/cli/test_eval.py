"""rltui eval: what a person reads, who plays, and what is refused before a game begins."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from rltui.__main__ import main
from rltui.cli import eval as command
from rltui.cli.parser import parse
from rltui.env.stats import EpisodeStats
from rltui.env.turtle import TurtleStats
from rltui.league.evaluation import Evaluation, MatchUp, PlayedGame, TaskDone
from rltui.league.sources import ScriptedSource
from rltui.runs.paths import DataDir
from tests.fakes.bots import write_bot


def stats(goals: int, kickoffs_touched: int, touches: int = 50) -> EpisodeStats:
    """Ten minutes of play."""
    return EpisodeStats(
        episodes=10, car_episodes=10, episode_ticks=0, rewards={}, goals=goals, touches=touches, airborne=900, boost=9000.0,
        car_steps=9000, arena_steps=9000, seconds=600.0, shots=20, kickoffs=20, kickoffs_touched=kickoffs_touched,
        turtles=TurtleStats(3, 1, 0, [60, 120]),
    )  # fmt: skip


def evaluated(goals: Sequence[tuple[int, int]], touches: tuple[int, int] = (50, 50)) -> Evaluation:
    """The games of A, two a pair."""
    found = Evaluation(MatchUp(ScriptedSource("chaser"), ScriptedSource("random"), 1, 300.0, 7), len(goals))
    games = [PlayedGame(number // 2, 0, *score) for number, score in enumerate(goals)]
    if games:
        found.add(TaskDone(games, [stats(30, 19, touches[0]), stats(10, 5, touches[1])], 1.0))
    return found


def told(goals: Sequence[tuple[int, int]], touches: tuple[int, int] = (50, 50)) -> str:
    return re.sub(" +", " ", "\n".join(command._lines(evaluated(goals, touches))))


def test_the_table() -> None:
    text = told([(3, 0)] * 14 + [(1, 1)] * 4 + [(0, 2)] * 2)
    for line in (
        "A chaser\nB random\n20 games, 1v1, 300 s each, seed 7\n", "won 14 2", "drawn 4 4", "goals 46 8",
        "kickoff touches 95 % 25 %", "goals/min 3.00 1.00", "shots/min 2.00 2.00", "turtled 3 3", "recovered 2 2",
        "recovery time 0.75 s 0.75 s", "A scores 80.0 %",
    ):  # fmt: skip
        assert line in text


def test_only_what_is_decided_is_decided(subtests: pytest.Subtests) -> None:
    for goals, verdict in (
        ([(1, 0)] * 20, "A is the better one."),
        ([(0, 1)] * 20, "B is the better one."),
        ([(1, 0)] * 11 + [(0, 1)] * 9, r"Which is the better one is not decided: some \d+ more games."),
        ([(1, 0), (0, 1)] * 10, "Which is the better one is not decided: alike, or more than 1,000 more games."),
        ([(1, 0)] * 2, "Which is the better one is not decided: some 2 more games."),
    ):
        with subtests.test(verdict=verdict):
            text = told(goals)
            assert re.search(verdict, text.splitlines()[-1])
            assert (" is the better one." in text) == (evaluated(goals).better != "")
    assert "Elo difference: no limit (" in told([(1, 0)] * 20)
    assert "to no limit)" in told([(1, 0)] * 20)
    assert told([]).endswith("No game is finished.")


def test_who_never_touches_the_ball_is_said_so() -> None:
    text = told([(0, 0)] * 20, (0, 0))
    assert text.endswith(
        "\nA and B: no touch of the ball in 20 games. A draw where nobody plays says nothing of who is better."
    )
    assert "Elo" not in text and "scores" not in text
    text = told([(1, 0)] * 20, (50, 0))
    assert "\nB: no touch of the ball in 20 games.\nA is the better one." in text and "A: no" not in text
    assert "no touch" not in told([(0, 0)] * 20)


def test_who_plays_in_which_size(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(
        'schema = 1\ngame = {blue = 2, orange = 2}\nterminals = [{kind = "goal"}]\nrewards.touch = 1.0\n',
        encoding="utf-8",
    )
    write_bot(tmp_path / "bot", str(tmp_path / "two.toml"))
    data, bot = DataDir(tmp_path / "data"), str(tmp_path / "bot")
    for words, size in (
        (("idle", "chaser"), 1), ((bot, "idle"), 2), (("idle", bot), 2), ((bot, "idle", "--team-size", "3"), 3)
    ):  # fmt: skip
        match_up = command._match_up(parse(["eval", *words])[1], data)
        assert (match_up.size, match_up.a.name == "idle") == (size, words[0] == "idle")
    drawn = {command._match_up(parse(["eval", "idle", "idle"])[1], data).seed for _ in range(3)}
    assert len(drawn) == 3, "other games each time"
    assert command._match_up(parse(["eval", "idle", "idle", "--seed", "4"])[1], data).seed == 4


def test_who_is_not_there_is_told_with_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], subtests: pytest.Subtests
) -> None:
    for words, expected, told_of in (
        (["chasr", "idle"], 2, 'did you mean "chaser"?'),
        (["idle", "alpha/5M"], 1, "alpha/5M: there is no such saved state"),
        (["alpha/5M", "{0}"], 1, "alpha/5M: there is no such saved state"),
        (["startr", "idle"], 2, 'did you mean "starter"?'),
        (["idle", "chaser", "--games", "0"], 2, "at least 1"),
        (["idle", "chaser", "--team-size", "4"], 2, "one of 1, 2, 3"),
        (["idle"], 2, "eval: B is missing"),
    ):
        with subtests.test(words=words):
            try:
                code = main(["--data-dir", str(tmp_path), "eval", *words])
            except SystemExit as end:
                code = int(end.code or 0)
            assert code == expected
            assert told_of in capsys.readouterr().err
