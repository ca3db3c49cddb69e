"""A header says what a task is made of, and every reader of the journal can read it."""

from __future__ import annotations

from pathlib import Path

from rltui.profile.load import load
from rltui.runs.journal import decode_line, encode_line
from rltui.runs.paths import DataDir
from rltui.train.active_task import LoopState
from rltui.train.console import start_summary
from rltui.train.header import run_started
from rltui.train.setup import TrainOptions, prepare
from tests.fakes.tasks import active_task
from tests.fakes.training import TINY


def test_a_limit_that_is_meant_to_be_none_is_no_reason_to_lose_the_header(tmp_path: Path) -> None:
    """Figures beyond 1e100 are no record; a profile may have them where they only mean never."""
    file = tmp_path / "tiny.toml"
    file.write_text(TINY)
    never = ("ppo.max_grad_norm=1e200", "ppo.reward_clip=1e300")
    context = prepare(TrainOptions(load(file, never), str(file), DataDir(tmp_path / "data"), run="r", kernel="Zen"))
    header = run_started(active_task(context), LoopState(lambda record: None, start=7, earlier=60.0))
    assert decode_line(encode_line(header).strip()) == header
    assert header.kernel == "Zen" and "matrix kernel Zen" in start_summary(header)
    assert header.start == 7 and header.elapsed is not None and header.elapsed >= 60
    assert (header.ppo["max_grad_norm"], header.ppo["reward_clip"]) == (1e100, 1e100)
    assert header.ppo["gamma"] == context.profile.ppo.gamma and header.ppo["normalize_advantages"] is True
