"""Files of users' own: each imports what lies around it, whatever its neighbours are and whatever came before."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rltui.env.from_profile import env_spec
from rltui.errors import RltuiError
from rltui.profile.load import load
from rltui.profile.source import ProfileError
from rltui.registry import Component, build, resolve

REWARD = """\
{imports}
from rltui.rewards.base import Reward

class Mine(Reward):
    category, sign = "ball", 0

    def value(self, state):
        return state.boost * amount()
"""
HELPER = "def amount():\n    return {}\n"
WAYS = {
    "of the package": "from rewards.common import amount",
    "beside it": "from common import amount",
    "relative": "from .common import amount",
    "a module": "import common\namount = common.amount",
    "a dotted module": "import rewards.common as other\namount = other.amount",
    "late": "def amount():\n    from rewards.common import amount as found\n    return found()",
    "from above": "from ..above import amount",
    "by a path of its own": (
        "import os, sys\nsys.path.append(os.path.join(os.path.dirname(__file__), 'more'))\nfrom hidden import amount"
    ),
}


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def bot(folder: Path, amount: int, package: bool = True) -> Path:
    """A bot's folder: a reward file for each of the ways to import a helper that says `amount`."""
    places = ("rewards/common.py", "rewards/more/hidden.py", "above.py")
    rewards = {f"rewards/{way.replace(' ', '_')}.py": REWARD.format(imports=text) for way, text in WAYS.items()}
    inits = {"rewards/__init__.py": ""} if package else {}
    return written(folder, {**dict.fromkeys(places, HELPER.format(amount)), **rewards, **inits})


def amount_of(name: str) -> int:
    cls = resolve("reward", name)
    build("reward", Component(name))
    found: int = vars(sys.modules[cls.__module__])["amount"]()
    return found


def test_a_helper_is_found_in_every_way_and_nobody_elses(tmp_path: Path, subtests: pytest.Subtests) -> None:
    before = list(sys.path)
    folders = {number: bot(tmp_path / f"bot{number}", number, package=number != 3) for number in (1, 2, 3)}
    for way, (number, folder) in itertools.product(WAYS, folders.items()):
        with subtests.test(way=way, number=number):
            file = folder / "rewards" / f"{way.replace(' ', '_')}.py"
            assert amount_of(f"{file}:Mine") == number
    assert sys.path == before and "common" not in sys.modules and "rewards" not in sys.modules


def test_the_order_of_entries_decides_nothing(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """A file whose helper only its neighbour can reach fails, before and after the neighbour."""
    bot(tmp_path / "one", 1)
    lost = written(tmp_path / "lost", {"lost.py": REWARD.format(imports="from hidden import amount")}) / "lost.py"
    for _ in range(2):
        with pytest.raises(
            RltuiError, match=r"lost\.py does not import: ModuleNotFoundError: No module named 'hidden'"
        ):
            resolve("reward", f"{lost}:Mine")
        assert amount_of(f"{tmp_path / 'one' / 'rewards' / 'by_a_path_of_its_own.py'}:Mine") == 1


def test_no_file_takes_the_place_of_what_the_program_needs(tmp_path: Path) -> None:
    folder = written(tmp_path, {f"{name}.py": "raise RuntimeError('not this one')" for name in ("numpy", "queue")})
    written(folder, {"mine.py": REWARD.format(imports="import numpy, queue\ndef amount(): return 1")})
    assert amount_of(f"{folder / 'mine.py'}:Mine") == 1


def test_what_is_missing_is_named_as_the_file_names_it(tmp_path: Path) -> None:
    bot(tmp_path, 1)
    written(tmp_path, {"rewards/off.py": "from rewards.nothing import a", "rewards/out.py": "from .common import b"})
    for name, words in (("off", "No module named 'rewards.nothing'"), ("out", "cannot import name 'b' from 'rewards")):
        with pytest.raises(RltuiError) as refused:
            resolve("reward", f"{tmp_path / 'rewards' / name}.py:Mine")
        assert words in refused.value.message and "rltui_user" not in refused.value.message + refused.value.hint
        assert "user_files" not in refused.value.hint
    assert public_hint(tmp_path, "import nothing_of_that_name") == (
        "install nothing_of_that_name, or put it beside the file that imports it"
    )


def test_a_package_that_imports_the_file_comes_first(tmp_path: Path) -> None:
    mine = REWARD.format(imports="from rewards.common import amount")
    files = {"rewards/__init__.py": "from .mine import Mine", "rewards/mine.py": mine}
    written(tmp_path, {**files, "rewards/common.py": HELPER.format(4)})
    written(
        tmp_path,
        {
            "broken/__init__.py": "import nothing_of_that_name",
            "broken/mine.py": REWARD.format(imports="def amount(): return 5"),
        },
    )
    assert amount_of(f"{tmp_path / 'rewards' / 'mine.py'}:Mine") == 4
    assert amount_of(f"{tmp_path / 'broken' / 'mine.py'}:Mine") == 5, "its package is not needed"


def test_one_reward_named_in_two_ways_is_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(
        bot(tmp_path, 1), {"bot.toml": '[rewards]\n"rewards/relative.py:Mine" = 1\n"rewards.relative:Mine" = 2\n'}
    )
    monkeypatch.chdir(folder)
    with pytest.raises(ProfileError, match="the same reward is named twice") as caught:
        load("bot.toml")
    assert [problem.line for problem in caught.value.problems] == [3]


def public_hint(folder: Path, text: str) -> str:
    with pytest.raises(RltuiError) as refused:
        resolve("reward", f"{written(folder, {'alone/lost.py': text}) / 'alone' / 'lost.py'}:Mine")
    return refused.value.hint


KINDS = """\
from rltui.obs.builder import ObsBuilder
from rltui.opponents.scripted import IdlePlayer
from rltui.rewards.base import Reward
from rltui.sim.resets.standard import KickoffReset
from rltui.sim.terminals import TimeoutTerminal
from parts.common import amount

class Obs(ObsBuilder):
    def size(self, blue, orange):
        return amount()

    def build(self, state, out):
        out[:] = 0

class Pays(Reward):
    category, sign = "ball", 0

    def value(self, state):
        return state.boost * amount()

class Begin(KickoffReset):
    pass

class End(TimeoutTerminal):
    pass

class Player(IdlePlayer):
    pass

def table():
    return [[0] * 8, [1] + [0] * 7]
"""
PROFILE = """\
schema = 1
resets = [{{kind = "{0}Begin"}}]
terminals = [{{kind = "{0}End", seconds = 5}}]
[game]
opponent = "{0}Player"
[obs]
kind = "{0}Obs"
[actions]
table = "{0}table"
[rewards]
"{0}Pays" = 1
"""


def test_every_kind_from_a_file_or_a_module_means_the_same_from_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    folder = written(tmp_path / "bot", {"parts/mine.py": KINDS, "parts/common.py": HELPER.format(7)})
    (tmp_path / "elsewhere").mkdir()
    for form, place in itertools.product(("parts/mine.py:", "parts.mine:"), ("bot.toml", "profiles/bot.toml")):
        written(folder, {place: PROFILE.format(form)})
        for here in (folder, tmp_path / "elsewhere"):
            with subtests.test(form=form, place=place, here=here.name):
                monkeypatch.chdir(here)
                spec = env_spec(load(os.path.relpath(folder / place)))
                parts = [spec.obs, spec.table, spec.opponent, *spec.terminals]
                parts += [item.component for item in (*spec.rewards, *spec.resets)]
                assert {part.name.rpartition(":")[0] for part in parts} == {str(folder / "parts" / "mine.py")}
    code = "from rltui.registry import *; import sys; print(build('obs', Component(sys.argv[1])).size(1, 1))"
    command = [sys.executable, "-P", "-c", code, spec.obs.name]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, cwd="/")
    assert ran.stdout == "7\n", ran.stderr
