"""`rltui trace`: the CSV says what the environment paid, for whom, and what was played."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rltui.actions.masking import legal_rows
from rltui.cli.parser import parse
from rltui.debug.reward_trace import RewardTrace, TraceOptions, TraceSubject, trace_subject
from rltui.errors import RltuiError
from rltui.field import CONTROLS
from rltui.policy.saved import save_policy
from rltui.runs.paths import DataDir
from tests.fakes.bots import write_bot
from tests.fakes.chasing import chase

PROFILE = """\
schema = 1
tick_skip = 6
resets = [{{kind = "random"}}, {{kind = "kickoff"}}]
terminals = [{{kind = "goal"}}, {{kind = "no_touch", seconds = 1}}, {{kind = "timeout", seconds = 2}}]
[game]
blue = {blue}
orange = {orange}
opponent = "{opponent}"
[actions]
table = "{table}"
[obs]
kind = "{obs}"
stack = {stack}
[rewards]
touch = [[0, 1.0], [1000, 3.0]]
face_ball = {{weight = 0.5}}
in_air = -0.25
speed_toward_ball = 0.1
[reward_options]
{options}
"""
PLAIN = {"blue": 1, "orange": 1, "opponent": "mirror", "table": "rlgym", "obs": "default", "stack": 1, "options": ""}
MIXED = 'mode = "hybrid"\nteam_spirit = 0.4\nzero_sum = true'


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def profile(**changes: object) -> str:
    Path("bot.toml").write_text(PROFILE.format(**PLAIN | changes), encoding="utf-8")
    return "bot.toml"


def subject(argument: str, **options: str) -> TraceSubject:
    return trace_subject(argument, DataDir(Path("data")), **options)


@dataclass
class Witness:
    """What the environment itself gave, seen from outside."""

    trace: RewardTrace
    rewards: list[np.ndarray] = field(default_factory=list)
    actions: list[np.ndarray] = field(default_factory=list)
    ends: list[tuple[bool, bool]] = field(default_factory=list)
    seen: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)  # observation, legality class

    def __post_init__(self) -> None:
        batch, step = self.trace._batch, self.trace._batch.step
        arena = self.trace._options.arena

        def watched(actions: np.ndarray, out: object) -> object:
            self.seen.append((self.trace._out.obs.copy(), self.trace._out.legality.copy()))
            finals = step(actions, out)  # type: ignore[arg-type]
            self.rewards.append(self.trace._out.rewards.copy())
            self.actions.append(np.array(actions))
            self.ends.append((bool(self.trace._out.terminated[arena]), bool(self.trace._out.truncated[arena])))
            return finals

        batch.step = watched  # type: ignore[assignment, method-assign]


def test_it_says_what_the_environment_paid(subtests: pytest.Subtests) -> None:
    for sizes, options in [((1, 1), ""), ((2, 1), MIXED), ((2, 2), MIXED)]:
        for car in [0, -1]:
            with subtests.test(sizes=sizes, options=options, car=car):
                car %= sum(sizes)
                found = subject(profile(blue=sizes[0], orange=sizes[1], options=options))
                trace = RewardTrace(found, TraceOptions(steps=150, arena=1, car=car, seed=3))
                witness = Witness(trace)
                rows = [dict(zip(trace.columns, step.cells, strict=True)) for step in trace.steps()]
                running, tick, episode = 0.0, 0, 0
                for number, row in enumerate(rows):
                    paid = float(witness.rewards[number][1, car])
                    running, tick = running + paid, tick + 6
                    assert (int(row["step"]), int(row["episode"]), int(row["tick"])) == (number, episode, tick)
                    assert abs(float(row["total"]) - paid) <= 1e-5 * max(1, abs(paid))
                    assert abs(sum(float(row[name]) for name in trace.components) - paid) <= 1e-5 * max(1, abs(paid))
                    assert abs(float(row["running_total"]) - running) <= 1e-5 * max(1, abs(running))
                    assert (row["terminated"], row["truncated"]) == tuple(str(int(end)) for end in witness.ends[number])
                    assert int(row["action"]) == witness.actions[number][1, car]
                    assert [float(row[name]) for name in CONTROLS] == found.rows[int(row["action"])].tolist()
                    if any(witness.ends[number]):
                        running, tick, episode = 0.0, 0, episode + 1
                assert episode >= 3, "episodes must have ended"


def test_touches_are_where_the_touch_component_pays() -> None:
    """Both cars drive at the ball from a kickoff."""
    found = subject(profile(), overrides=["resets=[{kind='kickoff'}]", "terminals=[{kind='timeout', seconds=4}]"])
    trace = RewardTrace(found, TraceOptions(steps=100))
    trace._choose = lambda out: chase(trace._batch.state)
    steps = list(trace.steps())
    touched = [step for step in steps if step.touches]
    assert touched and all((step.terms[0] == 1.0) == (step.touches > 0) for step in steps)
    assert steps[79].truncated and steps[79].tick == 480 and steps[80].tick == 6


def test_a_seed_gives_the_same_trace_and_another_seed_another() -> None:
    def cells(**options: int) -> list[list[str]]:
        return [step.cells for step in RewardTrace(subject(profile()), TraceOptions(steps=40, **options)).steps()]

    assert cells(seed=1) == cells(seed=1) != cells(seed=2)
    assert cells(arena=1) != cells(arena=0)


def test_random_actions_are_legal_ones() -> None:
    trace = RewardTrace(subject(profile(table="hybrid")), TraceOptions(steps=200))
    witness = Witness(trace)
    assert sum(1 for _ in trace.steps()) == 200
    legal = legal_rows(trace._batch._pipeline.controls)
    assert all(
        legal[classes, actions].all() for (_, classes), actions in zip(witness.seen, witness.actions, strict=True)
    )
    chosen = np.unique(np.concatenate([actions.ravel() for actions in witness.actions]))
    assert len(chosen) > 100, "the whole table is drawn from"


def test_an_idle_car_presses_nothing() -> None:
    steps = list(RewardTrace(subject(profile()), TraceOptions(steps=5, actions="idle")).steps())
    assert {step.controls for step in steps} == {(0.0,) * 8} and {step.action for step in steps} == {8}


def test_a_scripted_opponents_car_has_controls_and_rewards_but_no_row() -> None:
    found = subject(profile(opponent="chaser", options="zero_sum = true"))
    mine = list(RewardTrace(found, TraceOptions(steps=30, actions="idle")).steps())
    theirs = list(RewardTrace(found, TraceOptions(steps=30, actions="idle", car=1)).steps())
    assert all(step.action is None and step.cells[4] == "" for step in theirs)
    assert any(step.controls[0] for step in theirs) and not any(any(step.controls) for step in mine)
    for one, other in zip(mine, theirs, strict=True):
        assert one.total == pytest.approx(-other.total, abs=1e-6) and one.total != 0


def test_weights_stand_where_training_does() -> None:
    found = subject(profile())
    for timesteps, weight in ((0, 1.0), (500, 2.0), (9_000, 3.0)):
        trace = RewardTrace(TraceSubject(found.name, found.spec, None, timesteps), TraceOptions(steps=1))
        assert trace._batch._rewards.weights[0] == weight


@pytest.mark.parametrize(
    ("table", "obs", "stack", "normalized"), [("rlgym", "default", 1, False), ("hybrid", "advanced_plus", 2, True)]
)
@pytest.mark.parametrize("deterministic", [False, True])
def test_a_bot_acts_as_it_was_trained(table: str, obs: str, stack: int, normalized: bool, deterministic: bool) -> None:
    policy = write_bot(Path("saved/250000"), profile(table=table, obs=obs, stack=stack), normalized)
    # the profile beside it gives the game and the rewards alone: what the bot sees and plays is its own
    beside = Path("saved/250000/profile.toml")
    beside.write_text(PROFILE.format(**PLAIN).replace("tick_skip = 6", "tick_skip = 3"), encoding="utf-8")
    for argument in ("saved/250000", "saved/250000/policy.npz"):
        found = subject(argument)
        assert found.spec.tick_skip == 6 and found.spec.obs_stack == stack
        trace = RewardTrace(found, TraceOptions(steps=30, deterministic=deterministic))
        witness = Witness(trace)
        steps = list(trace.steps())
        network = policy.network(2)
        for step, (seen, classes) in zip(steps, witness.seen, strict=True):
            best = network.best(seen.reshape(2, -1), classes.reshape(2))
            assert step.action is not None and (step.action == best[0] or not deterministic)
            assert policy.legality == "off" or legal_rows(policy.table)[classes[0, 0], step.action]
        assert {step.action for step in steps} != {8}


def test_other_rewards_for_a_bot_and_other_actions() -> None:
    write_bot(Path("saved"), profile())
    Path("other.toml").write_text("schema = 1\n[rewards]\nface_ball = 2\n", encoding="utf-8")
    trace = RewardTrace(subject("saved", profile="other.toml"), TraceOptions(steps=3, actions="idle"))
    assert trace.components == ["face_ball"] and {step.action for step in trace.steps()} == {8}


def test_errors_say_what_is_wrong(subtests: pytest.Subtests) -> None:
    unpadded = PROFILE.format(**PLAIN).replace('[obs]\nkind = "default"', '[obs]\nkind = "default"\nzero_padding = 0')
    Path("unpadded.toml").write_text(unpadded, encoding="utf-8")
    policy = write_bot(Path("bots/good"), "unpadded.toml")
    for name in ("bare", "other-table"):
        Path("bots", name).mkdir()
        Path("bots", name, "policy.npz").write_bytes(Path("bots/good/policy.npz").read_bytes())
    Path("bots/other-table/profile.toml").write_text(unpadded, encoding="utf-8")
    changed = type(policy)(**{key: getattr(policy, key) for key in policy.__dataclass_fields__} | {"table_hash": "ab"})
    Path("bots/other-table/policy.npz").write_bytes(save_policy(changed))
    cases: tuple[tuple[Callable[[], TraceSubject], dict[str, Any], str], ...] = (
        (lambda: subject(profile()), {"car": 2}, "there is no car 2 in 1v1"),
        (lambda: subject(profile()), {"actions": "policy"}, "is a profile: it has no policy"),
        (lambda: subject("nowhere"), {}, "no profile, run or bot 'nowhere'"),
        (lambda: subject("bots/"), {}, "no checkpoint to trace"),
        (lambda: subject(profile()).in_group("mechanics"), {}, "has no arena group 'mechanics'"),
        (lambda: subject("bots/bare"), {}, "no profile.toml beside it"),
        (lambda: subject("bots/other-table"), {}, "the action table rlgym has changed"),
        (lambda: subject("bots/good", overrides=["game.blue=2"]), {}, "112 numbers in 2v1, expected 92"),
    )
    for make, options, words in cases:
        with subtests.test(words):
            with pytest.raises(RltuiError) as caught:
                RewardTrace(make(), TraceOptions(steps=1, **options))
            assert words in caught.value.message


def test_the_command_writes_csv_and_says_the_sums(capsys: pytest.CaptureFixture[str]) -> None:
    command, args = parse(["trace", profile(), "--steps", "20", "--seed", "5", "--out", "trace.csv"])
    assert command(args) == 0
    said = capsys.readouterr().out
    assert said.startswith("wrote trace.csv\nprofile bot, 20 steps of car 0 in arena 0: ")
    rows = list(csv.DictReader(io.StringIO(Path("trace.csv").read_text(encoding="utf-8"))))
    assert len(rows) == 20
    assert list(rows[0]) == [
        *("step", "episode", "tick", "seconds", "action"), *CONTROLS,
        *("touch", "face_ball", "in_air", "speed_toward_ball", "total", "running_total"),
        *("terminated", "truncated", "touches"),
    ]  # fmt: skip
    command, args = parse(["trace", "bot.toml", "--steps", "20", "--seed", "5"])
    assert command(args) == 0
    printed = capsys.readouterr()
    assert list(csv.DictReader(io.StringIO(printed.out))) == rows
    assert printed.err == said.partition("\n")[2]


def test_the_command_refuses_a_place_that_cannot_be_written() -> None:
    command, args = parse(["trace", profile(), "--steps", "2", "--out", "nowhere/trace.csv"])
    with pytest.raises(RltuiError, match=r"cannot write nowhere/trace\.csv: No such file"):
        command(args)


def test_a_reward_of_ones_own_that_raises_is_named_with_its_line(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from rltui.rewards.base import Reward\n\n"
        "class Mine(Reward):\n    category = 'ball'\n    sign = 0\n\n"
        "    def value(self, state):\n        return state.tick.nothing\n"
    )
    written = Path(profile())
    written.write_text(written.read_text().replace("touch = [[0, 1.0], [1000, 3.0]]", f'"{mine}:Mine" = 1.0'))
    trace = RewardTrace(subject("bot.toml"), TraceOptions(steps=3))
    with pytest.raises(RltuiError, match=rf"(?m)^{re.escape(str(mine))}:8: AttributeError: .* at step 0$"):
        list(trace.steps())
