"""The doctor with one thing wrong at a time: each is found, named, and answered with what to do; nothing is ever raised."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil
import pytest
import torch

from rltui.debug import doctor_machine, doctor_profile
from rltui.debug.doctor import CHECKS, examine
from rltui.debug.doctor_check import DoctorCase, DoctorCheck, DoctorFinding, DoctorResult
from rltui.debug.doctor_machine import within
from rltui.env.arena_groups import ArenaGroups
from rltui.errors import RltuiError
from rltui.learn import networks
from rltui.runs.lock import check_writable
from rltui.runs.paths import DataDir
from tests.fakes.training import TINY

BY_NAME = {check.name: check for check in CHECKS}


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def look(name: str, profile: str = "quick", data: Path = Path("nowhere")) -> DoctorFinding:
    """The finding of one check, after those that it needs."""
    wanted: list[str] = []

    def want(check: str) -> None:
        for needed in BY_NAME[check].needs:
            want(needed)
        wanted.extend([check] * (check not in wanted))

    want(name)
    return list(examine(DoctorCase(profile, DataDir(data)), [BY_NAME[check] for check in wanted]))[-1]


@pytest.fixture
def profile(tmp_path: Path) -> Callable[..., str]:
    """A small profile with lines of one's own, and a file of components beside it."""

    def write(lines: str = "", component: str = "", base: str = TINY) -> str:
        (tmp_path / "own.py").write_text(component)
        path = tmp_path / "mine.toml"
        path.write_text(base + lines)
        return str(path)

    return write


def test_a_sound_machine_and_profile_pass(tmp_path: Path) -> None:
    findings = list(
        examine(DoctorCase("quick", DataDir(tmp_path / "data")), [c for c in CHECKS if c.name != "worker process"])
    )
    assert {finding.outcome for finding in findings} == {"pass"}
    assert not (tmp_path / "data").exists()


def test_profiles_of_other_kinds_pass(subtests: pytest.Subtests, profile: Callable[..., str]) -> None:
    for lines in [
        '\n[actions]\ntable = "hybrid"',
        '\n[game]\nblue = 2\norange = 1\n[obs]\nkind = "advanced_plus"\nstack = 2',
    ]:
        with subtests.test(lines=lines):
            for name in ("action table", "symmetry", "forward pass"):
                assert look(name, profile(lines)).outcome == "pass"


def test_names_are_unique_and_needs_come_first() -> None:
    names = [check.name for check in CHECKS]
    assert len(set(names)) == len(names)
    assert all(names.index(needed) < names.index(check.name) for check in CHECKS for needed in check.needs)


def test_a_check_that_raises_is_a_finding_and_what_needs_it_is_not_tried() -> None:
    def broken(case: DoctorCase) -> DoctorResult:
        raise ZeroDivisionError("a bug")

    def never(case: DoctorCase) -> DoctorResult:
        raise AssertionError("tried")

    checks = [DoctorCheck("one", broken), DoctorCheck("two", never, ("one",)), DoctorCheck("three", never, ("two",))]
    one, two, three = examine(DoctorCase("quick", DataDir(Path("nowhere"))), checks)
    assert (one.outcome, one.sentence) == ("fail", "ZeroDivisionError: a bug")
    assert f"{__file__}, line" in one.advice
    assert (two.outcome, two.sentence) == ("warn", "not tried, for one failed")
    assert three.sentence == "not tried, for two failed"


# the machine


def test_versions_are_compared_as_numbers(subtests: pytest.Subtests) -> None:
    for found, limits, expected in [
        ("2.10.0", ">=2.10,<2.14", True),
        ("2.13.0+cpu", "<2.14,>=2.10", True),
        ("2.14", ">=2.10,<2.14", False),
        ("2.9.1", ">=2.10", False),
        ("2.0.1", "==2.0.1", True),
        ("2.0.2", "==2.0.1", False),
        ("3", ">=3.0.0", True),
        ("3.13.1", "<3.13,>=3.11", False),
        ("1.0", "", True),
    ]:
        with subtests.test(found=found, limits=limits, expected=expected):
            assert within(found, limits) is expected


def test_a_package_that_is_too_old_and_one_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    true = doctor_machine.version

    def version(package: str) -> str:
        if package == "tomlkit":
            raise doctor_machine.PackageNotFoundError(package)
        return "2.1.0" if package == "torch" else true(package)

    monkeypatch.setattr(doctor_machine, "version", version)
    found = look("versions")
    assert found.outcome == "fail"
    assert "torch 2.1.0, needed" in found.sentence and "tomlkit is not installed" in found.sentence
    assert "pip install" in found.advice


def test_missing_meshes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "assets" / "collision_meshes").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    found = look("meshes")
    assert found.outcome == "fail"
    assert str(tmp_path) in found.sentence and "pip install" in found.advice
    assert look("spaces").sentence == "not tried, for meshes failed"


def test_missing_meshes_of_the_profile(profile: Callable[..., str]) -> None:
    found = look("meshes", profile('\n[game]\nmeshes = "no/such/folder"'))
    assert found.outcome == "fail"
    assert "no/such/folder" in found.sentence


def test_a_data_folder_that_cannot_be_made(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for place in ["file", "file/below"]:
        with subtests.test(place=place):
            (tmp_path / "file").write_text("")
            found = look("data folder", data=tmp_path / place)
            assert found.outcome == "fail"
            assert "Not a directory" in found.sentence and "--data-dir" in found.advice


def test_a_data_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor one whose disk has no locks, there already or not."""

    def refused(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", refused)
    for place in (tmp_path, tmp_path / "data"):
        found = look("data folder", data=place)
        assert found.outcome == "fail" and "cannot lock" in found.sentence, place
        with pytest.raises(RltuiError, match="cannot lock"):
            check_writable(DataDir(place))


def test_little_shared_memory_and_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = {"shared": 10**12, "disk": 10**12}

    def usage(path: str | Path) -> Usage:
        return Usage(10**12, 0, free["shared" if str(path) == "/dev/shm" else "disk"])

    monkeypatch.setattr(shutil, "disk_usage", usage)
    if Path("/dev/shm").is_dir():
        free["shared"] = 2**20
        found = look("shared memory")
        assert found.outcome == "fail"
        assert "1.0 MB free" in found.sentence and "docker: --shm-size" in found.advice
    for room, outcome in ((10**12, "pass"), (10**8, "warn"), (10**6, "fail")):
        free["disk"] = room
        assert look("disk", data=tmp_path).outcome == outcome


def test_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    class Memory(NamedTuple):
        total: int
        available: int

    for total, available, outcome in ((64, 64, "pass"), (64, 0, "warn"), (0, 0, "fail")):
        monkeypatch.setattr(psutil, "virtual_memory", lambda t=total, a=available: Memory(t * 10**9, a * 10**9))
        assert look("memory").outcome == outcome


class Stream:
    """Standard input or output on a terminal."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding

    def isatty(self) -> bool:
        return True


def test_terminals(subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, size, encoding, outcome, words in (
        ("xterm-256color", (120, 40), "utf-8", "pass", "120x40"),
        ("dumb", (120, 40), "utf-8", "warn", "cannot be drawn"),
        ("", (120, 40), "utf-8", "warn", "TERM is not set"),
        ("xterm", (79, 24), "utf-8", "warn", "one pane at a time"),
        ("xterm", (80, 24), "ascii", "warn", "drawn in ASCII"),
    ):
        with subtests.test(kind=kind, size=size, encoding=encoding):
            streams = {"stdin": Stream(encoding), "stdout": Stream(encoding)}
            monkeypatch.setattr(doctor_machine, "sys", type("Sys", (), streams))
            monkeypatch.setattr(shutil, "get_terminal_size", lambda size=size: os.terminal_size(size))
            monkeypatch.setenv("TERM", kind)
            found = look("terminal")
            assert found.outcome == outcome
            assert words in found.sentence


# the profile


def test_a_profile_with_mistakes_tells_them_all(profile: Callable[..., str]) -> None:
    found = look("profile", profile("\n[gmae]\nblue = 1\n[ppo2]\n"))
    assert found.outcome == "fail"
    assert "gmae" in found.sentence and "ppo2" in found.sentence
    assert look("profile", "no-such-profile").outcome == "fail"
    assert look("spaces", "no-such-profile").sentence == "not tried, for profile failed"


def test_a_component_that_does_not_import(profile: Callable[..., str]) -> None:
    found = look("profile", profile('\n[obs]\nkind = "own.py:Mine"', "import nothing_of_that_name"))
    assert found.outcome == "fail"
    assert "own.py" in found.sentence


def test_a_failing_table(profile: Callable[..., str], tmp_path: Path) -> None:
    np.savetxt(tmp_path / "rows.csv", np.eye(8), delimiter=",", fmt="%g")
    found = look("action table", profile('\n[actions]\ntable = "rows.csv"'))
    assert found.outcome == "fail"
    assert "the bot could" in found.sentence and "rltui lut" in found.advice


OBS = """
import numpy as np
from rltui.obs.builder import ObsBuilder

class Mine(ObsBuilder):
    def size(self, blue, orange):
        return 3

    def build(self, state, out):
        {body}
"""
RIGHT = "out[:] = state.position * state.team_sign[:, None] ** np.array([1, 1, 0]) / 4000"
WRONG = "out[:] = state.position / 4000"
NAN = "out[:] = 0; out[0, 1, 2] = np.nan"
HOLES = "out[..., 0] = 0"
LARGE = RIGHT + " * 4000"
LATER = "out[:] = np.log(state.tick < 60)[:, None, None]"
RAISING = "raise KeyError('mine')"


@pytest.mark.parametrize(
    ("body", "check", "outcome", "words"),
    [
        (RIGHT, "symmetry", "pass", "alike"),
        (WRONG, "symmetry", "fail", "blue and orange see the same game differently"),
        (NAN, "spaces", "fail", "arena 0, car 1 has nan at index 2 of 3"),
        (HOLES, "spaces", "fail", "has nan at index 1 of 3"),
        (LARGE, "reset and step", "warn", "an observation reaches"),
        (LATER, "reset and step", "fail", "the observation of arena 0, car 0 is -inf"),
        (RAISING, "spaces", "fail", "KeyError: 'mine'"),
    ],
)
def test_observations_of_ones_own(body: str, check: str, outcome: str, words: str, profile: Callable[..., str]) -> None:
    found = look(check, profile('\n[obs]\nkind = "own.py:Mine"', OBS.format(body=body)))
    assert found.outcome == outcome
    assert words in found.sentence
    if body is RAISING:
        assert "own.py, line" in found.advice


def test_large_numbers_are_no_matter_where_they_are_normalized(profile: Callable[..., str]) -> None:
    found = look("reset and step", profile('\n[obs]\nkind = "own.py:Mine"\nnormalize = true', OBS.format(body=LARGE)))
    assert found.outcome == "pass"


REWARD = """
import numpy as np
from rltui.rewards.base import Reward

class Mine(Reward):
    category = "ball"
    sign = 0

    def value(self, state):
        {body}
"""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return np.log(np.minimum(state.tick, 60) - 60.0)[:, None].repeat(state.cars, axis=1)", "the reward of arena"),
        ("return np.zeros(3)", "reward"),
        ("raise RuntimeError('mine')", "RuntimeError: mine"),
    ],
)
def test_rewards_of_ones_own(body: str, words: str, profile: Callable[..., str]) -> None:
    path = profile(component=REWARD.format(body=body), base=TINY.replace("touch = 1.0", '"own.py:Mine" = 1.0'))
    found = look("reset and step", path)
    assert found.outcome == "fail"
    assert words in found.sentence


RESET = """
import numpy as np
from rltui.sim.resets.standard import RandomReset as Random

class Mine(Random):
    def sample(self, rng, blue, orange):
        return super().sample(np.random.default_rng(), blue, orange)
"""


def test_a_reset_with_a_generator_of_its_own(profile: Callable[..., str]) -> None:
    path = profile(component=RESET, base=TINY.replace('kind = "kickoff"', 'kind = "own.py:Mine"'))
    found = look("reset and step", path)
    assert found.outcome == "fail"
    assert "same seed" in found.sentence and "its own random generator" in found.advice


def test_several_cars_a_team_may_part_once_they_collide(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """RocketSim orders their contacts by memory address: no component is to blame."""
    played = doctor_profile._played

    def parting(game: ArenaGroups) -> tuple[np.ndarray, str]:
        seen, problem = played(game)
        seen[20:] += np.random.default_rng().random()
        return seen, problem

    monkeypatch.setattr(doctor_profile, "_played", parting)
    outcomes = []
    for teams in (1, 2):
        path = tmp_path / f"{teams}.toml"
        path.write_text(TINY + f"\n[game]\nblue = {teams}\norange = {teams}\n")
        outcomes.append(look("reset and step", str(path)).outcome)
    assert outcomes == ["fail", "pass"]


# learning


def test_torch_and_numpy_that_disagree(monkeypatch: pytest.MonkeyPatch) -> None:
    true = networks.layers
    monkeypatch.setattr(networks, "layers", lambda net: [(w * np.float32(1.01), b) for w, b in true(net)])
    found = look("forward pass")
    assert found.outcome == "fail"
    assert "disagree" in found.sentence


def test_nets_that_want_a_gpu_are_told_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    found = look("gpu", "gpu")
    assert found.outcome == "warn" and found.sentence.startswith("no GPU: the learner uses the processor")
    for cuda, end in ((None, "has no CUDA"), ("13.0", "the processor")):
        monkeypatch.setattr(torch.version, "cuda", cuda)
        assert look("gpu", "gpu").sentence.endswith(end)
    assert "15,490,139 parameters" in found.advice and "some 41 times the work of 256-256-256" in found.advice
    assert look("gpu", "phase-1-ball-touching").outcome == "pass"


def test_a_gpu_that_is_demanded_and_missing(profile: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    found = look("forward pass", profile(base=TINY.replace('device = "cpu"', 'device = "cuda"')))
    assert found.outcome == "fail"
    assert "torch finds no GPU" in found.sentence


def test_autocast_that_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nothing:
        def __init__(self, *_: Any, **__: Any) -> None: ...

        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None: ...

    assert look("mixed precision").outcome == "pass"
    monkeypatch.setattr(torch, "autocast", Nothing)
    assert look("mixed precision").outcome == "warn"


ONLY_HERE = REWARD.replace(
    "    def value", "    def __init__(self, params):\n        import multiprocessing\n        assert multiprocessing.parent_process() is None, 'not in a worker'\n        super().__init__(params)\n\n    def value"
)  # fmt: skip


def test_a_worker_that_does_not_start(profile: Callable[..., str]) -> None:
    body = "return np.zeros((state.arenas, state.cars))"
    path = profile(component=ONLY_HERE.format(body=body), base=TINY.replace("touch = 1.0", '"own.py:Mine" = 1.0'))
    found = look("worker process", path)
    assert found.outcome == "fail"
    assert "worker 0 did not start" in found.sentence
    assert "not in a worker" in found.sentence + found.advice


def test_nothing_of_a_worker_is_left_behind(profile: Callable[..., str]) -> None:
    before = set(psutil.Process().children(recursive=True))
    found = look("worker process", profile())
    assert found.outcome == "pass", found
    left = [child for child in psutil.Process().children(recursive=True) if child not in before]
    assert not [
        child
        for child in left
        if child.status() != psutil.STATUS_ZOMBIE and "resource_tracker" not in " ".join(child.cmdline())
    ]
