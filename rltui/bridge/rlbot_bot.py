"""A bot for RLBot v5 that rltui has exported: RLBot starts it as bot.toml says. Beside it lies all that it needs of rltui."""

import os
import sys
import tomllib
from pathlib import Path

try:
    from rlbot.flat import ControllerState, GamePacket
    from rlbot.managers import Bot
except ImportError as error:
    raise SystemExit(f"{error}: {sys.executable} -m pip install -r requirements.txt") from error

from rltui.bridge.rlbot_player import IDLE, PacketPlayer
from rltui.errors import RltuiError, in_words

HERE = Path(__file__).resolve().parent
DETERMINISTIC = True  # always the most probable action; False: drawn, as in training and in games of rltui


class ExportedBot(Bot):  # type: ignore[misc,unused-ignore]  # of a package that is not installed everywhere
    """One car."""

    def initialize(self) -> None:
        self._player = PacketPlayer(HERE / "policy.npz", DETERMINISTIC, seed=self.index)
        self._player.set_pads([pad.location for pad in self.field_info.boost_pads])
        self._problem = ""

    def get_output(self, packet: GamePacket) -> ControllerState:
        try:
            controls = self._player.controls(packet, self.index)
        except RltuiError as error:
            if str(error) != self._problem:
                self._problem = str(error)
                self.logger.error("it does nothing: %s", in_words(error))
            controls = IDLE
        *axes, jump, boost, handbrake = controls
        return ControllerState(*axes, jump=jump > 0, boost=boost > 0, handbrake=handbrake > 0)


if __name__ == "__main__":
    os.chdir(HERE)
    settings = tomllib.loads((HERE / "bot.toml").read_text(encoding="utf-8"))["settings"]
    ExportedBot(settings["agent_id"]).run(wants_match_communications=False, wants_ball_predictions=False)
