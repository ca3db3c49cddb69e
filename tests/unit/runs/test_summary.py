"""A run in a list: state, newest task, profile name and weights."""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec
import pytest

from rltui.cli.output import json_text
from rltui.events.records import CurriculumPlanned, IterationFinished, LogLine, PhasePlan, Record
from rltui.profile.copies import saved_copies
from rltui.profile.load import load
from rltui.profile.locate import name_in_text, with_name_line
from rltui.profile.resolved import resolved
from rltui.runs import journal, meta
from rltui.runs.inventory import MilestoneMark, change_mark
from rltui.runs.journal import FAR_BYTES, JournalWriter, decode_line
from rltui.runs.launch_plan import StartRequest, plan_launch
from rltui.runs.lock import RunLock, count_start
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.summary import RunSummary, describe_run, describe_runs, newest_run, profile_name
from tests.fakes.run_story import phase_changed
from tests.fakes.saved_runs import (
    SIGNATURE,
    finish,
    header,
    make_files,
    make_meta,
    make_run,
    place,
    resumed,
    row,
    save_milestone,
)


def test_nothing(tmp_path: Path) -> None:
    data = DataDir(tmp_path / "none")
    assert describe_runs(data) == []
    empty = describe_run(data.run("alpha"))
    assert (empty.state, empty.timesteps, empty.metrics, empty.checkpoint, empty.started) == (
        "empty",
        None,
        {},
        None,
        None,
    )


def test_a_stopped_run(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=3)
    save_milestone(paths, 3, 3000, "000.003M")
    change_mark(paths, "Phase1-BallTouching/000.003M", lambda _: MilestoneMark(pinned=True, note="good"))
    (paths.checkpoint(1000) / "policy.npz").unlink()
    writer = JournalWriter(paths.journal)
    for record in (
        header(),
        row(1000),
        header(time=1_700_000_500.0),
        row(3500, iteration=7, reward=21.5),
        finish(3500, time=1_700_009_000.0),
    ):
        writer.write(record)
    run = describe_run(paths)
    assert (run.name, run.state, run.note, run.pid) == ("alpha", "stopped", "", None)
    assert (run.profile, run.label, run.phase) == ("quick", "BallTouching", 1)
    assert (run.started, run.updated) == (1_700_000_000.0, 1_700_009_000.0)
    assert (run.timesteps, run.iteration, run.metrics) == (3500, 7, {"rollout/policy_reward": 21.5})
    assert run.checkpoint is not None and (run.checkpoint.timesteps, run.checkpoints) == (3000, 2)
    assert [(saved.name, saved.mark.note) for saved in run.milestones] == [
        ("milestone Phase1-BallTouching/000.003M", "good")
    ]
    assert [(saved.name, saved.damage) for saved in run.damaged] == [("checkpoint 1000", "policy.npz is missing")]
    document = json.loads(json_text(run.document()))
    assert document.keys() == set(RunSummary.__struct_fields__)
    assert document["milestones"] == [
        {
            "path": str(run.milestones[0].path),
            "name": "milestone Phase1-BallTouching/000.003M",
            "timesteps": 3000,
            "meta": msgspec.to_builtins(run.milestones[0].meta),
            "damage": None,
            "mark": {"pinned": True, "released": False, "note": "good"},
        }
    ]
    assert [saved["damage"] for saved in document["damaged"]] == ["policy.npz is missing"]


def test_a_campaign_is_where_its_newest_step_took_it(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=1)
    writer = JournalWriter(paths.journal)
    for record in (header(), row(1000), phase_changed(1_700_000_600.0, 1000), row(2000)):
        writer.write(record)
    run = describe_run(paths)
    assert (run.phase, run.label, run.profile) == (2, "BronzeSkills1", "quick")


def test_states(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    assert describe_run(paths).state == "empty"
    writer = JournalWriter(paths.journal)
    writer.write(header())
    run = describe_run(paths)
    assert run.state == "unclean" and "did not end cleanly" in run.note
    with RunLock(paths):
        run = describe_run(paths)
        assert (run.state, run.pid, run.note) == ("training", os.getpid(), "")
        assert run.host is not None and run.since is not None
    writer.write(finish(0))
    assert describe_run(paths).state == "stopped"


def test_a_run_that_left_only_checkpoints(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=2)
    paths.folder.rmdir()
    run = describe_run(paths)
    assert (run.state, run.profile, run.phase, run.timesteps, run.updated) == (
        "stopped",
        "quick",
        1,
        2000,
        1_700_000_002.0,
    )


def test_rows_taken_back_do_not_count(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    writer = JournalWriter(paths.journal)
    for record in (header(), row(1000), row(2000), header(), resumed(1000)):
        writer.write(record)
    assert describe_run(paths).timesteps == 1000


def test_the_newest_iteration_is_found_behind_many_log_lines(tmp_path: Path) -> None:
    from rltui.events.records import LogLine

    paths = make_run(DataDir(tmp_path), commits=0)
    writer = JournalWriter(paths.journal)
    writer.write(header()), writer.write(row(1234))
    for _ in range(4000):
        writer.write(LogLine(time=1.0, level="info", source="worker", message="x" * 100))
    assert describe_run(paths).timesteps == 1234


def test_the_newest_run_comes_first(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    for name, start in (("old", 1.0), ("new", 3_000.0), ("middle", 2_000.0)):
        make_run(data, name, commits=1, time=start)
    make_run(data, "empty", commits=0)
    assert [run.name for run in describe_runs(data)] == ["new", "middle", "old", "empty"]


def test_of_a_long_journal_little_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five runs, one of them with thousands of rows in parts: attaching may take a second."""
    data = DataDir(tmp_path)
    for number in range(5):
        make_run(data, f"run{number}", commits=5)
    paths = data.run("run3")
    writer = JournalWriter(paths.journal, part_bytes=8 << 20)
    writer.write(header())
    big = type(row(1))(time=1.0, iteration=1, timesteps=1, metrics={f"metric/{number}": 1.5 for number in range(45)})
    line = msgspec.json.encode(big) + b"\n"
    for part in range(1, 5):
        (paths.folder / f"journal.{part}.jsonl").write_bytes(line * (FAR_BYTES // len(line)))
    writer.write(row(77))
    decoded: list[bytes] = []
    monkeypatch.setattr(journal, "decode_line", lambda line: decoded.append(line) or decode_line(line))
    runs = describe_runs(data)
    assert sum(map(len, decoded)) < 2 * FAR_BYTES
    assert next(run.timesteps for run in runs if run.name == "run3") == 77


def write(data: DataDir, name: str, *records: Record) -> None:
    paths = data.run(name)
    paths.folder.mkdir(parents=True, exist_ok=True)
    writer = JournalWriter(paths.journal)
    for record in records:
        writer.write(record)
    writer.close()


def test_none_where_there_are_no_runs(tmp_path: Path) -> None:
    assert newest_run(DataDir(tmp_path)) is None


def test_it_is_the_one_that_lists_name_first(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    for name, moment in (("alpha", 5.0), ("beta", 9.0), ("gamma", 7.0)):
        write(data, name, row(1), LogLine(time=moment, level="info", source="trainer", message="x" * 20_000))
        write(data, name, LogLine(time=moment, level="info", source="trainer", message="y"))
    (tmp_path / "runs" / "empty").mkdir()
    assert newest_run(data) == "beta" == describe_runs(data)[0].name


def test_the_newest_is_the_one_started_last_whatever_the_clock_says(tmp_path: Path) -> None:
    """Both go on training, and the clock is set back an hour between their starts: the newest never changes."""
    data = DataDir(tmp_path)
    for name, moment in (("alpha", 5000.0), ("beta", 1400.0)):
        write(data, name, row(1), LogLine(time=moment, level="info", source="trainer", message="x"))
        count_start(data.run(name))
        assert newest_run(data) == name == describe_runs(data)[0].name
    write(data, "alpha", LogLine(time=9000.0, level="info", source="trainer", message="y"))
    assert newest_run(data) == "beta" == describe_runs(data)[0].name
    write(data, "older", LogLine(time=9999.0, level="info", source="trainer", message="z"))
    assert newest_run(data) == "beta" == describe_runs(data)[0].name


def test_a_run_of_which_nothing_is_known_is_better_than_none(tmp_path: Path) -> None:
    (tmp_path / "runs" / "empty").mkdir(parents=True)
    assert newest_run(DataDir(tmp_path)) == "empty"


def described(paths: RunPaths, *records: Record) -> RunSummary:
    writer = JournalWriter(paths.journal)
    for record in records:
        writer.write(record)
    writer.close()
    return describe_run(paths)


def long_log() -> list[Record]:
    """More than the end of a journal that is looked at, even where the last iteration is missed."""
    line = LogLine(time=1.0, level="info", source="worker", message="x" * 100_000)
    return [line] * 45


def test_a_run_resumed_with_another_profile(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    other = msgspec.structs.replace(header(time=1_700_000_500.0), profile="mine", label="Mine", phase=3)
    run = described(paths, header(), row(1000), other, row(2000))
    assert (run.profile, run.phase_profile, run.phase, run.label) == ("mine", None, 3, "Mine")


def test_a_long_run_is_what_its_newest_saved_state_says(tmp_path: Path) -> None:
    """Its headers are beyond what is read, but for the first."""
    paths = make_run(DataDir(tmp_path), commits=1)
    about = msgspec.structs.replace(make_meta("alpha", 2, 2000), profile="mine", phase_profile="second", phase=2)
    place(paths.checkpoint(2000), make_files(about))
    run = described(paths, header(), row(1000), *long_log(), row(3000))
    assert (run.profile, run.phase_profile, run.phase) == ("mine", "second", 2)
    assert (run.timesteps, run.started) == (3000, 1_700_000_000.0)


def test_a_campaign_says_which_phase_s_profile_it_is_at(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    campaign = msgspec.structs.replace(header(), profile="campaign")
    phases = [
        PhasePlan(profile=profile, label=label, number=number, until=[], min_steps=0, max_steps=None, changes=[], schedules=[])
        for number, (profile, label) in enumerate([("first", "BallTouching"), ("second", "Bronze")], 1)
    ]  # fmt: skip
    plan = CurriculumPlanned(time=1.0, timesteps=0, phases=phases, stages=[], window=20, schedules=[])
    run = described(paths, campaign, plan, row(1000))
    assert (run.profile, run.phase_profile) == ("campaign", "first")
    run = described(paths, phase_changed(1_700_000_600.0, 1000), row(2000))
    assert (run.profile, run.phase_profile) == ("campaign", "phase-2-bronze-skills")
    again = msgspec.structs.replace(campaign, phase=2, label="Bronze")
    run = described(paths, again, msgspec.structs.replace(plan, timesteps=2000), row(3000))
    assert (run.profile, run.phase_profile) == ("campaign", "second")


def test_the_reward_is_over_the_newest_episodes_also_of_a_long_journal(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    rows: list[Record] = [
        IterationFinished(
            time=1.0,
            iteration=number,
            timesteps=number,
            metrics={"rollout/policy_reward": float(number), "rollout/episodes": 1}
            | {f"m/{n}": 1.0 for n in range(300)},
        )
        for number in range(1, 301)
    ]
    run = described(paths, header(), *rows)
    assert (run.reward.mean, run.reward.episodes) == (sum(range(201, 301)) / 100, 100)


def test_an_old_meta_without_episodes_stays_readable() -> None:
    old = msgspec.json.decode(meta.encode(make_meta("alpha", 1, 1000)))
    for name in ("reward_episodes", "phase_profile"):
        del old[name]
    read = meta.decode(msgspec.json.encode(old))
    assert (read.mean_reward, read.reward_episodes, read.phase_profile) == (1.5, None, "")


def test_a_name_from_before_is_kept_where_a_resume_wrote_the_kept_file_s(tmp_path: Path) -> None:
    paths = make_run(DataDir(tmp_path), commits=0)
    kept = msgspec.structs.replace(header(), profile="run")
    assert described(paths, kept, row(1000)).profile == "run"
    assert described(paths, header(), row(2000), kept, row(3000)).profile == "quick"


def run_of(data: DataDir, *profiles: str) -> RunPaths:
    """alpha, started with each of these in turn; one saved state, of the newest."""
    paths = make_run(data, commits=0)
    writer = JournalWriter(paths.journal)
    for number, profile in enumerate(profiles, 1):
        writer.write(msgspec.structs.replace(header(), profile=profile))
        writer.write(row(1000 * number))
    writer.close()
    place(
        paths.checkpoint(1000), make_files(msgspec.structs.replace(make_meta("alpha", 1, 1000), profile=profiles[-1]))
    )
    return paths


def test_a_run_s_own_file_goes_by_the_profile_s_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert profile_name(run_of(DataDir(tmp_path / "data"), "quick", "mine").profile) == "mine"
    assert profile_name("data/runs/alpha/run.toml") == "mine"


def test_one_that_was_called_run_already_gets_the_name_from_before(tmp_path: Path) -> None:
    assert profile_name(run_of(DataDir(tmp_path), "quick", "run", "run").profile) == "quick"


def test_a_saved_state_s_profile_goes_by_its_name_and_in_a_campaign_by_the_phase_s(tmp_path: Path) -> None:
    paths = run_of(DataDir(tmp_path), "campaign")
    assert profile_name(paths.checkpoint(1000) / "profile.toml") == "campaign"
    about = msgspec.structs.replace(make_meta("alpha", 2, 2000), profile="campaign", phase_profile="second")
    assert profile_name(place(paths.checkpoint(2000), make_files(about)) / "profile.toml") == "second"


def test_any_other_file_goes_by_its_own(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[str] = ["run.toml", "runs/alpha/run.toml", "profile.toml", "profiles/mine.toml", "/run.toml"]
    for path in cases:
        with subtests.test(path=path):
            assert profile_name(tmp_path / path) == Path(path).stem


def test_the_name_in_the_first_line_goes_before_all_else(subtests: pytest.Subtests, tmp_path: Path) -> None:
    """Also where the file lies outside of its run, with no journal beside it."""
    for file in ["run.toml", "profile.toml"]:
        with subtests.test(file=file):
            path = tmp_path / file
            path.write_text(saved_copies(load("quick").called("my best bot"), "run.toml")["run.toml"], encoding="utf-8")
            assert profile_name(path) == "my best bot"
            assert load(path).name == "my best bot"
            assert resolved(load(path)) == resolved(load("quick"))
            copied = path.rename(tmp_path / "mine.toml")
            assert (profile_name(copied), load(copied).name) == ("mine", "mine")


def test_a_file_without_the_line_has_no_name_in_it(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "schema = 1\n", "# profile:\n", "# profile\n", "#profile: quick\n", "\n# profile: quick\n"]
    for text in cases:
        with subtests.test(text=text):
            assert name_in_text(text) is None


def test_a_name_is_read_as_it_was_written(subtests: pytest.Subtests) -> None:
    for name in ["quick", "Bot 3", "größer", "a: b", "#1"]:
        with subtests.test(name=name):
            assert name_in_text(with_name_line("schema = 1\n", name)) == name


def test_a_name_that_fits_no_line_is_left_out(subtests: pytest.Subtests) -> None:
    for name in ["", " ", "two\nlines", "bell\a"]:
        with subtests.test(name=name):
            assert with_name_line("schema = 1\n", name) == "schema = 1\n"


def test_a_branch_is_named_after_the_profile_and_the_reason_finds_no_other(tmp_path: Path) -> None:
    data = DataDir(tmp_path)
    paths = run_of(data, "quick")
    state = save_milestone(paths, 2, 2000, "002M")
    plan = plan_launch(StartRequest(data, SIGNATURE, str(state / "profile.toml"), mode=str(state), fork=True))
    assert plan.run.startswith("quick-")
    assert "so far" not in plan_launch(StartRequest(data, SIGNATURE, str(paths.profile))).reason


def test_a_profile_under_another_name_is_the_same_profile() -> None:
    quick = load("quick")
    other = quick.called("mine")
    assert (other.name, other.path, quick.name) == ("mine", quick.path, "quick")
    assert other.model_dump() == quick.model_dump()
