"""Which saved state a person means by `RUN/005M`, a path, or a slip of either."""

from __future__ import annotations

from pathlib import Path

import pytest

from rltui.errors import RltuiError
from rltui.runs.inventory import list_checkpoints, unrecognised_among_runs
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.resolve import find_checkpoint, find_run, names_checkpoint, newest_sound_before
from tests.fakes.saved_runs import make_run, save, save_milestone


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


@pytest.fixture
def paths(data: DataDir) -> RunPaths:
    found = make_run(data)
    save_milestone(found, 2, 5_000_000, "005M")
    save_milestone(found, 3, 5_000_000, "005M", phase="Phase2-Goals")
    return found


def test_by_name(subtests: pytest.Subtests, data: DataDir, paths: RunPaths) -> None:
    cases: list[tuple[str, str]] = [
        ("alpha/1000", "checkpoint 1000"),
        ("alpha/Phase2-Goals/005M", "milestone Phase2-Goals/005M"),
        ("alpha/Phase2-Goals/005M/", "milestone Phase2-Goals/005M"),
    ]
    for text, found in cases:
        with subtests.test(text=text, found=found):
            run, info = find_checkpoint(data, text)
            assert (run.name, info.name) == ("alpha", found)


def test_as_screens_call_them(subtests: pytest.Subtests, data: DataDir, paths: RunPaths) -> None:
    for name in ("quick-1", "quick-1-b2"):
        make_run(data, name, commits=0)
    branch = data.run("quick-1-b2")
    save(branch, 1, 573_440)
    save(branch, 2, 12_431_360)
    save(branch, 3, 12_431_872)
    save_milestone(branch, 2, 12_431_360, "012M", phase="Phase1-Quick")
    save_milestone(branch, 4, 20_000_256, "020M", phase="Phase1-Quick")
    save_milestone(branch, 4, 25_600, "000.0256M", phase="Phase1-Quick")
    for text, run, found in (
        ("b2/573440", "quick-1-b2", "checkpoint 573440"),
        ("b2/573.44k", "quick-1-b2", "checkpoint 573440"),
        ("b2/573.44 k", "quick-1-b2", "checkpoint 573440"),
        ("quick-1-b2/573,440", "quick-1-b2", "checkpoint 573440"),
        ("b2/573 k", "quick-1-b2", "checkpoint 573440"),  # as tables round it
        ("b2/573,000", "quick-1-b2", "checkpoint 573440"),
        ("b2/573.4k", "quick-1-b2", "checkpoint 573440"),
        ("b2/0.6M", "quick-1-b2", "checkpoint 573440"),
        ("b2/12M", "quick-1-b2", "milestone Phase1-Quick/012M"),
        ("b2/Phase1-Quick/12 M", "quick-1-b2", "milestone Phase1-Quick/012M"),
        ("b2/20,000,256", "quick-1-b2", "milestone Phase1-Quick/020M"),
        ("1-b2/25.6k", "quick-1-b2", "milestone Phase1-Quick/000.0256M"),
        ("alpha/1k", "alpha", "checkpoint 1000"),
        ("quick-1-b2@573440", "quick-1-b2", "checkpoint 573440"),  # as the ladder does
        ("quick-1-b2@20000256#0123abcd", "quick-1-b2", "milestone Phase1-Quick/020M"),
    ):
        with subtests.test(text):
            paths, info = find_checkpoint(data, text)
            assert (paths.name, info.name) == (run, found)
    for text, choices in (
        ("b2/12.4M", ["quick-1-b2/12431360", "quick-1-b2/12431872"]),
        ("alpha/5M", ["alpha/Phase1-BallTouching/005M", "alpha/Phase2-Goals/005M"]),
    ):
        with subtests.test(text), pytest.raises(RltuiError) as refused:
            find_checkpoint(data, text)
        assert all(choice in refused.value.hint for choice in choices)
    assert names_checkpoint(data, "quick-1-b2@573440") and not names_checkpoint(data, "gone@573440")
    for text in ("quick-1-b2@573441", "b2/573441", "b2/574440", "b2/12431000"):
        with subtests.test(text), pytest.raises(RltuiError, match="has no saved state"):
            find_checkpoint(data, text)


def test_a_run_by_its_end(data: DataDir) -> None:
    for name in ("quick-1", "quick-1-b2", "b", "goals-b3", "my-goals-b3"):
        make_run(data, name, commits=0)
    assert [find_run(data, text).name for text in ("b2", "1-b2", "quick-1", "1", "b")] == [
        "quick-1-b2", "quick-1-b2", "quick-1", "quick-1", "b"
    ]  # fmt: skip
    with pytest.raises(RltuiError, match="2 runs end with -b3: goals-b3, my-goals-b3") as several:
        find_run(data, "b3")
    assert several.value.exit_code == 2
    for text in ("2", "-b2", "k-1", "../b2"):
        with pytest.raises(RltuiError, match="no run"):
            find_run(data, text)


def test_an_opponent_is_no_run_and_an_older_run_of_its_name_is_found_by_path_or_renamed(data: DataDir) -> None:
    make_run(data, name="older", commits=2)
    for text, hint in (
        ("starter", "starter is the bot that comes with rltui: rltui watch starter"),
        ("starter/1000", "starter is the bot that comes with rltui: rltui watch starter"),
        ("rule/1000", "rule is an opponent of rltui: rltui watch rule"),
        ("Mirror", 'mirror is an opponent of rltui: game.opponent = "mirror"'),
    ):
        with pytest.raises(RltuiError) as refused:
            find_checkpoint(data, text)
        assert hint in refused.value.hint
        assert "rename" not in refused.value.hint
    places = [place for place in (data.runs, data.checkpoints, data.milestones) if (place / "older").exists()]
    for place in places:
        (place / "older").rename(place / "rule")
    assert data.run_names() == []
    assert {stray.path for stray in unrecognised_among_runs(data)} == {place / "rule" for place in places}
    with pytest.raises(RltuiError, match="no run rule") as refused:
        find_run(data, "rule")
    assert "an older run of that name: rename its folders in runs, checkpoints and" in refused.value.hint
    for place in places:
        (place / "rule").rename(place / "again")
    assert find_checkpoint(data, "again/1000")[0].name == "again"


def test_by_folder(data: DataDir, paths: RunPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = paths.milestones / "Phase2-Goals/005M"
    assert find_checkpoint(data, str(folder))[1].path == folder
    monkeypatch.chdir(folder.parent)
    assert find_checkpoint(data, "005M")[1].path == folder


def test_what_is_not_there_is_said_with_what_is_near(subtests: pytest.Subtests, data: DataDir, paths: RunPaths) -> None:
    cases: list[tuple[str, str, int]] = [
        ("alpha/005M", "may be Phase1-BallTouching/005M or Phase2-Goals/005M", 2),
        ("alpha/04M", "has no saved state '04M'", 1),
        ("alphq/005M", "there is no such saved state", 1),
        ("alpha", "alpha is a run: name one of its saved states", 2),
        ("", "there is no such saved state", 1),
        ("../x/y", "there is no such saved state", 1),
        ("milestones/x", "there is no such saved state", 1),
        ("/no/such/place/", "^/no/such/place: there is no such saved state", 1),
        ("/alpha/005M", "^/alpha/005M: there is no such saved state", 1),
    ]
    for text, message, code in cases:
        with subtests.test(text=text, message=message):
            with pytest.raises(RltuiError, match=message) as refused:
                find_checkpoint(data, text)
            assert refused.value.exit_code == code


def test_what_to_type_instead_is_said(subtests: pytest.Subtests, data: DataDir, paths: RunPaths) -> None:
    cases: list[tuple[str, str]] = [
        ("alpha/05MM", 'did you mean "alpha/005M"?\nthose it has: rltui milestones list alpha'),
        (
            "alphq/005M",
            'did you mean "alpha/005M"?\nwrite RUN/MILESTONE, as in alpha/Phase2-Goals/005M; rltui milestones lists them',
        ),
        ("alpha", "its newest: pin alpha/3000\nall: rltui milestones list alpha"),
        ("alpha/005M", "type one of:\n  pin alpha/Phase1-BallTouching/005M\n  pin alpha/Phase2-Goals/005M"),
        ("Phase2-Goals/005M", "type: pin alpha/Phase2-Goals/005M"),
        ("2000", "type: pin alpha/2000"),
    ]
    for text, hint in cases:
        with subtests.test(text=text, hint=hint):
            with pytest.raises(RltuiError) as refused:
                find_checkpoint(data, text, lambda state: f"pin {state}")
            assert refused.value.hint == hint


def test_a_milestone_without_its_run_is_offered_with_each_run_that_has_it(data: DataDir, paths: RunPaths) -> None:
    save_milestone(data.run("beta"), 1, 11_100_000, "011.1M")
    with pytest.raises(RltuiError, match=r"011\.1M: RUN/ is missing before it; beta has it") as one:
        find_checkpoint(data, "011.1M", lambda state: f"rltui milestones pin {state}")
    assert one.value.hint == "type: rltui milestones pin beta/Phase1-BallTouching/011.1M"
    assert one.value.exit_code == 2
    for number in range(9):
        save_milestone(data.run(f"run{number}"), 1, 11_100_000, "011.1M")
    with pytest.raises(RltuiError, match="10 saved states are called so") as several:
        find_checkpoint(data, "011.1M", str)
    first, *commands, last = several.value.hint.splitlines()
    assert (first, len(commands), last) == ("type one of:", 8, "and 2 more: rltui milestones lists them")


def test_the_previous_good_one_is_sound_to_the_last_byte(paths: RunPaths) -> None:
    third = list_checkpoints(paths)[-1]
    second = paths.checkpoint(2000) / "policy.npz"
    found = newest_sound_before(paths, third)
    assert found is not None
    assert found.commit == 3, "a milestone of the same state is as good"
    for folder in (
        paths.milestones / "Phase2-Goals/005M",
        paths.milestones / "Phase1-BallTouching/005M",
        paths.checkpoint(2000),
    ):
        content = bytearray((folder / "policy.npz").read_bytes())
        content[3] ^= 1
        (folder / "policy.npz").write_bytes(content)
    found = newest_sound_before(paths, third)
    assert found is not None
    assert found.path == paths.checkpoint(1000), second
    assert newest_sound_before(paths, list_checkpoints(paths)[0]) is None
