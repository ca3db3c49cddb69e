"""TorchScript files of others: they play as any bot does, say what does not fit, and reach for nothing but numbers."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from rltui.bridge import export
from rltui.bridge.torchscript import policy_of
from rltui.cli.playing import converter
from rltui.errors import RltuiError
from rltui.league.evaluation import MatchUp, Task, play
from rltui.league.match_batch import MatchBatch
from rltui.league.players import PolicySide, Seat
from rltui.league.sources import PolicySource, source
from rltui.policy.saved import SavedPolicy, load_policy
from rltui.profile.load import load
from rltui.runs.paths import DataDir
from tests.fakes.bots import write_bot

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
CANARY = "canary-of-torchscript"


class Theirs(nn.Module):
    """As others save theirs: with a softmax behind it, or with more than one output."""

    def __init__(self, policy: SavedPolicy, softmax: bool, more: bool) -> None:
        super().__init__()
        parts: list[nn.Module] = []
        for w, b in policy.layers:
            layer = nn.Linear(*w.shape)
            layer.weight.data, layer.bias.data = torch.from_numpy(w.T.copy()), torch.from_numpy(b.copy())
            parts += [layer, nn.ReLU()]
        self.model, self.softmax, self.more = nn.Sequential(*parts[:-1]), softmax, more

    def forward(self, obs: Tensor) -> Any:
        out = self.model(obs)
        out = torch.softmax(out, dim=-1) if self.softmax else out
        return (out, out.sum()) if self.more else out


class Saves(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        torch.save(x, "canary-of-torchscript")
        return x


class Reads(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.from_file("/etc/hostname", False, 1, dtype=torch.uint8).sum()


class SavesWhenLoaded(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = torch.zeros(2)

    @torch.jit.export
    def __getstate__(self) -> tuple[Tensor, bool]:  # type: ignore[override]
        return (self.w, self.training)

    @torch.jit.export
    def __setstate__(self, state: tuple[Tensor, bool]) -> None:
        self.w = state[0]
        self.training = state[1]
        torch.save(self.w, "canary-of-torchscript")

    def forward(self, x: Tensor) -> Tensor:
        return x + self.w


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(
        'schema = 1\nterminals = [{kind = "goal"}]\nrewards.touch = 1.0\nactions.table = "hybrid"\n', encoding="utf-8"
    )
    write_bot(tmp_path / "bot", "mine.toml")
    return tmp_path


def written(path: Path, policy: SavedPolicy, softmax: bool = False, more: bool = False) -> Path:
    torch.jit.save(torch.jit.trace(Theirs(policy, softmax, more), torch.zeros(2, policy.obs_size)), path)
    return path


def rows_played(policy: SavedPolicy) -> list[list[int]]:
    """Of the first two seconds of a match with itself, drawn."""
    sides = [PolicySide(policy, Seat((1, 1), slice(car, car + 1), [car])) for car in (0, 1)]
    match = MatchBatch((sides[0], sides[1]), (1, 1), [[3]])
    found = []
    for _ in range(30):
        match.advance(8)
        found.append(match.playing[0].tolist())
    return found


def test_it_plays_as_the_bot_that_it_was_made_of_whatever_it_gives(here: Path, subtests: pytest.Subtests) -> None:
    ours = load_policy(here / "bot" / "policy.npz")
    expected = rows_played(ours)
    assert len({row for rows in expected for row in rows}) > 3
    for softmax, more in ((False, False), (True, False), (False, True)):
        with subtests.test(softmax=softmax, more=more):
            theirs = policy_of(written(here / "theirs.pt", ours, softmax, more), load("mine.toml"))
            assert theirs is not None and theirs.legality == "mask"
            sent = pickle.loads(pickle.dumps(theirs))  # to a process that plays games
            assert rows_played(sent) == expected


def test_who_it_is_and_which_game_it_plays(here: Path) -> None:
    """By a profile; of what `rltui export` wrote by itself."""
    data, ours = DataDir(here / "data"), load_policy(here / "bot" / "policy.npz")
    written(here / "theirs.ts", ours)
    with pytest.raises(RltuiError, match="does not say what the bot observes") as error:
        source("theirs.ts", data, converter(None))
    assert "--profile PROFILE" in error.value.hint
    for convert in (None, converter(None)):
        with pytest.raises(RltuiError):
            source("nothere.pt", data, convert)
    theirs = source("theirs.ts", data, converter("mine.toml"))
    assert theirs.id.startswith("theirs.ts#") and theirs.id == source("theirs.ts", data, converter("mine.toml")).id
    written(here / "theirs.ts", replace(ours, layers=tuple((w + 1, b) for w, b in ours.layers)))
    assert theirs.id != source("theirs.ts", data, converter("mine.toml")).id
    export.export(ours, "bot", export.exporter("torchscript"), here / "bot.pt")
    again = source("bot.pt", data, converter(None))
    assert isinstance(again, PolicySource) and rows_played(again.policy) == rows_played(ours)
    with pytest.raises(RltuiError, match=r"bot\.pt is a TorchScript file, whose weights cannot be read"):
        export.export(again.policy, "bot.pt", export.exporter("numpy"), here / "again.npz")
    games = play(MatchUp(again, theirs, 1, 1.0, 7), Task(0, 1, 1), lambda ticks: None).games
    assert len(games) >= 1


def hostile(make: Callable[[zipfile.ZipFile, zipfile.ZipFile], None]) -> Callable[[Path, SavedPolicy], None]:
    """A file that is a good one's members written anew."""

    def write(path: Path, policy: SavedPolicy) -> None:
        good = io.BytesIO(written(path, policy).read_bytes())
        with zipfile.ZipFile(good) as source_archive, zipfile.ZipFile(path, "w") as archive:
            make(source_archive, archive)

    return write


def _copy(good: zipfile.ZipFile, bad: zipfile.ZipFile, change: Callable[[str, bytes], bytes]) -> None:
    for name in good.namelist():
        bad.writestr(name, change(name, good.read(name)))


def _twice(good: zipfile.ZipFile, bad: zipfile.ZipFile) -> None:
    _copy(good, bad, lambda name, content: content)
    code = next(name for name in good.namelist() if name.endswith(".py"))
    bad.writestr(code.upper(), b"x")


def _code(text: bytes) -> Callable[[zipfile.ZipFile, zipfile.ZipFile], None]:
    return lambda good, bad: _copy(good, bad, lambda name, old: old + text if name.endswith(".py") else old)


def _script(module: type[nn.Module]) -> Callable[[Path, SavedPolicy], None]:
    return lambda path, policy: torch.jit.save(torch.jit.script(module()), path)


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (_script(Saves), "'save', which a net does not need"),
        (_script(Reads), "'from_file', which"),
        (_script(SavesWhenLoaded), "which a net does not need"),
        (hostile(_code(b'\n  def a(self):\n    return getattr(torch, "sa" "ve")\n')), "'save'"),
        (hostile(_code(b"\n  def a(self):\n    return ops.c10d.f()\n")), "ops.c10d"),
        (hostile(_code(b"\n  def a(self):\n    return ops.prim.rpc_sync()\n")), "'rpc_sync'"),
        (hostile(_code("\n  def a(self):\n    return torch.ſave\n".encode())), "ascii"),
        (hostile(_twice), "a member twice"),
        (hostile(_code(b"\n#" + b"x" * (1 << 20))), "more than 1,048,576 bytes"),
        (lambda path, policy: torch.save({"a": torch.zeros(1)}, path), "no TorchScript archive"),
        (lambda path, policy: path.write_bytes(b"no zip"), "refused"),
        (lambda path, policy: path.write_bytes(written(path, policy).read_bytes()[:-200]), "refused"),
        (lambda path, policy: path.mkdir(), "folder"),
    ],
)  # fmt: skip
def test_what_is_no_net_is_refused_before_it_is_loaded(
    here: Path, write: Callable[[Path, SavedPolicy], object], said: str
) -> None:
    write(here / "bad.pt", load_policy(here / "bot" / "policy.npz"))
    with pytest.raises(RltuiError, match=said) as error:
        policy_of(here / "bad.pt", load("mine.toml"))
    assert error.value.exit_code == 2
    assert not (here / CANARY).exists()


def test_what_does_not_fit_the_profile_is_said(here: Path) -> None:
    ours = load_policy(here / "bot" / "policy.npz")
    w, b = ours.layers[-1]
    fewer = replace(ours, layers=(*ours.layers[:-1], (w[:, :-1], b[:-1])))
    n = len(ours.table)
    with pytest.raises(RltuiError, match=rf"gives \[64, {n - 1}\] for 64 observations, expected finite \[64, {n}\]"):
        policy_of(written(here / "fewer.pt", fewer), load("mine.toml"))
    with pytest.raises(RltuiError, match=r"does not take observations \[64, 92\]"):
        policy_of(written(here / "theirs.pt", ours), load("quick"))
    (w, b), *rest = ours.layers
    with pytest.raises(RltuiError, match="expected finite"):
        policy_of(
            written(here / "nan.pt", replace(ours, layers=((w * np.float32("nan"), b), *rest))), load("mine.toml")
        )
