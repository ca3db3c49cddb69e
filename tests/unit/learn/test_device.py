"""Precision, rows of a pass, fp16's loss scale."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from rltui.actions.spec import ActionSpec
from rltui.learn.config import NetSizes
from rltui.learn.device import CPU_ROWS, GPU_ROWS, LossScale, choose_precision, pass_rows, products, row_bytes
from tests.fakes.rollouts import CONFIG, learner, rollout, weights

CPU, GPU = torch.device("cpu"), torch.device("cuda")
BIG = NetSizes(92, ActionSpec(90), (2048, 2048, 1024, 1024), (2048, 2048, 1024, 1024))
AUTO = replace(CONFIG, minibatch="auto", batch=200_000)


def test_precision_by_device(monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests) -> None:
    for capabilities, expected in (
        ({"avx2": True}, ["float32", "float32", "bf16"]),
        ({"avx512_bf16": True, "amx_bf16": False}, ["bf16", "float32", "bf16"]),
        ({"avx512_bf16": False, "amx_bf16": True}, ["bf16", "float32", "bf16"]),
    ):
        with subtests.test(capabilities=capabilities):
            monkeypatch.setattr(torch.cpu, "get_capabilities", lambda found=capabilities: found, raising=False)
            assert [choose_precision(wanted, CPU) for wanted in ("auto", "tf32", "bf16")] == expected
    monkeypatch.delattr(torch.cpu, "get_capabilities")  # torch before 2.11
    assert choose_precision("auto", CPU) == "float32"
    for capability, wanted, expected in (
        ((9, 0), "auto", "bf16"),
        ((7, 5), "auto", "fp16"),
        ((6, 1), "auto", "float32"),
        ((9, 0), "tf32", "tf32"),
    ):
        with subtests.test(capability=capability, wanted=wanted):
            monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _, found=capability: found)
            assert choose_precision(wanted, GPU) == expected


def test_matrix_products_are_as_before_after_an_update() -> None:
    before = torch.get_float32_matmul_precision()
    with products("bf16", GPU):
        assert torch.get_float32_matmul_precision() == "high"
        with products("float32", GPU):
            assert torch.get_float32_matmul_precision() == "highest"
    assert torch.get_float32_matmul_precision() == before


def test_rows_that_fit(monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests) -> None:
    assert pass_rows(AUTO, BIG, CPU) == CPU_ROWS
    assert pass_rows(replace(AUTO, minibatch=100), BIG, CPU) == 100
    for gigabytes, config, expected in (
        (140, AUTO, GPU_ROWS),
        (140, replace(AUTO, batch=500), 500),
        (4, AUTO, int(2e9 / row_bytes(BIG))),
        (0.001, AUTO, 256),
        (4, replace(AUTO, minibatch=100_000), 100_000),
    ):
        with subtests.test(gigabytes=gigabytes, expected=expected):
            monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _, free=gigabytes: (int(free * 1e9), 0))
            assert pass_rows(config, BIG, GPU) == expected


def test_hidden_layers_alone_are_rounded(subtests: pytest.Subtests) -> None:
    """Losses and weights stay float32, and an update is near the exact one."""
    for precision in ("bf16", "fp16"):
        with subtests.test(precision=precision):
            exact, ours = learner(minibatch=24), learner(minibatch=24, precision=precision)
            expected, report = exact.update(rollout()), ours.update(rollout())
            assert report.dropped is None
            for key, value in expected.metrics.items():
                assert report.metrics[key] == pytest.approx(value, rel=0.05, abs=1e-2), key
            assert {p.dtype for p in ours._state.policy.parameters()} == {torch.float32}
            assert not torch.equal(weights(ours), weights(exact))
            assert ours._state.policy_optimizer.steps == 2


def test_the_loss_scale_halves_where_a_step_is_skipped() -> None:
    scale = LossScale(CPU)
    gradients = [torch.tensor([2.0**16, 2.0**17]), torch.tensor([1.0])]
    skipped = scale.unscale(gradients)
    scale.update(skipped)
    assert gradients[0].tolist() == [1.0, 2.0]
    assert (float(skipped), float(scale.scale)) == (0.0, 2.0**16)
    skipped = scale.unscale([torch.tensor([float("inf")])])
    scale.update(skipped)
    assert (float(skipped), float(scale.scale)) == (1.0, 2.0**15)


def test_a_gradient_too_large_for_fp16_skips_a_step_and_one_that_is_no_number_drops_the_update() -> None:
    ours = learner(precision="fp16", epochs=1)
    before = weights(ours)
    scale = ours._scale
    assert scale is not None
    scale.scale.fill_(2.0**60)
    report = ours.update(rollout())
    assert report.dropped is None
    assert torch.equal(weights(ours), before)
    assert (ours._state.policy_optimizer.steps, float(scale.scale)) == (0, 2.0**59)
    scale.scale.fill_(1.0)
    handle = ours._state.policy.model[2].weight.register_hook(lambda grad: grad * float("inf"))
    assert "policy gradient" in str(ours.update(rollout()).dropped)
    handle.remove()
