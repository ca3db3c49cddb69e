"""One judge: `profile check`, `train` and the doctor say the same of a profile whose parts fail; the turned game and the mirrored one, field by field."""

from __future__ import annotations

import sys
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from rltui.__main__ import main
from rltui.checks.components import checkpoint_size, counterparts, faults, mirrored, missing_players, turned
from rltui.cli.profile import report, report_text
from rltui.debug.doctor import CHECKS, examine
from rltui.debug.doctor_check import DoctorCase
from rltui.errors import RltuiError, users_line
from rltui.profile.curriculum import source_hashes
from rltui.profile.load import load
from rltui.runs import rlgym_ppo
from rltui.runs.launch_plan import changed_sources
from rltui.runs.paths import DataDir
from rltui.sim.state import GameState
from rltui.train.config import ResolvedConfig
from rltui.train.setup import TrainOptions, prepare
from tests.fakes import game_states
from tests.fakes.bots import write_bot
from tests.fakes.game_states import TEAM_SIZES, random_state
from tests.fakes.saved_runs import make_run
from tests.fakes.tables import RLGYM, column, without
from tests.fakes.training import TINY

BROKEN = """\
import numpy as np
from rltui.rewards.base import Reward

class Broken(Reward):
    category = "events"
    sign = 0

    def value(self, state):
        return state.no_such_thing
"""


MIRRORS = """\
import numpy as np
from rltui.obs.builder import ObsBuilder

class Right(ObsBuilder):
    spin = (1, -1, -1)

    def size(self, blue, orange):
        return 6

    def build(self, state, out):
        out[..., 0:3] = state.velocity
        out[..., 3:6] = state.angular_velocity

    def mirror(self, blue, orange):
        return np.arange(6), np.array([-1, 1, 1, *self.spin])

class Wrong(Right):
    spin = (-1, 1, -1)

class Broken(Right):
    def mirror(self, blue, orange):
        return 1 / 0

class Five(Right):
    def mirror(self, blue, orange):
        return 5
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(reward: bool = False, table: bool = False, more: str = "") -> str:
    """bot.toml with what is broken."""
    text = TINY
    if reward:
        Path("broken.py").write_text(BROKEN)
        text = text.replace("[rewards]\n", '[rewards]\n"broken.py:Broken" = 1.0\n')
    if table:
        np.savetxt("rows.csv", without(RLGYM, column(RLGYM, "steer") < 0), delimiter=",", fmt="%g")
        text += '\n[actions]\ntable = "rows.csv"\n'
    Path("bot.toml").write_text(text + more)
    return "bot.toml"


def options(force: bool = False) -> TrainOptions:
    return TrainOptions(load("bot.toml"), "bot.toml", DataDir(Path("data")), force=force)


def test_a_sound_profile_has_no_faults() -> None:
    assert faults(load(write()), "bot.toml") == []
    assert report("bot.toml")["valid"]


def test_all_say_the_same_of_a_broken_reward_and_a_broken_table() -> None:
    write(reward=True, table=True)
    table, reward = faults(load("bot.toml"), "bot.toml")
    assert table.message.startswith("the action table") and "fails 6 checks" in table.message
    assert reward.message.startswith("Broken was tried on random states and failed: AttributeError")
    assert "broken.py:9" in reward.message

    found = report("bot.toml")
    assert (found["valid"], found["forcible"]) == (False, True) and found["signature"] is not None
    assert [error["message"] for error in found["errors"]] == [table.message, reward.message]
    lines = Path("bot.toml").read_text().splitlines()
    assert lines[found["errors"][0]["line"] - 1] == 'table = "rows.csv"'
    assert found["errors"][1]["key"] == 'rewards."broken.py:Broken"'
    assert lines[found["errors"][1]["line"] - 1].startswith('"broken.py:Broken"')

    with pytest.raises(RltuiError) as refused:
        prepare(options())
    assert refused.value.message == f"{table.message}\n{reward.message}"
    assert "add --force" in refused.value.hint and DataDir(Path("data")).run_names() == []

    checks = [check for check in CHECKS if check.name in ("profile", "action table", "rewards")]
    outcomes = {each.name: each for each in examine(DoctorCase("bot.toml", DataDir(Path("data"))), checks)}
    assert outcomes["action table"].outcome == outcomes["rewards"].outcome == "fail"
    assert reward.message in outcomes["rewards"].sentence


def test_forced_they_are_warnings() -> None:
    write(reward=True, table=True)
    found = report("bot.toml", force=True)
    assert found["valid"] and len([text for text in found["warnings"] if "fail" in text]) >= 2
    warnings = prepare(options(force=True)).trial_warnings
    assert warnings[0].startswith("action table: ") and "Broken was tried on random states and failed" in warnings[-1]


def test_a_text_is_judged_as_the_file_that_it_may_become() -> None:
    write(reward=True)
    found = report_text(Path("bot.toml").read_bytes(), "bot.toml")
    assert not found["valid"] and found["forcible"]
    wrong = report_text(b"schema = 1\n[rewards]\ntuch = 1\n", "profiles/x.toml")
    assert [error["key"] for error in wrong["errors"]] == ["rewards.tuch"] and not wrong["forcible"]
    assert not Path("profiles").exists()


def test_a_need_that_no_machine_has_is_said_in_a_sentence() -> None:
    write(more="")
    Path("bot.toml").write_text(TINY.replace("iteration = 512", "iteration = 900_000_000_000"))
    (fault,) = faults(load("bot.toml"), "bot.toml")
    assert fault.path == ("ppo", "iteration") and "TB of memory needed, and this machine has" in fault.message


def test_what_cannot_be_mirrored_is_refused_where_the_profile_wants_it() -> None:
    write()
    assert ResolvedConfig.resolve(load("bot.toml")).ppo.mirror is None
    wanted = ["ppo.mirror_augmentation=true"]
    assert faults(load("bot.toml", wanted), "bot.toml") == []
    config = ResolvedConfig.resolve(load("bot.toml", wanted))
    assert config.ppo.mirror is not None and len(config.ppo.mirror.obs_index) == config.size.obs

    np.savetxt("rows.csv", without(RLGYM, column(RLGYM, "roll") < 0), delimiter=",", fmt="%g")
    Path("own.py").write_text(
        "from rlgym.rocket_league.obs_builders import DefaultObs\n\nclass Mine(DefaultObs): pass\n"
    )
    for change, words in (
        ("actions.table=rows.csv", "has no left-right mirror image"),
        ("obs.kind=own.py:Mine", "observation Mine does not know its left-right mirror image"),
    ):
        assert not [each for each in faults(load("bot.toml", [change]), "bot.toml") if each.path[0] == "ppo"]
        profile = load("bot.toml", [*wanted, change])
        (fault,) = (each for each in faults(profile, "bot.toml") if each.path == ("ppo", "mirror_augmentation"))
        assert words in fault.message
        assert not fault.forcible
        with pytest.raises(RltuiError, match=r"which ppo\.mirror_augmentation needs") as refused:
            prepare(replace(options(force=True), profile=profile))
        assert "--force" not in refused.value.hint
        assert not report("bot.toml", [*wanted, change])["forcible"]


def test_an_opponent_that_is_not_there_is_named_once() -> None:
    for name in ("quick-9/005M", "quick-9@5000000"):
        profile = load(write(), [f"game.opponent={name}"])
        (fault,) = missing_players(profile, lambda: DataDir(Path("data")))
        assert fault.message == f"opponent {name}: there is no such saved state in data"


def test_a_mirror_of_ones_own_is_tried() -> None:
    write()
    Path("mirrors.py").write_text(MIRRORS)
    failures = {}
    for name in ("Right", "Wrong", "Broken", "Five"):
        profile = load("bot.toml", ["ppo.mirror_augmentation=true", f"obs.kind=mirrors.py:{name}", "obs.stack=2"])
        failures[name] = [(fault.message, fault.forcible) for fault in faults(profile, "bot.toml")]
    needs = "which ppo.mirror_augmentation needs"
    wrong = "mirror() of Wrong is not what build() makes of the mirrored game: index 3 and 1 more of 6"
    line = MIRRORS.splitlines().index("        return 1 / 0") + 1
    broken = f"observation Broken: mirror() failed, {needs}: ZeroDivisionError: division by zero ({Path('mirrors.py').absolute()}:{line})"
    five = (
        f"observation Five: mirror() must give index, each of 0 to 5 once, and sign, 6 times 1 or -1, {needs}; found 5"
    )
    assert failures == {"Right": [], "Wrong": [(wrong, True)], "Broken": [(broken, False)], "Five": [(five, False)]}


def test_a_forced_wrong_mirror_is_warned_of_and_the_command_for_it_has_the_same_changes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write()
    Path("mirrors.py").write_text(MIRRORS)
    changes = ["ppo.mirror_augmentation=true", "obs.kind=mirrors.py:Wrong"]
    profile = load("bot.toml", changes)
    [warning] = prepare(replace(options(force=True), profile=profile)).trial_warnings
    assert warning.startswith("mirror() of Wrong is not what build() makes")
    sets = [part for change in changes for part in ("--set", change)]
    assert main(["profile", "check", "bot.toml", *sets]) == 2
    assert f"train anyway: rltui train bot.toml {' '.join(sets)} --force" in capsys.readouterr().out


PLAYERS = """\
import numpy as np
from tests.fakes.fixed_players import RowZero

class Right(RowZero):
    pass

class Floats(RowZero):
    def act(self, state, seats, rng):
        return np.zeros(state.on_ground[seats].shape)

class Breaks(RowZero):
    def act(self, state, seats, rng):
        return 1 / 0

class Writes(RowZero):
    def act(self, state, seats, rng):
        state.position[seats] = 0
        return super().act(state, seats, rng)
"""


@pytest.mark.parametrize("setting", ["game.opponent='{}'", "selfplay.scripted=['{}']"])
def test_a_player_of_ones_own_is_tried(setting: str, subtests: pytest.Subtests) -> None:
    write()
    Path("players.py").write_text(PLAYERS)
    for name, failure in (
        ("Right", ""),
        ("Floats", "Floats.act: expected whole numbers in 0..89 [8"),
        ("Breaks", "ZeroDivisionError: division by zero (players.py:13)"),
        ("Writes", "read-only (players.py:17)"),
    ):
        with subtests.test(name=name):
            changes = [setting.format(f"players.py:{name}")]
            changes += ["selfplay.enabled=true"] if "selfplay" in setting else []
            found = faults(load("bot.toml", changes), "bot.toml")
            assert [".".join(map(str, fault.path)) for fault in found] == (
                [setting.partition("=")[0]] if failure else []
            )
            assert all(failure in fault.message.replace(f"{Path.cwd()}/", "") for fault in found)
    alone = ["selfplay.enabled=true", "selfplay.scripted=['players.py:Breaks']", "game.orange=0"]
    assert not faults(load("bot.toml", alone), "bot.toml"), "nobody is asked to play"


def test_a_changed_file_of_ones_own_is_noticed() -> None:
    write(reward=True)
    before = source_hashes(load("bot.toml"))
    assert list(before) == ["reward broken.py:Broken"]
    Path("broken.py").write_text(BROKEN + "\n# another line\n")
    after = source_hashes(load("bot.toml"))
    assert changed_sources(after, after) == [] and changed_sources(after, {}) == []
    (notice,) = changed_sources(after, before)
    assert notice.startswith("reward broken.py:Broken is not as it was when this was saved")


def test_the_users_own_line_comes_first() -> None:
    Path("mine.py").write_text("def fail():\n    raise ZeroDivisionError('x')\n")
    sys.path.insert(0, str(Path.cwd()))
    try:
        import mine  # type: ignore[import-not-found]

        with pytest.raises(ZeroDivisionError) as caught:
            mine.fail()
    finally:
        sys.path.pop(0)
    assert users_line(caught.value).endswith("mine.py:2")
    assert users_line(ValueError("never raised")) == ""


def test_every_field(subtests: pytest.Subtests) -> None:
    for blue, orange in TEAM_SIZES:
        with subtests.test(blue=blue, orange=orange):
            state = random_state(np.random.default_rng(10 * blue + orange), 6, blue, orange)
            mine, expected = turned(state), game_states.turned(state)
            assert counterparts(state).tolist() == game_states.counterparts(state)
            assert_same(mine, expected)
            assert_same(mirrored(state), game_states.mirrored(state))
            np.testing.assert_array_equal(mine.contacts.wheels, expected.contacts.wheels)
            np.testing.assert_array_equal(mine.contacts.normal, expected.contacts.normal)


def test_twice_is_the_game_itself() -> None:
    state = random_state(np.random.default_rng(0), 6, 2, 1)
    for again in (turned(turned(state)), mirrored(mirrored(state))):
        assert_same(again, state)


def assert_same(one: GameState, other: GameState) -> None:
    for field in fields(one):
        if not field.name.startswith("_"):
            np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), field.name)


def test_the_size_of_a_checkpoint_is_that_of_its_files() -> None:
    """Weights and Adam's moments of both nets, and the policy once more for the workers."""
    config = ResolvedConfig.resolve(load("quick", ["learner.device=cpu"]))
    learner = config.learner()
    files = learner.snapshot().files()
    policy, critic = learner.parameters
    assert checkpoint_size(load("quick")) == 12 * (policy + critic) + 4 * policy
    nets = sum(len(files[name]) for name in (rlgym_ppo.POLICY, rlgym_ppo.CRITIC))
    assert nets == pytest.approx(4 * (policy + critic), rel=0.05)


def test_a_saved_bot_that_is_to_play_orange_is_there_and_can_play(subtests: pytest.Subtests) -> None:
    """Said by the check and before training, forced too; one that plays another game by itself is welcome."""
    for name, more in (
        ("same", ""),
        ("other", "obs.stack = 2\n"),
        ("slow", "tick_skip = 4\n"),
        ("narrow", "obs.zero_padding = 0\n"),
    ):
        Path(f"{name}.toml").write_text(more + TINY)
        write_bot(Path("bots") / name, f"{name}.toml")
    run = make_run(DataDir(Path("data")), "alpha")
    game = '[game]\norange = 2\nopponent = "{}"\n'
    for opponent, words, advice in (
        ("bots/same", "", ""),
        ("bots/other/policy.npz", "", ""),
        ("bots/slow", "chooses every 4 ticks, 1 late, and this run every 8", "tick_skip 4"),
        ("bots/narrow", "in 1v2 the bot's observation has 112 numbers, expected 92", "trained in 1v1"),
        ("bots/none", "no such saved state", "RUN/"),
        ("alpha/9000", "no saved state '9000'", "rltui milestones list alpha"),
        ("bots/none.npz", "none.npz", ""),
    ):
        with subtests.test(opponent=opponent):
            found = report(write(more=game.format(opponent)))
            assert found["valid"] is (not words)
            if not words:
                prepare(replace(options(), resume="new"))
                continue
            [error] = found["errors"]
            assert error["key"] == "game.opponent" and error["line"] > 1 and not found["forcible"]
            assert words in error["message"] and advice in error["hint"]
            checks = [check for check in CHECKS if check.name == "profile"]
            [doctor] = examine(DoctorCase("bot.toml", DataDir(Path("data"))), checks)
            assert doctor.outcome == "fail" and words in doctor.sentence and advice in doctor.advice
            with pytest.raises(RltuiError, match=words) as caught:
                prepare(options(force=True))
            assert advice in caught.value.hint
    stages = f'[curriculum]\nstages = [{{until = 9}}, {{opponent = "{run.name}/9000"}}]\n'
    [error] = report(write(more=stages))["errors"]
    assert error["key"] == "curriculum.stages[1].opponent"
