"""GAE against a slow twin that walks each episode on its own, step by step, in plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rltui.learn import gae
from rltui.learn.normalization import RunningStatistics


def twin(steps: gae.Steps, agent: int, gamma: float, gae_lambda: float) -> list[float]:
    """A_t = Σ_k (γλ)^k δ_{t+k} over the rest of the episode."""
    total = len(steps.rewards)
    found = []
    for start in range(total):
        advantage, factor = 0.0, 1.0
        for t in range(start, total):
            after = 0.0 if steps.terminated[t, agent] else float(steps.next_values[t, agent])
            delta = float(steps.rewards[t, agent]) + gamma * after - float(steps.values[t, agent])
            advantage += factor * delta
            factor *= gamma * gae_lambda
            if steps.terminated[t, agent] or steps.truncated[t, agent]:
                break
        found.append(advantage)
    return found


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    length=st.integers(1, 12),
    agents=st.integers(1, 4),
    ends=st.floats(0, 0.6),
    gamma=st.floats(0, 1),
    gae_lambda=st.floats(0, 1),
)
def test_advantages_equal_the_twin(
    seed: int, length: int, agents: int, ends: float, gamma: float, gae_lambda: float
) -> None:
    rng = np.random.default_rng(seed)
    shape = (length, agents)
    steps = gae.Steps(
        *(rng.standard_normal(shape, np.float32) for _ in range(3)), rng.random(shape) < ends, rng.random(shape) < ends
    )
    found = gae.advantages(steps, gamma, gae_lambda)
    for agent in range(agents):
        np.testing.assert_allclose(found[:, agent], twin(steps, agent, gamma, gae_lambda), rtol=1e-4, atol=1e-4)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), agent=st.integers(0, 3))
def test_an_agents_data_reaches_no_other_agent(seed: int, agent: int) -> None:
    rng = np.random.default_rng(seed)
    rewards, values, following = (rng.standard_normal((8, 4), np.float32) for _ in range(3))
    ends = rng.random((8, 4)) < 0.2, rng.random((8, 4)) < 0.2
    before = gae.advantages(gae.Steps(rewards, values, following, *ends), 0.99, 0.95)
    changed = rewards.copy()
    changed[:, agent] += 100
    after = gae.advantages(gae.Steps(changed, values, following, *ends), 0.99, 0.95)
    others = np.arange(4) != agent
    np.testing.assert_array_equal(before[:, others], after[:, others])
    assert (before[:, agent] != after[:, agent]).all()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.floats(-1e3, 1e3, width=32), max_size=8), max_size=6))
def test_running_statistics_equal_those_of_all_samples(parts: list[list[float]]) -> None:
    running = RunningStatistics()
    for part in parts:
        running.update(np.array(part, np.float32))
    samples = np.array([x for part in parts for x in part], np.float64)
    assert running.count == len(samples)
    if len(samples) >= 2 and samples.std() > 1e-3:
        np.testing.assert_allclose(
            [running.mean, running.std], [samples.mean(), samples.std(ddof=1)], rtol=1e-6, atol=1e-6
        )
