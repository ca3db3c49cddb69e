"""Our Adam against torch's own."""

from __future__ import annotations

import pytest
import torch

from rltui.learn.adam import Adam
from rltui.learn.networks import build


def pair() -> tuple[torch.nn.Module, Adam, torch.nn.Module, torch.optim.Adam]:
    ours, theirs = build(6, (16,), 5, seed=1), build(6, (16,), 5, seed=1)
    return ours, Adam(ours.parameters(), 3e-3), theirs, torch.optim.Adam(theirs.parameters(), lr=3e-3)


def walk(network: torch.nn.Module, adam: Adam | torch.optim.Adam, seed: int) -> None:
    torch.autograd.backward(network(torch.full((4, 6), float(seed))).square().mean())
    adam.step()
    adam.zero_grad()


def test_twenty_steps_have_the_same_bits() -> None:
    ours, adam, theirs, judge = pair()
    for seed in range(20):
        walk(ours, adam, seed)
        walk(theirs, judge, seed)
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert torch.equal(mine, other)


def test_the_state_dict_is_torchs(subtests: pytest.Subtests) -> None:
    for steps in (0, 3):
        with subtests.test(steps=steps):
            ours, adam, theirs, judge = pair()
            for seed in range(steps):
                walk(ours, adam, seed)
                walk(theirs, judge, seed)
            mine, other = adam.state_dict(), judge.state_dict()
            assert mine["param_groups"] == other["param_groups"]
            assert mine["state"].keys() == other["state"].keys()
            for i, moments in other["state"].items():
                assert moments.keys() == mine["state"][i].keys()
                for key, value in moments.items():
                    assert torch.equal(mine["state"][i][key], value)
                    assert mine["state"][i][key].dtype == value.dtype


def test_each_goes_on_from_the_others_state() -> None:
    ours, adam, theirs, judge = pair()
    for seed in range(3):
        walk(ours, adam, seed)
    theirs.load_state_dict(ours.state_dict())
    judge.load_state_dict(adam.state_dict())
    fourth = build(6, (16,), 5, seed=2)
    fourth.load_state_dict(ours.state_dict())
    again = Adam(fourth.parameters(), 3e-3)
    again.load(judge.state_dict()["state"])
    for network, optimizer in ((ours, adam), (theirs, judge), (fourth, again)):
        walk(network, optimizer, 7)
    for mine, other, loaded in zip(ours.parameters(), theirs.parameters(), fourth.parameters(), strict=True):
        assert torch.equal(mine, other)
        assert torch.equal(mine, loaded)


def test_the_empty_state_is_that_before_the_first_step() -> None:
    ours, adam, _, _ = pair()
    walk(ours, adam, 1)
    adam.load({})
    assert adam.steps == 0
    assert all(not moment.any() for moment in adam.tensors())


def test_the_fused_kernel_is_torchs_within_rounding_and_can_skip() -> None:
    ours, adam, theirs, judge = pair()
    go, skip = torch.tensor(0.0), torch.tensor(1.0)
    for seed in range(20):
        torch.autograd.backward(ours(torch.full((4, 6), float(seed))).square().mean())
        torch.autograd.backward(theirs(torch.full((4, 6), float(seed))).square().mean())
        before = [tensor.clone() for tensor in (*ours.parameters(), *adam.tensors())]
        adam.step(skip)
        assert all(map(torch.equal, before, (*ours.parameters(), *adam.tensors())))
        adam.step(go)
        judge.step()
        adam.zero_grad()
        judge.zero_grad()
    assert adam.steps == 20
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(mine, other, atol=1e-6, rtol=1e-5)
