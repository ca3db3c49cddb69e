"""[selfplay]: off by default and then nowhere, players found like other components, refused where it means nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.env.arena_groups import frozen_arenas
from rltui.env.from_profile import env_spec
from rltui.profile.advice import advice
from rltui.profile.load import load
from rltui.profile.models import Profile
from rltui.profile.resolved import digest, resolved
from rltui.profile.source import ProfileError

START = "schema = 1\n[rewards]\ntouch = 1.0\n"
MINE = """\
import numpy as np
from rltui.opponents.base import ScriptedPlayer

class Mine(ScriptedPlayer):
    def rows(self): return np.zeros((1, 8), np.float32)
    def act(self, state, seats, rng): return np.zeros(state.on_ground[seats].shape, np.int64)
"""


def profile(tmp_path: Path, *changes: str, text: str = START) -> Profile:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return load(path, changes)


def test_off_it_changes_no_digest_and_no_arena(tmp_path: Path) -> None:
    plain = profile(tmp_path)
    assert "selfplay" not in resolved(plain) and env_spec(plain).frozen_share == 0
    on = profile(tmp_path, "selfplay.enabled=true")
    assert digest(on) != digest(plain) and env_spec(on).frozen_share == 0.2


def test_the_share_is_of_the_match_where_both_sides_can_be_played(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for changes, arenas, expected in (
        ((), 32, 6),
        ((), 1, 0),
        (("game.orange=0",), 32, 0),
        (("selfplay.opponent_share=0.9",), 2, 1),
        (('curriculum.stages=[{orange=1,opponent="chaser"}]',), 32, 0),
    ):
        with subtests.test(changes=changes, arenas=arenas):
            spec = env_spec(profile(tmp_path, "selfplay.enabled=true", *changes))
            assert frozen_arenas(spec, arenas) == expected


def test_scripted_players_are_looked_up_and_files_named_in_full(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    made = profile(tmp_path, text=START + '[selfplay]\nscripted = ["chaser", "mine.py:Mine"]\n')
    assert made.selfplay.scripted == ("chaser", f"{tmp_path.resolve() / 'mine.py'}:Mine")


def test_what_cannot_be_is_refused_where_it_was_written(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for text, key, message in (
        ('[selfplay]\nscripted = ["chasser"]\n', "selfplay.scripted[0]", 'did you mean "chaser"?'),
        ('[selfplay]\nenabled = true\n[game]\nopponent = "chaser"\n', "selfplay.enabled", "plays no side but its own"),
        ('[selfplay]\nstrategy = "elo"\n', "selfplay.strategy", "elo_weighted"),
        ("[selfplay]\nopponent_share = 1.0\n", "selfplay.opponent_share", "0.9"),
    ):
        with subtests.test(key=key):
            with pytest.raises(ProfileError) as caught:
                profile(tmp_path, text=START + text)
            [problem] = caught.value.problems
            assert problem.key == key and message in str(problem)


def test_it_is_early_before_phase_3(tmp_path: Path) -> None:
    for phase, early in ((1, True), (2, True), (3, False)):
        found = advice(profile(tmp_path, "selfplay.enabled=true", f"phase={phase}"))
        assert any(sentence.startswith("selfplay.enabled: early") for sentence in found) == early
