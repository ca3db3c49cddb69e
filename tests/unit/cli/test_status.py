"""`ls`, `status`, `milestones` and the trainer's own lines tell one reward, one speed, one place in a campaign."""

from __future__ import annotations

import io
import json
import re
import socket
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from rltui import formatting
from rltui.__main__ import main
from rltui.cli.output import json_text
from rltui.cli.run_status import read_status, status_lines
from rltui.events.commands import EvaluationLive
from rltui.events.metric_keys import OVERALL_SPEED
from rltui.events.records import IterationFinished, Record, encode
from rltui.league.games import append, read
from rltui.league.ratings import fit
from rltui.run_state.fold import fold
from rltui.run_state.snapshot import RunSnapshot
from rltui.run_state.trend import NOT_SHORT, too_few
from rltui.run_state.verdict import verdict, with_findings
from rltui.runs.journal import JournalWriter
from rltui.runs.lock import RunLock
from rltui.runs.paths import DataDir
from rltui.train.console import Console
from rltui.tui.league_reader import StateRatings
from tests.fakes import figure_stories, run_story, state_evaluations
from tests.fakes.leagues import games
from tests.fakes.run_story import phase_changed
from tests.fakes.saved_runs import header, make_files, make_meta, place


def iteration(number: int, mean: float | None, episodes: int) -> IterationFinished:
    metrics = {"rollout/policy_reward": mean, "rollout/episodes": episodes}
    return IterationFinished(time=1.0, iteration=number, timesteps=number * 1000, metrics=metrics)


ROWS = [iteration(1, 900.0, 3), iteration(2, 10.0, 60), iteration(3, 20.0, 40), iteration(4, None, 0)]


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    data = DataDir(tmp_path)
    for name, rows in (("alpha", ROWS), ("young", ROWS[3:])):
        data.run(name).folder.mkdir(parents=True)
        writer = JournalWriter(data.run(name).journal)
        for record in (header(name), *rows):
            writer.write(record)
        writer.close()
    about = msgspec.structs.replace(make_meta("alpha", 1, 4000), mean_reward=14.0, reward_episodes=100)
    place(data.run("alpha").checkpoint(4000), make_files(about))
    return data


def test_a_run_of_another_host_trains_and_only_one_of_this_host_can_be_silent(
    data: DataDir, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for host, state in ((socket.gethostname(), "silent"), ("tower", "training")):
        with ExitStack() as held:
            with monkeypatch.context() as there:
                there.setattr(socket, "gethostname", lambda: host)  # noqa: B023
                held.enter_context(RunLock(data.run("alpha")))
            assert main(["status", "alpha", "--json", "--data-dir", str(data.root)]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["state"], found["training"], found["host"]) == (state, True, host)


def test_a_run_that_ended_badly_says_once_how_what_is_lost_and_how_to_go_on(
    data: DataDir, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = JournalWriter(data.run("alpha").journal)
    writer.write(iteration(5, None, 0))
    for name, end in (("alpha", "did not end cleanly"), ("alpha", "out of memory"), ("young", "did not end cleanly")):
        if end == "out of memory":
            writer.write(run_story.finished(5000, 2.0, 1, end))
        assert main(["status", name, "--data-dir", str(data.root)]) == 0
        out = " ".join(capsys.readouterr().out.split())
        lost, way = ("1,000", "resumes at 4,000") if name == "alpha" else ("4,000", "starts anew")
        assert out.count(end) == 1 and f"lost {lost} unsaved timesteps" in out and way in out
        assert f"rltui train quick --run {name}" in out
    writer.write(run_story.finished(5000, 3.0))
    assert main(["status", "alpha", "--data-dir", str(data.root)]) == 0
    assert "lost" not in capsys.readouterr().out


def test_all_tell_the_same(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--data-dir", str(data.root)]
    assert main(["ls", *where]) == 0
    rows = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines()}
    assert rows["RUN"][3:5] == ["REWARD", "EPISODES"]
    assert rows["alpha"][3:5] == ["14.000", "100"]
    assert rows["young"][3:5] == ["–", "–"]
    assert main(["status", "alpha", *where]) == 0
    assert " ".join(capsys.readouterr().out.split()).count("reward / episode 14 over 100 episodes") == 1
    assert main(["status", "young", *where]) == 0
    assert "reward / episode  –\n" in capsys.readouterr().out
    assert main(["ls", "--json", *where]) == 0
    runs = {run["name"]: run["reward"] for run in json.loads(capsys.readouterr().out)["runs"]}
    assert runs == {
        "alpha": {"mean": 14.0, "episodes": 100, "short": False, "parts": {}},
        "young": {"mean": None, "episodes": 0, "short": False, "parts": {}},
    }
    assert main(["milestones", "list", "alpha", *where]) == 0
    assert "  4000       4,000  14.000       100" in capsys.readouterr().out


def test_a_branch_is_listed_with_what_it_came_from(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--data-dir", str(data.root)]
    assert main(["ls", *where]) == 0
    assert "FROM" not in capsys.readouterr().out
    branch = msgspec.structs.replace(make_meta("young", 2, 5000), parent="alpha@4000")
    place(data.run("young").checkpoint(5000), make_files(branch))
    assert main(["ls", *where]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.endswith("FROM") and [row for row in rows if row.endswith("  alpha@4000")] == [
        row for row in rows if row.startswith("young ")
    ]
    assert main(["ls", "--json", *where]) == 0
    parents = {run["name"]: run["parent"] for run in json.loads(capsys.readouterr().out)["runs"]}
    assert parents == {"alpha": None, "young": "alpha@4000"}


def test_all_say_that_mostly_short_episodes_have_ended(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--data-dir", str(data.root)]
    young = msgspec.structs.replace(ROWS[2], iteration=5, timesteps=5000)
    row = msgspec.structs.replace(young, metrics={**young.metrics, "rollout/first_episodes": 12.5})
    writer = JournalWriter(data.run("young").journal)
    writer.write(row)
    writer.close()
    assert main(["ls", *where]) == 0
    assert "young: reward over short episodes so far" in capsys.readouterr().out
    assert main(["status", "young", *where]) == 0
    assert "20 over 40 short episodes so far" in capsys.readouterr().out
    out = io.StringIO()
    Console(out)(row)
    assert "20.000 over 40 short episodes so far  entropy" in out.getvalue()


def cells(table: str) -> dict[str, list[str]]:
    """Of each line, by its first."""
    return {(row := re.split(" {2,}", line))[0]: row for line in table.splitlines()}


def test_the_speed_of_ls_and_status_is_that_of_the_newest_iterations(
    data: DataDir, capsys: pytest.CaptureFixture[str]
) -> None:
    """100 steps at 10/s and 100 at 40/s: 200 steps in 12.5 s."""
    where = ["--data-dir", str(data.root)]
    writer = JournalWriter(data.run("young").journal)
    for number, speed in ((5, 10.0), (6, 40.0)):
        row = iteration(number, None, 0)
        writer.write(msgspec.structs.replace(row, metrics={**row.metrics, OVERALL_SPEED: speed}))
    writer.close()
    assert main(["status", "young", *where]) == 0
    assert "16 steps/s over 2 iterations, when it last trained" in capsys.readouterr().out
    with RunLock(data.run("young")):
        assert main(["ls", *where]) == 0
        rows = cells(capsys.readouterr().out)
    assert (rows["RUN"][6], rows["young"][6]) == ("STEPS/S", "16")


def test_the_trainer_s_own_lines_too() -> None:
    out = io.StringIO()
    console = Console(out)
    for row in ROWS:
        console(row)
    first, *_, last = out.getvalue().splitlines()
    assert "reward  900.000 over 3 episodes  entropy" in first
    assert "reward   14.000 over 100 episodes  entropy" in last


def test_the_profile_is_the_one_it_is_trained_by(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    writer = JournalWriter(data.run("alpha").journal)
    writer.write(msgspec.structs.replace(header("alpha"), profile="campaign"))
    writer.write(phase_changed(2.0, 5000))
    writer.close()
    assert main(["ls", "--data-dir", str(data.root)]) == 0
    out = capsys.readouterr().out
    assert "  phase-2-bronze-skills (campaign)\n" in out and "  quick\n" in out
    assert main(["status", "alpha", "--data-dir", str(data.root)]) == 0
    assert "campaign, in phase phase-2-bronze-skills" in capsys.readouterr().out


@pytest.fixture
def campaigns(tmp_path: Path) -> Path:
    write(
        tmp_path,
        "plain",
        [*run_story.opening("plain"), run_story.iteration(3), run_story.finished(61_440, run_story.now_of(3))],
    )
    return tmp_path


def write(campaigns: Path, run: str, told: Sequence[Record]) -> None:
    folder = campaigns / "runs" / run
    folder.mkdir(parents=True)
    (folder / "journal.jsonl").write_bytes(b"".join(encode(record) + b"\n" for record in told))


def ended(campaigns: Path, exit_code: int = 0, reason: str = "step limit reached") -> None:
    """A campaign that has ended."""
    last = run_story.finished(20 * run_story.STEPS, run_story.now_of(20), exit_code, reason)
    write(campaigns, "alpha", [*figure_stories.campaign(80), last])


def test_ls_has_a_column_for_campaigns_where_there_is_one(campaigns: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ls", "--data-dir", str(campaigns)]) == 0
    assert "CAMPAIGN" not in capsys.readouterr().out
    ended(campaigns)
    assert main(["ls", "--data-dir", str(campaigns)]) == 0
    head, alpha, plain, _ = capsys.readouterr().out.splitlines()
    assert head.endswith("CAMPAIGN")
    assert alpha.endswith("phase 1 of 3, 2 of 4 reached")
    assert plain.endswith("phase-1-ball-touching")


def test_status_tells_every_distance(campaigns: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended(campaigns)
    assert main(["status", "alpha", "--data-dir", str(campaigns)]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    at = lines.index("campaign phase 1 of 3: 2 of 4 reached")
    assert lines[at + 1 : at + 5] == [
        "next phase timesteps of the phase 409,600 (90,400 missing)",
        "kickoff touches 40 (40 missing)",
        "own goals per minute 0.2 (reached)",
        "iterations measured 20 (reached)",
    ]
    assert main(["status", "plain", "--data-dir", str(campaigns)]) == 0
    assert "campaign" not in capsys.readouterr().out


def test_status_says_who_plays_whom(campaigns: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for run, stage, opponent, words in (
        ("staged", "aerial", "", "aerial"), ("alone", None, "chaser", "1v2 chaser"), ("itself", None, "", "1v2"),
    ):  # fmt: skip
        begun = msgspec.structs.replace(header(run), stage=stage, blue=1, orange=2, opponent=opponent)
        write(campaigns, run, [begun, run_story.iteration(3)])
        assert main(["status", run, "--data-dir", str(campaigns)]) == 0
        lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
        assert f"match {words}" in lines


def test_a_run_that_failed_is_not_called_stopped(campaigns: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended(campaigns, 1, "3 workers failed within a minute")
    assert main(["ls", "--data-dir", str(campaigns)]) == 0
    out = capsys.readouterr().out
    alpha, plain = (next(line for line in out.splitlines() if line.startswith(name)) for name in ("alpha", "plain"))
    assert alpha.split()[1] == "failed" and plain.split()[1] == "stopped"
    assert "alpha: 3 workers failed within a minute" in out
    assert main(["ls", "--json", "--data-dir", str(campaigns)]) == 0
    states = {run["name"]: run["state"] for run in json.loads(capsys.readouterr().out)["runs"]}
    assert states == {"alpha": "failed", "plain": "stopped"}


def test_the_trainer_s_own_line_says_what_is_missing() -> None:
    out = io.StringIO()
    console = Console(out)
    console(figure_stories.on_the_way(20, 62.0))
    console(run_story.iteration(3))
    campaign, plain = out.getvalue().splitlines()
    assert campaign.endswith(
        "  phase 1 of 3: timesteps of the phase 409,600 (90,400 missing), kickoff touches 62 (18 missing)"
    )
    assert "phase" not in plain


def test_ls_and_status_have_the_cockpit_s_verdict(campaigns: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--data-dir", str(campaigns)]
    told = run_story.told(400)
    write(campaigns, "alpha", told)
    expected = verdict(with_findings(fold(RunSnapshot(), told)), 0.0, heard=False)
    assert expected.word == "learning" and expected.now is not None
    assert main(["ls", *where]) == 0
    out = capsys.readouterr().out
    rows = cells(out)
    assert [rows[name][5] for name in ("RUN", "alpha", "plain")] == ["VERDICT", "learning", "1 of 60"]
    assert NOT_SHORT in out
    assert main(["status", "alpha", *where]) == 0
    assert f"learning: {expected.words}" in capsys.readouterr().out
    assert main(["status", "plain", *where]) == 0
    assert too_few(1) in capsys.readouterr().out
    assert main(["ls", "--json", *where]) == 0
    runs = {run["name"]: run["verdict"] for run in json.loads(capsys.readouterr().out)["runs"]}
    assert main(["status", "alpha", "--json", *where]) == 0
    assert (
        runs["alpha"] == json.loads(capsys.readouterr().out)["verdict"] == json.loads(json.dumps(expected.document()))
    )
    assert (runs["plain"]["word"], runs["plain"]["now"]) == ("unknown", None)


def test_status_says_what_to_try_where_a_run_is_ill(campaigns: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ill = [run_story.iteration(row) for row in range(1, 81)]
    write(
        campaigns, "alpha", [msgspec.structs.replace(row, metrics=row.metrics | {"train/entropy": 0.0}) for row in ill]
    )
    assert main(["status", "alpha", "--data-dir", str(campaigns)]) == 0
    lines = capsys.readouterr().out.splitlines()
    at = next(index for index, line in enumerate(lines) if line.startswith("verdict"))
    assert "unhealthy: entropy 0, usual 0.5 or more" in lines[at]
    assert "raise the entropy coefficient" in lines[at + 1]


def test_lines_of_the_journal_that_are_no_records_are_counted(
    data: DataDir, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--data-dir", str(data.root)]
    with data.run("alpha").journal.open("ab") as file:
        file.write(b'garbage\n{"event":"from_the_future"}\n')
    for command in (["ls"], ["status", "alpha"]):
        assert main([*command, *where]) == 0
        assert capsys.readouterr().out.count("2 lines are no records") == 1
    assert main(["status", "alpha", "--json", *where]) == 0
    assert json.loads(capsys.readouterr().out)["bad_lines"] == 2


def test_a_metric_that_is_missing_is_a_dash(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "young", "--data-dir", str(data.root)]) == 0
    rows = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert rows["entropy"] == "–"


def test_a_bot_has_one_rating_wherever_it_is_shown(data: DataDir, capsys: pytest.CaptureFixture[str]) -> None:
    """By all games, also those after its evaluation; without a figure where none lead to rule."""

    def said(*words: str) -> str:
        assert main([*words, "--data-dir", str(data.root)]) == 0
        return " ".join(capsys.readouterr().out.split())

    old, new, apart = "alpha@2000#00000001", "alpha@4000#00000002", "young@1000#00000003"
    assert "rating – checkpoint" in said("status", "alpha")
    for one in [*games(new, "rule", wins=5, draws=2, losses=13), *games(apart, "random", wins=30), *games(new, old, 9)]:
        append(data.games, one)
    evaluated = state_evaluations.evaluated(4_000)
    writer = JournalWriter(data.run("alpha").journal)
    writer.write(msgspec.structs.replace(iteration(5, 1.0, 50), metrics=evaluated.metrics()))
    writer.close()
    for one in games(new, "chaser", wins=20):
        append(data.games, one)
    rating = fit(read(data.games).games).of(new)
    figures = f"{rating.elo:,.0f}", f"{1.96 * rating.error:,.0f}"
    scores = "scores 30 % of 20 games against rule, 100 % of 20 games against chaser"
    assert f"rating Elo {' ± '.join(figures)} at 4.00 k timesteps, {scores}" in said("status", "alpha")
    assert f"{new} {' '.join(figures)}" in said("ladder", "alpha")
    states = StateRatings(data).look()
    assert formatting.elo(*states["alpha", 4000]) == " ± ".join(figures)
    assert "rating Elo – at 1.00 k timesteps" in said("status", "young")
    assert f"– {apart} – – 30" in said("ladder", "young")
    assert set(states) == {("alpha", 2000), ("alpha", 4000)}
    found = json.loads(said("status", "alpha", "--json"))["rating"]
    assert (found["player"], found["elo"], found["games"]) == (new, rating.elo, 49)
    assert found["elo_interval"] == [rating.low, rating.high]


def test_status_says_what_is_evaluated_and_what_waits(data: DataDir) -> None:
    status = read_status(data.run("alpha"))
    assert not any(line.startswith("evaluation") for line in status_lines(status))
    status = msgspec.structs.replace(status, evaluation=EvaluationLive(1_100_000, 4711, 1_200_000, 60, 0.23))
    row = next(line for line in status_lines(status) if line.startswith("evaluation"))
    assert row.split(maxsplit=1)[1] == "evaluating 1.10 M, 23 % of 60 games, 1.20 M waits"
    found = json.loads(json_text(status.document()))["evaluation"]
    assert found == {"timesteps": 1_100_000, "pid": 4711, "waiting": 1_200_000, "games": 60, "share": 0.23}
