"""Where training goes on from; a fork is always a run of its own."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from rltui.errors import RltuiError
from rltui.runs import trainer_state
from rltui.runs.checkpoint import write_checkpoint
from rltui.runs.journal import JournalWriter
from rltui.runs.launch_plan import DamagedState, LaunchPlan, NothingFits, StartRequest, confirm, plan_launch
from rltui.runs.lock import RunLock, count_start
from rltui.runs.paths import DataDir
from tests.fakes import run_story
from tests.fakes.rlgym_ppo import write_theirs
from tests.fakes.saved_runs import SIGNATURE, litter, make_files, make_meta, make_run, place, save, save_milestone

NOW = 1_700_000_183.0


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    return DataDir(tmp_path / "data")


def choose(data: DataDir, **asked: str) -> LaunchPlan:
    return plan_launch(StartRequest(data, SIGNATURE, "profiles/quick.toml", now=NOW, **asked))  # type: ignore[arg-type]


def cut(folder: Path, name: str = "PPO_POLICY.pt") -> None:
    (folder / name).write_bytes(b"cut")


def flip(folder: Path, name: str = "PPO_POLICY.pt") -> None:
    content = bytearray((folder / name).read_bytes())
    content[10] ^= 1
    (folder / name).write_bytes(content)


def test_no_run_yet(data: DataDir) -> None:
    plan = choose(data)
    assert (plan.kind, plan.checkpoint, plan.timesteps, plan.commit, plan.parent) == ("new", None, 0, 0, None)
    assert plan.run == "quick-1"
    assert plan.reason == f"start the new run {plan.run}, from zero: nothing is saved yet"
    assert (plan.profile, plan.args) == ("profiles/quick.toml", ("--resume", "new"))
    assert not data.root.exists(), "choosing creates nothing"


def test_asked_for_its_own_runs_a_profile_passes_those_of_others_over(data: DataDir) -> None:
    """meta.json of the story's runs names the profile quick."""
    make_run(data, "alpha")
    own, other = (plan_launch(StartRequest(data, SIGNATURE, name, mode="own", now=NOW)) for name in ("quick", "my-bot"))
    assert (own.kind, own.run) == ("resume", "alpha")
    assert (other.kind, other.why) == ("new", "from zero: this profile has no run yet")
    assert plan_launch(StartRequest(data, SIGNATURE, "my-bot", now=NOW)).parent_run == "alpha"
    unfit = msgspec.structs.replace(SIGNATURE, obs="default 89")
    with pytest.raises(NothingFits):
        plan_launch(StartRequest(data, unfit, "quick", mode="own", now=NOW))
    with RunLock(data.run("alpha")):
        with pytest.raises(RltuiError, match="'alpha' is being trained already"):
            plan_launch(StartRequest(data, SIGNATURE, "quick", mode="own", now=NOW))
        assert plan_launch(StartRequest(data, SIGNATURE, "my-bot", mode="own", now=NOW)).kind == "new"


def test_trainers_that_fill_the_cores_are_named_whatever_is_started(
    data: DataDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The story's header: two workers on the host tower."""
    monkeypatch.setattr("socket.gethostname", lambda: "tower")
    milestone = save_milestone(make_run(data, "alpha"), 4, 5_000_000, "005M")
    for name in ("beta", "gamma"):
        journal = JournalWriter(make_run(data, name).journal)
        journal.write(run_story.header(name))
        journal.close()
    said = {2: ["beta already fills the 2 cores: all will train slower"], 3: []}
    for cores, warnings in said.items():
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        with RunLock(data.run("beta")):
            for asked in ({"mode": "new"}, {"run": "alpha"}, {"mode": str(milestone)}):
                assert list(choose(data, **asked).warnings) == warnings, (cores, asked)
    with RunLock(data.run("beta")), RunLock(data.run("gamma")):
        assert choose(data, mode="new").warnings == ("beta and gamma already fill the 3 cores: all will train slower",)
    assert choose(data, mode="new").warnings == ()


def test_the_newest_fitting_run_goes_on(data: DataDir) -> None:
    make_run(data, "alpha", time=1_700_000_000)
    beta = make_run(data, "beta", commits=2, time=1_700_000_100)
    make_run(data, "unfit", time=1_700_000_150, obs="default 89")
    litter(data, beta)
    plan = choose(data)
    assert plan == LaunchPlan(
        "resume",
        "beta",
        "saved 1 min ago: the newest run that fits",
        beta.checkpoint(2000),
        2000,
        commit=2,
        last_commit=2,
        trained_with="quick",
        profile="profiles/quick.toml",
    )
    assert (plan.title, plan.args) == ("resume beta at 2,000 timesteps", ())


def test_of_those_that_fit_the_one_started_last_goes_on_whatever_the_clock_says(data: DataDir) -> None:
    for name, time in (("alpha", 1_700_000_100), ("beta", 1_700_000_000)):
        count_start(make_run(data, name, time=time))
        assert choose(data).run == name
    count_start(data.run("alpha"))
    assert choose(data).run == "alpha"


def test_a_run_of_the_same_profile_comes_before_a_newer_one_of_another(data: DataDir) -> None:
    make_run(data, "own", time=1_700_000_000)
    make_run(data, "other", time=1_700_000_100)
    plan = plan_launch(StartRequest(data, SIGNATURE, "quick", now=NOW))
    assert plan.run == "other", "both are of this profile"
    theirs = plan_launch(StartRequest(data, SIGNATURE, "mine.toml", now=NOW))
    assert (theirs.kind, theirs.run, theirs.parent_run) == ("branch", "mine-1", "other"), "a new run with that bot"
    assert theirs.checkpoint == plan.checkpoint and theirs.fork
    assert theirs.why == "with the bot of other, the newest run that fits, of profile 'quick': that run stays as it is"
    mine = data.run("mine-1")
    about = msgspec.structs.replace(make_meta("mine-1", 1, 10, time=1_600_000_000), profile="mine")
    write_checkpoint(mine.checkpoint(10), make_files(about))
    assert plan_launch(StartRequest(data, SIGNATURE, "mine.toml", now=NOW)).run == "mine-1", "older, but its own"


def test_only_the_run_asked_for(data: DataDir) -> None:
    alpha = make_run(data, "alpha")
    make_run(data, "beta", time=1_700_000_100)
    plan = choose(data, run="alpha")
    assert (plan.kind, plan.run, plan.checkpoint) == ("resume", "alpha", alpha.checkpoint(3000))
    other = choose(data, run="gamma")
    assert (other.kind, other.run) == ("new", "gamma")
    assert other.why == "from zero"


def test_order_is_by_commit(data: DataDir) -> None:
    paths = make_run(data, "alpha", commits=0)
    save(paths, 1, 9000)
    save(paths, 2, 500)
    assert choose(data).timesteps == 500


@pytest.mark.parametrize("harm", [cut, flip])
def test_a_damaged_newest_falls_back_and_says_so(data: DataDir, harm: object) -> None:
    paths = make_run(data, "alpha")
    harm(paths.checkpoint(3000))  # type: ignore[operator]
    plan = choose(data)
    assert (plan.kind, plan.run, plan.checkpoint, plan.commit) == ("resume", "alpha", paths.checkpoint(2000), 2)
    (warning,) = plan.warnings
    assert warning.startswith("checkpoint 3000 of run 'alpha' is passed over: PPO_POLICY.pt is damaged")
    assert plan.last_commit == 3, "the number of the damaged one is not given again"
    confirm(data, plan)


def test_one_without_a_readable_meta_counts_as_newest(data: DataDir) -> None:
    paths = make_run(data, "alpha")
    cut(paths.checkpoint(3000), "meta.json")
    assert "meta.json" in choose(data).warnings[0]


def test_a_milestone_is_the_last_resort(data: DataDir) -> None:
    paths = make_run(data, "alpha")
    milestone = save_milestone(paths, 2, 2000, "000.002M")
    for timesteps in (2000, 3000):
        cut(paths.checkpoint(timesteps))
    plan = choose(data)
    assert (plan.kind, plan.checkpoint, len(plan.warnings)) == ("resume", milestone, 2)


def test_nothing_usable_is_no_reason_to_start_from_zero(data: DataDir) -> None:
    paths = make_run(data, "alpha", commits=2)
    for timesteps in (1000, 2000):
        cut(paths.checkpoint(timesteps))
    for asked in ({}, {"run": "alpha"}):
        with pytest.raises(
            RltuiError, match=r"alpha: no usable checkpoint \(checkpoint 2000 .*PPO_POLICY.pt"
        ) as caught:
            choose(data, **asked)
        assert caught.value.exit_code == 1


def test_runs_exist_but_none_fits(data: DataDir) -> None:
    make_run(data, "alpha", obs="default 89")
    make_run(data, "beta", obs="default 172")
    with pytest.raises(RltuiError) as caught:
        choose(data)
    assert caught.value.message == (
        "no run to go on with:\n"
        "  alpha: observation: expected default 92, found default 89\n"
        "  beta: observation: expected default 92, found default 172"
    )
    assert caught.value.hint == "to start from zero: rltui train profiles/quick.toml --resume new"
    assert caught.value.exit_code == 1
    with pytest.raises(RltuiError, match="the run cannot go on") as caught:
        choose(data, run="alpha")
    assert caught.value.hint == "to start from zero: rltui train profiles/quick.toml --resume new --run NAME"


def test_many_unfit_runs_are_not_all_listed(data: DataDir) -> None:
    for number in range(9):
        make_run(data, f"run{number}", commits=1, obs="other")
    with pytest.raises(RltuiError, match="and 4 more"):
        choose(data)


def test_a_run_that_never_saved_is_no_obstacle(data: DataDir) -> None:
    paths = make_run(data, "alpha", commits=0)
    assert choose(data).kind == "new"
    plan = choose(data, run="alpha")
    assert not plan.rewind
    paths.journal.write_bytes(b"rows of a life too short for a save")
    assert choose(data, run="alpha").rewind
    assert (plan.kind, plan.run, plan.why) == ("new", "alpha", "from zero: it has no checkpoint yet")


def test_a_run_being_trained_is_left_alone(data: DataDir) -> None:
    alpha = make_run(data, "alpha", time=1_700_000_100)
    beta = make_run(data, "beta")
    with RunLock(beta):
        free = choose(data)
        assert free.run == "alpha" and free.why.endswith("the newest run that fits and does not train")
    with RunLock(alpha):
        asked: dict[str, str]
        for asked in ({}, {"mode": "own"}, {"run": "alpha"}, {"mode": str(alpha.checkpoint(3000))}):
            with pytest.raises(RltuiError, match=rf"'alpha' is being trained already: pid {os.getpid()}"):
                choose(data, **asked)
        theirs = plan_launch(StartRequest(data, SIGNATURE, "mine", now=NOW))
        assert theirs.parent_run == "beta" and theirs.why.count("the newest run that fits and does not train")
        with (
            RunLock(beta),
            pytest.raises(NothingFits, match=r"alpha: is being trained by pid \d+ .*\n  beta: is being trained"),
        ):
            plan_launch(StartRequest(data, SIGNATURE, "mine", now=NOW))
        assert choose(data, mode=str(alpha.checkpoint(1000))).kind == "branch", "a branch does not touch its parent"
    found = choose(data)
    assert found.run == "alpha" and found.why.endswith("the newest run that fits")


def test_a_profile_whose_newest_run_is_just_starting_is_refused(data: DataDir, subtests: pytest.Subtests) -> None:
    """It had branched off another profile's bot, beside the run that had saved nothing yet."""
    make_run(data, "alpha")
    mine = make_run(data, "mine-1", commits=0)
    assert plan_launch(StartRequest(data, SIGNATURE, "mine", now=NOW)).run == "mine-2", "nobody starts it"

    def write() -> None:
        mine.profile.write_text("# profile: mine\n\nschema = 1\n", encoding="utf-8")

    with RunLock(mine):
        for name, step in (("lock alone", None), ("profile", write), ("number", lambda: count_start(mine))):
            if step is not None:
                step()
            for mode in ("auto", "own"):
                with (
                    subtests.test(so_far=name, mode=mode),
                    pytest.raises(RltuiError, match="'mine-1' is being trained already") as refused,
                ):
                    plan_launch(StartRequest(data, SIGNATURE, "mine", mode=mode, now=NOW))
                assert "rltui train mine --resume new" in refused.value.hint
        assert plan_launch(StartRequest(data, SIGNATURE, "mine", mode="new", now=NOW)).run == "mine-2"
        assert plan_launch(StartRequest(data, SIGNATURE, "quick", now=NOW)).run == "alpha", "another profile"


def test_new_when_asked_for(data: DataDir) -> None:
    make_run(data, "alpha")
    plan = choose(data, mode="new")
    assert plan.kind == "new" and plan.run.startswith("quick-") and plan.checkpoint is None
    assert plan.why == "from zero"
    assert choose(data, mode="new", run="beta").run == "beta"
    with pytest.raises(RltuiError, match="run 'alpha' exists") as caught:
        choose(data, mode="new", run="alpha")
    assert "rltui train profiles/quick.toml --run alpha" in caught.value.hint


def test_an_explicit_newest_goes_on_in_its_run(data: DataDir) -> None:
    paths = make_run(data, "alpha")
    for path in (paths.checkpoint(3000), paths.checkpoints):
        plan = choose(data, mode=str(path))
        assert (plan.kind, plan.run, plan.commit, plan.parent) == ("resume", "alpha", 3, None)
    milestone = save_milestone(paths, 3, 3000, "000.003M")
    assert choose(data, mode=str(milestone)).kind == "resume", "the same state"


def test_a_run_alone_means_its_newest_state(data: DataDir) -> None:
    alpha = make_run(data, "alpha")
    make_run(data, "later", time=1_700_000_100)
    make_run(data, "empty", commits=0)
    plan = choose(data, mode="alpha")
    assert (plan.kind, plan.run, plan.checkpoint) == ("resume", "alpha", alpha.checkpoint(3000))
    forked = plan_launch(StartRequest(data, SIGNATURE, "mine", mode="alpha", fork=True, now=NOW))
    assert (forked.run, forked.parent_run, forked.checkpoint) == ("mine-1", "alpha", alpha.checkpoint(3000))
    with RunLock(alpha), pytest.raises(RltuiError, match="'alpha' is being trained already"):
        choose(data, mode="alpha")
    with pytest.raises(RltuiError, match="empty is a run: name one of its saved states"):
        choose(data, mode="empty")


def test_anything_older_opens_a_branch(data: DataDir) -> None:
    paths = make_run(data, "alpha")
    milestone = save_milestone(paths, 1, 1000, "000.001M")
    for path in (paths.checkpoint(1000), milestone):
        plan = choose(data, mode=str(path))
        assert (plan.kind, plan.run, plan.parent, plan.parent_run) == ("branch", "alpha-b2", "alpha@1000", "alpha")
        assert (plan.checkpoint, plan.timesteps, plan.commit) == (path, 1000, 1)
        assert plan.title == "branch off as alpha-b2 at 1,000 timesteps"
        assert "of alpha, not its newest state" in plan.why
        assert plan.args == ("--resume", str(path))
    make_run(data, "alpha-b2")
    assert choose(data, mode=str(milestone)).run == "alpha-b3"


def test_a_branch_under_a_name_of_ones_own(data: DataDir) -> None:
    paths = make_run(data, "alpha")
    make_run(data, "taken")
    plan = choose(data, mode=str(paths.checkpoint(3000)), run="bold")
    assert (plan.kind, plan.run, plan.parent) == ("branch", "bold", "alpha@3000")
    with pytest.raises(RltuiError, match="run 'taken' exists"):
        choose(data, mode=str(paths.checkpoint(3000)), run="taken")
    with pytest.raises(RltuiError, match="run 'alpha' exists"):
        choose(data, mode=str(paths.checkpoint(1000)), run="alpha")


def test_a_checkpoint_from_elsewhere_is_branched_from(data: DataDir, tmp_path: Path) -> None:
    paths = make_run(data, "alpha")
    elsewhere = tmp_path / "usb stick" / "3000"
    shutil.copytree(paths.checkpoint(3000), elsewhere)
    shutil.rmtree(data.root)
    plan = choose(data, mode=str(elsewhere))
    assert (plan.kind, plan.run, plan.parent, plan.parent_run) == ("branch", "alpha-b2", "alpha@3000", None)


def test_a_foreign_checkpoint_cannot_choose_where_its_branch_goes(data: DataDir, tmp_path: Path) -> None:
    place(tmp_path / "1000", make_files(make_meta("../../escape", 1, 1000)))
    plan = choose(data, mode=str(tmp_path / "1000"))
    assert (plan.run, plan.parent) == ("imported-b2", "imported@1000")


def test_rlgym_ppos_checkpoint_begins_a_new_run(data: DataDir, subtests: pytest.Subtests) -> None:
    run = data.checkpoints / "rlgym-ppo-run-17"  # where it saves by itself
    for timesteps in (9, 10_000_080):
        write_theirs(run / str(timesteps), 6, 5, (8,))
    make_run(data, "taken")
    for asked, found in ((run, run / "10000080"), (run / "9", run / "9")):
        for fork in (False, True):
            with subtests.test(asked=asked.name, fork=fork):
                plan = plan_launch(StartRequest(data, SIGNATURE, "quick", mode=str(asked), fork=fork, now=NOW))
                assert (plan.kind, plan.checkpoint, plan.timesteps) == ("branch", found, 5_000_040)
                assert (plan.parent, plan.commit, plan.imported) == ("rlgym-ppo@5000040", 0, True)
                assert plan.title.startswith("start the new run quick-")
                assert plan.args == ("--fork-from", str(found)), "with --run, it does the same again"
    with pytest.raises(RltuiError, match="run 'taken' exists"):
        choose(data, mode=str(run), run="taken")


def test_what_is_wrong_with_rlgym_ppos_checkpoint_is_named(
    data: DataDir, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    book = "BOOK_KEEPING_VARS.json"
    for name, content, message in (
        ("PPO_VALUE_NET.pt", None, "9/PPO_VALUE_NET.pt: No such file"),
        (book, b"{", f"9/{book}: Expecting"),
        (book, b"[]", f"9/{book}: "),
        (book, b"{}", f"9/{book}: key 'cumulative_timesteps' is missing"),
        (book, b'{"cumulative_timesteps": -1}', f"9/{book}: key 'cumulative_timesteps': expected a whole"),
        (book, b'{"cumulative_timesteps": 1, "obs_running_stats": {}}', f"9/{book}: key 'mean' is missing"),
        (book, b'{"cumulative_timesteps": 1, "obs_running_stats": 3}', f"9/{book}: "),
        (
            book,
            b'{"cumulative_timesteps": 1, "obs_running_stats": {"mean": [], "var": [], "count": 3}}',
            f"9/{book}: ",
        ),
        (
            book,
            b'{"cumulative_timesteps": 1, "obs_running_stats": {"mean": [NaN], "var": [1], "count": 3}}',
            f"9/{book}: key 'obs_running_stats': expected finite",
        ),
        ("meta.json", b"{}", "no manifest.sha256: half copied"),  # ours, and damaged
    ):
        with subtests.test(name=name, content=content):
            shutil.rmtree(tmp_path / "9", ignore_errors=True)
            write_theirs(tmp_path / "9", 6, 5, (8,))
            if content is None:
                (tmp_path / "9" / name).unlink()
            else:
                (tmp_path / "9" / name).write_bytes(content)
            with pytest.raises(RltuiError) as caught:
                choose(data, mode=str(tmp_path / "9"))
            assert message in caught.value.message


def test_a_path_through_a_link_is_the_same_checkpoint(data: DataDir, tmp_path: Path) -> None:
    paths = make_run(data, "alpha")
    (tmp_path / "shortcut").symlink_to(paths.checkpoint(3000))
    assert choose(data, mode=str(tmp_path / "shortcut")).kind == "resume"


def test_explicit_paths_that_cannot_be(data: DataDir, tmp_path: Path) -> None:
    paths = make_run(data, "alpha")
    make_run(data, "other", commits=1, obs="default 89")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for path in (tmp_path / "nowhere", tmp_path / "loop", paths.checkpoint(3000) / "meta.json"):
        with pytest.raises(RltuiError, match=r"it is not a folder|no such folder"):
            choose(data, mode=str(path))
    with pytest.raises(RltuiError, match=r"no manifest.sha256"):
        choose(data, mode=str(tmp_path))
    with pytest.raises(
        RltuiError, match="does not fit this profile:\n  observation: expected default 92, found default 89"
    ):
        choose(data, mode=str(data.run("other").checkpoint(1000)))
    flip(paths.checkpoint(3000))
    with pytest.raises(
        DamagedState, match=r"checkpoint 3000 of alpha: PPO_POLICY.pt is damaged: its SHA-256"
    ) as caught:
        choose(data, mode=str(paths.checkpoint(3000)))
    assert caught.value.instead == paths.checkpoint(2000)
    assert caught.value.hint.endswith(f"rltui train profiles/quick.toml --resume {paths.checkpoint(2000)}")


def test_a_name_no_run_may_have(data: DataDir) -> None:
    with pytest.raises(RltuiError, match="run name 'milestones'") as caught:
        choose(data, run="milestones")
    assert caught.value.exit_code == 2


def test_a_plan_is_confirmed_under_the_lock(data: DataDir) -> None:
    paths = make_run(data, "alpha")
    resume, new = choose(data), choose(data, run="beta")
    branch = choose(data, mode=str(paths.checkpoint(1000)))
    for plan in (resume, new, branch):
        confirm(data, plan)
    save(paths, 4, 4000)
    make_run(data, "beta", commits=1)
    make_run(data, "alpha-b2", commits=2)
    for plan in (resume, new, branch):
        with pytest.raises(RltuiError, match="was trained by others meanwhile"):
            confirm(data, plan)


def fork(data: DataDir, path: Path, run: str | None = None) -> LaunchPlan:
    return plan_launch(
        StartRequest(data, SIGNATURE, "profiles/goals.toml", run=run, mode=str(path), fork=True, now=NOW)
    )


def test_a_fork_may_begin_as_the_newest_of_its_run(data: DataDir) -> None:
    paths = make_run(data)
    plan = fork(data, paths.checkpoint(3000))
    assert plan == LaunchPlan(
        "branch",
        "goals-1",
        "from checkpoint 3000 of alpha",
        paths.checkpoint(3000),
        3000,
        commit=3,
        parent="alpha@3000",
        parent_run="alpha",
        trained_with="quick",
        fork=True,
        profile="profiles/goals.toml",
    )
    assert plan.title == "start the new run goals-1 at 3,000 timesteps"
    assert plan.args == ("--fork-from", str(paths.checkpoint(3000)))


def test_a_fork_begins_also_while_its_run_trains_and_under_a_name(data: DataDir) -> None:
    paths = make_run(data)
    milestone = save_milestone(paths, 2, 5_000_000, "005M")
    with RunLock(paths):
        plan = fork(data, milestone, "mine")
    assert (plan.run, plan.parent, plan.timesteps) == ("mine", "alpha@5000000", 5_000_000)


def test_a_fork_from_a_folder_of_elsewhere(data: DataDir, tmp_path: Path) -> None:
    elsewhere = make_run(DataDir(tmp_path / "other"), "theirs")
    plan = fork(data, elsewhere.checkpoint(2000))
    assert (plan.parent, plan.parent_run) == ("theirs@2000", None)


def test_a_fork_under_a_name_that_is_taken(data: DataDir) -> None:
    paths = make_run(data)
    with pytest.raises(RltuiError, match="run 'alpha' exists: a branch needs a name of its own"):
        fork(data, paths.checkpoint(1000), "alpha")
    make_run(data, "goals-1")
    assert fork(data, paths.checkpoint(1000)).run == "goals-2"


def test_a_fork_of_a_damaged_one_names_the_newest_good_one(data: DataDir) -> None:
    paths = make_run(data)
    (paths.checkpoint(3000) / "PPO_POLICY.pt").write_bytes(b"cut")
    with pytest.raises(RltuiError, match=r"PPO_POLICY\.pt is damaged") as refused:
        fork(data, paths.checkpoint(3000))
    assert refused.value.hint.endswith(f"rltui train profiles/goals.toml --fork-from {paths.checkpoint(2000)}")
    assert data.run_names() == ["alpha"]


def test_a_step_limit_is_passed_on_while_it_lies_ahead(data: DataDir) -> None:
    plan = replace(choose(data), force=True)
    limited = [(replace(plan, steps=steps, timesteps=3000)) for steps in (None, 3000, 5000)]
    assert [each.reached for each in limited] == [False, True, False]
    always = ("--resume", "new")
    assert [each.args for each in limited] == [(*always, "--force")] * 2 + [(*always, "--steps", "5000", "--force")]


def test_the_profile_saved_with_a_state_fits_it(data: DataDir) -> None:
    paths = make_run(data, "alpha", obs="another one")
    plan = plan_launch(StartRequest(data, None, str(paths.profile), run="alpha", now=NOW))
    assert (plan.kind, plan.checkpoint) == ("resume", paths.checkpoint(3000))


def test_a_file_changed_since_is_warned_of(data: DataDir) -> None:
    paths = make_run(data, "alpha", commits=0)
    about = msgspec.structs.replace(make_meta("alpha", 1, 10), sources={"mine.py:Touch": "ab", "same.py:Same": "ef"})
    write_checkpoint(paths.checkpoint(10), make_files(about))
    now = {"mine.py:Touch": "cd", "same.py:Same": "ef", "new.py:New": "01"}
    (warning,) = plan_launch(StartRequest(data, SIGNATURE, "quick", sources=now, now=NOW)).warnings
    assert warning.startswith("mine.py:Touch is not as it was")


def test_what_is_set_by_hand_and_holds_is_named_wherever_training_goes_on(
    data: DataDir, subtests: pytest.Subtests
) -> None:
    """Also that the reward of a state that is branched off does not count."""
    paths = make_run(data, "alpha", commits=0)
    by_hand = {
        "reward touch": trainer_state.OverrideState(words="1.0", value=2.0),
        "entropy": trainer_state.OverrideState(words="0.01", value=0.5),
        "reward goal": trainer_state.OverrideState(words="10.0", value=10.0),  # as the profile has it: nothing to say
    }
    rate = trainer_state.RateState(words="constant 0.0002 0.0002 1 0 0", override=1.0)
    state = trainer_state.encode(trainer_state.TrainerState(learning_rate=rate, overrides=by_hand))
    for commit in (1, 2):
        about = msgspec.structs.replace(make_meta("alpha", commit, commit * 10), approx_kl=5.0)
        write_checkpoint(paths.checkpoint(commit * 10), {**make_files(about), trainer_state.NAME: state})
    torn = "the reward of checkpoint 10 does not count"
    held = "learning rate 1 (profile 0.0002), reward touch 2 (profile 1), entropy coefficient 0.5 (profile 0.01)"
    same = {"quick": {"learning rate": rate.words, **{name: one.words for name, one in by_hand.items()}}}
    other = {"": {**same["quick"], "entropy": "0.02"}}
    first = str(paths.checkpoint(10))
    cases = [
        ("its own profile, which nobody gave", None, "auto", held),
        ("the same profile", same, "auto", held),
        ("one that says another", other, "auto", held.rpartition(", ")[0]),
        ("one that says nothing of it", {}, "auto", ""),
        ("a branch", same, first, held),
    ]
    for name, said, mode, expected in cases:
        with subtests.test(name):
            found = plan_launch(StartRequest(data, SIGNATURE, "quick", mode=mode, said=said, now=NOW)).warnings
            expected = expected and f"set by hand, still in force: {expected}"
            assert [warning for warning in found if "by hand" in warning] == ([expected] if expected else [])
            assert any(warning.startswith(torn) for warning in found) == (mode == first)
