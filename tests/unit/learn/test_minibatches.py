"""How rows are cut into batches and minibatches, and how iterations are joined."""

from __future__ import annotations

import pytest
import torch

from rltui.learn.minibatches import Experience, batch_edges, join


def experience(start: int, rows: int, spare: int = 2) -> Experience:
    """Rows numbered from `start`; observation of row i is [i, i], between `spare` rows that belong to no step."""
    number = torch.arange(start, start + rows)
    obs = torch.full((rows + spare, 2), -1.0)
    obs[spare:] = number[:, None].float()
    return Experience(obs, torch.arange(rows) + spare, number, number / 2, number / 3, number / 4)


def test_every_row_is_in_exactly_one_minibatch_with_its_own_observation() -> None:
    parts = list(experience(0, 11).minibatches(4))
    assert [len(part) for part in parts] == [3, 4, 4]
    for part in parts:
        assert torch.equal(part.obs[:, 0], part.actions.float())
        assert torch.equal(part.log_probs, part.actions / 2)
    assert torch.cat([part.actions for part in parts]).tolist() == list(range(11))


def test_rows_are_taken_in_the_order_asked_for() -> None:
    (part,) = experience(0, 6).rows(torch.tensor([5, 0, 3])).minibatches(10)
    assert part.obs[:, 0].tolist() == [5, 0, 3]
    assert part.targets.tolist() == [5 / 4, 0, 3 / 4]


def test_joined_iterations_keep_their_observations() -> None:
    first, second = experience(0, 3), experience(10, 4, spare=1).owned()
    joined = join([first, second])
    (part,) = joined.minibatches(100)
    assert part.obs[:, 0].tolist() == part.actions.tolist() == [0, 1, 2, 10, 11, 12, 13]


def test_an_owned_copy_does_not_follow_its_source() -> None:
    source = experience(0, 3)
    copy = source.owned()
    source.obs.zero_()
    source.advantages.zero_()
    (part,) = copy.minibatches(3)
    assert part.obs[:, 0].tolist() == [0, 1, 2]
    assert part.advantages.tolist() == pytest.approx([0, 1 / 3, 2 / 3])


def test_batches(subtests: pytest.Subtests) -> None:
    for rows, size, edges in (
        (100, 100, [(0, 100)]),
        (60, 100, [(0, 60)]),
        (1, 100, [(0, 1)]),
        (250, 100, [(0, 100), (100, 200), (200, 250)]),
        (110, 100, [(0, 100), (100, 110)]),
        (109, 100, [(0, 109)]),
        (50_006, 50_000, [(0, 50_006)]),
        (3, 1, [(0, 1), (1, 2), (2, 3)]),
    ):
        with subtests.test(rows=rows, size=size, edges=edges):
            assert batch_edges(rows, size) == edges
