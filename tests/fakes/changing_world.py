"""What becomes of runs, profiles and saved states while somebody looks at them: a run's news, and the disk by hand."""

from __future__ import annotations

import contextlib
import random
import shutil
from collections.abc import Mapping
from pathlib import Path

from rltui.events.records import Level, LogLine
from rltui.runs.paths import DataDir
from tests.fakes import data_folder, run_story, saved_runs
from tests.fakes.fake_run import FakeRun
from tests.fakes.screens import Clock
from tests.fakes.walking import Change

STATES = ("collecting", "paused", "learning", "saving", "starting", "stopping", "nobody knows")
LEVELS: tuple[Level, ...] = ("info", "warning", "error", "debug")
WORKERS = ("collecting", "failed", "restarting", "starting")
TEXTS = ("", "[[[", "schema = 1\n", "\ufeff", "schema = 1\nlabel = 'x'\n[ppo]\nlearning_rate = 1e-3\n")
ODD_NAMES = ("\x1b[31mx", "[red]", "漢字" * 10, "-rf", "a b")


def of_a_clock(clock: Clock) -> Mapping[str, Change]:
    """It jumps, backwards too."""

    def jump(chance: random.Random) -> None:
        clock.now += chance.choice((0.5, 30.0, 4000.0, -1.0, -90_000.0))

    return {"the clock jumps": jump}


def of_a_run(run: FakeRun, clock: Clock) -> Mapping[str, Change]:
    """Its news; it ends, is lost, comes back, begins again, is deleted."""
    control = run.control
    assert control is not None

    def live(chance: random.Random) -> None:
        states = tuple(chance.choice(WORKERS) for _ in range(chance.randint(0, 9)))
        progress = chance.choice((None, 0.0, 0.4, 1.0, 7.0, -3.0, float("nan")))
        frame = run_story.live(clock.now, state=chance.choice(STATES), states=states, progress=progress)
        control.say(frame)

    def told(chance: random.Random) -> None:
        last = 608 + chance.randint(0, 20)
        run.records.add(*run_story.iterations(608, last), run_story.phase_changed(clock.now, last * run_story.STEPS))
        for number, level in enumerate(LEVELS):
            text = "🦖\n" * number
            run.records.add(LogLine(time=clock.now, level=level, source="s" * number, message=text, worker=number))

    def answered(chance: random.Random) -> None:
        for number in range(1, len(control.sent) + 1):
            chance.choice((control.accept, lambda n: control.apply(n, "d"), lambda n: control.refuse(n, "[no]")))(
                number
            )

    def ends(chance: random.Random) -> None:
        run.records.add(run_story.finished(607 * run_story.STEPS, clock.now, chance.randint(0, 2), "asked to stop"))
        run.process, control.gone = chance.choice((False, None)), True

    def lost(chance: random.Random) -> None:
        control.gone, run.process = True, chance.choice((True, False, None))
        run.records.failure = chance.choice((None, OSError(5, "Input/output error")))

    def back(chance: random.Random) -> None:
        run.records.failure, run.process, run.deleted, control.gone = None, True, False, False
        run.records.add(*run_story.opening(workers=chance.randint(0, 4), time=clock.now))

    return {"live": live, "told": told, "answered": answered, "ends": ends, "lost": lost, "back": back,
            "deleted": lambda chance: setattr(run, "deleted", True), **of_a_clock(clock)}  # fmt: skip


def of_the_disk(data: DataDir, folder: Path, clock: Clock) -> Mapping[str, Change]:
    """Profiles are edited by hand, runs and milestones come and go, and what stands there may be anything."""

    def profile(chance: random.Random) -> None:
        place = folder / "profiles" / f"{chance.choice(('ball-touching', 'bronze-skills', 'my-bot', 'new'))}.toml"
        place.parent.mkdir(exist_ok=True)
        if place.is_file() and chance.random() < 0.3:
            place.unlink()
        elif not place.is_dir():
            place.write_bytes(chance.choice((b"\xff\xfe\x00", *(text.encode() for text in TEXTS))))

    def profiles_again(chance: random.Random) -> None:
        shutil.rmtree(folder / "profiles", ignore_errors=True)
        data_folder.write_profiles(folder)

    def milestone(chance: random.Random) -> None:
        paths = data.run(chance.choice(("alpha", "beta")))
        with contextlib.suppress(OSError):  # it is there already
            number = chance.randint(1, 99)
            saved_runs.save_milestone(paths, number, number * 1_000_000, f"{number:03d}M")
        _remove_one(paths.milestones / "Phase1-BallTouching", chance)

    def run(chance: random.Random) -> None:
        name = f"run{chance.randint(1, 20)}"
        if not data.run(name).folder.exists():
            data_folder.make_stopped(data, name, iterations=chance.randint(1, 60), time=clock.now)
        _remove_one(chance.choice((data.runs, data.checkpoints)), chance)

    def odd(chance: random.Random) -> None:
        data.runs.mkdir(parents=True, exist_ok=True)
        (data.runs / chance.choice(ODD_NAMES)).mkdir(exist_ok=True)

    def everything(chance: random.Random) -> None:
        shutil.rmtree(data.root, ignore_errors=True)

    return {"a profile": profile, "profiles again": profiles_again, "a milestone": milestone, "a run": run,
            "odd names": odd, "all is deleted": everything, **of_a_clock(clock)}  # fmt: skip


def _remove_one(folder: Path, chance: random.Random) -> None:
    found = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    if found:
        shutil.rmtree(chance.choice(found), ignore_errors=True)
