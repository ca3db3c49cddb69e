"""What `rltui profile check` and the start of training say of a user's observation."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.checks.components import obs_warnings
from rltui.cli.profile import report
from rltui.env.from_profile import env_spec
from rltui.profile.load import load

OWN = """
import numpy as np
from rltui.obs.builder import ObsBuilder

class Mine(ObsBuilder):
    def size(self, blue, orange):
        return 5

    def build(self, state, out):
        {body}
"""
PROFILE = """
schema = 1
[rewards]
touch = 1
[obs]
kind = "own.py:Mine"
stack = 2
"""
FAILED = "Mine was tried on random states and failed: "


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(body: str, name: str = "own") -> None:
    """name: of the file, for a module is imported once."""
    Path(f"{name}.py").write_text(OWN.format(body=body), encoding="utf-8")
    Path("bot.toml").write_text(PROFILE.replace("own", name), encoding="utf-8")


def test_what_it_does_wrong_is_said(subtests: pytest.Subtests) -> None:
    for number, (body, failure) in enumerate(
        (
            ("pass", "build() must write every place of `out`, and left out index 0 and 4 more of 5"),
            (
                "out = np.zeros(out.shape)",
                "build() must write every place of `out`, and left out index 0 and 4 more of 5",
            ),
            ("out[..., :4] = 1", "build() must write every place of `out`, and left out index 4 of 5"),
            ("out[:, 1:] = 1", "build() must write every place of `out`, and left out index 0 and 4 more of 5"),
            ("out[:] = 0; out[3, 1, 2] = np.nan", "build() must write finite numbers, and did not at index 2 of 5"),
            ("out[:] = np.inf", "build() must write finite numbers, and did not at index 0 and 4 more of 5"),
            ("raise KeyError('mine')", "KeyError: 'mine' ("),
            ("out[:] = np.ones((3, 4))", "ValueError: could not broadcast input array from shape (3,4)"),
            ("state.boost[:] = 0; out[:] = 0", "ValueError: assignment destination is read-only ("),
            ("raise SystemExit(4)", "SystemExit: 4 ("),
        )
    ):
        with subtests.test(body=body, failure=failure):
            write(body, f"own{number}")
            (warning,) = obs_warnings(env_spec(load("bot.toml")))
            assert warning.startswith(FAILED + failure)


def test_a_check_of_the_profile_says_it_as_an_error_that_can_be_overridden() -> None:
    write("out[:] = np.inf")
    (warning,) = obs_warnings(env_spec(load("bot.toml")))
    found = report("bot.toml")
    assert (found["valid"], found["forcible"]) == (False, True)
    assert [error["message"] for error in found["errors"]] == [warning] and warning not in found["warnings"]


def test_an_error_names_its_line() -> None:
    write("raise KeyError('mine')")
    (warning,) = obs_warnings(env_spec(load("bot.toml")))
    assert warning.endswith(f"({Path('own.py').resolve()}:10)")


def test_one_that_writes_everything_is_well() -> None:
    write("out[:] = state.boost[..., None] / 100")
    assert obs_warnings(env_spec(load("bot.toml"))) == []


def test_those_that_come_with_the_program_are_not_tried() -> None:
    write("pass")
    for kind in ("default", "compact", "advanced_plus"):
        assert obs_warnings(env_spec(load("bot.toml", [f"obs.kind={kind}"]))) == []
