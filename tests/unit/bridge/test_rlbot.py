"""The folder for RLBot plays alone: its own modules, its own observation, RLBot's own classes where they are installed."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rltui.__main__ import main
from rltui.bridge import export
from rltui.bridge.export import exporter
from rltui.bridge.rlbot_player import PacketPlayer
from rltui.field import CONTROLS
from rltui.league.match_batch import MatchBatch
from rltui.league.players import PolicySide, Seat
from rltui.policy.saved import load_policy, saved_game
from tests.fakes.bots import write_bot
from tests.fakes.patience import patience
from tests.fakes.rlbot_packets import COUNTDOWN, FIELD, moments

OBS = """\
from rltui.obs.builder import ObsBuilder
{imports}
class MyObs(ObsBuilder):
    def size(self, blue, orange):
        return 4
    def build(self, state, out):
        out[..., :3] = state.position / FACTOR
        out[..., 3] = {last}
"""
BASE = 'schema = 1\nterminals = [{kind = "goal"}]\nrewards.touch = 1.0\n'
BOT_ALONE = """\
import sys, types
sys.path.insert(0, "")
flat, managers = types.ModuleType("rlbot.flat"), types.ModuleType("rlbot.managers")
flat.ControllerState = lambda *axes, **buttons: (axes, buttons)
flat.GamePacket = object
managers.Bot = object
sys.modules |= {"rlbot": types.ModuleType("rlbot"), "rlbot.flat": flat, "rlbot.managers": managers}
import bot
theirs = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
print(*sorted(theirs))
print(sys.modules["rltui"].__file__)
"""


def users_bot(folder: Path, imports: str, last: str, more: dict[str, str]) -> Path:
    """A bot whose observation is in a file of the user's."""
    folder.mkdir()
    for name, text in {"my_obs.py": OBS.format(imports=imports, last=last), **more}.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "mine.toml").write_text(f'obs.kind = "{folder / "my_obs.py"}:MyObs"\n{BASE}', encoding="utf-8")
    write_bot(folder / "bot", str(folder / "mine.toml"))
    return folder / "bot"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(export, "STATES", 500)
    return tmp_path


def played(target: Path, ticks: int) -> tuple[int, int]:
    """Of a match of the folder's policy with itself: moments in which a bot is asked, and how often it plays otherwise."""
    policy = load_policy(target / "policy.npz")
    sides = [PolicySide(policy, Seat((1, 1), slice(side, side + 1), [0], deterministic=True)) for side in (0, 1)]
    player = PacketPlayer(target / "policy.npz", deterministic=True)
    player.set_pads(FIELD)
    said, count, other = None, 0, 0
    for moment in moments(MatchBatch((sides[0], sides[1]), (1, 1), [[3]]), ticks, [0, 1]):
        if said is not None and moment.packet.match_info.match_phase != COUNTDOWN:
            count, other = count + 1, other + (not np.array_equal(said, moment.played[1]))
        said = player.controls(moment.packet, 1)
    return count, other


def test_the_folder_needs_numpy_and_rlbot_alone(here: Path) -> None:
    assert main(["export", "starter", "--to", "rlbot", "-o", "bot"]) == 0
    out = subprocess.run(
        [sys.executable, "-I", "-B", "-c", BOT_ALONE], cwd=here / "bot", capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert {"numpy", "rltui", "rlbot", "bot"} <= set(out[0].split())
    assert not {"torch", "RocketSim", "msgspec", "pydantic", "rlgym"} & set(out[0].split())
    assert Path(out[1]).parent.parent.resolve() == (here / "bot").resolve()
    assert {path.name for path in (here / "bot").iterdir()} == {
        *("bot.py", "bot.toml", "loadout.toml", "policy.npz", "requirements.txt", "rltui"),
    }


def test_what_rlbot_reads_of_it(here: Path) -> None:
    write_bot(here / 'a "bot"', "quick")
    assert main(["export", 'a "bot"', "--to", "rlbot", "-o", "bot"]) == 0
    settings = tomllib.loads((here / "bot" / "bot.toml").read_text(encoding="utf-8"))["settings"]
    assert settings["name"].endswith('a "bot"')
    assert settings["agent_id"].startswith("rltui/") and '"' not in settings["agent_id"]
    assert settings["run_command"] == "python bot.py"
    for team in ("blue", "orange"):
        assert tomllib.loads((here / "bot" / "loadout.toml").read_text())[f"{team}_loadout"]["car_id"] == 23


def test_a_users_observation_comes_along_with_what_it_imports(here: Path) -> None:
    more = {
        "common.py": "from pack.deep import HALF\nFACTOR = 2 * HALF\n",
        "pack/__init__.py": "",
        "pack/deep.py": "HALF = 1150\n",
    }
    source = users_bot(here / "mine", "from common import FACTOR", "state.boost / 100", more)
    target = here / "exported"
    found = export.export(load_policy(source / "policy.npz"), "mine", exporter("rlbot"), target)
    assert found.proven
    assert sorted(path.relative_to(target / "own").as_posix() for path in (target / "own").rglob("*.py")) == [
        *("common.py", "my_obs.py", "pack/__init__.py", "pack/deep.py"),
    ]
    assert saved_game(load_policy(target / "policy.npz")).obs.name == "own/my_obs.py:MyObs"
    assert str(here).encode() not in (target / "policy.npz").read_bytes()


def test_an_observation_that_prints_spoils_nothing(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    users_bot(here / "mine", "FACTOR = 1000\nprint('loud')", "0", {})
    capfd.readouterr()
    assert main(["export", "mine/bot", "--to", "rlbot", "-o", "bot", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["format"] == "rlbot"


def test_an_observation_that_cannot_come_along_is_refused_by_name(here: Path, subtests: pytest.Subtests) -> None:
    for number, (imports, last, said) in enumerate((
        ("import msgspec; FACTOR = 1", "0", "imports msgspec, which a bot folder has not"),
        ("from rltui.sim.arena import TICK as FACTOR", "0", "imports RocketSim"),
        ("FACTOR = 1", "state.touches", "reads state.touches, which RLBot does not tell"),
        ("FACTOR = 1", "state.contacts.wheels", "reads state.contacts, which"),
    )):  # fmt: skip
        with subtests.test(said):
            source = users_bot(here / str(number), imports, last, {})
            with pytest.raises(export.RltuiError, match=said) as error:
                export.export(load_policy(source / "policy.npz"), "mine", exporter("rlbot"), here / "bot")
            assert "MyObs" in error.value.message
            assert not (here / "bot").exists()


def test_the_exported_bot_plays_what_the_bot_plays_here(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = users_bot(here / "mine", "FACTOR = 1000", "state.boost / 100", {})
    export.export(load_policy(source / "policy.npz"), "mine", exporter("rlbot"), here / "bot")
    monkeypatch.chdir(here / "bot")
    count, other = played(here / "bot", 200)
    assert count > 150 and other == 0


class Talk:
    """The server's end of a link to a bot: two bytes of length, then a message."""

    def __init__(self, flat: Any, link: socket.socket) -> None:
        self._flat, self._link = flat, link

    def say(self, message: Any) -> None:
        data = self._flat.CorePacket(message).pack()
        self._link.sendall(len(data).to_bytes(2, "big") + data)

    def hear(self) -> Any:
        length = int.from_bytes(self._exactly(2), "big")
        return self._flat.InterfacePacket.unpack(self._exactly(length)).message

    def _exactly(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            more = self._link.recv(count - len(found))
            assert more, "the bot has hung up"
            found += more
        return found


def of_rlbot(flat: Any, plain: Any) -> Any:
    """The same packet in RLBot's own classes."""

    def vector(v: Any) -> Any:
        return flat.Vector3(v.x, v.y, v.z)

    def physics(p: Any) -> Any:
        turned = p.rotation or SimpleNamespace(pitch=0.0, yaw=0.0, roll=0.0)
        rotation = flat.Rotator(turned.pitch, turned.yaw, turned.roll)
        return flat.Physics(vector(p.location), rotation, vector(p.velocity), vector(p.angular_velocity))

    def player(p: Any) -> Any:
        return flat.PlayerInfo(
            physics=physics(p.physics),
            hitbox=flat.BoxShape(**vars(p.hitbox)),
            hitbox_offset=vector(p.hitbox_offset),
            latest_touch=None if p.latest_touch is None else flat.Touch(game_seconds=p.latest_touch.game_seconds),
            air_state=flat.AirState(p.air_state),
            last_input=flat.ControllerState(**vars(p.last_input)),
            **{
                name: value
                for name, value in vars(p).items()
                if isinstance(value, bool | int | float) and name != "air_state"
            },
        )

    pads = [flat.BoostPadState(pad.is_active, pad.timer) for pad in plain.boost_pads]
    info = vars(plain.match_info) | {"match_phase": flat.MatchPhase(plain.match_info.match_phase)}
    balls = [flat.BallInfo(physics(ball.physics), flat.SphereShape()) for ball in plain.balls]
    return flat.GamePacket([player(p) for p in plain.players], pads, balls, flat.MatchInfo(**info))


def test_rlbots_own_packages_start_it_and_it_answers_what_the_match_plays(here: Path) -> None:
    """`python bot.py` as RLBot calls it: by bot.toml, over a socket, in RLBot's own words."""
    flat = pytest.importorskip("rlbot.flat")
    config = pytest.importorskip("rlbot.config")
    source = users_bot(here / "mine", "FACTOR = 1000", "state.boost / 100", {})
    export.export(load_policy(source / "policy.npz"), "mine", exporter("rlbot"), here / "bot")
    player = config.load_player_config(here / "bot" / "bot.toml", 1)
    assert player.variety.loadout.car_id == 23
    player.player_id = 7
    policy = load_policy(here / "bot" / "policy.npz")
    sides = [PolicySide(load_policy(source / "policy.npz"), Seat((1, 1), slice(i, i + 1), [0], True)) for i in (0, 1)]
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(patience(20))
        process = subprocess.Popen(
            [sys.executable, *player.variety.run_command.split()[1:]],
            cwd=player.variety.root_dir,
            env={
                **os.environ,
                "PYTHONPATH": str(Path(flat.__file__).parents[2]),
                "PYTHONDONTWRITEBYTECODE": "1",
                "RLBOT_AGENT_ID": player.variety.agent_id,
                "RLBOT_SERVER_PORT": str(server.getsockname()[1]),
            },
        )
        try:
            link, _ = server.accept()
            with link:
                link.settimeout(patience(20))
                talk = Talk(flat, link)
                assert talk.hear().agent_id == "rltui/mine"
                talk.say(flat.MatchConfiguration(player_configurations=[player]))
                talk.say(flat.FieldInfo([flat.BoostPad(flat.Vector3(at.x, at.y, at.z)) for at in FIELD]))
                talk.say(flat.ControllableTeamInfo(1, [flat.ControllableInfo(1, 7)]))
                assert isinstance(talk.hear(), flat.InitComplete)
                said, rows = None, set()
                for moment in moments(MatchBatch((sides[0], sides[1]), (1, 1), [[3]]), 60, [0, 1]):
                    if said is not None and moment.packet.match_info.match_phase != COUNTDOWN:
                        np.testing.assert_array_equal(said, moment.played[1])
                        rows.add(tuple(said))
                    talk.say(of_rlbot(flat, moment.packet))
                    answer = talk.hear()
                    assert answer.player_index == 1
                    said = [float(getattr(answer.controller_state, name)) for name in CONTROLS]
                assert len(rows) > 1 and len(policy.table) == 90
                talk.say(flat.DisconnectSignal())
            assert process.wait(patience(20)) == 0
        finally:
            process.kill()
            process.wait()
