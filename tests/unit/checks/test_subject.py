"""What `rltui lut` may be asked about: profiles, files, functions, checkpoints, names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rltui.checks.action_table.report import examine
from rltui.checks.action_table.subject import subject
from rltui.errors import RltuiError
from rltui.policy.saved import SavedPolicy, save_policy
from rltui.profile.locate import SHIPPED
from rltui.profile.source import ProfileError
from tests.fakes.tables import HYBRID, RLGYM, changed
from tests.fakes.training import TINY


def csv(path: Path, rows: np.ndarray) -> Path:
    np.savetxt(path, rows, delimiter=",", fmt="%g")
    return path


def profile(folder: Path, actions: str) -> str:
    path = folder / "mine.toml"
    path.write_text(f"{TINY}\n[actions]\n{actions}\n")
    return str(path)


def test_a_profile(tmp_path: Path) -> None:
    found = subject(profile(tmp_path, 'table = "hybrid"\nlegality = "fallback"'))
    assert found is not None
    assert found.name == "the table hybrid of profile mine"
    np.testing.assert_array_equal(found.rows, HYBRID)
    assert found.options.legality == "fallback"


def test_every_shipped_profile_passes(subtests: pytest.Subtests) -> None:
    examined: set[object] = set()
    for name in sorted(SHIPPED - {"cartpole"}):  # its actions are none of the game's
        with subtests.test(name=name):
            found = subject(name)
            assert found is not None
            if (key := (found.rows.tobytes(), found.options, found.meshes)) not in examined:  # most share a table
                assert examine(found.rows, found.options, found.meshes).outcome == "pass"
            examined.add(key)


def test_actions_of_ones_own_environment_are_no_table() -> None:
    with pytest.raises(RltuiError, match="CartPole-v1 is an environment of your own"):
        subject("cartpole")


def test_a_table_beside_its_profile(tmp_path: Path) -> None:
    csv(tmp_path / "rows.csv", RLGYM)
    found = subject(profile(tmp_path, 'table = "rows.csv"'))
    assert found is not None
    np.testing.assert_array_equal(found.rows, RLGYM)
    assert found.first_row.endswith("rows.csv, line 1")


def test_a_profile_that_is_refused_for_its_table_is_reported_on_all_the_same(
    subtests: pytest.Subtests, tmp_path: Path
) -> None:
    for actions, bad in [
        ('table = "rows.csv"', changed(RLGYM, 3, "jump", 0.5)),
        ('table = "rows.csv"', changed(RLGYM, 3, "pitch", np.nan)),
        ('table = "rows.csv"\nlegality = "mask"', np.delete(RLGYM, 8, axis=0)),
        ('table = "rows.csv"\nlegality = "fallback"\nfallback_row = 3', RLGYM),
    ]:
        with subtests.test(actions=actions, bad=bad):
            csv(tmp_path / "rows.csv", bad)
            found = subject(profile(tmp_path, actions))
            assert found is not None
            np.testing.assert_array_equal(found.rows, bad)
            assert found.options.fallback_row == (3 if "fallback_row" in actions else None)


def test_a_profile_with_other_faults_tells_them(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for actions in ['table = "nowhere.csv"', 'table = "rlgim"', 'table = "rlgym"\n[pp0]\n']:
        with subtests.test(actions=actions), pytest.raises(ProfileError):
            subject(profile(tmp_path, actions))


def test_tables_without_a_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    csv(tmp_path / "rows.csv", RLGYM)
    np.save(tmp_path / "rows.npy", RLGYM)
    (tmp_path / "my_table.py").write_text("import numpy\n\ndef rows():\n    return numpy.load('rows.npy')\n")
    for argument in ("rows.csv", str(tmp_path / "rows.npy"), "my_table.py:rows", "rlgym"):
        found = subject(argument)
        assert found is not None
        np.testing.assert_array_equal(found.rows, RLGYM)
        assert found.options.legality == "off"
    hybrid = subject("hybrid")
    assert hybrid is not None and hybrid.options.legality == "mask"


def test_a_checkpoint_and_its_policy(tmp_path: Path) -> None:
    layers = ((np.zeros((4, len(RLGYM)), np.float32), np.zeros(len(RLGYM), np.float32)),)
    policy = SavedPolicy(layers, RLGYM, "hash", "obs", 8, 1)
    (tmp_path / "policy.npz").write_bytes(save_policy(replace(policy, legality="mask")))
    for argument in (tmp_path, tmp_path / "policy.npz"):
        found = subject(str(argument))
        assert found is not None
        np.testing.assert_array_equal(found.rows, RLGYM)
        assert found.options.legality == "mask"


def test_a_checkpoint_of_rlgym_ppo_has_no_table(tmp_path: Path) -> None:
    (tmp_path / "PPO_POLICY.pt").write_bytes(b"")
    assert subject(str(tmp_path)) is None


def test_what_is_not_there(tmp_path: Path) -> None:
    for argument in (str(tmp_path), str(tmp_path / "nothing.npy"), "no-such-profile", "no_module_here:rows"):
        with pytest.raises(RltuiError) as told:
            subject(argument)
        assert told.value.exit_code == 2


def test_an_array_of_another_shape(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text("def rows():\n    return [[1.0, 2.0]]\n\ndef words():\n    return [['a'] * 8]\n")
    for function in ("rows", "words"):
        with pytest.raises(RltuiError, match="action table"):
            subject(f"{tmp_path / 'odd.py'}:{function}")
