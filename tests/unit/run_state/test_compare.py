"""Which of two bots is paid more: the interval against arithmetic by hand and simulated runs, and what is compared at all."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import msgspec
import pytest

from rltui.cli.parser import parse
from rltui.errors import RltuiError
from rltui.events.episode_reward import FIRST_EPISODES, REWARD
from rltui.events.records import Record, RunStarted, SettingChanged
from rltui.league.games import append
from rltui.run_state.compare import OTHER, ComparedBot, compare_rewards, compared_bot, student_quantile
from rltui.run_state.reader import judged
from rltui.run_state.snapshot import RunSnapshot
from rltui.run_state.trend import newest_mean, too_few
from rltui.runs.journal import JournalWriter
from rltui.runs.paths import DataDir
from tests.fakes import run_story
from tests.fakes.figure_stories import plan
from tests.fakes.leagues import games
from tests.fakes.saved_runs import make_files, make_meta, place

STEPS = run_story.STEPS


def bot(name: str, values: Sequence[float]) -> ComparedBot:
    return ComparedBot(name, RunSnapshot(run=name), len(values), newest_mean(values))


def correlated(draw: random.Random, rows: int, rho: float, level: float = 0.0) -> list[float]:
    """Autoregressive of the first order, of deviation 1."""
    value, found = draw.gauss(0, 1), []
    for _ in range(rows):
        value = rho * value + math.sqrt(1 - rho**2) * draw.gauss(0, 1)
        found.append(level + value)
    return found


def test_the_interval_is_that_of_batch_means_by_hand() -> None:
    draw = random.Random(3)
    series = [[10 + draw.gauss(0, 2) for _ in range(80)], [13 + draw.gauss(0, 1) for _ in range(400)]]
    found = compare_rewards(bot("alpha", series[0]), bot("beta", series[1]))
    error2, weights = 0.0, []
    for values, batches in zip(series, (8, 30), strict=True):
        newest = values[len(values) - batches * 10 :]
        means = [fmean(newest[at : at + 10]) for at in range(0, len(newest), 10)]
        squares = [(later - before) ** 2 for before, later in pairwise(means)]
        part = sum(squares) / 2 / (batches - 1) / 5
        error2 += part
        weights.append(part**2 / (2 * (batches - 1) ** 2 / (3 * batches - 4)))
    assert found.difference == pytest.approx(fmean(series[1][-50:]) - fmean(series[0][-50:]))
    assert found.half == pytest.approx(student_quantile(error2**2 / sum(weights)) * math.sqrt(error2))
    assert found.better == "right" and found.sentence.startswith("beta better by 3.")
    assert compare_rewards(found.right, found.left).sentence == found.sentence, "whichever comes first"
    assert compare_rewards(found.left, found.left).better is None


def test_the_quantile_of_student_s_t() -> None:
    for freedom, value in ((3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (math.inf, 1.960)):
        assert student_quantile(freedom) == pytest.approx(value, rel=0.01)


def test_it_holds_the_truth_as_often_as_it_says_though_iterations_follow_each_other() -> None:
    """As many equal bots are told apart as an interval of 95 % may; taken as independent, single iterations tell more."""
    draw = random.Random(1)
    for rho, most in ((0.0, 0.08), (0.5, 0.11)):
        pairs = [[correlated(draw, 120, rho) for _ in range(2)] for _ in range(300)]
        found = [compare_rewards(bot("a", one), bot("b", other)) for one, other in pairs]
        assert sum(each.better is not None for each in found) / len(found) < most
    naive = [abs(fmean(one[-50:]) - fmean(other[-50:])) > 1.96 * math.sqrt(2 / 50) for one, other in pairs]
    assert sum(naive) / len(naive) > 0.2
    apart = [
        compare_rewards(bot("a", correlated(draw, 120, 0.5)), bot("b", correlated(draw, 120, 0.5, 2.0)))
        for _ in range(50)
    ]
    assert all(each.better == "right" for each in apart)


def write(data: DataDir, run: str, records: Sequence[Record], profile: str = "[rewards]\ntouch = 5.0\n") -> None:
    data.run(run).folder.mkdir(parents=True)
    data.run(run).profile.write_text(profile)
    writer = JournalWriter(data.run(run).journal)
    for record in records:
        writer.write(record)
    writer.close()


def rows(first: int, last: int, level: float) -> list[Record]:
    draw = random.Random(first)
    known = [run_story.iteration(index) for index in range(first, last + 1)]
    return [msgspec.structs.replace(row, metrics={**row.metrics, REWARD: level + draw.gauss(0, 0.5)}) for row in known]


def header(weights: dict[str, float] | None = None, at: int = 0) -> RunStarted:
    made = run_story.header(timesteps=at * STEPS)
    return msgspec.structs.replace(made, reward_weights=run_story.WEIGHTS if weights is None else weights)


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    """alpha: 10 up to iteration 100, then 14. beta: 14. paid: another weight, set by hand in the end. young: 30 iterations.

    power: another parameter of a reward; seed: another seed.
    """
    data = DataDir(tmp_path)
    write(data, "alpha", [header(), *rows(1, 100, 10.0), *rows(101, 200, 14.0)])
    write(data, "beta", [header(), *rows(1, 120, 14.0)])
    by_hand = SettingChanged(time=1.0, timesteps=100 * STEPS, setting="reward touch", value=9.0, by="ada")
    weighed = [
        msgspec.structs.replace(row, metrics={**row.metrics, "weight/touch": 9.0})  # type: ignore[union-attr]
        for row in rows(101, 200, 30.0)
    ]
    write(data, "paid", [header(), *rows(1, 100, 20.0), by_hand, *weighed])
    write(data, "young", [header(), *rows(1, 30, 14.0)])
    other = "gamma = 0.9\n[rewards]\ntouch = {weight = 5.0, power = 2.0}\n"
    write(data, "power", [header(), *rows(1, 100, 14.0)], other)
    crowd = msgspec.structs.replace(header(), orange=2, opponent="checkpoints", stage="crowd")
    write(data, "crowd", [crowd, *rows(1, 100, 14.0)])
    write(data, "duel", [msgspec.structs.replace(header(), stage="duel"), *rows(1, 100, 9.0)])
    write(data, "seed", [header(), *rows(1, 100, 14.0)], "seed = 1\n[rewards]\ntouch = 5.0\n")
    for run, at, entropy in (("alpha", 100, 4.4), ("paid", 100, 0.01)):
        meta = msgspec.structs.replace(make_meta(run, 1, at * STEPS), entropy=entropy)
        place(data.run(run).checkpoint(at * STEPS), make_files(meta))
    return data


def compared(data: DataDir, *words: str, code: int = 0) -> None:
    command, args = parse(["compare", *words, "--data-dir", str(data.root)])
    assert command(args) == code


def test_runs_and_saved_states_by_the_command(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    state = f"alpha/{100 * STEPS}"
    cases = (
        (("alpha", "beta"), "cannot tell", None, 0),
        ((state, "beta"), "beta better by 4", "b", 0),
        (("beta", state), "beta better by 4", "a", 0),
        ((state, "alpha"), "alpha better by 4", "b", 0),
        ((f"paid/{100 * STEPS}", "beta"), f"paid/{100 * STEPS} better by", "a", 0),
        (("alpha", "young"), f"young has {too_few(30, ' since its start or change of rewards')}; train on", None, 0),
        (("paid", "beta"), "rewards not comparable: touch 9.00 → 5.00", None, 1),
        (("power", "beta"), "rewards not comparable: touch.power 2.0 → not there", None, 1),
        (("seed", "beta"), "cannot tell", None, 0),
        (("beta", "crowd"), "rewards not comparable: 1v1 → 1v2 checkpoints\n", None, 1),
        (("duel", "crowd"), "rewards not comparable: 1v1 → 1v2 checkpoints, stage duel → crowd\n", None, 1),
        (("duel", "beta"), "beta better by", "b", 0),  # what a stage has by name alone is no difference
        ((f"paid/{100 * STEPS}", "paid"), "rewards not comparable: touch 5.00 → 9.00", None, 1),
    )
    for words, sentence, better, code in cases:
        compared(data, *words, code=code)
        out = capsys.readouterr().out
        assert sentence in out, (words, out)
        assert ("not skill" in out) is (code == 0)
        assert ("does not count: entropy" in out) is any(word.startswith("paid/") for word in words)
        compared(data, *words, "--json", code=code)
        document = json.loads(capsys.readouterr().out)
        assert (document["better"], sentence.strip() in document["sentence"]) == (better, True)
        if better is not None:
            low, high = document["interval"]
            assert low < document["difference"] < high and not low <= 0 <= high
            assert document["a"]["iterations"] == document["b"]["iterations"] == 50
    compared(data, "seed", "beta")
    assert "their profiles differ: seed" in capsys.readouterr().out
    with pytest.raises(RltuiError, match="the same"):
        compared(data, "alpha", "alpha")


def test_it_ends_in_the_games_of_the_two(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a run, its newest state's; also where rewards cannot be compared."""
    alpha, beta = (f"alpha@{100 * STEPS}#0000000a", f"beta@{120 * STEPS}#0000000b")
    place(data.run("beta").checkpoint(120 * STEPS), make_files(make_meta("beta", 1, 120 * STEPS)))
    state = f"alpha/{100 * STEPS}"
    compared(data, state, "beta")
    assert f"No games between {state} and beta yet: rltui compare {state} beta --games 20\n" in capsys.readouterr().out
    for game in games(alpha, beta, wins=30, draws=4, losses=6):
        append(data.games, game)
    compared(data, state, "beta")
    assert f"{state} plays better: {state} scores 80.0 % (" in capsys.readouterr().out
    compared(data, "beta", "alpha", "--json")
    match = json.loads(capsys.readouterr().out)["match"]
    assert (match["a"], match["b"], match["games"], match["wins"], match["win_rate"]) == (beta, alpha, 40, 6, 0.2)
    assert match["interval"][0] < 0.2 < match["interval"][1] < 0.5
    for game in games(f"paid@{100 * STEPS}#0000000c", beta, wins=2, losses=2):
        append(data.games, game)
    compared(data, "paid", "beta")
    out = capsys.readouterr().out
    assert "rewards not comparable" in out and "Which plays better is open: paid scores 50.0 %" in out


def test_iterations_of_short_episodes_are_said_not_to_count(data: DataDir) -> None:
    """The same count and words in compare as in the verdict."""
    young = [
        msgspec.structs.replace(row, metrics={**row.metrics, FIRST_EPISODES: 90.0})  # type: ignore[union-attr]
        for row in rows(1, 28, 2.0)
    ]
    settled = [
        msgspec.structs.replace(row, metrics={**row.metrics, FIRST_EPISODES: 0.0})  # type: ignore[union-attr]
        for row in rows(29, 59, 2.0)
    ]
    write(data, "rival", [header(), *young, *settled])
    rival = compared_bot("rival", data.run("rival"))
    found = compare_rewards(compared_bot("alpha", data.run("alpha")), rival)
    assert rival.known == 31 and too_few(31, f" since {rival.since}") in found.sentence
    assert judged(data.run("rival"))[0].words == too_few(31)


def test_verdict_and_comparison_are_of_the_same_iterations(data: DataDir) -> None:
    """Whatever is left of a block, before the first settled iteration or after the last whole one; of a reward that rises."""
    for short, last in ((0, 100), (5, 100), (7, 104), (13, 99)):
        told = [
            msgspec.structs.replace(
                row, metrics={**row.metrics, REWARD: row.iteration / 10, FIRST_EPISODES: 90.0 * young}
            )  # type: ignore[union-attr]
            for row in rows(1, last, 0.0)
            for young in [row.iteration <= short]  # type: ignore[union-attr]
        ]
        run = f"rising-{short}"
        write(data, run, [header(), *told])
        found = compared_bot(run, data.run(run)).reward
        assert found is not None and found.mean == pytest.approx(judged(data.run(run))[0].now), (short, last)


def test_states_of_one_run_too_near_each_other_say_what_would_help(
    data: DataDir, capsys: pytest.CaptureFixture[str]
) -> None:
    for at in (150, 190):
        place(data.run("alpha").checkpoint(at * STEPS), make_files(make_meta("alpha", at, at * STEPS)))
    compared(data, f"alpha/{150 * STEPS}", f"alpha/{190 * STEPS}")
    out = capsys.readouterr().out
    assert too_few(40, f" since {OTHER}") in out and "milestone" in out and "train on" in out
    compared(data, "alpha", "young")
    assert "milestone" not in capsys.readouterr().out, "there is no older state of the same run to keep"


def test_a_state_is_told_by_what_had_trained_it(data: DataDir) -> None:
    """Not by the start that went on from it, nor by what came later."""
    write(data, "gone_on", [header(), *rows(1, 100, 10.0), header({"touch": 1.0}, 100), *rows(101, 200, 50.0)])
    then = compared_bot("then", data.run("gone_on"), 100 * STEPS)
    assert then.known == 100 and then.reward is not None and then.reward.mean == pytest.approx(10.0, abs=0.5)
    assert then.snapshot.header is not None and then.snapshot.header.reward_weights == run_story.WEIGHTS
    later = compared_bot("later", data.run("gone_on"), 200 * STEPS, after=150 * STEPS)
    assert later.since == OTHER != then.since
    assert later.known == 50 and later.reward is None


def test_states_of_a_campaign_differ_in_what_was_planned_for_them(
    data: DataDir, capsys: pytest.CaptureFixture[str]
) -> None:
    """The profile saved with each is that of its phase, which is the same."""
    plans = [msgspec.structs.replace(plan(), timesteps=at * STEPS, window=window) for at, window in ((0, 60), (60, 5))]
    write(data, "camp", [header(), plans[0], *rows(1, 60, 14.0), plans[1], *rows(61, 120, 14.0)])
    for commit, at in enumerate((60, 120), 1):
        place(data.run("camp").checkpoint(at * STEPS), make_files(make_meta("camp", commit, at * STEPS)))
    compared(data, f"camp/{60 * STEPS}", f"camp/{120 * STEPS}")
    assert "their profiles differ: curriculum.window" in capsys.readouterr().out
