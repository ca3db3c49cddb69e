"""Which profile a run is said to be trained by: the newest, whatever it began with."""

from __future__ import annotations

from pathlib import Path

import msgspec

from rltui.events.records import CurriculumPlanned, IterationFinished, LogLine, PhasePlan, Record
from rltui.runs import meta
from rltui.runs.journal import JournalWriter
from rltui.runs.paths import DataDir, RunPaths
from rltui.runs.summary import RunSummary, describe_run
from tests.fakes.run_story import phase_changed
from tests.fakes.saved_runs import header, make_files, make_meta, make_run, place, row


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
