"""Stacked observations: the newest first, keyed by car, never across the end of an episode."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rltui.env.soccar_batch import SoccarBatch
from rltui.env.spec import EnvSpec
from rltui.registry import Component
from tests.fakes.batches import new_out, spec

STEP = 8  # ticks
CAR = 100  # tells the cars apart
PARTS = """
import numpy as np
from rltui.opponents.base import ScriptedPlayer
from rltui.obs.builder import ObsBuilder
from rltui.sim.terminals import Terminal


class StepNumber(ObsBuilder):
    "Two numbers: the step of the episode with the car, and the arena."

    def size(self, blue, orange):
        return 2

    def build(self, state, out):
        out[..., 0] = state.tick[:, None] / 8 + 100 * np.arange(state.cars)
        out[..., 1] = np.arange(state.arenas)[:, None]


class Cut(Terminal):
    "Arena k is cut after 3 + k steps."

    truncates = True

    def done(self, state):
        return state.tick >= 8 * (3 + np.arange(state.arenas))


class Statue(ScriptedPlayer):
    def rows(self):
        return np.zeros((1, 8), np.float32)

    def act(self, state, seats, rng):
        return np.zeros(state.on_ground[seats].shape, np.int64)
"""


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    file = tmp_path / "parts.py"
    file.write_text(PARTS, encoding="utf-8")
    return file


def numbered(parts: Path, stack: int, **changes: object) -> EnvSpec:
    return spec(
        obs=Component(f"{parts}:StepNumber"), terminals=(Component(f"{parts}:Cut"),), obs_stack=stack, **changes
    )


def expected(step: int, car: int, arena: int, stack: int) -> list[float]:
    """A row at a step of an episode: earlier than its first, there is the first."""
    return [number for age in range(stack) for number in (max(step - age, 0) + CAR * car, arena)]


def test_rows_hold_the_steps_before_and_finals_the_end_of_their_own_episode(
    subtests: pytest.Subtests, parts: Path
) -> None:
    for opponents in (False, True):
        for stack in (1, 2, 3, 4):
            with subtests.test(opponents=opponents, stack=stack):
                changes = {"blue": 2, "orange": 1} | ({"opponent": Component(f"{parts}:Statue")} if opponents else {})
                env = SoccarBatch(numbered(parts, stack, **changes), 3, [0])
                assert (env.learners, env.obs_size) == (2 if opponents else 3, 2 * stack)
                out, ends = new_out(env), [0, 0, 0]
                env.reset(out)
                step = [0, 0, 0]
                for _ in range(25):
                    finals = env.step(np.zeros((3, env.learners), np.int64), out)
                    cut = []
                    for arena in range(3):
                        step[arena] += 1
                        if step[arena] == 3 + arena:
                            final = finals.obs[len(cut)]
                            rows = [expected(step[arena], car, arena, stack) for car in range(env.learners)]
                            np.testing.assert_array_equal(final, rows)
                            cut.append(arena)
                            step[arena], ends[arena] = 0, ends[arena] + 1
                    assert finals.arenas.tolist() == cut
                    rows = [
                        [expected(step[arena], car, arena, stack) for car in range(env.learners)] for arena in range(3)
                    ]
                    np.testing.assert_array_equal(out.obs, rows)
                assert ends == [8, 6, 5]


def test_a_stack_is_what_the_plain_environment_showed(subtests: pytest.Subtests) -> None:
    """Same seed and actions, once with a stack of 3 and once without; goals and cuts among the ends."""
    for name in ("default", "advanced_plus", "compact"):
        with subtests.test(name=name):
            plain = SoccarBatch(spec(obs=Component(name)), 4, [5])
            stacked = SoccarBatch(spec(obs=Component(name), obs_stack=3), 4, [5])
            out, stacked_out = new_out(plain), new_out(stacked)
            plain.reset(out)
            stacked.reset(stacked_out)
            seen = [[out.obs[arena].copy()] * 3 for arena in range(4)]  # newest first
            cut = 0
            for chosen in np.random.default_rng(0).integers(0, 90, (80, 4, 2)):
                finals, stacked_finals = plain.step(chosen, out), stacked.step(chosen, stacked_out)
                for row, arena in enumerate(finals.arenas.tolist()):
                    whole = np.concatenate([finals.obs[row], *seen[arena][:2]], axis=-1)
                    np.testing.assert_array_equal(stacked_finals.obs[row], whole)
                    cut += 1
                for arena in range(4):
                    newest, ended = out.obs[arena].copy(), out.terminated[arena] or out.truncated[arena]
                    seen[arena] = [newest] * 3 if ended else [newest, *seen[arena][:2]]
                    np.testing.assert_array_equal(stacked_out.obs[arena], np.concatenate(seen[arena], axis=-1))
            assert cut > 3
