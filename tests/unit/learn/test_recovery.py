"""What goes wrong on the device: full memory, torch.compile, the GPU itself."""

from __future__ import annotations

import inspect
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from rltui.learn.checkpoint_files import Progress
from rltui.learn.device import device_error
from rltui.learn.ppo import PPOLearner
from rltui.learn.state import HostCopy
from tests.fakes.rollouts import CONFIG, learner, rollout, weights


def failed(*_: object, **__: object) -> None:
    """What every call into CUDA does once the GPU has failed."""
    raise RuntimeError("CUDA error: an illegal memory access was encountered\nmore words")


class FailedDevice(TorchFunctionMode):
    """No operation takes these tensors any more."""

    def __init__(self, tensors: list[torch.Tensor]) -> None:
        super().__init__()
        self._gone = {tensor.data_ptr() for tensor in tensors}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = tree_leaves((args, kwargs))
        if any(isinstance(one, torch.Tensor) and one.data_ptr() in self._gone for one in given):
            failed()
        return func(*args, **(kwargs or {}))


def test_a_full_memory_halves_the_rows_once_and_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """Whether it is full in the first pass or in the last, after optimiser steps: as a run that began so, bit for bit."""
    for nth in (1, 3, 4):
        for buffered in (1, 2):
            with subtests.test(nth=nth, buffered=buffered):
                config = replace(CONFIG, minibatch=48, batch=96, buffer_iterations=buffered)
                ours, twin = learner(config), learner(config, minibatch=24)
                if buffered == 2:
                    ours.update(rollout(seed=9))
                    twin.update(rollout(seed=9))
                before = weights(ours) - weights(twin)
                monkeypatch.setenv("RLTUI_FAULT", f"learn.pass:oom:{nth},case.{buffered}:raise:1")
                report = ours.update(rollout())
                monkeypatch.delenv("RLTUI_FAULT")
                expected = twin.update(rollout())
                assert ours.pass_rows == 24
                assert report.notes[-1:] == (
                    "out of memory with 48 rows at a time: 24 from here on, as with ppo.minibatch = 24",
                )
                assert (report.rows, report.steps) == (expected.rows, expected.steps)
                if buffered == 1:
                    assert torch.equal(weights(ours), weights(twin))
                    assert report.metrics == expected.metrics
                torch.testing.assert_close(weights(ours) - weights(twin), before, atol=1e-6, rtol=0)
                assert ours.update(rollout(seed=1)).notes == ()


def test_the_machines_own_memory_that_is_full_counts_as_a_gpus(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """In what torch and Python have for it. Another error of the same class ends the update."""
    words = "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to"
    for error, helps in ((RuntimeError(words), True), (MemoryError(), True), (RuntimeError("sizes do not fit"), False)):
        with subtests.test(error=error):
            ours, twin = learner(minibatch=48, batch=96), learner(minibatch=24, batch=96)
            errors = [error]

            def losses(*columns: Any, errors: list[Exception] = errors, of: PPOLearner = ours) -> Any:
                if errors:
                    raise errors.pop()
                return PPOLearner._losses(of, *columns)

            monkeypatch.setattr(ours, "_losses", losses)
            if helps:
                assert ours.update(rollout()).rows == twin.update(rollout()).rows
                assert ours.pass_rows == 24
            else:
                with pytest.raises(RuntimeError, match="do not fit"):
                    ours.update(rollout())
                twin = learner()
            assert torch.equal(weights(ours), weights(twin))


def test_a_memory_that_is_never_enough_is_told_and_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = learner(minibatch=48, buffer_iterations=2)
    before = weights(ours)
    monkeypatch.setenv("RLTUI_FAULT", "learn.pass:oom:*")
    with pytest.raises(torch.OutOfMemoryError):
        ours.update(rollout())
    assert torch.equal(weights(ours), before)
    assert not ours._buffer


def test_a_compiler_that_fails_is_left_out(subtests: pytest.Subtests) -> None:
    """In its first pass, and in a later one."""
    for good in (0, 5):
        with subtests.test(good=good):
            ours, twin = learner(minibatch=24), learner(minibatch=24)
            calls = 0

            def compiled(*columns: Any, good: int = good) -> tuple[torch.Tensor, ...]:
                nonlocal calls
                calls += 1
                if calls > good:
                    raise ValueError("no compiler\nhere\n\nSet TORCHDYNAMO_VERBOSE=1 for the internal stack trace")
                return ours._losses(*columns)  # noqa: B023

            ours._compiled = compiled
            report = ours.update(rollout())
            twin.update(rollout())
            assert report.notes[-1] == "learner.compile is off: ValueError: no compiler here"
            assert torch.equal(weights(ours), weights(twin))


def test_a_failed_gpu_leaves_the_state_of_the_update_before(
    monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    """Neither the device's tensors nor CUDA's functions can be used any more; the host's copy is what a checkpoint gets."""
    for updates in (0, 2):
        with subtests.test(updates=updates), monkeypatch.context() as patched, ExitStack() as stack:
            ours = learner(minibatch=24, normalize_observations=True)
            ours._host = HostCopy(ours._state)
            for seed in range(updates):
                ours.update(rollout(seed=seed))
            ours.set_rates(5e-4, 4e-4)
            before, calls = ours.snapshot(Progress(cumulative_timesteps=7)).files(), 0

            def fail(ours: PPOLearner = ours, patched: pytest.MonkeyPatch = patched, stack: ExitStack = stack) -> None:
                nonlocal calls
                calls += 1
                if calls == 6:  # after an optimiser step
                    stack.enter_context(FailedDevice(ours._state.tensors()))
                    for name, value in list(vars(torch.cuda).items()):
                        if inspect.isfunction(value):
                            patched.setattr(torch.cuda, name, failed)
                    failed()

            with pytest.raises(RuntimeError) as caught:
                ours.update(rollout(), fail)
            told = device_error(caught.value)
            assert told is not None
            assert told.message == "the GPU failed: CUDA error: an illegal memory access was encountered"
            assert ours.snapshot(Progress(cumulative_timesteps=7)).files() == before


def test_without_a_whole_copy_the_failure_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        raise RuntimeError("CUDA error")

    ours = learner()
    ours._host = HostCopy(ours._state)
    ours.update(rollout())
    files = ours.snapshot().files()
    ours.load(files)
    monkeypatch.setattr(ours._state, "snapshot", lost)
    with pytest.raises(RuntimeError):
        ours.snapshot()
