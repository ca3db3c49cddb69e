"""The launcher's estimate of speed: what was measured is known again by the profile's shape."""

from __future__ import annotations

import socket
from pathlib import Path

import msgspec

from rltui.runs.paths import DataDir
from rltui.tui.checks.doctor import Measured, Measurements
from rltui.tui.checks.results import ProfileSummary
from rltui.tui.launcher.catalog import CatalogReader
from rltui.tui.launcher.check_lines import Estimate, estimate, rounded, shape_key
from tests.fakes import data_folder

NOW = 1_764_250_000.0

PROFILE = ProfileSummary(
    obs="default", obs_size=92, actions=90, policy_layers=[256, 256], critic_layers=[256], workers=2, arenas=32,
    blue=1, orange=1, batch=20_000, epochs=2, hash="a",
)  # fmt: skip


def test_what_changes_no_speed_changes_no_key() -> None:
    change = msgspec.structs.replace
    alike = change(PROFILE, hash="b", rewards={"touch": 2.0}, learning_rate=1e-4, label="Other")
    assert shape_key(alike) == shape_key(PROFILE)
    others = [
        change(PROFILE, workers=3), change(PROFILE, arenas=33), change(PROFILE, blue=2), change(PROFILE, actions=91),
        change(PROFILE, policy_layers=[256]), change(PROFILE, batch=30_000), change(PROFILE, epochs=3), change(PROFILE, obs="own"),
    ]  # fmt: skip
    assert len({shape_key(each) for each in (PROFILE, *others)}) == len(others) + 1


def test_a_measurement_is_there_again_in_the_next_session(tmp_path: Path) -> None:
    found = Measured(14_231.0, 1_764_249_990.0, 3.0)
    Measurements(tmp_path).put(shape_key(PROFILE), found)
    assert Measurements(tmp_path).get(shape_key(PROFILE)) == found


def test_an_earlier_run_of_the_same_shape_is_the_basis_and_no_other(data: DataDir, reader: CatalogReader) -> None:
    data_folder.make_stopped(data, "alpha", iterations=560, time=NOW - 180)
    catalog = data_folder.all_checked(reader)
    run, check = catalog.runs[0], catalog.profiles[0].check
    assert check is not None and check.summary is not None and run.shape is not None
    assert estimate(check.summary, catalog.runs, None, NOW) is None  # another batch, another machine
    shape, change = run.shape, msgspec.structs.replace
    here = change(run, shape=change(shape, host=socket.gethostname()))
    alike = change(
        check.summary, workers=shape.workers, arenas=shape.arenas, blue=1, orange=shape.cars - 1,
        obs_size=shape.obs_size, actions=shape.actions, epochs=shape.epochs, batch=shape.batch,
        policy_layers=shape.policy_layers, critic_layers=shape.critic_layers,
    )  # fmt: skip
    measured = Measured(5_000.0, NOW - 10)
    found = estimate(alike, [here], Measured(5_000.0, NOW - 400), NOW)
    assert found is not None and found.basis == "as run alpha, 3 min ago: mean of 20 iterations"
    assert run.speed is not None and found.steps_per_second == run.speed.steps_per_second
    for runs in ([], [here]):
        assert estimate(alike, runs, measured, NOW) == Estimate(5_000.0, "measured here 10 s ago")
    assert [rounded(rate) for rate in (14_231.0, 7.0, 996.0)] == [14_000, 7, 1_000]
