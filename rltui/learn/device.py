"""What the learner's device can do: the precision of its matrix products, how many rows go through at a time, fp16's loss
scale, and how its errors are told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from rltui.errors import RltuiError
from rltui.learn.config import NetSizes, PPOConfig, Precision

# What `auto` means: tests/measure/learner_options.py times the others beside it.
AUTO_BF16_UNITS: Precision = "bf16"  # a CPU with AVX512_BF16 or AMX: Zen 4 and newer, Xeons from Cooper Lake on
AUTO_CPU: Precision = "float32"
AUTO_AMPERE: Precision = "bf16"  # and newer GPUs
AUTO_VOLTA: Precision = "fp16"  # and Turing, which have no bf16
AUTO_OLDER: Precision = "float32"
CPU_ROWS = 4_096  # of one pass on a CPU: what it leaves behind stays in the cache, and controls are polled often enough
GPU_ROWS = 65_536  # of one pass on a GPU, at most
GPU_SHARE = 0.5  # of the memory that is free at the start, for one pass
LEAST_ROWS = 256  # of a pass, below which a lack of memory is not the rows' fault

DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


def choose_precision(wanted: str, device: torch.device) -> Precision:
    """`learner.precision`, resolved. tf32 is a GPU's: on a CPU it is float32."""
    if wanted != "auto":
        return "float32" if wanted == "tf32" and device.type == "cpu" else wanted  # type: ignore[return-value]
    if device.type == "cpu":
        return AUTO_BF16_UNITS if bf16_units() else AUTO_CPU
    major, _ = torch.cuda.get_device_capability(device)
    return AUTO_AMPERE if major >= 8 else AUTO_VOLTA if major == 7 else AUTO_OLDER


def bf16_units() -> bool:
    """Whether this processor multiplies bf16 in hardware; False where torch (before 2.11) cannot say."""
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


@contextmanager
def products(precision: Precision, device: torch.device) -> Iterator[None]:
    """Float32 matrix products on a GPU in TF32, unless float32 is wanted; afterwards as they were before."""
    before = torch.get_float32_matmul_precision()
    if device.type == "cuda":
        torch.set_float32_matmul_precision("highest" if precision == "float32" else "high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def pass_rows(config: PPOConfig, sizes: NetSizes, device: torch.device) -> int:
    """Rows of one forward and backward pass: as many of `ppo.minibatch` as the device is good for."""
    wanted = config.batch if config.minibatch == "auto" else config.minibatch
    if device.type == "cpu":
        return min(wanted, CPU_ROWS)
    if config.minibatch != "auto":
        return wanted
    free, _ = torch.cuda.mem_get_info(device)
    return max(LEAST_ROWS, min(wanted, fitting_rows(free, sizes)))


def fitting_rows(memory: int, sizes: NetSizes) -> int:
    """Rows of a pass that a GPU with so many free bytes is good for."""
    return min(GPU_ROWS, int(GPU_SHARE * memory / row_bytes(sizes)))


def row_bytes(sizes: NetSizes) -> int:
    """GPU memory of a row in one pass of both networks, at most: what the layers leave for the way back, their widest
    gradients, and a dozen arrays over the actions.
    """
    hidden: Sequence[int] = (*sizes.policy_layers, *sizes.critic_layers)
    return 4 * (3 * sizes.obs_size + 2 * sum(hidden) + 4 * max(hidden, default=0) + 12 * sizes.policy[-1])


class LossScale:
    """fp16's: losses are scaled up so that small gradients do not vanish; a step with an infinite one is skipped and the
    scale halved. All on the device, with torch's own kernels (torch.amp.GradScaler waits for it at every step).
    """

    GROWS_AFTER = 2_000  # steps without a skip

    def __init__(self, device: torch.device) -> None:
        self.scale = torch.full((), 2.0**16, device=device)
        self._good_steps = torch.zeros((), dtype=torch.int32, device=device)

    def unscale(self, gradients: list[Tensor]) -> Tensor:
        """Bring the gradients back to size. 1.0 where one is not finite, so that the step is to be skipped, else 0.0."""
        found = torch.zeros((), device=self.scale.device)
        torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, self.scale.reciprocal())
        return found * (self.scale > 1)  # what is infinite unscaled is so in float32 too: the guard's to name

    def update(self, skipped: Tensor) -> None:
        """After a step."""
        torch._amp_update_scale_(self.scale, self._good_steps, skipped, 2.0, 0.5, self.GROWS_AFTER)


def out_of_memory(error: BaseException) -> bool:
    """Whether memory did not suffice: a GPU's, or the machine's, of which torch has no class of its own."""
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or (
        isinstance(error, RuntimeError) and "can't allocate memory" in str(error)
    )


class DeviceFailed(RltuiError):
    """A GPU that has failed. Nothing on it can be reached any more, and freeing what belongs to it (page-locked memory,
    events) aborts the process.
    """

    spoils_exit = True


def device_error(error: BaseException) -> DeviceFailed | None:
    """A GPU's failure in words for a user; None for any other error."""
    if isinstance(error, torch.OutOfMemoryError) or not isinstance(error, RuntimeError):
        return None
    if not isinstance(error, torch.AcceleratorError) and "CUDA error" not in str(error):
        return None
    return DeviceFailed(
        f"the GPU failed: {str(error).partition(chr(10))[0]}",
        "training can go on from the newest checkpoint: start it again; where that fails too, look at nvidia-smi",
    )
