"""RLBot v5: a folder with a bot that plays where rltui is not installed.

It holds the policy, `bot.toml`, `bot.py` (rltui.bridge.rlbot_bot), and those modules of rltui that play here too, unchanged,
so that observation, action table, legality, pace and normaliser are the same code. A user's own observation comes along.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from importlib.util import find_spec
from os.path import commonpath
from pathlib import Path
from typing import Any

import numpy as np

from rltui.bridge.export import Exporter
from rltui.errors import USERS_PREFIX, RltuiError
from rltui.policy.saved import SavedGame, SavedPolicy, save_policy, saved_game
from rltui.policy.weights import Float
from rltui.profile.toml_text import toml_string
from rltui.registry import BUILT_IN, build, resolve
from rltui.rewards.sampling import sample_states
from rltui.sim.state import GameState

REQUIREMENTS = "numpy>=1.26\nrlbot>=2.0.0b56,<3\n"
OWN = "own"  # folder of a user's observation
# What the bot may import, beside the user's own files.
THERE = frozenset({*sys.stdlib_module_names, "numpy", "rlbot", "rltui"})
UNTOLD = frozenset(  # of the state: RLBot's packets do not tell it
    ("touches", "touch_height", "shots", "saves", "demos", "demoed", "pad_picked", "boost_gained", "contacts", "ends")
)
LOADOUT = "[blue_loadout]\ncar_id = 23\n\n[orange_loadout]\ncar_id = 23\n"  # Octane, which it was trained as
TOML = """\
[settings]
agent_id = {agent_id}
name = {name}
run_command = "python bot.py"
run_command_linux = "python3 bot.py"
loadout_file = "loadout.toml"

[details]
description = "Trained with rltui"
language = "python"
tags = ["{tag}"]
"""
LOGITS = """\
import sys
sys.path.insert(0, "")
answer, sys.stdout = sys.stdout.buffer, sys.stderr
import io, numpy
from pathlib import Path
from rltui.bridge.rlbot_player import PacketPlayer
from rltui.policy.saved import load_policy, saved_game
policy = load_policy(Path("policy.npz"))
game = saved_game(policy)
PacketPlayer(Path("policy.npz"), True).seat([0] * game.blue + [1] * game.orange)
obs = numpy.load(io.BytesIO(sys.stdin.buffer.read()))
out = io.BytesIO()
numpy.save(out, policy.network(len(obs)).logits(obs))
answer.write(out.getvalue())
"""


class RlbotExporter(Exporter):
    """The folder."""

    suffix, single = "-rlbot", False

    def files(self, policy: SavedPolicy, name: str) -> Mapping[str, bytes]:
        game = saved_game(policy)
        _check_told(game)
        own, kind = _users_files(game.obs.name)
        env = json.loads(policy.env)
        env["obs"]["kind"], env["table"]["kind"] = kind, game.table.label  # where files lie on this machine is nobody's
        modules = ["rltui.bridge.rlbot_bot", "rltui.bridge.rlbot_player"]
        modules += [BUILT_IN["obs"][kind].partition(":")[0]] if kind in BUILT_IN["obs"] else []
        carried = _carried(modules, own, game.obs.name)
        texts = {
            "bot.py": carried.pop("rltui/bridge/rlbot_bot.py"),
            "bot.toml": TOML.format(
                agent_id=toml_string(f"rltui/{re.sub(r'[^A-Za-z0-9._-]+', '-', name)}"),
                name=toml_string(name),
                tag="1v1" if max(game.blue, game.orange) == 1 else "teamplay",
            ).encode(),
            "loadout.toml": LOADOUT.encode(),
            "requirements.txt": REQUIREMENTS.encode(),
        }
        return {"policy.npz": save_policy(replace(policy, env=json.dumps(env))), **texts, **own, **carried}

    def logits(self, target: Path, obs: Float) -> Float:
        """By the folder's own modules, in a process of their own."""
        given = io.BytesIO()
        np.save(given, obs)
        command = [sys.executable, "-I", "-B", "-c", LOGITS]
        run = subprocess.run(command, cwd=target, input=given.getvalue(), capture_output=True)
        if run.returncode:
            last = run.stderr.decode(errors="replace").strip().splitlines()[-1:]
            raise RltuiError(f"{target} does not play: {' '.join(last)}", f"cd {target} && python bot.py shows where")
        found: Float = np.load(io.BytesIO(run.stdout))
        return found


def _users_files(name: str) -> tuple[dict[str, bytes], str]:
    """The user's observation and what it imports from around it, by path in the folder, and its name there."""
    if name in BUILT_IN["obs"]:
        return {}, name
    module = resolve("obs", name).__module__
    context, own = module.partition(".")[0] + ".", getattr(sys.modules[module], "__file__", None)
    if own is None or not context.startswith(USERS_PREFIX):
        raise RltuiError(f"the observation {name} is not of a file of its own", "name it as path/to/file.py:Class")
    loaded = [getattr(found, "__file__", None) for key, found in sys.modules.items() if key.startswith(context)]
    files = {Path(file) for file in (own, *loaded) if file}
    base = Path(commonpath([file.parent for file in files]))
    paths = {file: f"{OWN}/{file.relative_to(base).as_posix()}" for file in files}
    return {paths[file]: file.read_bytes() for file in files}, f"{paths[Path(own)]}:{name.rpartition(':')[2]}"


def _carried(modules: Sequence[str], own: Mapping[str, bytes], obs: str) -> dict[str, bytes]:
    """Modules of rltui, with those that they and the user's files import, by path in the folder.

    RltuiError where one of all imports what will not be there.
    """
    files: dict[str, bytes] = {}
    imported = {name for text in own.values() for name in _imports(text)}
    waiting = [*modules, *imported]
    while waiting:
        module = waiting.pop()
        path, text = _source(module) if module.partition(".")[0] == "rltui" else ("", b"")
        if path and path not in files:
            files[path] = text
            found = set(_imports(text))
            waiting += [*found, module.rpartition(".")[0]]
            imported |= found
    beside = {Path(path).parts[1].removesuffix(".py") for path in own}
    missing = {name.partition(".")[0] for name in imported} - THERE - beside
    if missing:
        raise RltuiError(
            f"the observation {obs} imports {', '.join(sorted(missing))}, which a bot folder has not",
            "write it with NumPy and rltui.obs alone",
        )
    return files


def _source(module: str) -> tuple[str, bytes]:
    """Path in the folder and text; "" where there is no such module, but a name inside one."""
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None or spec.origin is None:
        return "", b""
    file, path = Path(spec.origin), module.replace(".", "/")
    return f"{path}/{file.name}" if file.name == "__init__.py" else f"{path}.py", file.read_bytes()


def _imports(text: bytes) -> Iterator[str]:
    """What a file imports, but for checkers of types. Of `from a import b` both a and a.b; what lies beside it not."""
    waiting: list[ast.AST] = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
        elif not (isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"):
            waiting += ast.iter_child_nodes(node)


class _NotedState(GameState):
    """A state that notes what is read of it."""

    def __getattribute__(self, name: str) -> Any:
        if name in UNTOLD:
            self.noted.add(name)
        return super().__getattribute__(name)

    @cached_property
    def noted(self) -> set[str]:
        return set()


def _check_told(game: SavedGame) -> None:
    """RltuiError where the observation reads of the state what packets do not tell."""
    teams = game.blue, game.orange
    [state] = sample_states(np.random.default_rng(0), 4, teams, 1, contacts=True)
    noted = _NotedState(**{item.name: getattr(state, item.name) for item in fields(state)})
    builder = build("obs", game.obs)
    builder.reset(noted, np.ones(4, np.bool_))
    builder.build(noted, np.zeros((4, sum(teams), builder.size(*teams)), np.float32))
    if noted.noted:
        read = ", ".join(f"state.{name}" for name in sorted(noted.noted))
        raise RltuiError(
            f"the observation {game.obs.name} reads {read}, which RLBot does not tell",
            "train one without; other formats carry the net alone",
        )
