"""Players by what the user names. The starter bot: the one that is shipped plays here, is small and names nobody; its versions are players of their own."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from rltui.env.saved_player import SavedPlayer
from rltui.errors import RltuiError
from rltui.league.evaluation import MatchUp, Task, play
from rltui.league.games import is_starter, player_problem
from rltui.league.sources import PolicySource, ScriptedSource, StarterSource, saved_bot, source
from rltui.policy.mlp import DiscretePolicy, GumbelBank
from rltui.policy.saved import saved_game
from rltui.policy.weights import Float
from rltui.registry import is_saved_bot
from rltui.runs.meta import read_starter
from rltui.runs.paths import DataDir, starter_folder
from rltui.sim.state import Int
from tests.fakes.bots import write_bot
from tests.fakes.documents import ROOT
from tests.fakes.saved_runs import make_run

LARGEST = 5_000_000  # bytes of the shipped one: everybody who clones or installs gets them
FILES = {"policy.npz", "meta.json", "profile.toml"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another version of it in the place of the shipped one."""
    write_bot(tmp_path / "starter", "quick")
    shutil.copy(starter_folder() / "meta.json", tmp_path / "starter")
    monkeypatch.setattr("rltui.runs.paths.packaged", lambda _: tmp_path / "starter")
    return tmp_path / "starter"


def test_the_shipped_one_is_small_and_names_nobody() -> None:
    shipped = starter_folder()
    assert shipped == ROOT / "assets" / "starter"
    assert {path.name for path in shipped.iterdir()} == FILES
    assert sum(path.stat().st_size for path in shipped.iterdir()) <= LARGEST
    assert read_starter().author in ("", "rltui")
    for name in FILES - {"policy.npz"}:
        text = (shipped / name).read_text(encoding="utf-8")
        assert not re.search(r"""["'](/|~|[A-Za-z]:\\)""", text), f"{name} has a path of the machine that trained it"
    author = re.search(r'^author = "(.*)"$', (shipped / "profile.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert author is None or author[1] in ("", "rltui")


def test_the_shipped_one_plays_1v1_by_the_usual_observation(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    starter = source("starter", DataDir(tmp_path))
    assert isinstance(starter, StarterSource)
    assert (starter.name, starter.teams) == ("starter", (1, 1))
    assert saved_game(starter.policy).obs.name == "default"
    assert all(np.isfinite(part).all() for layer in starter.policy.layers for part in layer)
    chosen: list[float] = []
    real = DiscretePolicy.act

    def act(self: DiscretePolicy, obs: Float, noise: GumbelBank, out: Int, log_probs: Float, classes: object) -> None:
        real(self, obs, noise, out, log_probs, classes)  # type: ignore[arg-type]
        chosen.extend(log_probs.tolist())

    monkeypatch.setattr(DiscretePolicy, "act", act)
    done = play(MatchUp(starter, ScriptedSource("rule"), 1, 10.0, 5), Task(0, 1))
    assert len(done.games) == 2
    assert len(chosen) >= 2 * 10 * 120 // starter.policy.tick_skip
    assert np.isfinite(chosen).all()


def test_the_shipped_one_has_room_for_every_team_size() -> None:
    policy = PolicySource(starter_folder()).policy
    for teams in ((1, 1), (1, 2), (2, 1), (2, 2), (3, 3)):
        SavedPlayer(policy, teams, 1, [0])  # or RltuiError


def test_its_versions_are_players_of_their_own(folder: Path, tmp_path: Path) -> None:
    data = DataDir(tmp_path / "data")
    ids = [source("starter", data).id]
    ids.append(PolicySource(ROOT / "assets" / "starter").id)
    write_bot(tmp_path / "next", "quick", normalized=True)
    shutil.copy(tmp_path / "next" / "policy.npz", folder)
    ids.append(source("starter", data).id)
    assert len(set(ids)) == 3
    timesteps = read_starter().timesteps
    for name in (ids[0], ids[2]):
        assert re.fullmatch(rf"starter@{timesteps}#[0-9a-f]{{8}}", name)
        assert is_starter(name) and not player_problem(name)
    assert not any(map(is_starter, (ids[1], "rule", "starter", "starter-1@1#01234567", "alpha@1#01234567")))


def test_a_folder_here_of_that_name_is_named_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_bot(Path("starter"), "quick")
    data = DataDir(tmp_path / "data")
    assert isinstance(source("starter", data), StarterSource)
    own = source("./starter", data)
    assert isinstance(own, PolicySource) and own.folder == Path("starter")


def test_a_player_of_the_ladder_is_named_as_it_stands_there(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    make_run(data, commits=1)
    write_bot(tmp_path / "bot", "quick")
    shutil.copy(tmp_path / "bot" / "policy.npz", data.run("alpha").checkpoint(1000))
    for player in (source("alpha/1000", data), source("starter", data)):
        for name in (player.id, player.id.partition("#")[0]):
            assert source(name, data).id == player.id
        with pytest.raises(RltuiError, match=f"is not there any more: it is {player.id} now"):
            source(f"{player.id[:-8]}00000000", data)
    with pytest.raises(RltuiError, match="is not there any more: it is starter@"):
        source("starter@1", data)
    assert saved_bot("alpha@1000", data).name == "alpha/1000" and is_saved_bot("alpha@1000")


def test_what_an_installation_lacks_is_told(folder: Path, tmp_path: Path) -> None:
    (folder / "meta.json").write_text("{}")
    with pytest.raises(RltuiError, match=r"the starter bot: .*meta\.json: cannot be read"):
        source("starter", DataDir(tmp_path))
    shutil.rmtree(folder)
    with pytest.raises(RltuiError, match=r"the starter bot: .*meta\.json: No such file") as error:
        source("starter", DataDir(tmp_path))
    assert error.value.hint == "install rltui again"


def test_a_players_own_file_makes_it_a_player_of_its_own_whatever_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that no class called `rule` is rated as the anchor, and none after a change as before it."""
    monkeypatch.chdir(tmp_path)
    made = "from tests.fakes.fixed_players import RowZero\n\n\nclass rule(RowZero):\n    pass\n"
    for folder, text in (("one", made), ("copy", made), ("changed", f"{made}\n\nSPEED = 2\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(text, encoding="utf-8")
    one, copy, changed = (
        source(f"{folder}/mine.py:rule", DataDir(tmp_path)).id for folder in ("one", "copy", "changed")
    )
    assert one == copy != changed
    for name in (one, changed):
        assert re.fullmatch(r"rule#[0-9a-f]{8}", name) and not player_problem(name) and not is_starter(name)
    assert source("rule", DataDir(tmp_path)).id == "rule"
    assert source("tests.fakes.fixed_players:RowZero", DataDir(tmp_path)).id.startswith("RowZero#")
