"""The match of a run that trains: who plays orange, and under which name."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.env.from_profile import env_spec, sizes
from rltui.env.frozen_opponents import OpponentSource
from rltui.errors import RltuiError
from rltui.events.match_frames import MatchFrame
from rltui.profile.load import load
from rltui.view.training_match import RunMatch, RunMatchSpec
from tests.fakes.bots import HIDDEN, write_bot
from tests.fakes.training import TINY


def test_a_frozen_opponent_plays_orange_and_is_named_and_without_one_the_bot_itself_does(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    file = tmp_path / "tiny.toml"
    for opponent, frozen, names, playing in (
        ("mirror", None, ("r", "r"), []),
        ("rule", None, ("r", "rule"), []),
        ("checkpoints", None, ("r", "r"), []),
        ("checkpoints", "5,000", ("r", "5,000"), ["5,000"]),
        ("other/005M", "other/005M", ("r", "other/005M"), ["other/005M"]),
    ):
        with subtests.test(opponent=opponent, frozen=str(frozen)):
            file.write_text(f'{TINY}[game]\norange = 2\nopponent = "{opponent}"\n')
            spec = env_spec(load(file))
            folder = tmp_path / opponent.replace("/", "-") / str(frozen).replace("/", "-")
            write_bot(folder, str(file))
            source = OpponentSource(frozen, str(folder / "policy.npz")) if frozen else None
            shown: list[MatchFrame] = []
            layers = (sizes(spec).obs, HIDDEN, sizes(spec).actions.outputs)
            match = RunMatch(RunMatchSpec(spec, layers, False, (1,), "r", source), shown.append)
            for _ in range(3):
                match.step()
            assert shown[-1].names == names and match._batch.playing == playing
    gone = OpponentSource("gone", str(tmp_path / "gone.npz"))
    with pytest.raises(RltuiError, match=r"gone\.npz"):
        RunMatch(RunMatchSpec(spec, layers, False, (1,), "r", gone), shown.append)
